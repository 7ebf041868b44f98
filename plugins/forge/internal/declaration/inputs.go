package declaration

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxInputs bounds the number of sources examined.
const maxInputs = 50_000

// compiledSources returns the sources that `forge test` compiles: those in the folders of
// sources and tests, and everything they import. all is false if the list may be
// incomplete.
func (s *state) compiledSources(ctx context.Context) (paths []string, all bool) {
	all = s.project.HasIndex()
	seen := map[string]bool{}
	var queue []string
	add := func(p string) {
		if !seen[p] && len(seen) < maxInputs {
			seen[p] = true
			queue = append(queue, p)
		}
	}
	for _, folder := range s.folders() {
		if !s.walkFolder(ctx, folder, add) {
			all = false
		}
	}
	for len(queue) > 0 && ctx.Err() == nil {
		p := queue[0]
		queue = queue[1:]
		for _, imported := range s.imports(p) {
			add(imported)
		}
	}
	for p := range seen {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths, all && len(seen) < maxInputs
}

// imports returns what a source imports: according to the compiler, or to its text if
// the compiler has not seen it.
func (s *state) imports(p string) []string {
	if s.isFresh(p) {
		return s.project.Imports(p)
	}
	if s.project.IsLibrary(p) {
		return nil // none of it runs
	}
	f, ok := s.sources.parsed(p)
	if !ok {
		return nil
	}
	var paths []string
	for _, imp := range f.Imports {
		if target, ok := s.program.Resolve(p, imp.Path); ok {
			paths = append(paths, target)
		}
	}
	return paths
}

// folders returns the folders of sources and tests, relative to the root.
func (s *state) folders() []string {
	src, test := s.cfg.Src, s.cfg.Test
	if src == "" {
		src = "src"
		if !s.isFolder(src) && s.isFolder("contracts") {
			src = "contracts"
		}
	}
	if test == "" {
		test = "test"
	}
	return slices.Compact([]string{s.relative(src), s.relative(test)})
}

func (s *state) isFolder(name string) bool {
	info, err := os.Stat(filepath.Join(s.cfg.Artifacts.Root, name))
	return err == nil && info.IsDir()
}

func (s *state) relative(folder string) string {
	if filepath.IsAbs(folder) {
		if rel, err := filepath.Rel(s.cfg.Artifacts.Root, folder); err == nil {
			folder = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(folder))
}

// walkFolder adds the sources of a folder. It returns false if it may have missed some: the
// folder is outside of the root, or contains a symlink, which forge follows and walk
// does not.
func (s *state) walkFolder(ctx context.Context, folder string, add func(string)) bool {
	if !filepath.IsLocal(filepath.FromSlash(folder)) {
		return false
	}
	root, err := os.OpenRoot(s.cfg.Artifacts.Root)
	if err != nil {
		return false
	}
	defer root.Close()
	all, visited := true, 0
	err = fs.WalkDir(root.FS(), folder, func(p string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil || visited > 4*maxInputs {
			all = false
			return fs.SkipAll
		}
		visited++
		switch {
		case err != nil:
			// A missing folder has no sources.
			all = all && p == folder && os.IsNotExist(err)
			return nil
		case entry.IsDir():
			if p != folder && (s.project.IsLibrary(p) || p == s.relative(s.out()) || path.Base(p) == ".git") {
				return fs.SkipDir
			}
		case entry.Type()&fs.ModeSymlink != 0, !utf8.ValidString(p):
			all = false
		case strings.HasSuffix(p, ".sol") && !s.project.IsLibrary(p) && !s.isSkipped(p):
			add(p)
		}
		return nil
	})
	return all && err == nil
}

func (s *state) out() string {
	if s.cfg.Artifacts.Out == "" {
		return "out"
	}
	return s.cfg.Artifacts.Out
}

// isFresh reports whether the compiler has seen the current text of a source.
func (s *state) isFresh(p string) bool {
	known, ok := s.freshness[p]
	if !ok {
		known = s.project.IsFresh(s.sources.ctx, p)
		s.freshness[p] = known
	}
	return known
}

// staleSources returns those of paths whose artifacts do not match their text or the text of
// anything they import.
func (s *state) staleSources(paths []string) map[string]bool {
	importers := map[string][]string{}
	stale := map[string]bool{}
	var queue []string
	for _, p := range paths {
		if !s.isFresh(p) {
			stale[p] = true
			queue = append(queue, p)
		}
		for _, imported := range s.project.Imports(p) {
			importers[imported] = append(importers[imported], p)
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, importer := range importers[p] {
			if !stale[importer] {
				stale[importer] = true
				queue = append(queue, importer)
			}
		}
	}
	return stale
}
