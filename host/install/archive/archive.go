package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

const (
	// MaxSize is the largest archive, MaxFile the largest file in one, and MaxTotal
	// what one may unpack to, in bytes. A Go plugin has 15 MiB, one with a runtime
	// of its language in it 100.
	MaxSize  = 512 << 20
	MaxFile  = 512 << 20
	MaxTotal = 1 << 30
	// MaxFiles is the number of files in an archive.
	MaxFiles = 64
)

// Name is the file name of a plugin's archive.
func Name(plugin, version string, p manifest.Platform) string {
	return manifest.BinaryPrefix + plugin + "_" + version + "_" + string(p) + FormatFor(p).suffix()
}

// Unpack unpacks an archive into a directory, which is empty: regular files without
// directories, of which only a binary is executable. What the content begins with
// decides the format, not the name. After an error the directory is empty again. The
// error is a [*RefusedError] where the archive holds anything else, or more than it
// may.
func Unpack(ctx context.Context, path, dir string) error {
	return unpack(ctx, path, dir, limits{size: MaxSize, file: MaxFile, total: MaxTotal, files: MaxFiles})
}

// limits are what an archive may have; tests have lower ones.
type limits struct {
	size, file, total int64
	files             int
}

func unpack(ctx context.Context, path, dir string, l limits) (err error) {
	f, size, err := open(path, l.size)
	if err != nil {
		return err
	}
	defer f.Close()
	target, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	defer target.Close()
	x := newExtraction(ctx, path, target, l)
	defer func() {
		if err != nil {
			x.undo()
		}
	}()
	var magic [len(zipMagic)]byte
	n, err := f.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("unpack %s: %w", path, err)
	}
	switch begin := magic[:n]; {
	case bytes.HasPrefix(begin, []byte(gzipMagic)):
		err = x.tarGz(io.NewSectionReader(f, 0, size))
	case bytes.HasPrefix(begin, []byte(zipMagic)):
		err = x.zip(f, size)
	default:
		return &RefusedError{Path: path, Reason: "it is neither a .tar.gz nor a .zip archive"}
	}
	if err == nil && len(x.written) == 0 {
		return &RefusedError{Path: path, Reason: "there is no file in it"}
	}
	return err
}

// open opens an archive. What is no regular file could block for ever.
func open(path string, most int64) (*os.File, int64, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !before.Mode().IsRegular() {
		return nil, 0, &RefusedError{Path: path, Reason: "it is not a regular file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = &RefusedError{Path: path, Reason: fmt.Sprintf("it has %d bytes, and may have %d", info.Size(), most)}
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
