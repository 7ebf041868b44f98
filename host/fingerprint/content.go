package fingerprint

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
)

// hasher computes git object names of raw contents. It is not safe for concurrent use.
type hasher struct {
	sha1, sha256 hash.Hash
	buf          []byte
}

func newHasher() *hasher {
	return &hasher{sha1: sha1.New(), sha256: sha256.New(), buf: make([]byte, 64<<10)}
}

func (h *hasher) begin(wide bool, size int64) hash.Hash {
	sum := h.sha1
	if wide {
		sum = h.sha256
	}
	sum.Reset()
	fmt.Fprintf(sum, "blob %d\x00", size)
	return sum
}

func (h *hasher) bytes(wide bool, content []byte) Hash {
	sum := h.begin(wide, int64(len(content)))
	sum.Write(content)
	return short(sum)
}

// errMoved says that a file changed a moment ago.
var errMoved = errors.New("the file changed while it was read")

// file hashes the content of a regular file or the target of a link. A file without
// read permission has a zero hash: the tests cannot read it either.
func (h *hasher) file(path string, wide bool, st stat) (Hash, error) {
	if st.kind == symlink {
		target, err := os.Readlink(path)
		if err != nil {
			return Hash{}, unreadable(err)
		}
		return h.bytes(wide, []byte(target)), nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock|noFollow, 0)
	if err != nil {
		return Hash{}, unreadable(err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !now.Mode().IsRegular() {
		return Hash{}, errMoved
	}
	size := now.Size()
	sum := h.begin(wide, size)
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.LimitReader(f, size+1)}, h.buf)
	if err != nil {
		return Hash{}, unreadable(err)
	}
	if n != size {
		return Hash{}, errMoved
	}
	return short(sum), nil
}

// unreadable ignores missing permission. A missing file, or one that is now a link,
// moved; anything else, such as too many open files, is an error.
func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), inUse(err):
		return nil
	case errors.Is(err, fs.ErrNotExist), replaced(err):
		return errMoved
	}
	return err
}
