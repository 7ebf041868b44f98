package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// refusals are archives of every refused kind.
func refusals(t testing.TB) map[string]refusal {
	t.Helper()
	all := map[string]refusal{}
	for name, reason := range hostileNames() {
		all[fmt.Sprintf("tar.gz named %q", name)] = refusal{tarGzOf(t, entry{name: "LICENSE"}, entry{name: name}), reason}
		all[fmt.Sprintf("zip named %q", name)] = refusal{zipOf(t, entry{name: "LICENSE"}, entry{name: name}), reason}
	}
	for kind, flag := range map[string]byte{
		"a hard link": tar.TypeLink, "a symbolic link": tar.TypeSymlink, "a device": tar.TypeChar,
		"a named pipe": tar.TypeFifo, "a directory": tar.TypeDir,
	} {
		h := tar.Header{Typeflag: flag, Linkname: "/etc/passwd"}
		all["tar.gz with "+kind] = refusal{tarGzOf(t, entry{name: "LICENSE", tar: h}), "it is " + kind}
	}
	all["tar.gz with an unknown kind"] = refusal{tarGzOf(t, entry{name: "a", tar: tar.Header{Typeflag: 'Q'}}), "unknown kind"}
	for kind, mode := range map[string]fs.FileMode{
		"a symbolic link": fs.ModeSymlink, "a directory": fs.ModeDir, "a device": fs.ModeDevice,
	} {
		all["zip with "+kind] = refusal{zipOf(t, entry{name: "LICENSE", content: "/etc/passwd", mode: mode | 0o777}), "it is " + kind}
	}
	good := files("manifest.json", "LICENSE")
	tgz, zipped := tarGzOf(t, good...), zipOf(t, good...)
	for name, r := range map[string]refusal{
		"nothing":               {nil, "neither"},
		"text":                  {[]byte("hello"), "neither"},
		"half a magic number":   {[]byte("P"), "neither"},
		"an empty tar.gz":       {tarGzOf(t), "no file"},
		"an empty zip":          {zipOf(t), "neither"},
		"only a directory":      {tarGzOf(t, entry{name: "./", tar: tar.Header{Typeflag: tar.TypeDir}}), "no file"},
		"gzip without tar":      {gzipped(t, []byte(strings.Repeat("no tar ", 200))), "damaged"},
		"two members of gzip":   {append(bytes.Clone(tgz), tgz...), "after the end"},
		"bytes after gzip":      {append(bytes.Clone(tgz), 'x'), "after the end"},
		"bytes after tar":       {gzipped(t, append(tarOf(t, good...), 'x')), "after the end"},
		"a second tar":          {gzipped(t, append(tarOf(t, good...), tarOf(t, good...)...)), "after the end"},
		"tar without its end":   {gzipped(t, bytes.TrimRight(tarOf(t, entry{name: "a"}), "\x00")), "cut short"},
		"tar with one end":      {gzipped(t, tarOf(t, entry{name: "a"})[:1024]), "cut short"},
		"a wrong checksum":      {flipped(tgz, len(tgz)-6), "damaged"},
		"bytes after zip":       {append(bytes.Clone(zipped), 'x'), "after its end"},
		"bytes before zip":      {append([]byte("PK\x03\x04#!/bin/sh"), zipped...), "not where the archive says"},
		"zip with a wrong byte": {flipped(zipped, 50), "damaged"},
		"a sparse file of PAX":  {gzipped(t, sparse(t)), "a sparse file"},
	} {
		all[name] = r
	}
	for name, twice := range map[string][]entry{
		"twice": files("LICENSE", "LICENSE"), "twice, folded": files("LICENSE", "license"), "twice, with ./": files("LICENSE", "./LICENSE"),
	} {
		all["tar.gz with a name "+name] = refusal{tarGzOf(t, twice...), "two files"}
		all["zip with a name "+name] = refusal{zipOf(t, twice...), "two files"}
	}
	return all
}

type refusal struct {
	data   []byte
	reason string
}

func hostileNames() map[string]string {
	return map[string]string{
		"/etc/cron.d/x": "directory", "../../outside": "directory", "a/b": "directory", `..\outside`: "directory", "./../x": "directory",
		"..": "hidden", "./.": "hidden", ".profile": "hidden", "._LICENSE": "COPYFILE_DISABLE",
		"C:x": "characters other than", "LICENSE:stream": "characters other than", "a\x1b[2Jb": "characters other than", "a\nb": "characters other than",
		"a\xffb": "characters other than", "ＬＩＣＥＮＳＥ": "characters other than", "a b": "characters other than",
		"a.": "ends with a dot", "NUL": "device", "con.txt": "device", "Com1": "device",
		strings.Repeat("n", maxName+1): "its name has 101 bytes",
	}
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0xff
	return data
}

// sparse returns a tar archive with a file that is mostly holes, in PAX format, which
// Go's writer does not support.
func sparse(t testing.TB) []byte {
	t.Helper()
	records := map[string]string{"VND.sparse.major": "1", "VND.sparse.minor": "0", "VND.sparse.name": "a", "VND.sparse.realsize": "1024"}
	holes := "1\n0\n512\n" + strings.Repeat("\x00", 512-8) + strings.Repeat("x", 512)
	data := tarOf(t, entry{name: "a", content: holes, tar: tar.Header{PAXRecords: records}})
	return bytes.ReplaceAll(data, []byte("VND."), []byte("GNU."))
}

func TestHostileArchivesAreRefusedAndNothingIsLeft(t *testing.T) {
	for name, r := range refusals(t) {
		path, dir := place(t, r.data)
		err := unpack(t.Context(), path, dir, limits{size: 1 << 20, file: 1 << 20, total: 1 << 20, files: 8})
		checkRefused(t, name, err, path, r.reason)
		if around := filesIn(t, filepath.Dir(dir)); len(around) != 2 {
			t.Errorf("%s: left behind: %v", name, around)
		}
	}
}

func checkRefused(t *testing.T, name string, err error, path, reason string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: %v, want a refusal", name, err)
		return
	}
	if refused.Path != path || !strings.Contains(refused.Reason, reason) {
		t.Errorf("%s: refused with %q, want %q", name, err, reason)
	}
	if text := refused.Entry + refused.Reason; len(text) > 400 || strings.ContainsFunc(text, unicode.IsControl) {
		t.Errorf("%s: the error is not fit for a terminal: %q", name, text)
	}
}

func TestAnArchiveCutShortAnywhereIsRefused(t *testing.T) {
	entries := append(files("manifest.json", "LICENSE"), entry{name: "b", content: strings.Repeat("x", 700)})
	for format, data := range map[string][]byte{"tar.gz": tarGzOf(t, entries...), "zip": zipOf(t, entries...)} {
		for n := range len(data) {
			path, dir := place(t, data[:n])
			checkRefused(t, fmt.Sprintf("%s with %d of %d bytes", format, n, len(data)), Unpack(t.Context(), path, dir), path, "")
		}
	}
}

func TestAZipThatLiesAboutItselfIsRefused(t *testing.T) {
	data := zipOf(t, entry{name: "a", content: strings.Repeat("x", 900)})
	end := len(data) - zipEndSize
	list := int(binary.LittleEndian.Uint32(data[end+16:]))
	change := func(at int, size int, v uint32) []byte {
		d := bytes.Clone(data)
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], v)
		copy(d[at:at+size], b[:])
		return d
	}
	for name, r := range map[string]refusal{
		"a count of many":                  {change(end+10, 2, 60000), "more than 4 files"},
		"a count of none":                  {change(end+10, 2, 0), "cut short"},
		"a list that is long":              {change(end+12, 4, 1<<20), "its list of files has"},
		"a list somewhere else":            {change(end+16, 4, 0), "not where"},
		"the mark of zip64":                {change(end+16, 4, 1<<32-1), "not where"},
		"a size below the true one":        {change(list+24, 4, 3), "damaged"},
		"a size above the true one":        {change(list+24, 4, 950), ""},
		"a size above what is allowed":     {change(list+24, 4, 1<<31), "more than 1000 bytes"},
		"a password":                       {change(list+8, 2, encrypted), "encrypted"},
		"another method":                   {change(list+10, 2, 12), "method 12"},
		"a file that begins after the end": {change(list+42, 4, 1<<30), ""},
		"a file that is the list of files": {change(list+42, 4, uint32(list)), "damaged"},
	} {
		path, dir := place(t, r.data)
		checkRefused(t, name, unpack(t.Context(), path, dir, small()), path, r.reason)
		if left := filesIn(t, dir); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func TestAZipWithMoreFilesThanItDeclaresIsRefused(t *testing.T) {
	// Package zip reads the list to its end, whatever the count says.
	var many []entry
	for n := range 70 {
		many = append(many, entry{name: fmt.Sprint("f", n)})
	}
	data := zipOf(t, many...)
	binary.LittleEndian.PutUint16(data[len(data)-zipEndSize+10:], 1)
	path, dir := place(t, data)
	checkRefused(t, "a count of one", Unpack(t.Context(), path, dir), path, "cut short")
}

func TestOverlappingFilesAreCountedSeparately(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	content := bytes.Repeat([]byte("x"), 600)
	for _, name := range []string{"a", "b", "c"} {
		to, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: 600, UncompressedSize64: 600})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	for at := bytes.Index(data, []byte("PK\x01\x02")); at >= 0; {
		binary.LittleEndian.PutUint32(data[at+42:], 0)
		next := bytes.Index(data[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	path, dir := place(t, data)
	checkRefused(t, "overlapping files", unpack(t.Context(), path, dir, small()), path, "1500 bytes together")
}
