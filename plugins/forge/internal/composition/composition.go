package composition

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/cheats"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// Config says where a project is and how it is compiled.
type Config struct {
	Artifacts artifact.Config
	// Folders are the folders of sources, tests and scripts, relative to the root or
	// absolute.
	Folders []string
	// Remappings have the form [CONTEXT:]PREFIX=PATH.
	Remappings []string
	// IncludePaths are further folders to search for imports.
	IncludePaths []string
	// Compiler is the version or path of the compiler that the configuration names. It
	// is empty if forge chooses one, which it does by the pragmas of all sources
	// together.
	Compiler string
	// Opaque says why nothing is known about any suite; it is empty otherwise.
	Opaque string
	// Home is the user's home directory, which may hold settings of forge, or "" if
	// unknown.
	Home string
}

// Names of the parts that are not sources. They cannot clash with the path of a source,
// which has an extension.
const (
	configurationPart = "the configuration of forge"
	allSourcesPart    = "all sources"
)

// Composition describes what the suites of a project are built from. It is not safe for
// concurrent use.
type Composition struct {
	cfg     Config
	project *artifact.Project
	book    *cheats.Book
	// opaque says why nothing is known about any suite.
	opaque string
	files  map[string]*solidity.File
	// learned are the sources whose cheat codes are in the book.
	learned map[string]bool
	current map[string]bool
}

// Read reads the compiler's index of a project.
func Read(ctx context.Context, cfg Config) (*Composition, error) {
	project, err := artifact.Open(ctx, cfg.Artifacts)
	if err != nil {
		return nil, err
	}
	c := &Composition{
		cfg: cfg, project: project, book: cheats.NewBook(), opaque: cfg.Opaque,
		files: map[string]*solidity.File{}, learned: map[string]bool{}, current: map[string]bool{},
	}
	if !project.HasIndex() {
		c.opaque = "the compiler left no index of what it compiled"
	}
	return c, nil
}

// Parts returns the parts of the project. Call it before asking for suites.
func (c *Composition) Parts(ctx context.Context) []sdk.ListedPart {
	sources := c.project.Files()
	parts := []sdk.ListedPart{c.configuration(ctx), {Name: allSourcesPart, Needs: sources, Patterns: c.folders()}}
	known := make(map[string]bool, len(sources))
	for _, source := range sources {
		known[source] = true
	}
	for _, source := range sources {
		// A source that imports one missing from the index is opaque.
		imports := slices.DeleteFunc(slices.Clone(c.project.Imports(source)), func(i string) bool { return !known[i] })
		parts = append(parts, sdk.ListedPart{Name: source, Files: c.paths(source), Patterns: c.rivalPatterns(ctx, source), Needs: imports})
	}
	return parts
}

// folders returns patterns that match everything in the project's folders.
func (c *Composition) folders() []string {
	var patterns []string
	for _, folder := range c.cfg.Folders {
		patterns = append(patterns, c.paths(filepath.Join(folder, "**"))...)
	}
	return patterns
}

// paths returns the names a file of the project may go by: its path as forge names it,
// relative to the root or absolute, and its path with symlinks resolved.
func (c *Composition) paths(name string) []string {
	root := c.cfg.Artifacts.Root
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, full)
	}
	names := []string{c.relative(full)}
	// For a missing file, resolve its folder instead.
	dir, base := filepath.Split(full)
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		real, err = filepath.EvalSymlinks(dir)
		real = filepath.Join(real, base)
	}
	if err == nil {
		names = append(names, c.relative(real))
	}
	return slices.Compact(names)
}

// relative returns a slash-separated path relative to the root, or an absolute one
// outside of it.
func (c *Composition) relative(full string) string {
	if rel, err := filepath.Rel(c.cfg.Artifacts.Root, full); err == nil && filepath.IsLocal(rel) {
		full = rel
	}
	return filepath.ToSlash(full)
}

// parsedFile returns what a source declares, or nil if it cannot be read.
func (c *Composition) parsedFile(ctx context.Context, source string) *solidity.File {
	if f, known := c.files[source]; known {
		return f
	}
	text, err := c.project.Source(ctx, source)
	var f *solidity.File
	if err == nil {
		f = solidity.Parse(text)
	}
	c.files[source] = f
	return f
}

// isCurrent reports whether the compiler has seen the current text of a source.
func (c *Composition) isCurrent(ctx context.Context, source string) bool {
	known, ok := c.current[source]
	if !ok {
		known = c.project.IsCurrent(ctx, source)
		c.current[source] = known
	}
	return known
}
