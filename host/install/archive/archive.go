package archive

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

const (
	// MaxSize bounds an archive, MaxFile each file in one, and maxTotal the unpacked
	// size, in bytes. A Go plugin has 15 MiB, one with a language runtime in it 100.
	MaxSize  = 512 << 20
	MaxFile  = 512 << 20
	maxTotal = 1 << 30
	// maxFiles bounds the number of files in an archive.
	maxFiles = 64
)

// Name returns the file name of a plugin's archive.
func Name(plugin, version string, p manifest.Platform) string {
	return manifest.BinaryPrefix + plugin + "_" + version + "_" + string(p) + FormatFor(p).suffix()
}

// Unpack unpacks an archive into an empty directory: regular files without directories,
// only binaries executable. The format follows from the content, not the
// name. After an error the directory is empty again. The error is a [*RefusedError] if
// the archive holds anything else, or too much.
func Unpack(ctx context.Context, path, dir string) error {
	return unpack(ctx, path, dir, limits{size: MaxSize, file: MaxFile, total: maxTotal, files: maxFiles})
}

// limits bound an archive; tests have lower ones.
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
		err = x.unpackTarGz(io.NewSectionReader(f, 0, size))
	case bytes.HasPrefix(begin, []byte(zipMagic)):
		err = x.unpackZip(f, size)
	default:
		return &RefusedError{Path: path, Reason: "it is neither a .tar.gz nor a .zip archive"}
	}
	if err == nil && len(x.written) == 0 {
		return &RefusedError{Path: path, Reason: "there is no file in it"}
	}
	return err
}

// open opens an archive. Anything but a regular file could block forever.
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
		err = &RefusedError{Path: path, Reason: fmt.Sprintf("it has %d bytes; the limit is %d", info.Size(), most)}
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Format is the format of an archive.
type Format int

// The formats.
const (
	TarGz Format = iota + 1
	Zip
)

// FormatFor returns the usual format on a platform.
func FormatFor(p manifest.Platform) Format {
	if strings.HasPrefix(string(p), "windows_") {
		return Zip
	}
	return TarGz
}

// The first bytes of archives in each format.
const (
	gzipMagic = "\x1f\x8b"
	zipMagic  = "PK\x03\x04"
)

func (f Format) suffix() string {
	if f == Zip {
		return ".zip"
	}
	return ".tar.gz"
}
