//go:build unix

package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// installation is a store of plugins, with a project and a user.
type installation struct {
	t      *testing.T
	config FinderConfig
	// project and user are the paths of their lock files.
	project, user string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	root := realTempDir(t)
	ws := filepath.Join(root, "ws")
	if err := os.MkdirAll(filepath.Join(ws, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(root, "config", lock.UserFile)
	if err := os.MkdirAll(filepath.Dir(user), 0o755); err != nil {
		t.Fatal(err)
	}
	return &installation{
		t: t, project: filepath.Join(ws, lock.ProjectFile), user: user,
		config: FinderConfig{
			Executable: install(t, filepath.Join(root, "bin", "proctor"), 0o755),
			Store:      store.Open(filepath.Join(root, "store")), Dir: ws, UserLock: user,
		},
	}
}

// add installs a plugin whose binary is a text, and returns its lock entry.
func (i *installation) add(name, version, text string, change func(*manifest.Manifest, *store.Receipt)) lock.Entry {
	i.t.Helper()
	platform := manifest.ThisPlatform()
	sum := sha256.Sum256([]byte(text))
	m := manifest.Manifest{
		Schema: manifest.Schema, Name: name, Version: version, Protocols: listProtocols(),
		Platforms: map[manifest.Platform]manifest.Binary{platform: {
			Bin: manifest.BinaryName(name, platform), SHA256: hex.EncodeToString(sum[:]),
		}},
	}
	r := store.Receipt{Source: "local:/somewhere", InstalledBy: "test"}
	if change != nil {
		change(&m, &r)
	}
	stage, err := i.config.Store.Stage(i.t.Context())
	if err != nil {
		i.t.Fatal(err)
	}
	for file, data := range map[string][]byte{manifest.File: m.Encode(), manifest.BinaryName(name, platform): []byte(text)} {
		if err := os.WriteFile(filepath.Join(stage, file), data, 0o755); err != nil {
			i.t.Fatal(err)
		}
	}
	release, err := i.config.Store.Lock(i.t.Context(), name, version, nil)
	if err != nil {
		i.t.Fatal(err)
	}
	defer release()
	if _, err := i.config.Store.Publish(i.t.Context(), stage, m, r); err != nil {
		i.t.Fatal(err)
	}
	return lock.Entry{Version: version, Source: r.Source, ModuleSum: r.ModuleSum, Hashes: map[manifest.Platform]lock.Hashes{
		platform: {Bin: "sha256:" + hex.EncodeToString(sum[:])},
	}}
}

func (i *installation) lock(path string, entries map[string]lock.Entry) {
	i.t.Helper()
	err := lock.Change(i.t.Context(), path, func(f *lock.File) error {
		f.Plugins = entries
		return nil
	})
	if err != nil {
		i.t.Fatal(err)
	}
}

func TestALockFileNamesThePluginThatIsUsed(t *testing.T) {
	i := newInstallation(t)
	beside := install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-tap"), 0o755)
	if got := find(t, i.config).Candidates; len(got) != 1 || got[0].Path != beside || got[0].Lock != nil {
		t.Fatalf("without lock files: %+v", got)
	}
	older, newer := i.add("tap", "1.0.0", "#!/bin/sh\n# 1", nil), i.add("tap", "2.0.0", "#!/bin/sh\n# 2", nil)
	i.lock(i.user, map[string]lock.Entry{"tap": older})
	one := func(version, file string, project bool) {
		t.Helper()
		found := find(t, i.config)
		if len(found.Candidates) != 1 || len(found.Refused) != 0 {
			t.Fatalf("%+v", found)
		}
		l := found.Candidates[0].Lock
		by := filepath.Base(file) + ", " + string(manifest.ThisPlatform())
		if l.File != file || l.Project != project || l.Version != version || l.Expected.By != by || !strings.HasPrefix(l.Expected.Hash, "sha256:") {
			t.Errorf("%+v", l)
		}
	}
	one("1.0.0", i.user, false)
	i.lock(i.project, map[string]lock.Entry{"tap": newer})
	one("2.0.0", i.project, true)
	i.config.Overrides = map[string]string{"tap": beside}
	if got := find(t, i.config).Candidates; len(got) != 1 || !got[0].Override || got[0].Lock != nil {
		t.Errorf("the user named another: %+v", got)
	}
}

func TestALockedPluginThatCannotBeUsedIsNotReplacedByAnother(t *testing.T) {
	for name, c := range map[string]struct {
		entry func(*installation) lock.Entry
		says  []string
	}{
		"not installed": {func(*installation) lock.Entry {
			return lock.Entry{Version: "1.0.0", Source: "https://example.org/index.json", Hashes: map[manifest.Platform]lock.Hashes{
				manifest.ThisPlatform(): {Bin: lock.Hash(strings.Repeat("0", 64))},
			}}
		}, []string{"names plugin tap 1.0.0, which is not installed", "proctor plugin sync"}},
		"no hash for this platform": {func(i *installation) lock.Entry {
			e := i.add("tap", "1.0.0", "#!/bin/sh\n", nil)
			e.Hashes = map[manifest.Platform]lock.Hashes{"plan9_mips": e.Hashes[manifest.ThisPlatform()]}
			return e
		}, []string{"has no hash", "proctor plugin lock --platform " + string(manifest.ThisPlatform())}},
		"another module": {func(i *installation) lock.Entry {
			e := i.add("tap", "1.0.0", "#!/bin/sh\n", func(_ *manifest.Manifest, r *store.Receipt) {
				r.ModuleSum = "h1:" + strings.Repeat("A", 43) + "="
			})
			e.Hashes, e.ModuleSum = nil, "h1:"+strings.Repeat("B", 42)+"A="
			return e
		}, []string{"does not match", "proctor.lock"}},
		"a newer protocol": {func(i *installation) lock.Entry {
			return i.add("tap", "1.0.0", "#!/bin/sh\n", func(m *manifest.Manifest, _ *store.Receipt) { m.Protocols = []int{99} })
		}, []string{"protocol", "99", "upgrade proctor"}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstallation(t)
			install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-tap"), 0o755)
			i.lock(i.project, map[string]lock.Entry{"tap": c.entry(i)})
			found := find(t, i.config)
			_, err := found.Lookup("tap")
			if len(found.Candidates) != 0 || err == nil {
				t.Fatalf("%+v", found)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not say %q", err, text)
				}
			}
		})
	}
}

func TestALockFileThatCannotBeReadEndsTheSearch(t *testing.T) {
	i := newInstallation(t)
	install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-tap"), 0o755)
	testfiles.Write(t, i.project, "{")
	_, err := NewFinder(i.config).Find(t.Context())
	if broken, ok := errors.AsType[*lock.Error](err); !ok || broken.Path != i.project {
		t.Errorf("got %v", err)
	}
}

func TestALockedBinaryIsComparedBeforeEachLaunch(t *testing.T) {
	f := newFixture(t, "good")
	self, err := os.ReadFile(f.config.Candidate.Path)
	if err != nil {
		t.Fatal(err)
	}
	f.place(t, self, 0o755)
	hash, err := store.Hash(t.Context(), f.config.Candidate.Path)
	if err != nil {
		t.Fatal(err)
	}
	f.config.Candidate.Lock = &Lock{File: "proctor.lock", Version: "1.0.0", Expected: held.Expectation{Hash: hash, By: "proctor.lock"}, Built: true}
	p := f.start(t)
	ran := len(f.pids())
	// It is replaced while it runs, and restarted after a crash.
	if err := os.Remove(f.config.Candidate.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.config.Candidate.Path, append(self, '\n'), 0o755); err != nil {
		t.Fatal(err)
	}
	kill(t, p, syscall.SIGKILL)
	for name, start := range map[string]func() error{
		"the next call": func() error { _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); return err },
		"another start": func() error { _, err := Start(t.Context(), f.config); return err },
	} {
		var mismatch *held.MismatchError
		if err := start(); !errors.As(err, &mismatch) || mismatch.Expected != hash || mismatch.Actual == hash || mismatch.Code() != held.CodeMismatch {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(mismatch.Detail(), f.config.Candidate.Path) || !strings.Contains(mismatch.Detail(), hash) {
			t.Errorf("%s says %s", name, mismatch.Detail())
		}
	}
	if len(f.pids()) != ran {
		t.Error("it was executed")
	}
}

func TestALockedPluginCallsItselfByItsLockedVersion(t *testing.T) {
	f := newFixture(t, "good")
	hash, err := store.Hash(t.Context(), f.config.Candidate.Path)
	if err != nil {
		t.Fatal(err)
	}
	l := &Lock{File: "proctor.lock", Version: "9.9.9", Expected: held.Expectation{Hash: hash}}
	f.config.Candidate.Lock = l
	var broke *ProtocolError
	if _, err := Start(t.Context(), f.config); !errors.As(err, &broke) || broke.Field != "version" {
		t.Errorf("got %v", err)
	}
	l.Built = true // the version is the module's
	f.start(t)
}
