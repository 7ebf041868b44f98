package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"time"
)

// file is a file of a release.
type file struct {
	name string // with slashes
	data []byte
	// executable reports whether it is a program.
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

func sortFiles(files []file) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// packTarGz packs files in the order of their names, with one time and owned by root, so
// that equal files give equal bytes. With dirs it adds the folders that they are in, as
// Debian packages require.
func packTarGz(files []file, at time.Time, dirs bool) ([]byte, error) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	sortFiles(files)
	header := tar.Header{ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
	seen := map[string]bool{}
	for _, f := range files {
		for i, c := range f.name {
			folder := f.name[:i+1]
			if !dirs || c != '/' || seen[folder] {
				continue
			}
			seen[folder] = true
			h := header
			h.Typeflag, h.Name, h.Mode = tar.TypeDir, folder, 0o755
			if err := out.WriteHeader(&h); err != nil {
				return nil, err
			}
		}
		h := header
		h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, f.name, f.mode(), int64(len(f.data))
		if err := out.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := out.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// packZip packs files as packTarGz does.
func packZip(files []file, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	out := zip.NewWriter(&packed)
	sortFiles(files)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		// The file stores only Unix modes.
		h.SetMode(0o644)
		if f.executable {
			h.SetMode(0o755)
		}
		w, err := out.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// packAr packs files in the format ar(5), which Debian packages use.
func packAr(files []file, at time.Time) []byte {
	packed := []byte("!<arch>\n")
	for _, f := range files {
		packed = fmt.Appendf(packed, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, at.Unix(), 0, 0, 0o100000|f.mode(), len(f.data))
		packed = append(packed, f.data...)
		if len(f.data)%2 == 1 {
			packed = append(packed, '\n')
		}
	}
	return packed
}
