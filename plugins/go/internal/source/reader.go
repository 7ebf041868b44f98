package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Reader reads the files of a workspace, which its tests can replace by anything
// while they run: by a pipe that blocks a reader forever, by a link to an endless
// device, by a file of any size. So it reads only regular files of bounded size, and
// never waits.
//
// The zero Reader follows symbolic links, like the go command.
type Reader struct {
	root string
}

// Upload is the variable that marks the workspace of untrusted code, see [NewReader].
const Upload = "GO_UPLOAD"

// NewReader returns the reader of a workspace. If the variable [Upload] is set, the
// tests must not learn what is outside of the workspace, so nothing there is read,
// neither by name nor through a link.
func NewReader(root string, env map[string]string) Reader {
	if env[Upload] == "" || root == "" {
		return Reader{}
	}
	return Reader{root: resolveLinks(root)}
}

// Bytes reads a regular file of at most limit bytes. A file that grows meanwhile is
// read up to its original size.
func (r Reader) Bytes(path string, limit int64) ([]byte, error) {
	f, info, err := r.open(path, fs.FileMode.IsRegular)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, newReadError(path, fmt.Sprintf("larger than %d bytes", limit))
	}
	// No more than its size: files of /proc have none, and some of them block.
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// Head reads the beginning of a regular file: at most n bytes.
func (r Reader) Head(path string, n int64) ([]byte, error) {
	f, _, err := r.open(path, fs.FileMode.IsRegular)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// IsFile reports whether there is a readable regular file.
func (r Reader) IsFile(path string) bool {
	f, _, err := r.open(path, fs.FileMode.IsRegular)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// maxEntries bounds a directory; the largest packages have some thousand files.
const maxEntries = 20_000

// entries lists a directory, unsorted.
func (r Reader) entries(dir string) ([]fs.DirEntry, error) {
	f, _, err := r.open(dir, fs.FileMode.IsDir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1)
	switch {
	case errors.Is(err, io.EOF):
		return entries, nil
	case len(entries) > maxEntries:
		return entries[:maxEntries], newReadError(dir, fmt.Sprintf("more than %d files", maxEntries))
	}
	return entries, err
}

// open opens a file of the wanted kind. It checks the file before, as opening some
// devices has effects, and after, as it may have been replaced.
func (r Reader) open(path string, wanted func(fs.FileMode) bool) (*os.File, fs.FileInfo, error) {
	stat, open := os.Stat, os.OpenFile
	name := path
	if r.root != "" {
		rel, err := filepath.Rel(r.root, path)
		if err != nil || !filepath.IsLocal(rel) {
			return nil, nil, newReadError(path, "outside of the workspace")
		}
		root, err := os.OpenRoot(r.root)
		if err != nil {
			return nil, nil, err
		}
		defer root.Close()
		stat, open, name = root.Stat, root.OpenFile, rel
	}
	info, err := stat(name)
	if err == nil && !wanted(info.Mode()) {
		err = newReadError(path, "not a regular file or directory")
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := open(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !wanted(info.Mode()) {
		err = newReadError(path, "not a regular file or directory")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func newReadError(path, why string) error {
	return &fs.PathError{Op: "read", Path: path, Err: errors.New(why)}
}
