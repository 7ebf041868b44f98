package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLimitsApplyToWhatIsReadNotToWhatIsDeclared(t *testing.T) {
	big, half := strings.Repeat("x", 1001), strings.Repeat("y", 501)
	for name, r := range map[string]struct {
		entries []entry
		reason  string
	}{
		"a large file": {[]entry{{name: "a", content: big}}, "more than 1000 bytes"},
		"a large sum":  {[]entry{{name: "a", content: half}, {name: "b", content: half}, {name: "c", content: half}}, "1500 bytes together"},
		"many files":   {files("a", "b", "c", "d", "e"), "more than 4 files"},
	} {
		for format, data := range map[string][]byte{"tar.gz": tarGzOf(t, r.entries...), "zip": zipOf(t, r.entries...)} {
			path, dir := place(t, data)
			checkRefused(t, format+" with "+name, unpack(t.Context(), path, dir, small()), path, r.reason)
			if left := filesIn(t, dir); len(left) != 0 {
				t.Errorf("%s with %s: left behind: %v", format, name, left)
			}
		}
	}
}

func TestNeitherADeclaredNorATrueSizeIsTrustedAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		declared int64
		content  string
	}{
		"declared too large": {1001, "x"}, "declared negative": {-1, "x"}, "truly too large": {1, strings.Repeat("x", 1001)},
	} {
		path, dir := place(t, nil)
		target, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		x := newExtraction(t.Context(), path, target, small())
		checkRefused(t, name, x.writeFile("a", tc.declared, strings.NewReader(tc.content)), path, "more than 1000 bytes")
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnArchiveAtTheLimitsIsUnpacked(t *testing.T) {
	entries := []entry{{name: "a", content: strings.Repeat("x", 1000)}, {name: "b", content: strings.Repeat("y", 500)}, {name: "c"}, {name: "d"}}
	for format, data := range map[string][]byte{"tar.gz": tarGzOf(t, entries...), "zip": zipOf(t, entries...)} {
		path, dir := place(t, data)
		l := small()
		l.size = int64(len(data))
		if err := unpack(t.Context(), path, dir, l); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		path, dir = place(t, data)
		l.size--
		checkRefused(t, format+" that is too large", unpack(t.Context(), path, dir, l), path, "the limit is")
	}
}

func TestAnEndlessRowOfDirectoriesIsRefused(t *testing.T) {
	selves := make([]entry, 6)
	for i := range selves {
		selves[i] = entry{name: "./", tar: tar.Header{Typeflag: tar.TypeDir}}
	}
	path, dir := place(t, tarGzOf(t, selves...))
	checkRefused(t, "directories", unpack(t.Context(), path, dir, small()), path, "more than 4 files")
}

// A few bytes would unpack to some MiB.
func TestABombNeedsLittleMemory(t *testing.T) {
	const size, enough = 5 << 20, 4 << 20
	header := tarOf(t, entry{name: "a"})[:512]
	for name, r := range map[string]struct {
		data   []byte
		reason string
	}{
		"a file": {zeros(t, declare(t, "a", size), size), "more than 1000 bytes"},
		// Zeros after the end are read for the checksum after them.
		"padding": {zeros(t, header, size), "it unpacks to more than"},
		"headers": {repeated(t, extended(t), size), "it unpacks to more than"},
	} {
		path, dir := place(t, r.data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := unpack(t.Context(), path, dir, small())
		runtime.ReadMemStats(&after)
		checkRefused(t, name, err, path, r.reason)
		if used := after.TotalAlloc - before.TotalAlloc; used > enough {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
		if left := filesIn(t, dir); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

// declare returns a tar header of a file with this size.
func declare(t *testing.T, name string, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// extended returns a PAX header without the file it belongs to.
func extended(t *testing.T) []byte {
	t.Helper()
	data := tarOf(t, entry{name: "a", tar: tar.Header{PAXRecords: map[string]string{"VENDOR.x": "y"}}})
	return data[:1024]
}

func zeros(t *testing.T, begin []byte, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.Copy(w, io.MultiReader(bytes.NewReader(begin), io.LimitReader(zero{}, int64(n)))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func repeated(t *testing.T, part []byte, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	block := bytes.Repeat(part, 64)
	for done := 0; done < n; done += len(block) {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsNotARegularFileIsRefused(t *testing.T) {
	_, dir := place(t, nil)
	checkRefused(t, "a directory", Unpack(t.Context(), dir, dir), dir, "not a regular file")
	if _, err := os.Stat("/dev/zero"); err == nil {
		checkRefused(t, "a device", Unpack(t.Context(), "/dev/zero", dir), "/dev/zero", "not a regular file")
	}
}

func BenchmarkUnpack(b *testing.B) {
	const size = 16 << 20
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	path, _ := place(b, tarGzOf(b, entry{name: program, content: string(content)}))
	base := b.TempDir()
	b.SetBytes(size)
	for n := 0; b.Loop(); n++ {
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := Unpack(b.Context(), path, dir); err != nil {
			b.Fatal(err)
		}
	}
}
