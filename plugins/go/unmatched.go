package gotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
)

// checkMatched refuses paths that can match no package: a slip in the call is no
// failure of the project. It looks only at what the disk tells for sure. What has
// source files is left to the go command, whatever it thinks of them, and so are
// import paths, which may lie anywhere, but for words that can be none.
func (p project) checkMatched(named []string, args goflags.Args) error {
	if p.overlays(args) {
		return nil // files may be where there is no directory
	}
	_, otherModules := args.Get("modfile")
	otherModules = otherModules || strings.Contains(p.workspace.Env["GOFLAGS"], "-modfile")
	for _, name := range named {
		why := ""
		switch {
		case isPath(name):
			why = p.unmatched(name)
		case !otherModules:
			why = p.unknownPackage(name)
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

// isPath tells paths from import paths, as the go command does.
func isPath(name string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return first == "." || first == ".." || filepath.IsAbs(name)
}

// unmatched says why a path matches no package, and what to do; empty if it may
// match one.
func (p project) unmatched(name string) string {
	path, _, below := strings.Cut(filepath.ToSlash(name), "...")
	if below {
		path = path[:strings.LastIndexByte(path, '/')+1]
	}
	dir := filepath.FromSlash(path)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.workspace.Root, dir)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no directory " + strings.TrimSuffix(path, "/") + "; name packages that exist, or none to run all"
	case err != nil || !info.IsDir():
		return ""
	case p.besideItsModules(dir):
		return "the directory of go.work is in no module; name none to run all packages, or modules: " + strings.Join(p.modulePatterns(true), " ")
	case !hasSources(dir, below):
		return "it has no Go files; name packages that have, or none to run all"
	}
	return ""
}

// besideItsModules reports whether a directory is the one of go.work, and in none of
// the modules: no path in it matches what lies in these.
func (p project) besideItsModules(dir string) bool {
	if p.layout.WorkFile == "" || len(p.layout.Main) == 0 || filepath.Clean(dir) != filepath.Clean(p.workspace.Root) ||
		filepath.Dir(p.layout.WorkFile) != p.layout.Root {
		return false
	}
	for _, module := range p.layout.Main {
		rel, err := filepath.Rel(module.Dir, p.layout.Root)
		if err != nil || rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return false // in it
		}
	}
	return true
}

// maxLooked bounds the search for a source file. Whoever has so many others is
// not told that there is none.
const maxLooked = 20_000

// hasSources reports whether there may be source files in a directory, or below it.
func hasSources(dir string, below bool) bool {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	looked, found := 0, false
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if looked++; err != nil || looked > maxLooked {
			return fs.ErrInvalid // not known
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
