package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
)

// maxHashed bounds a file that is read for its digest, in bytes: a larger one is judged by
// its modification time.
const maxHashed = 64 << 20

// Digests computes the digests of files, each once. It is safe for concurrent use.
type Digests struct {
	root string

	mu    sync.Mutex
	known map[string]string
}

func NewDigests(root string) *Digests { return &Digests{root: root, known: map[string]string{}} }

// Of returns the digest of a file as in [coverage.Suite]. The path is absolute or relative
// to the root.
func (d *Digests) Of(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if digest, ok := d.known[path]; ok {
		return digest
	}
	digest := digestFile(d.absolute(path))
	d.known[path] = digest
	return digest
}

func (d *Digests) absolute(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.root, path)
}

// writtenSince reports whether a file was written after a moment, even if version
// control does not know it.
func (d *Digests) writtenSince(path string, moment time.Time) bool {
	info, err := os.Stat(d.absolute(path))
	// Clocks of file systems are coarse.
	return err == nil && info.Mode().IsRegular() && info.ModTime().After(moment.Add(-10*time.Millisecond))
}

// digestFile returns the digest of a file or directory; empty if there is none. Anything
// else is never opened: a pipe would block.
func digestFile(path string) string {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return ""
	case err != nil:
		return "unreadable"
	case info.IsDir():
		return digestOfDir(path)
	case !info.Mode().IsRegular():
		return "special"
	case info.Size() > maxHashed:
		return hashTexts(info.ModTime().String(), info.Mode().String(), path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxHashed)); err != nil {
		return "unreadable"
	}
	// Tests may depend on whether a file is executable.
	sum.Write([]byte{byte(info.Mode().Perm() >> 6 & 1)})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// digestOfDir returns a digest of the names in a directory, which a test may list.
func digestOfDir(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "unreadable"
	}
	var names []string
	for _, e := range entries {
		if !isInternal(e.Name()) {
			names = append(names, e.Name()+"\x00"+e.Type().String())
		}
	}
	return hashTexts(names...)
}

// isInternal reports whether a name belongs to proctor or to version control.
func isInternal(name string) bool { return name == ".proctor" || name == ".git" }

func hashTexts(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x01")))
	return hex.EncodeToString(sum[:12])
}

// MaxSource bounds a source file whose lines are kept.
const MaxSource = 4 << 20

// Lines returns the hashes of a source file's lines; nil if it cannot be read.
func (d *Digests) Lines(path string) []uint32 {
	text, ok := readSource(d.absolute(path))
	if !ok {
		return nil
	}
	return coverage.HashLines(text)
}

func readSource(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxSource {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil && len(text) <= MaxSource
}
