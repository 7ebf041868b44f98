package fingerprint

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// dir is a directory as found.
type dir struct {
	// path is relative to the snapshot's top: "" or with a trailing slash.
	path string
	repo *repository
	stat stat
	// racy reports whether it was modified so recently that a later change may not
	// show.
	racy bool
	// git reports whether it has a .git.
	git      bool
	children []child
}

// child is a name in a directory. Names outside of the state are kept, so that a new
// name can be distinguished from a skipped one.
type child struct {
	name string
	kind kind
	// skip reports whether it is ignored, or has no content.
	skip bool
	// file is set if it has content, dir if it is an examined directory. Both are nil
	// if it was gone when examined.
	file *file
	dir  *dir
}

// file is a file as found.
type file struct {
	File
	repo *repository
	stat stat
	racy bool
	// clean reports whether the hash is git's object name, and the content was not
	// read.
	clean bool
	// read reports whether its content must be read.
	read bool
	// moved reports whether it changed while it was examined.
	moved bool
}

// order sorts names like the paths below them: a directory as if it ended with a slash.
func order(a, b child) int { return strings.Compare(a.key(), b.key()) }

func (c child) key() string {
	if c.kind == directory {
		return c.name + "/"
	}
	return c.name
}

// each yields all files, sorted by path.
func (d *dir) each(yield func(*file) bool) { d.walk(yield) }

func (d *dir) walk(yield func(*file) bool) bool {
	for i := range d.children {
		c := &d.children[i]
		if c.file != nil && !yield(c.file) {
			return false
		}
		if c.dir != nil && !c.dir.walk(yield) {
			return false
		}
	}
	return true
}

// dirs yields the directory and all that are examined below it.
func (d *dir) dirs(yield func(*dir) bool) { d.walkDirs(yield) }

func (d *dir) walkDirs(yield func(*dir) bool) bool {
	if !yield(d) {
		return false
	}
	for i := range d.children {
		if below := d.children[i].dir; below != nil && !below.walkDirs(yield) {
			return false
		}
	}
	return true
}

// repositories appends those that the directories belong to, the top's first.
func (d *dir) repositories(found []*repository) []*repository {
	if !slices.Contains(found, d.repo) {
		found = append(found, d.repo)
	}
	for _, c := range d.children {
		if c.dir != nil {
			found = c.dir.repositories(found)
		}
	}
	return found
}

// find returns what a directory had under a name.
func (d *dir) find(name string, k kind) (child, bool) {
	if d == nil {
		return child{}, false
	}
	i, ok := slices.BinarySearchFunc(d.children, child{name: name, kind: k}, order)
	if !ok || d.children[i].kind != k {
		return child{}, false
	}
	return d.children[i], true
}

// inside returns a path relative to the repository's top.
func (r *repository) inside(path string) string { return path[len(r.prefix):] }

// absolute returns where a path of the snapshot is. Without a directory's trailing
// slash, a link in its place is not followed.
func absolute(top, path string) string {
	if path = strings.TrimSuffix(path, "/"); path == "" {
		return top
	}
	return top + string(filepath.Separator) + filepath.FromSlash(path)
}

// ours reports whether a path is in proctor's own directory, or in git's.
func ours(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == ownName || name == gitName {
			return true
		}
	}
	return false
}

// modeAndHash parses a mode and an object name as git writes them.
func modeAndHash(mode, object string) (uint32, Hash, error) {
	var h Hash
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || len(object) < 2*len(h) {
		return 0, h, fmt.Errorf("git wrote %q %q for a mode and an object", mode, object)
	}
	if _, err := hex.Decode(h[:], []byte(object[:2*len(h)])); err != nil {
		return 0, h, fmt.Errorf("git wrote %q for an object", object)
	}
	return uint32(m), h, nil
}

// fileMode converts a mode of git.
func fileMode(mode uint32) Mode {
	switch {
	case mode&gitTypes == gitLinkMode:
		return Symlink
	case mode&gitTypes == gitSubmodule:
		return Submodule
	case mode&0o100 != 0:
		return Executable
	default:
		return Regular
	}
}
