package engine

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

// maxHashed bounds a file that is read for its digest: of a larger one its size and
// the time of its last change count.
const maxHashed = 64 << 20

// Digests finds out what is in files, each once. It may be used by many goroutines.
type Digests struct {
	root string

	mu    sync.Mutex
	known map[string]string
}

func NewDigests(root string) *Digests { return &Digests{root: root, known: map[string]string{}} }

// Of returns the digest of a file as in [coverage.Suite]. A path is relative to the
// root, or absolute.
func (d *Digests) Of(path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if digest, ok := d.known[path]; ok {
		return digest
	}
	digest := digestOf(d.absolute(path))
	d.known[path] = digest
	return digest
}

func (d *Digests) absolute(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.root, path)
}

// writtenSince reports whether a file was written after a moment, which also holds for one
// that version control knows nothing of.
func (d *Digests) writtenSince(path string, moment time.Time) bool {
	info, err := os.Stat(d.absolute(path))
	// Clocks of file systems are coarse.
	return err == nil && info.Mode().IsRegular() && info.ModTime().After(moment.Add(-10*time.Millisecond))
}

// digestOf reads a file. What is neither a file nor a directory is never opened: a
// pipe would wait for somebody who writes.
func digestOf(path string) string {
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
		return hashOf(info.ModTime().String(), info.Mode().String(), path)
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
	// Tests may look at whether a file can be executed.
	sum.Write([]byte{byte(info.Mode().Perm() >> 6 & 1)})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// digestOfDir names what a directory holds: a test that lists it sees names.
func digestOfDir(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "unreadable"
	}
	var names []string
	for _, e := range entries {
		if !isOurs(e.Name()) {
			names = append(names, e.Name()+"\x00"+e.Type().String())
		}
	}
	return hashOf(names...)
}

// isOurs reports whether a name is of what proctor or version control keep, which no
// test means.
func isOurs(name string) bool { return name == ".proctor" || name == ".git" }

func hashOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x01")))
	return hex.EncodeToString(sum[:12])
}

// MaxSource bounds a source file of which the lines are kept.
const MaxSource = 4 << 20

// Lines are the hashes of a source file's lines; nil where it cannot be read.
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
