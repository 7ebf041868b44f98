package composition

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// rivals are where a file that appears would be imported by a source in the place of
// the one that is. Relative imports have none, nor have those that a remapping leads
// somewhere: forge looks no further then. All others it looks for in the folders of
// libraries before it takes them from the root.
func (c *Composition) rivals(ctx context.Context, source string) []string {
	f := c.file(ctx, source)
	if f == nil {
		return nil
	}
	var patterns []string
	for _, imported := range f.Imports {
		if strings.HasPrefix(imported.Path, ".") || c.remapped(imported.Path) {
			continue
		}
		for _, candidate := range c.candidates(path.Clean(imported.Path)) {
			for _, name := range c.paths(candidate) {
				if !c.exists(name) {
					patterns = append(patterns, escape(name))
				}
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// remapped reports whether a remapping without a folder of its own leads an import
// somewhere. One whose target ends in contracts has an exception in forge, and a
// longer prefix may be found in another context.
func (c *Composition) remapped(imported string) bool {
	return slices.ContainsFunc(c.cfg.Remappings, func(line string) bool {
		prefix, target, ok := strings.Cut(line, "=")
		return ok && !strings.Contains(prefix, ":") && strings.HasPrefix(imported, prefix) &&
			path.Base(path.Clean(target)) != "contracts"
	})
}

// candidates are where forge looks for an import.
func (c *Composition) candidates(imported string) []string {
	candidates := []string{imported}
	for _, folder := range c.cfg.IncludePaths {
		candidates = append(candidates, path.Join(filepath.ToSlash(folder), imported))
	}
	name, rest, _ := strings.Cut(imported, "/")
	for _, lib := range c.project.Libs() {
		for _, folder := range []string{"", "src", "contracts"} {
			candidates = append(candidates, path.Join(filepath.ToSlash(lib), name, folder, rest))
		}
	}
	return candidates
}

// escape makes a name a pattern that only it fits.
func escape(name string) string {
	dir, base := path.Split(name)
	return dir + strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(base)
}

// exists reports whether a file is there.
func (c *Composition) exists(name string) bool {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.cfg.Artifacts.Root, full)
	}
	_, err := os.Stat(full)
	return err == nil
}
