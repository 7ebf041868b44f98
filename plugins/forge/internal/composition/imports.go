package composition

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// rivalPatterns returns the paths at which a new file would take the place of a file that a
// source imports now. Relative imports have none, nor have imports that a remapping
// resolves, because forge searches no further then. For all others forge searches the
// library folders before the root.
func (c *Composition) rivalPatterns(ctx context.Context, source string) []string {
	f := c.parsedFile(ctx, source)
	if f == nil {
		return nil
	}
	var patterns []string
	for _, imported := range f.Imports {
		if strings.HasPrefix(imported.Path, ".") || c.isRemapped(imported.Path) {
			continue
		}
		for _, candidate := range c.candidates(path.Clean(imported.Path)) {
			for _, name := range c.paths(candidate) {
				if !c.exists(name) {
					patterns = append(patterns, escapePattern(name))
				}
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// isRemapped reports whether a remapping that applies in every folder resolves an import.
// Forge makes an exception for targets that end in "contracts", and a longer prefix may
// apply in another context.
func (c *Composition) isRemapped(imported string) bool {
	return slices.ContainsFunc(c.cfg.Remappings, func(line string) bool {
		prefix, target, ok := strings.Cut(line, "=")
		return ok && !strings.Contains(prefix, ":") && strings.HasPrefix(imported, prefix) &&
			path.Base(path.Clean(target)) != "contracts"
	})
}

// candidates returns the paths at which forge looks for an import.
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

// escapePattern turns a name into a pattern that matches only it.
func escapePattern(name string) string {
	dir, base := path.Split(name)
	return dir + strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(base)
}

// exists reports whether a file exists.
func (c *Composition) exists(name string) bool {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.cfg.Artifacts.Root, full)
	}
	_, err := os.Stat(full)
	return err == nil
}
