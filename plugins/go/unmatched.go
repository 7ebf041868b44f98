package gotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// checkMatched rejects paths that can match no package: a typo is not a failure of the
// project. It uses only what the disk shows for certain. It leaves to the go command
// anything with source files, whatever state they are in, and import paths, which may
// be anywhere, except for words that cannot be any.
func (p project) checkMatched(named []string, args goflags.Args) error {
	if p.overlays(args) {
		return nil // there may be files without a directory
	}
	_, otherModules := args.Get("modfile")
	otherModules = otherModules || strings.Contains(p.workspace.Env["GOFLAGS"], "-modfile")
	for _, name := range named {
		why := ""
		switch {
		case isPath(name):
			if why = p.explainUnmatched(name); why == "" && !otherModules {
				why = p.explainSeparate(name)
			}
		case !otherModules:
			why = p.explainUnknown(name)
		}
		if why != "" {
			return invalidSelection("%q matches no package: %s", name, why)
		}
	}
	return nil
}

func (p project) overlays(args goflags.Args) bool {
	_, overlaid := args.Get("overlay")
	return overlaid || strings.Contains(p.workspace.Env["GOFLAGS"], "-overlay")
}

// isPath distinguishes paths from import paths like the go command.
func isPath(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return first == "." || first == ".." || filepath.IsAbs(name)
}

// explainUnmatched says why a path matches no package, and what to do; empty if it may match
// one.
func (p project) explainUnmatched(name string) string {
	path, dir, below := p.directoryOf(name)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no directory " + strings.TrimSuffix(path, "/") + "; name packages that exist, or none to run all"
	case err != nil || !info.IsDir():
		return ""
	case p.besideItsModules(dir):
		return "the directory of go.work is in no module; name no packages to run all, or name modules: " + strings.Join(p.modulePatterns(true), " ")
	case !hasSources(dir, below):
		return "it has no Go files; name packages that have some, or none to run all"
	}
	return ""
}

// directoryOf returns the directory that a path names or begins with, as it is written and
// in full. below reports whether it stands for what is below, too.
func (p project) directoryOf(name string) (path, dir string, below bool) {
	path, _, below = strings.Cut(filepath.ToSlash(name), "...")
	if below {
		path = path[:strings.LastIndexByte(path, '/')+1]
	}
	dir = filepath.FromSlash(path)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.workspace.Root, dir)
	}
	return path, dir, below
}

// explainSeparate says that a path lies in a module below the root that is neither in
// effect nor in place of another; empty if it does not.
func (p project) explainSeparate(name string) string {
	_, dir, _ := p.directoryOf(name)
	for {
		rel, below := source.RelativeTo(p.workspace.Root, dir)
		if !below || rel == "." {
			return ""
		}
		here, err := os.Stat(dir)
		if _, noModule := os.Stat(filepath.Join(dir, "go.mod")); err == nil && noModule == nil {
			isKnown := slices.ContainsFunc(p.layout.Modules(), func(m source.Module) bool {
				other, err := os.Stat(m.Dir)
				return err == nil && os.SameFile(here, other)
			})
			if isKnown {
				return ""
			}
			return filepath.ToSlash(rel) + " is a separate module, whose tests are run in its own directory"
		}
		dir = filepath.Dir(dir)
	}
}

// besideItsModules reports whether a directory is that of go.work, and in none of its
// modules: no path in it matches what is in these.
func (p project) besideItsModules(dir string) bool {
	if p.layout.WorkFile == "" || len(p.layout.Main) == 0 || filepath.Clean(dir) != filepath.Clean(p.workspace.Root) ||
		filepath.Dir(p.layout.WorkFile) != p.layout.Root {
		return false
	}
	for _, module := range p.layout.Main {
		rel, err := filepath.Rel(module.Dir, p.layout.Root)
		if err != nil || rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return false // the directory is in this module
		}
	}
	return true
}

// maxVisited bounds the search for a source file. Beyond it a directory counts as one
// with sources.
const maxVisited = 20_000

// hasSources reports whether a directory may have source files, in it or below.
func hasSources(dir string, below bool) bool {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	looked, found := 0, false
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if looked++; err != nil || looked > maxVisited {
			return fs.ErrInvalid // unknown
		}
		name := entry.Name()
		switch {
		case path == dir:
		case !entry.IsDir():
			if found = strings.HasSuffix(name, ".go"); found {
				return fs.SkipAll
			}
		case !below, name == "testdata", strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"):
			return fs.SkipDir
		}
		return nil
	})
	return found || err != nil
}
