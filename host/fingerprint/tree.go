package fingerprint

import (
	"path/filepath"
	"slices"
	"strings"
)

// dir is a directory as it was found.
type dir struct {
	// path is relative to the snapshot's top: "" or with a slash at the end.
	path string
	repo *repository
	stat stat
	// racy reports whether it was modified so shortly before that a later change may
	// not show.
	racy bool
	// git reports whether it has a .git.
	git      bool
	children []child
}

// child is a name in a directory. Names that are no part of the state are kept,
// so that a new name can be told from one that was passed over.
type child struct {
	name string
	kind kind
	// skip reports whether it is ignored, or has no content.
	skip bool
	// file is set for what has content, dir for a directory that was looked into.
	// Both are nil for what was gone when it was looked at.
	file *file
	dir  *dir
}

// file is a file as it was found.
type file struct {
	File
	repo *repository
	stat stat
	racy bool
	// clean reports whether the hash is the object that git has for it, and its content
	// was not read.
	clean bool
	// read reports whether its content has to be read.
	read bool
	// moved reports whether it changed while it was looked at.
	moved bool
}

// order sorts names as the paths below them: a directory as if it ended with a
// slash.
func order(a, b child) int { return strings.Compare(a.key(), b.key()) }

func (c child) key() string {
	if c.kind == directory {
		return c.name + "/"
	}
	return c.name
}

// each is a sequence of all files, sorted by path.
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

// repositories adds those that the directories belong to, the top's first.
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

// find returns what a directory had by a name.
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

// inside is a path below the repository's top.
func (r *repository) inside(path string) string { return path[len(r.prefix):] }

// absolute is where a path of the snapshot lies. Without the slash at the end of a
// directory, a link in its place is not followed.
func absolute(top, path string) string {
	if path = strings.TrimSuffix(path, "/"); path == "" {
		return top
	}
	return top + string(filepath.Separator) + filepath.FromSlash(path)
}

// ours reports whether a path lies in proctor's own directory, or in git's.
func ours(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == ownName || name == gitName {
			return true
		}
	}
	return false
}
