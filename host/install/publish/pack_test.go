package publish

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

const (
	linux   = manifest.Platform("linux_amd64")
	windows = manifest.Platform("windows_amd64")
)

// config packs two programs into a new tree.
func config(t *testing.T) Config {
	t.Helper()
	m, err := ParseTemplate([]byte(`{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "summary": "TAP", "detect": {"any_file": ["tap.json"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cfg := Config{Out: filepath.Join(dir, "dist"), Manifest: m, License: []byte("MIT\n"), Binaries: map[manifest.Platform]string{}}
	for p, content := range map[manifest.Platform]string{linux: "ELF", windows: "MZ"} {
		cfg.Binaries[p] = filepath.Join(dir, string(p))
		write(t, cfg.Binaries[p], content)
	}
	return cfg
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func pack(t *testing.T, cfg Config) Result {
	t.Helper()
	result, err := Pack(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// contents returns the content of every file below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsPackedIsWhatIsIndexed(t *testing.T) {
	cfg := config(t)
	result := pack(t, cfg)
	files := contents(t, cfg.Out)
	x, err := index.Parse([]byte(files[index.File]))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := manifest.Parse([]byte(files["tap/1.0.0/manifest.json"]))
	if err != nil || len(whole.Platforms) != 2 {
		t.Fatalf("%v %+v", err, whole)
	}
	for p, a := range x.Plugins["tap"].Versions["1.0.0"].Files {
		if hashOf([]byte(files[a.URL])) != a.SHA256 || whole.Platforms[p].SHA256 != a.BinSHA256 {
			t.Errorf("%s: the hashes differ", p)
		}
		unpacked := t.TempDir()
		if err := archive.Unpack(t.Context(), filepath.Join(cfg.Out, filepath.FromSlash(a.URL)), unpacked); err != nil {
			t.Fatal(err)
		}
		got := contents(t, unpacked)
		own, err := manifest.Parse([]byte(got[manifest.File]))
		bin := own.Platforms[p]
		if err != nil || hashOf([]byte(got[bin.Bin])) != bin.SHA256 || got[store.LicenseFile] != "MIT\n" || len(got) != 3 {
			t.Errorf("%s: %v %q", p, err, got)
		}
	}
	want := []string{
		"tap/1.0.0/proctor-plugin-tap_1.0.0_linux_amd64.tar.gz", "tap/1.0.0/proctor-plugin-tap_1.0.0_windows_amd64.zip",
		"tap/1.0.0/manifest.json", "index.json",
	}
	if !slices.Equal(result.Written, want) {
		t.Errorf("written %q", result.Written)
	}
}

func TestPackingAgainChangesNothing(t *testing.T) {
	cfg := config(t)
	pack(t, cfg)
	before := contents(t, cfg.Out)
	if result := pack(t, cfg); len(result.Written) > 0 {
		t.Errorf("written %q", result.Written)
	}
	if after := contents(t, cfg.Out); !equal(before, after) {
		t.Error("the tree changed")
	}
}

func equal(a, b map[string]string) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestAPublishedVersionIsNeverChanged(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"program": func(c *Config) { write(t, c.Binaries[linux], "other") },
		"license": func(c *Config) { c.License = []byte("GPL\n") },
		"summary": func(c *Config) { c.Manifest.Summary = "other" },
		"detect":  func(c *Config) { c.Manifest.Detect.AnyFile = []string{"other"} },
		"program beside a new platform": func(c *Config) {
			write(t, c.Binaries[linux], "other")
			c.Binaries["darwin_arm64"] = c.Binaries[windows]
		},
	} {
		cfg := config(t)
		pack(t, cfg)
		before := contents(t, cfg.Out)
		change(&cfg)
		_, err := Pack(t.Context(), cfg)
		if _, ok := errors.AsType[*PublishedError](err); !ok && (err == nil || !strings.Contains(err.Error(), "a version is never changed")) {
			t.Errorf("%s: %v", name, err)
		}
		if after := contents(t, cfg.Out); !equal(before, after) {
			t.Errorf("%s: the tree changed", name)
		}
	}
}

func TestAVersionGetsFurtherPlatforms(t *testing.T) {
	cfg := config(t)
	all := cfg.Binaries
	cfg.Binaries = map[manifest.Platform]string{linux: all[linux]}
	pack(t, cfg)
	cfg.Binaries = map[manifest.Platform]string{windows: all[windows]}
	pack(t, cfg)
	step := contents(t, cfg.Out)

	cfg.Out, cfg.Binaries = filepath.Join(t.TempDir(), "dist"), all
	pack(t, cfg)
	if !equal(step, contents(t, cfg.Out)) {
		t.Error("platforms packed one by one give a different tree than all at once")
	}
}

func TestOldVersionsStay(t *testing.T) {
	cfg := config(t)
	pack(t, cfg)
	old := contents(t, cfg.Out)
	cfg.Manifest.Version = "1.1.0"
	pack(t, cfg)
	after := contents(t, cfg.Out)
	for name := range old {
		if name != index.File && after[name] != old[name] {
			t.Errorf("%s changed", name)
		}
	}
	if x, err := index.Parse([]byte(after[index.File])); err != nil || len(x.Plugins["tap"].Versions) != 2 {
		t.Errorf("%v %+v", err, x)
	}
}

// An archive left by a killed process is in no index, so it may be replaced.
func TestAnArchiveThatWasNeverPublishedIsReplaced(t *testing.T) {
	cfg := config(t)
	left := filepath.Join(cfg.Out, "tap", "1.0.0", archive.Name("tap", "1.0.0", linux))
	if err := os.MkdirAll(filepath.Dir(left), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, left, "half of an archive")
	pack(t, cfg)
	if raw, err := os.ReadFile(left); err != nil || strings.HasPrefix(string(raw), "half") {
		t.Errorf("%v %q", err, raw)
	}
}

func TestAFileThatIsNotAProgramIsRefused(t *testing.T) {
	cfg := config(t)
	cfg.Binaries[windows] = t.TempDir()
	_, err := Pack(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "the program for "+string(windows)+", cannot be packed") {
		t.Errorf("%v", err)
	}
	if left := contents(t, cfg.Out); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func TestATemplateIsAManifestWithoutPlatforms(t *testing.T) {
	for name, text := range map[string]string{
		"platforms":     `{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "detect": {}, "platforms": {"linux_amd64": {"bin": "x", "sha256": ""}}}`,
		"a misspelling": `{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "detects": {}}`,
		"bad version":   `{"schema": 1, "name": "tap", "version": "one", "protocols": [1], "detect": {}}`,
		"bad name":      `{"schema": 1, "name": "Tap", "version": "1.0.0", "protocols": [1], "detect": {}}`,
		"no protocol":   `{"schema": 1, "name": "tap", "version": "1.0.0", "detect": {}}`,
		"two documents": `{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "detect": {}} {}`,
		"other letters": `{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "detect": {}, "Summary": "x"}`,
		"a key twice":   `{"schema": 1, "name": "tap", "name": "tap", "version": "1.0.0", "protocols": [1], "detect": {}}`,
		"twice within":  `{"schema": 1, "name": "tap", "version": "1.0.0", "protocols": [1], "detect": {"any_file": ["a"], "any_file": ["b"]}}`,
		"nothing":       ``,
	} {
		if _, err := ParseTemplate([]byte(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
