package listed_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/listed"
)

func TestAListingIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	path := listed.Path(filepath.Join(dir, "kept"), []string{"go", "list"})
	module := filepath.Join(dir, "module")
	if err := os.Mkdir(module, 0o755); err != nil {
		t.Fatal(err)
	}
	const listing = "{\n}\n"
	if err := listed.Write(path, "state", []string{module}, []byte(listing)); err != nil {
		t.Fatal(err)
	}
	if got, err := listed.Read(path, "state"); err != nil || string(got) != listing {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := listed.Read(path, "other"); err == nil {
		t.Errorf("of another state: %q", got)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range file {
		damaged := append([]byte{}, file...)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := listed.Read(path, "state"); err == nil {
			t.Errorf("damaged at %d: %q", at, got)
		}
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(module); err != nil {
		t.Fatal(err)
	}
	if got, err := listed.Read(path, "state"); err == nil {
		t.Errorf("without a module in the cache: %q", got)
	}
}

func TestOnlyTheLastListingsStay(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var paths []string
	for n := range 20 {
		path := listed.Path(dir, []string{fmt.Sprint(n)})
		if err := listed.Write(path, "state", nil, nil); err != nil {
			t.Fatal(err)
		}
		if n < 19 {
			if err := os.Chtimes(path, at, at.Add(time.Duration(n)*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, path)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 8 {
		t.Errorf("%d files, %v", len(left), err)
	}
	for _, path := range paths[12:] {
		if _, err := listed.Read(path, "state"); err != nil {
			t.Error(err)
		}
	}
}
