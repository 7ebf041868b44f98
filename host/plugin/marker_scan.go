package plugin

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The bounds of a search of a workspace: it must take less time than starting a plugin.
const (
	maxSeenDirs    = 1_000
	maxSeenEntries = 20_000
	// seenAtOnce is how many entries of a directory are read at once.
	seenAtOnce = 1_000
)

// markerScan looks for files by name in a whole tree, once for several plugins.
type markerScan struct {
	root string
	// wanted maps a lower-case file name to who looks for it, so that none is missed on
	// a file system that folds case.
	wanted map[string][]int
	// seen reports whose files exist.
	seen []bool
	left int

	dirs, entries int
}

func newMarkerScan(root string, wanted [][]string) *markerScan {
	s := &markerScan{root: root, wanted: map[string][]int{}, seen: make([]bool, len(wanted)), left: len(wanted)}
	for i, names := range wanted {
		for _, name := range names {
			name = strings.ToLower(name)
			s.wanted[name] = append(s.wanted[name], i)
		}
	}
	return s
}

// scan searches the tree, top levels first, until everything was seen. sure is false if
// something was skipped: an unreadable directory, a link to one, or more than the
// bound.
func (s *markerScan) scan(ctx context.Context) (sure bool) {
	for queue := []string{s.root}; len(queue) > 0 && s.left > 0; queue = queue[1:] {
		if s.dirs++; s.dirs > maxSeenDirs || ctx.Err() != nil {
			return false
		}
		below, ok := s.searchDirectory(queue[0])
		if !ok {
			return false
		}
		queue = append(queue, below...)
	}
	return true
}

// searchDirectory searches one directory and returns its subdirectories.
func (s *markerScan) searchDirectory(path string) (below []string, ok bool) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	for {
		entries, err := dir.ReadDir(seenAtOnce)
		for _, entry := range entries {
			s.markFound(entry.Name())
			at := filepath.Join(path, entry.Name())
			switch {
			case entry.IsDir() && !isInternal(entry.Name()):
				below = append(below, at)
			case entry.Type()&fs.ModeSymlink != 0 && leadsToDirectory(at):
				return nil, false
			}
		}
		s.entries += len(entries)
		switch {
		case errors.Is(err, io.EOF) || s.left == 0:
			return below, true
		case err != nil || s.entries > maxSeenEntries:
			return nil, false
		}
	}
}

func (s *markerScan) markFound(name string) {
	for _, who := range s.wanted[strings.ToLower(name)] {
		if !s.seen[who] {
			s.seen[who] = true
			s.left--
		}
	}
}

// isInternal reports whether a directory belongs to git or to proctor, and so has no
// project.
func isInternal(name string) bool { return name == ".git" || name == ".proctor" }

func leadsToDirectory(link string) bool {
	info, err := os.Stat(link)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return info.IsDir()
}
