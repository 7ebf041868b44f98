package source

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// openFile opens a regular file, following links: the content of a mirror is its
// owner's business. Anything else could block forever.
func openFile(path string) (*content, error) {
	refused := func(err error) error {
		return &FetchError{Address: path, Reason: reasonOf(err), Err: err}
	}
	if info, err := os.Stat(path); err != nil {
		return nil, refused(err)
	} else if !info.Mode().IsRegular() {
		return nil, &FetchError{Address: path, Reason: "it is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, refused(err)
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, refused(err)
	}
	return &content{ReadCloser: f, address: path, size: info.Size()}, nil
}

// fileOf returns the path of a file:// address.
func fileOf(address string, windows bool) string {
	if windows && len(address) >= 3 && address[0] == '/' && address[2] == ':' {
		address = address[1:]
	}
	return filepath.FromSlash(address)
}

// FileAddress returns the file:// address of an absolute path.
func FileAddress(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// reasonOf returns the text of an error without the path or address, which messages
// have already.
func reasonOf(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it was cut off before its end"
	case errors.Is(err, context.Canceled):
		return "it was cancelled"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate of its server is from an authority that this system does not trust; for an authority of your own, name its file in SSL_CERT_FILE (" + clipTo(err.Error(), maxShown) + ")"
	}
	return clipTo(strings.TrimPrefix(err.Error(), "http: "), maxSaid)
}
