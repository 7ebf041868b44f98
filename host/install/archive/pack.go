package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// Pack writes a canonical archive: equal files give equal archives, as long as the same
// release of Go compresses them. files are by name; executable names the programs. Pack
// refuses what [Unpack] would.
func Pack(ctx context.Context, w io.Writer, format Format, files map[string][]byte, executable map[string]bool) error {
	if err := checkPackable(files); err != nil {
		return err
	}
	p, err := newPacker(w, format)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		mode := fs.FileMode(fileMode)
		if executable[name] {
			mode = executableMode
		}
		to, err := p.create(name, mode, int64(len(files[name])))
		if err != nil {
			return err
		}
		for block := range slices.Chunk(files[name], blockSize) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := to.Write(block); err != nil {
				return err
			}
		}
	}
	return p.close()
}

func checkPackable(files map[string][]byte) error {
	if len(files) == 0 || len(files) > maxFiles {
		return fmt.Errorf("pack a plugin: an archive has 1 to %d files, not %d", maxFiles, len(files))
	}
	total, seen := int64(0), map[string]bool{}
	for name, content := range files {
		own, err := fileName(name)
		if err == nil && own != name {
			err = errors.New(`it begins with "./"`)
		}
		if err == nil && seen[strings.ToLower(name)] {
			err = errors.New("there are two files of this name")
		}
		if err == nil && int64(len(content)) > MaxFile {
			err = fmt.Errorf("it has more than %d bytes", int64(MaxFile))
		}
		if err != nil {
			return fmt.Errorf("pack a plugin: %s: %w", quoteEntry(name), err)
		}
		seen[strings.ToLower(name)] = true
		total += int64(len(content))
	}
	if total > maxTotal {
		return fmt.Errorf("pack a plugin: its files have more than %d bytes together", int64(maxTotal))
	}
	return nil
}

// packer is a writer of one format.
type packer struct {
	create func(name string, mode fs.FileMode, size int64) (io.Writer, error)
	close  func() error
}

func newPacker(w io.Writer, format Format) (packer, error) {
	switch format {
	case TarGz:
		return newTarGz(w), nil
	case Zip:
		return newZip(w), nil
	}
	return packer{}, fmt.Errorf("pack a plugin: there is no format %d", format)
}

func newTarGz(w io.Writer) packer {
	zipped := gzip.NewWriter(w)
	out := tar.NewWriter(zipped)
	return packer{
		create: func(name string, mode fs.FileMode, size int64) (io.Writer, error) {
			return out, out.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: size,
				ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
			})
		},
		close: func() error { return errors.Join(out.Close(), zipped.Close()) },
	}
}

// zipBegin is the oldest time that zip supports.
func zipBegin() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

func newZip(w io.Writer) packer {
	out := zip.NewWriter(w)
	return packer{
		create: func(name string, mode fs.FileMode, _ int64) (io.Writer, error) {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: zipBegin()}
			h.SetMode(mode)
			return out.CreateHeader(h)
		},
		close: out.Close,
	}
}
