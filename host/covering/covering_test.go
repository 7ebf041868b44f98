package covering

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

func TestLinesAreALineOrARange(t *testing.T) {
	for text, want := range map[string]string{"": "", " 42 ": "42", "40-60": "40-60", "40 - 60": "40-60", "7-7": "7"} {
		if got, err := parseLines(text); formatRanges(got) != want || err != nil {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "60-40", "x", "1-", "-", "1-2-3", "1.5", "0-3", "99999999999999999999", "\x1b[31m"} {
		var usage *api.UsageError
		if got, err := parseLines(text); !errors.As(err, &usage) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestOnlyFilesOfTheWorkspaceCanBeAskedFor(t *testing.T) {
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(outside, "ws")
	for _, name := range []string{filepath.Join(root, "pkg", "a.go"), filepath.Join(root, "..b.go"), filepath.Join(outside, "secret")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	fine := map[string]string{
		"pkg/a.go": "pkg/a.go", "./pkg/../pkg/a.go": "pkg/a.go", filepath.Join(root, "pkg", "a.go"): "pkg/a.go", "..b.go": "..b.go",
	}
	refused := []string{"", " ", "pkg", "nope.go", "pkg/a.go:3", "../secret", filepath.Join(outside, "secret"), "a\x00b"}
	if os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "out.go")) == nil {
		refused = append(refused, "out.go")
		if err := os.Symlink("pkg", filepath.Join(root, "in")); err != nil {
			t.Fatal(err)
		}
		fine["in/a.go"] = "pkg/a.go"
	}
	for name, want := range fine {
		if got, err := resolveFile(root, name); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range refused {
		var usage *api.UsageError
		if got, err := resolveFile(root, name); !errors.As(err, &usage) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}
