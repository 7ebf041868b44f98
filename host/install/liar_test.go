package install

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// liar is a source whose files are not what it announces. Real sources check theirs, but the
// installer does not rely on that.
type liar struct {
	archive string
	files   map[string][]byte
}

func (l liar) Resolve(context.Context, source.Query) (source.Release, error) {
	return source.Release{}, nil
}

func (l liar) Fetch(_ context.Context, _ source.Release, _ manifest.Platform, dir string) (source.Fetched, error) {
	for name, data := range l.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o700); err != nil {
			return source.Fetched{}, err
		}
	}
	return source.Fetched{Archive: l.archive}, nil
}

func (l liar) Archive(_ context.Context, _ source.Release, _ manifest.Platform, file string) error {
	return os.WriteFile(file, []byte("lie"), 0o600)
}

func TestNoSourceIsTrusted(t *testing.T) {
	platform, sum := manifest.ThisPlatform(), lock.Hash(strings.Repeat("ab", 32))
	binary := []byte("binary")
	honest := contents("tap", "1.0.0", platform, binary)
	without := contents("tap", "1.0.0", platform, binary)
	delete(without, manifest.File)
	changed := contents("tap", "1.0.0", platform, binary)
	changed[manifest.BinaryName("tap", platform)] = []byte("another")
	bin := lock.Hash(hexSum(binary))
	for name, c := range map[string]struct {
		liar
		hashes lock.Hashes
		says   string
	}{
		"another archive":       {liar{bin, honest}, lock.Hashes{Archive: sum, Bin: bin}, sum},
		"no archive":            {liar{"", honest}, lock.Hashes{Archive: sum, Bin: bin}, "not an archive"},
		"another binary":        {liar{sum, honest}, lock.Hashes{Archive: sum, Bin: sum}, bin},
		"a binary that changed": {liar{sum, changed}, lock.Hashes{Archive: sum, Bin: bin}, manifest.File},
		"another plugin":        {liar{sum, contents("bats", "1.0.0", platform, binary)}, lock.Hashes{Archive: sum, Bin: bin}, "bats"},
		"another version":       {liar{sum, contents("tap", "1.0.1", platform, binary)}, lock.Hashes{Archive: sum, Bin: bin}, "1.0.1"},
		"no manifest":           {liar{sum, without}, lock.Hashes{Archive: sum, Bin: bin}, "it has no manifest.json"},
		"for another platform":  {liar{sum, contents("tap", "1.0.0", other, binary)}, lock.Hashes{Archive: sum, Bin: bin}, string(platform)},
		"an invalid manifest":   {liar{sum, map[string][]byte{manifest.File: []byte("[]")}}, lock.Hashes{Archive: sum, Bin: bin}, manifest.File},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			_, err := u.installer().place(t.Context(), order{src: c.liar, source: "there", release: source.Release{
				Name: "tap", Version: "1.0.0", Hashes: map[manifest.Platform]lock.Hashes{platform: c.hashes}}})
			if err == nil {
				t.Fatal("no error")
			}
			checkSays(t, err, "tap 1.0.0", c.says)
			if got := u.installed(); len(got) > 0 {
				t.Errorf("installed %q", got)
			}
		})
	}
}

func TestAMirrorTrustsNoSourceEither(t *testing.T) {
	platform := manifest.ThisPlatform()
	e := lock.Entry{Version: "1.0.0", Source: "there", Hashes: map[manifest.Platform]lock.Hashes{platform: {Archive: lock.Hash(strings.Repeat("ab", 32))}}}
	m := mirror{in: newUser(t).installer(), lock: lockFile{path: lock.ProjectFile}}
	to := filepath.Join(t.TempDir(), "sub", "x.tar.gz")
	err := m.copy(t.Context(), liar{}, source.Release{Name: "tap", Version: "1.0.0"}, platform, lockEntry{Entry: e}, to)
	if _, ok := err.(*held.MismatchError); !ok {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(to)); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestLockedHashesStay(t *testing.T) {
	a, b := lock.Hash(strings.Repeat("ab", 32)), lock.Hash(strings.Repeat("cd", 32))
	hashes := func(p manifest.Platform, h lock.Hashes) lock.Entry {
		return lock.Entry{Version: "1.0.0", Hashes: map[manifest.Platform]lock.Hashes{p: h}}
	}
	got, err := mergeHashes("x", "tap", hashes("linux_amd64", lock.Hashes{Archive: a, Bin: a}), hashes("linux_arm64", lock.Hashes{Archive: b, Bin: b}))
	if err != nil || len(got.Hashes) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, h := range []lock.Hashes{{Archive: a, Bin: b}, {Archive: b, Bin: a}} {
		if _, err := mergeHashes("x", "tap", hashes("linux_amd64", lock.Hashes{Archive: a, Bin: a}), hashes("linux_amd64", h)); err == nil {
			t.Errorf("%+v replaced what was locked", h)
		}
	}
	if got, err := mergeHashes("x", "tap", hashes("linux_amd64", lock.Hashes{Bin: "sha512:ff"}), hashes("linux_amd64", lock.Hashes{Archive: a, Bin: a})); err != nil || got.Hashes["linux_amd64"].Bin != a {
		t.Errorf("a hash of an unknown scheme: %+v, %v", got, err)
	}
}
