package publish

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

// packedElsewhere packs for Linux and recompresses the archive, as another release of
// Go may have done when it was published.
func packedElsewhere(t *testing.T) (Config, string) {
	t.Helper()
	cfg := config(t)
	delete(cfg.Binaries, windows)
	pack(t, cfg)
	path := filepath.Join(cfg.Out, "tap", "1.0.0", archive.Name("tap", "1.0.0", linux))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	to, err := gzip.NewWriterLevel(&other, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil || to.Close() != nil {
		t.Fatal(err)
	}
	write(t, path, other.String())
	list := filepath.Join(cfg.Out, index.File)
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	write(t, list, string(bytes.ReplaceAll(text, []byte(hashOf(raw)), []byte(hashOf(other.Bytes())))))
	return cfg, path
}

func TestAnotherReleaseOfGoPacksTheSame(t *testing.T) {
	cfg, _ := packedElsewhere(t)
	before := contents(t, cfg.Out)
	if result := pack(t, cfg); len(result.Written) > 0 || !equal(before, contents(t, cfg.Out)) {
		t.Errorf("written %q", result.Written)
	}
	cfg.Binaries[windows] = cfg.Binaries[linux]
	if result := pack(t, cfg); len(result.Written) != 3 {
		t.Errorf("a further platform: written %q", result.Written)
	}
}

func TestWhatDiffersInAPublishedArchiveIsNamed(t *testing.T) {
	for file, change := range map[string]func(*Config){
		"proctor-plugin-tap": func(c *Config) { write(t, c.Binaries[linux], "other") },
		store.LicenseFile:    func(c *Config) { c.License = nil },
		manifest.File:        func(c *Config) { c.Manifest.Detect.AnyFile = nil },
	} {
		cfg, _ := packedElsewhere(t)
		before := contents(t, cfg.Out)
		change(&cfg)
		_, err := Pack(t.Context(), cfg)
		if published, ok := errors.AsType[*PublishedError](err); !ok || published.File != file || published.Published == published.Packed {
			t.Errorf("%s: %v", file, err)
		}
		if !equal(before, contents(t, cfg.Out)) {
			t.Errorf("%s: the tree changed", file)
		}
	}
}

// An archive that an index names cannot be replaced if packing now gives other bytes.
func TestAPublishedArchiveThatIsGoneIsNotReplaced(t *testing.T) {
	cfg, path := packedElsewhere(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err := Pack(t.Context(), cfg)
	if published, ok := errors.AsType[*PublishedError](err); !ok || published.File != "" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the archive was replaced")
	}
}

func TestAPublishedArchiveThatIsGoneIsMadeAgain(t *testing.T) {
	cfg := config(t)
	pack(t, cfg)
	before := contents(t, cfg.Out)
	if err := os.RemoveAll(filepath.Join(cfg.Out, "tap")); err != nil {
		t.Fatal(err)
	}
	pack(t, cfg)
	if !equal(before, contents(t, cfg.Out)) {
		t.Error("the tree differs")
	}
}
