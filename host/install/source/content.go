package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/plugin/lock"
)

// hashPrefix is the scheme of hashes in lock files.
const hashPrefix = lock.HashScheme

// content is a file at its origin, open for reading.
type content struct {
	io.ReadCloser
	// address is for errors.
	address string
	// size is what its origin announces; -1 if unknown. It may be wrong.
	size int64
}

// tooLong returns the error for more than limit bytes.
func (c *content) tooLong(limit int64) error {
	return &FetchError{Address: c.address, Reason: fmt.Sprintf("it is longer than %d bytes, the most that is read", limit)}
}

// bytes reads everything.
func (c *content) bytes(ctx context.Context, limit int64) ([]byte, error) {
	if c.size > limit {
		return nil, c.tooLong(limit)
	}
	data, err := io.ReadAll(io.LimitReader(ctxio.FileReader{Ctx: ctx, R: c}, limit+1))
	if err != nil {
		return nil, c.readError(ctx, err)
	}
	if int64(len(data)) > limit {
		return nil, c.tooLong(limit)
	}
	return data, nil
}

// save writes everything to a new file, and returns its hash. After an error there is
// no file.
func (c *content) save(ctx context.Context, path string, limit int64, mode os.FileMode) (hash string, err error) {
	if c.size > limit {
		return "", c.tooLong(limit)
	}
	// Never through an existing name, which could be a link to a file of the user's.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = os.Remove(path) // the first error counts
		}
	}()
	sum := sha256.New()
	writing := &writer{to: f}
	n, err := io.Copy(io.MultiWriter(writing, sum), io.LimitReader(ctxio.FileReader{Ctx: ctx, R: c}, limit+1))
	switch {
	case writing.err != nil:
		return "", writing.err
	case err != nil:
		return "", c.readError(ctx, err)
	case n > limit:
		return "", c.tooLong(limit)
	}
	return hashPrefix + hex.EncodeToString(sum.Sum(nil)), nil
}

// readError returns the error for content that broke off.
func (c *content) readError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &FetchError{Address: c.address, Reason: reasonOf(err), Err: err}
}

// writer remembers errors of writing, not of reading: a full disk is not the mirror's
// fault.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}
