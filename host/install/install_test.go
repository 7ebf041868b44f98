package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

func TestAnInstalledPluginIsInTheStoreAndInTheLockFileWithTheHashesOfAllPlatforms(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	binary := u.program("1")
	pub.add("tap", "1.0.0", binary)
	pub.add("tap", "1.1.0", binary)
	pub.add("tap", "2.0.0", binary)

	p := u.install(pub.address() + "#tap@~> 1.0")
	if p.Action != Installed || p.Version != "1.1.0" || p.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("installed %+v", p)
	}
	if got, err := os.ReadFile(p.Path); err != nil || string(got) != string(binary) {
		t.Errorf("%s: %q, %v", p.Path, got, err)
	}
	e := u.locked().Plugins["tap"]
	if e.Version != "1.1.0" || e.Constraint != "~> 1.0" || e.Source != pub.address() || e.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("locked %+v", e)
	}
	if e.Hashes[other].Archive == "" || e.Hashes[manifest.ThisPlatform()].Bin != lock.Hash(hexSum(binary)) {
		t.Errorf("the hashes are %+v", e.Hashes)
	}
	u.whole()
	if want := []string{"pinned " + pub.pub}; strings.Join(u.events, ",") != "fetching tap 1.1.0 from "+pub.address()+","+want[0] {
		t.Errorf("events %q", u.events)
	}

	u.events = nil
	before := u.locked()
	delete(pub.x.Plugins["tap"].Versions, "2.0.0")
	pub.publish()
	if again := u.install(pub.address()); again.Action != Unchanged {
		t.Errorf("again: %+v", again)
	}
	if string(before.Encode()) != string(u.locked().Encode()) {
		t.Errorf("the lock file changed:\n%s", u.locked().Encode())
	}
	if len(u.events) > 0 {
		t.Errorf("an installed plugin with the same hashes was fetched again: %q", u.events)
	}
}

func TestANameReinstallsWhatIsLocked(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address() + "@~> 1.0")
	pub.add("tap", "1.5.0", u.program("2"))

	u.wipe()
	if p := u.install("tap"); p.Version != "1.0.0" {
		t.Errorf("installed %+v", p)
	}
	if p := u.install("tap@1.0.0"); p.Version != "1.0.0" || u.locked().Plugins["tap"].Constraint != "~> 1.0" {
		t.Errorf("installed %+v, and the constraint is %q", p, u.locked().Plugins["tap"].Constraint)
	}
	if p := u.install("tap@latest"); p.Version != "1.5.0" || p.From != "1.0.0" || u.locked().Plugins["tap"].Constraint != "" {
		t.Errorf("installed %+v", p)
	}
	if p := u.install("tap@< 1.5"); p.Version != "1.0.0" || u.locked().Plugins["tap"].Constraint != "< 1.5" {
		t.Errorf("a requested version: %+v", p)
	}
	u.whole()
	refused[error](u, Request{Spec: "nosuch"}, "nosuch", u.lock, "proctor plugin install https://")
}

func TestADirectoryAndAnArchiveAreInstalledForThisPlatform(t *testing.T) {
	u := newUser(t)
	dir := unpacked(t, t.TempDir(), "tap", "1.0.0", u.program("1"))
	file := filepath.Join(t.TempDir(), archive.Name("bats", "0.1.0", manifest.ThisPlatform()))
	put(t, file, packed(t, "bats", "0.1.0", manifest.ThisPlatform(), u.program("2")))

	u.install(dir)
	if e := u.locked().Plugins["tap"]; e.Source != "local:"+dir || e.Hashes[manifest.ThisPlatform()].Archive != "" {
		t.Errorf("locked %+v", e)
	}
	u.install(file)
	if e := u.locked().Plugins["bats"]; e.Source != "local:"+file || e.Hashes[manifest.ThisPlatform()].Archive == "" || len(e.Hashes) != 1 {
		t.Errorf("locked %+v", e)
	}
	u.whole()

	// Rebuilt with the same version.
	unpacked(t, dir, "tap", "1.0.0", u.program("3"))
	refused[*held.MismatchError](u, Request{Spec: dir}, "tap", "1.0.0", "proctor.lock, "+string(manifest.ThisPlatform()), "proctor plugin remove tap")
	empty := &user{t: t, home: u.home, cfg: u.cfg, lock: filepath.Join(u.home, "else", lock.ProjectFile)}
	refused[*ConflictError](empty, Request{Spec: dir}, "tap 1.0.0", "not overwritten", "--plugin tap=PATH", "proctor plugin remove tap")
}

func TestAPluginWithAnotherHashThanTheGivenOneIsNotInstalled(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	file := filepath.Join(pub.dir, filepath.FromSlash(pub.x.Plugins["tap"].Versions["1.0.0"].Files[manifest.ThisPlatform()].URL))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := unpacked(t, t.TempDir(), "tap", "1.0.0", u.program("1"))
	wrong := strings.Repeat("ab", 32)
	for spec, right := range map[string]string{pub.address(): hexSum(data), file: hexSum(data), dir: hexSum(u.program("1"))} {
		err := refused[*held.MismatchError](u, Request{Spec: spec, SHA256: wrong}, "--sha256", wrong, right, "nothing was installed")
		if err.Code() != held.CodeMismatch {
			t.Errorf("the code is %s", err.Code())
		}
		refused[*UsageError](u, Request{Spec: spec, SHA256: "abc"}, "64 hexadecimal digits")
	}
	if len(u.events) > 0 {
		t.Errorf("something was fetched or pinned although the hash is known to differ: %q", u.events)
	}
	for _, spec := range []string{pub.address(), file, dir} {
		sum := hexSum(data)
		if spec == dir {
			sum = hexSum(u.program("1"))
		}
		if _, err := u.try(Request{Spec: spec, SHA256: strings.ToUpper(sum)}); err != nil {
			t.Error(err)
		}
	}
	refused[*UsageError](u, Request{Spec: "go:example.com/x/cmd/proctor-plugin-x@v1.0.0", SHA256: wrong}, "Go module")
}

func TestAnArchiveThatIsNotWhatTheIndexSaysIsRefused(t *testing.T) {
	platform := manifest.ThisPlatform()
	for name, c := range map[string]struct {
		spoil func(p *publisher, file string)
		says  string
	}{
		"another archive": {func(p *publisher, file string) {
			put(p.t, file, packed(p.t, "tap", "1.0.0", platform, []byte("other")))
		}, "is not what"},
		"another binary": {func(p *publisher, file string) {
			resign(p, func(a *archiveOf) { a.BinSHA256 = strings.Repeat("ab", 32) })
		}, ""},
		"another plugin": {func(p *publisher, file string) {
			data := packed(p.t, "bats", "1.0.0", platform, []byte("other"))
			put(p.t, file, data)
			resign(p, func(a *archiveOf) { a.SHA256, a.BinSHA256 = hexSum(data), hexSum([]byte("other")) })
		}, "bats"},
		"no archive": {func(p *publisher, file string) { os.Remove(file) }, "cannot be"},
	} {
		t.Run(name, func(t *testing.T) {
			pub, u := newPublisher(t), newUser(t)
			pub.add("tap", "1.0.0", u.program("1"))
			c.spoil(pub, filepath.Join(pub.dir, filepath.FromSlash(pub.x.Plugins["tap"].Versions["1.0.0"].Files[platform].URL)))
			refused[error](u, Request{Spec: pub.address()}, "tap", c.says)
			if k, err := readKeys(u.cfg.Keys); err != nil || len(k.Keys) > 0 {
				t.Errorf("a key was pinned for what was refused: %v, %v", k, err)
			}
		})
	}
}

func TestAVersionThatWasLockedNeverChangesOnAnyPlatform(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	f := pub.x.Plugins["tap"].Versions["1.0.0"].Files
	a := f[other]
	a.SHA256 = strings.Repeat("cd", 32)
	f[other] = a
	pub.publish()
	refused[*held.MismatchError](u, Request{Spec: "tap"}, "proctor.lock, "+string(other), a.SHA256)
	refused[*held.MismatchError](u, Request{Spec: pub.address()}, "proctor.lock, "+string(other), a.SHA256)
}

func TestABrokenLockFileStopsBeforeAnythingIsFetched(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	put(t, u.lock, []byte("<<<<<<< HEAD\n"))
	if _, err := u.try(Request{Spec: pub.address()}); err == nil || len(u.events) > 0 {
		t.Errorf("%v, events %q", err, u.events)
	}
}

func TestOnlyAnInstallReplacesAnInstalledFileThatChanged(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	p := u.install(pub.address())
	replace(t, p.Path, []byte("spoilt"))

	a, err := u.installer().Sync(t.Context(), SyncRequest{Lock: u.lock})
	if err != nil || a.OK() || a.Plugins[0].Code != held.CodeMismatch {
		t.Errorf("sync: %+v, %v", a, err)
	}
	a, err = u.installer().Verify(t.Context(), u.lock)
	if err != nil || a.OK() {
		t.Errorf("verify: %+v, %v", a, err)
	}
	for _, text := range []string{"file      " + p.Path, "expected  sha256:", "(proctor.lock, " + string(manifest.ThisPlatform()) + ")",
		"actual    sha256:", "It was not executed.", "If you expect this:  proctor plugin install tap"} {
		if !strings.Contains(a.Plugins[0].Detail, text) {
			t.Errorf("%q is missing in: %s", text, a.Plugins[0].Detail)
		}
	}
	if got, err := os.ReadFile(p.Path); err != nil || string(got) != "spoilt" {
		t.Errorf("the file was replaced without an install: %q, %v", got, err)
	}
	u.install("tap")
	u.whole()
	if got := strings.Join(u.events, ","); !strings.HasSuffix(got, "replacing tap") {
		t.Errorf("events %s", got)
	}
}
