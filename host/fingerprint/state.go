package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"path/filepath"
	"slices"
	"strings"
)

// State is an exact state of the sources.
type State struct {
	// ID is a hash of Files: equal ids mean equal files, whatever is committed of them.
	ID string
	// Kind is "git", or "walk" without git.
	Kind string
	// Top is the directory that was examined: that of the repository, which may be
	// above the workspace. Paths are relative to it. It is not part of the identity.
	Top string
	// Commit and Branch are what git has checked out; Worktree is the git
	// directory of this checkout.
	Commit, Branch, Worktree string
	// Dirty counts the files that differ from the commit; -1 if unknown.
	Dirty int
	// Files are sorted by path.
	Files []File
}

// Find returns the file at a path of the state.
func (s State) Find(path string) (f File, ok bool) {
	i, ok := slices.BinarySearchFunc(s.Files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
	if ok {
		f = s.Files[i]
	}
	return f, ok
}

// File is one file of a state.
type File struct {
	// Path is relative to the top, slash-separated.
	Path string
	// Mode is the kind of the file.
	Mode Mode
	// Hash is that of its content.
	Hash Hash
}

// Mode is the kind of a file.
type Mode uint8

// The kinds.
const (
	Regular Mode = iota
	Executable
	Symlink
	Submodule
)

// Hash identifies a file's content: the first bytes of its git object name.
type Hash [12]byte

// idSize is how many bytes of the hash an id shows: 96 bits, like a [Hash].
const idSize = 12

// Identify returns the id of a state with these files, sorted by path: 24 hexadecimal
// digits. Each path is preceded by its length, so that no two lists are encoded alike.
func Identify(files []File) string {
	h := sha256.New()
	buf := make([]byte, 0, 1<<12)
	for _, f := range files {
		buf = binary.AppendUvarint(buf[:0], uint64(len(f.Path)))
		buf = append(buf, f.Path...)
		buf = append(buf, byte(f.Mode))
		buf = append(buf, f.Hash[:]...)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)[:idSize])
}

// short returns the beginning of a sum.
func short(h hash.Hash) (s Hash) {
	var buf [sha256.Size]byte
	copy(s[:], h.Sum(buf[:0]))
	return s
}

// Names returns the files below a directory, relative to it and slash-separated.
func (s State) Names(dir string) []string {
	below, err := filepath.Rel(s.Top, dir)
	if err != nil || !filepath.IsLocal(below) {
		return nil
	}
	prefix := ""
	if below != "." {
		prefix = filepath.ToSlash(below) + "/"
	}
	var names []string
	for _, f := range s.Files {
		if name, ok := strings.CutPrefix(f.Path, prefix); ok {
			names = append(names, name)
		}
	}
	return names
}
