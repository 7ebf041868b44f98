package store

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// The kinds of files. Each begins with a line that names the format's version, followed
// by a checksum of the rest and the content, compressed as in RFC 1951.
const (
	suiteKind = "proctor coverage suite 2\n"
	sheetKind = "proctor coverage sheet 2\n"
)

const sumBytes = 16

// maxContent bounds the content of a file: a suite of the largest repositories takes a
// few MB. A file that would unpack to more is damaged.
const maxContent = 128 << 20

// pack makes a file of content. Equal content gives equal files.
func pack(kind string, content []byte) ([]byte, error) {
	if len(content) > maxContent {
		return nil, fmt.Errorf("the measurements take %d bytes; at most %d are kept", len(content), maxContent)
	}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(content); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(packed.Bytes())
	return bytes.Join([][]byte{[]byte(kind), sum[:sumBytes], packed.Bytes()}, nil), nil
}

// unpacker unpacks files one after the other, reusing memory.
type unpacker struct {
	inflate io.ReadCloser
	content bytes.Buffer
}

// open returns the content of a file, valid until the next call.
func (u *unpacker) open(kind string, file []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(file, []byte(kind))
	if !ok || len(rest) < sumBytes {
		return nil, errDamaged
	}
	sum := sha256.Sum256(rest[sumBytes:])
	if !bytes.Equal(sum[:sumBytes], rest[:sumBytes]) {
		return nil, errDamaged
	}
	packed := bytes.NewReader(rest[sumBytes:])
	if u.inflate == nil {
		u.inflate = flate.NewReader(packed)
	} else if err := u.inflate.(flate.Resetter).Reset(packed, nil); err != nil {
		return nil, err
	}
	u.content.Reset()
	if n, err := u.content.ReadFrom(io.LimitReader(u.inflate, maxContent+1)); err != nil || n > maxContent {
		return nil, errDamaged
	}
	return u.content.Bytes(), nil
}

// errNoFile reports something other than a regular file, which is never opened: records that
// came with a repository could link to anything, and a pipe blocks.
var errNoFile = errors.New("it is not a regular file")

// readFile reads a regular file.
func readFile(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil { // it may have been replaced since
		return nil, err
	}
	if st.Size() > maxContent {
		return nil, errNoFile
	}
	data := make([]byte, st.Size())
	if _, err = io.ReadFull(f, data); err != nil {
		return nil, errDamaged
	}
	return data, nil
}

// writeFile atomically replaces whatever has the name, and follows no links.
func writeFile(path string, data []byte) error {
	return atomicfile.WriteBytes(path, 0o600, data)
}

// makeDir makes a directory in an existing one that is not a link.
func makeDir(elements ...string) error {
	path := ""
	for _, e := range elements {
		path = filepath.Join(path, e)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		if !isDir(path) {
			return fmt.Errorf("%s is not a directory", path)
		}
	}
	return nil
}

// isDir reports whether there is a directory that is not a link.
func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}
