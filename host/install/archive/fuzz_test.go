package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// FuzzUnpack checks that any archive unpacks to a few small regular files, or to
// nothing after an error.
func FuzzUnpack(f *testing.F) {
	for _, r := range refusals(f) {
		if len(r.data) < 4<<10 {
			f.Add(r.data)
		}
	}
	f.Add(tarGzOf(f, files("manifest.json", program, "LICENSE")...))
	f.Add(zipOf(f, files("manifest.json", program, "LICENSE")...))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(data []byte) {
			path, dir := place(t, data)
			err := unpack(t.Context(), path, dir, small())
			var refused *RefusedError
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("got %v, want a refusal", err)
			}
			got, total := filesIn(t, dir), 0
			for name, content := range got {
				if _, err := fileName(name); err != nil {
					t.Errorf("%q: %v", name, err)
				}
				total += len(content)
			}
			if l := small(); total > int(l.total) || len(got) > l.files || (err == nil) != (len(got) > 0) {
				t.Errorf("%d files with %d bytes, %v", len(got), total, err)
			}
			if around := filesIn(t, filepath.Dir(dir)); len(around) != 2+len(got) {
				t.Errorf("written elsewhere: %v", around)
			}
		}
		check(data)
		// No mutation gets gzip's checksum right, so the data is also checked inside gzip.
		if !bytes.HasPrefix(data, []byte(gzipMagic)) {
			check(gzipped(t, data))
		}
	})
}

func unzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
