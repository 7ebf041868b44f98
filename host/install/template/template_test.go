package template

import (
	"context"
	"errors"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordPattern matches a word that should have been replaced.
var wordPattern = regexp.MustCompile(`@[A-Z]+@`)

// makePlugin writes a plugin of a language and returns its directory and files.
func makePlugin(t *testing.T, language Language) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "plugin")
	files, err := Write(t.Context(), dir, Config{Name: "my-lua", Language: language, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return dir, files
}

func TestEveryWordOfATemplateIsReplaced(t *testing.T) {
	for _, language := range languages {
		dir, files := makePlugin(t, language)
		for _, name := range files {
			raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if word := wordPattern.Find([]byte(name + string(raw))); word != nil || strings.HasSuffix(name, suffix) {
				t.Errorf("%s: %s: %s", language, name, word)
			}
			if formatted, err := format.Source(raw); strings.HasSuffix(name, ".go") && (err != nil || string(formatted) != string(raw)) {
				t.Errorf("%s is not formatted: %v", name, err)
			}
			if lines := strings.Count(string(raw), "\n"); lines > 150 && !slices.Contains([]string{"package-lock.json", "detector.proto", "src/plugin/detector.binpb"}, name) {
				t.Errorf("%s: %s has %d lines", language, name, lines)
			}
		}
		for _, name := range []string{"README.md", "LICENSE", "Makefile", "manifest.json", ".gitignore", ".github/workflows/check.yml", "example/my-lua-tests.json", "testdata/cases/red/want.json"} {
			if !slices.Contains(files, name) {
				t.Errorf("%s: no %s", language, name)
			}
		}
	}
}

func TestAPluginInAnotherLanguageGetsTheProtocol(t *testing.T) {
	for language, want := range map[Language]string{Node: "detector.proto", Python: "src/plugin/detector.binpb"} {
		dir, _ := makePlugin(t, language)
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(want)))
		if err != nil || !strings.Contains(string(raw), "ParseTestFailures") {
			t.Errorf("%s: %s does not hold the protocol: %v", language, want, err)
		}
	}
}

func TestAGoPluginUsesAVersionOrACheckout(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Version: "v1.2.3"}, "require github.com/proctorhq/proctor v1.2.3\n"},
		{Config{SDK: "/src/proctor"}, "require github.com/proctorhq/proctor v0.0.0\n\nreplace github.com/proctorhq/proctor => /src/proctor\n"},
		{Config{SDK: "/my src"}, "replace github.com/proctorhq/proctor => \"/my src\"\n"},
	} {
		dir := t.TempDir()
		c.cfg.Name, c.cfg.Language = "lua", Go
		if _, err := Write(t.Context(), dir, c.cfg); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil || !strings.Contains(string(raw), c.want) {
			t.Errorf("%+v: %v\n%s", c.cfg, err, raw)
		}
	}
}

func TestNothingIsWrittenAmongOtherFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Write(t.Context(), dir, Config{Name: "lua", Language: Python})
	if err == nil || !strings.Contains(err.Error(), "it has mine in it") {
		t.Errorf("%v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("%q", got)
	}
}

func TestACancelledWriteLeavesNothing(t *testing.T) {
	for _, exists := range []bool{false, true} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "plugin")
		if exists {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Write(ctx, dir, Config{Name: "lua", Language: Python}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if got := names(t, parent); !exists && len(got) > 0 {
			t.Errorf("%q", got)
		}
		if _, err := os.Stat(dir); exists && (err != nil || len(names(t, dir)) > 0) {
			t.Errorf("%v %q", err, names(t, dir))
		}
	}
}

// A failed move is undone: the second entry cannot be replaced.
func TestAFailedMoveTakesBackWhatItMoved(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(from, "a"), filepath.Join(from, "b"), filepath.Join(to, "b", "full")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := move(from, to); err == nil {
		t.Fatal("a directory that is not empty was replaced")
	}
	if got := names(t, to); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q", got)
	}
}

func TestAnUnknownLanguageIsRefused(t *testing.T) {
	_, err := ParseLanguage("cobol")
	if err == nil || !strings.Contains(err.Error(), "go, node, python") {
		t.Errorf("%v", err)
	}
}

// names returns the names of a directory's entries.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestTheLicenseIsAPlaceholder(t *testing.T) {
	dir, _ := makePlugin(t, Python)
	raw, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil || !strings.HasPrefix(string(raw), LicensePlaceholder) {
		t.Errorf("%v %q", err, raw)
	}
}
