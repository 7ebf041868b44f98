package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/internal/needs"
)

var released = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)

func someFiles() []file {
	return []file{{"p/b/c", []byte("c"), false}, {"p/a", []byte("#!/bin/sh\n"), true}, {"p/b/a", nil, false}}
}

// packers are the formats of archives.
var packers = map[string]func([]file, time.Time) ([]byte, error){
	"tar.gz": func(files []file, at time.Time) ([]byte, error) { return packTarGz(files, at, false) },
	"zip":    packZip,
	"deb": func(files []file, at time.Time) ([]byte, error) {
		return packAr(files, at), nil
	},
}

func TestTheSameFilesGiveTheSameBytesInAnyOrder(t *testing.T) {
	for name, pack := range packers {
		first, err := pack(someFiles(), released)
		if err != nil {
			t.Fatal(err)
		}
		// The time is an instant: where the machine stands does not count.
		at := released.In(time.FixedZone("elsewhere", 9*3600))
		turned := someFiles()
		if name != "deb" { // whose order is given
			slices.Reverse(turned)
		}
		second, err := pack(turned, at)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: they differ, %v", name, err)
		}
		if third, err := pack(someFiles(), released.Add(time.Hour)); err != nil || bytes.Equal(first, third) {
			t.Errorf("%s: the time of the commit is not in it, %v", name, err)
		}
	}
}

func TestArchivesBelongToRootAndHaveTheTimeOfTheCommit(t *testing.T) {
	packed, err := packTarGz(someFiles(), released, true)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil || !unzipped.ModTime.IsZero() || unzipped.Name != "" {
		t.Fatalf("%+v, %v", unzipped, err)
	}
	var names []string
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || !h.ModTime.Equal(released) {
			t.Errorf("%+v", h)
		}
		if program := h.Name == "p/a" || h.Typeflag == tar.TypeDir; program != (h.Mode == 0o755) {
			t.Errorf("%s has mode %o", h.Name, h.Mode)
		}
		names = append(names, h.Name)
	}
	if got := strings.Join(names, " "); got != "p/ p/a p/b/ p/b/a p/b/c" {
		t.Error(got)
	}
	if packed, err = packZip(someFiles(), released); err != nil {
		t.Fatal(err)
	}
	zipped, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(zipped.File) != 3 {
		t.Fatal(err)
	}
	for _, f := range zipped.File {
		if !f.Modified.Equal(released) || (f.Name == "p/a") != (f.Mode() == 0o755) {
			t.Errorf("%s of %v with mode %v", f.Name, f.Modified, f.Mode())
		}
	}
}

// dpkg reads what debianPackage writes; elsewhere than on Debian it may be missing.
func TestDpkgUnpacksTheDebianPackage(t *testing.T) {
	needs.Program(t, "dpkg-deb")
	s := stamp{version: "v1.2.0-rc.1", time: released}
	files := []file{
		{"proctor", []byte("#!/bin/sh\necho installed\n"), true}, {"man/man1/proctor.1", []byte(".TH"), false}, {licenseFile, []byte("license"), false},
		{"completions/proctor.bash", []byte("bash"), false}, {"completions/proctor.ps1", []byte("ps1"), false},
	}
	data, err := debianPackage(files, s, "arm64")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "proctor.deb")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	about, err := output(t.Context(), dir, nil, "dpkg-deb", "--field", path, "Package", "Version", "Architecture", "Installed-Size")
	if want := "Package: proctor\nVersion: 1.2.0~rc.1\nArchitecture: arm64\nInstalled-Size: 1"; err != nil || about != want {
		t.Errorf("%v: %s", err, about)
	}
	root := filepath.Join(dir, "root")
	if _, err := output(t.Context(), dir, nil, "dpkg-deb", "--raw-extract", path, root); err != nil {
		t.Fatal(err)
	}
	if said, err := output(t.Context(), dir, nil, filepath.Join(root, "usr/bin/proctor")); err != nil || said != "installed" {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := output(t.Context(), root, nil, "md5sum", "--check", "--quiet", "DEBIAN/md5sums"); err != nil {
		t.Error(err)
	}
	for _, place := range []string{"usr/share/man/man1/proctor.1.gz", "usr/share/doc/proctor/LICENSE", "usr/share/bash-completion/completions/proctor"} {
		if _, err := os.Stat(filepath.Join(root, place)); err != nil {
			t.Error(err)
		}
	}
	if _, err := debianPackage([]file{{"news", nil, false}}, s, "arm64"); err == nil || !strings.Contains(err.Error(), "no place for news") {
		t.Error(err)
	}
}

func TestAPrereleaseComesBeforeItsReleaseInDebian(t *testing.T) {
	for number, want := range map[string]string{
		"1.2.0": "1.2.0", "1.2.0-rc.1": "1.2.0~rc.1", "0.0.0-20260102030406-0123456789ab": "0.0.0~20260102030406.0123456789ab",
	} {
		if got := debianVersion(number); got != want {
			t.Errorf("%s: %s", number, got)
		}
	}
}
