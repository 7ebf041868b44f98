package fingerprint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// ErrNotRead says that something is no regular file below the root, or too large.
var ErrNotRead = errors.New("not a regular file of the sources")

// ReadFile reads a regular file below root, whose content is not trusted: it follows no
// link at its end or out of root, opens no device and reads at most most bytes. touched
// is when the file last changed in any way.
func ReadFile(root, path string, most int64) (content []byte, touched time.Time, err error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, touched, ErrNotRead
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, touched, err
	}
	defer top.Close()
	path = filepath.FromSlash(path)
	if info, err := top.Lstat(path); err != nil {
		return nil, touched, err
	} else if !info.Mode().IsRegular() || info.Size() > most {
		return nil, touched, fmt.Errorf("%w: %s", ErrNotRead, path)
	}
	f, err := top.OpenFile(path, os.O_RDONLY|nonBlock|noFollow, 0)
	if err != nil {
		return nil, touched, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, touched, errors.Join(ErrNotRead, err)
	}
	content, err = io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		err = ErrNotRead
	}
	touched = info.ModTime()
	if st, serr := lstat(filepath.Join(root, path)); serr == nil {
		touched = time.Unix(0, st.touchedBefore(time.Now()))
	}
	return content, touched, err
}

// Holds reports whether a file of a state had this content.
func (f File) Holds(content []byte) bool {
	h := newHasher()
	return f.Hash != Hash{} && (h.bytes(false, content) == f.Hash || h.bytes(true, content) == f.Hash)
}
