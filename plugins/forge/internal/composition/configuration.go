package composition

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxFolders bounds the search for the settings of libraries, and maxConfiguration
	// what is read of a foundry.toml.
	maxFolders       = 20_000
	maxConfiguration = 1 << 20
	// maxNested is how deeply libraries may contain libraries.
	maxNested = 8
)

var (
	// extends matches a line of foundry.toml that takes settings from another file, and
	// libraries one that names the folders of libraries. A false match does no harm.
	extends   = lazyregexp.New(`(?m)\bextends["']?\s*=\s*(?:\{[^}\n]*path\s*=\s*)?["']([^"'\n]+)["']`)
	libraries = lazyregexp.New(`(?s)\blibs["']?\s*=\s*\[([^\]]*)\]`)
	quoted    = lazyregexp.New(`["']([^"'\n]+)["']`)
)

// configuration returns the part with everything that decides how sources are compiled
// and tests are run: forge's settings, and the libraries, whose remappings forge uses.
// A library that is added may change what an import resolves to.
func (c *Composition) configuration(ctx context.Context) sdk.ListedPart {
	part := sdk.ListedPart{Name: configurationPart}
	add := func(name string) {
		for _, one := range c.paths(name) {
			if c.exists(one) {
				part.Files = append(part.Files, one)
			} else {
				part.Patterns = append(part.Patterns, escapePattern(one))
			}
		}
	}
	for _, name := range []string{"foundry.toml", "remappings.txt", ".env", "foundry.lock", "soldeer.lock"} {
		add(name)
	}
	if c.cfg.Home != "" {
		add(filepath.Join(c.cfg.Home, ".foundry", "foundry.toml"))
	}
	if strings.ContainsAny(c.cfg.Compiler, `/\`) {
		add(c.cfg.Compiler)
	}
	for _, match := range extends.FindAllStringSubmatch(c.readTOML("."), -1) {
		add(match[1])
	}
	libs := slices.Clone(c.project.Libs())
	for _, lib := range libs {
		part.Patterns = append(part.Patterns, c.paths(filepath.Join(lib, "**"))...)
	}
	s := &nested{Composition: c, add: add, left: maxFolders, seen: map[string]bool{}}
	s.search(ctx, libs, maxNested)
	if s.left < 0 && c.opaque == "" {
		c.opaque = "there are too many library folders to search for settings"
	}
	slices.Sort(part.Files)
	slices.Sort(part.Patterns)
	part.Files, part.Patterns = slices.Compact(part.Files), slices.Compact(part.Patterns)
	return part
}

// nested searches libraries for their own settings and libraries.
type nested struct {
	*Composition
	add  func(name string)
	left int
	seen map[string]bool
}

// search looks into every subfolder of the library folders, as forge does.
func (n *nested) search(ctx context.Context, libs []string, depth int) {
	for _, lib := range libs {
		full := filepath.FromSlash(lib)
		if !filepath.IsAbs(full) {
			full = filepath.Join(n.cfg.Artifacts.Root, full)
		}
		real, err := filepath.EvalSymlinks(full)
		if err != nil || n.seen[real] {
			continue
		}
		n.seen[real] = true
		entries, err := os.ReadDir(full)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if n.left--; n.left < 0 || ctx.Err() != nil {
				return
			}
			if entry.Type().IsRegular() {
				continue
			}
			n.addLibrary(ctx, filepath.Join(lib, entry.Name()), depth)
		}
	}
}

// addLibrary adds the settings of one library. Missing files are left out: the patterns
// already cover a file that appears in a library.
func (n *nested) addLibrary(ctx context.Context, dir string, depth int) {
	own := false
	for _, name := range []string{"foundry.toml", "remappings.txt"} {
		if file := filepath.Join(dir, name); n.exists(file) {
			own = true
			n.add(file)
		}
	}
	if !own {
		return
	}
	text := n.readTOML(dir)
	for _, match := range extends.FindAllStringSubmatch(text, -1) {
		n.add(filepath.Join(dir, match[1]))
	}
	folders := []string{filepath.Join(dir, "lib"), filepath.Join(dir, "node_modules"), filepath.Join(dir, "dependencies")}
	for _, match := range libraries.FindAllStringSubmatch(text, -1) {
		for _, name := range quoted.FindAllStringSubmatch(match[1], -1) {
			folders = append(folders, filepath.Join(dir, name[1]))
		}
	}
	if depth == 0 {
		n.left = -1
		return
	}
	n.search(ctx, folders, depth-1)
}

// readTOML returns the foundry.toml of a folder, or "" if there is none.
func (c *Composition) readTOML(dir string) string {
	full := filepath.Join(c.cfg.Artifacts.Root, dir)
	if filepath.IsAbs(dir) {
		full = dir
	}
	file := filepath.Join(full, "foundry.toml")
	// Opening a pipe would block.
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfiguration {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}
