package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

func TestAMirrorOfOneIndexIsItsCopyWithItsSignature(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	pub.add("tap", "1.1.0", u.program("2"))
	dir := filepath.Join(t.TempDir(), "a mirror")
	a, err := u.installer().Mirror(t.Context(), u.lock, dir)
	if err != nil || !a.OK() || len(a.Plugins[0].Platforms) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, file := range []string{index.File, index.File + index.SignatureSuffix, index.KeyFile} {
		want, err := os.ReadFile(filepath.Join(pub.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not the original: %v", file, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "tap", "1.1.0")); err == nil {
		t.Error("a version that is not locked was copied")
	}
	os.RemoveAll(pub.dir)
	u.cfg.Offline = true
	for _, mirror := range []string{dir, fileURL(dir), fileURL(dir) + "/", fileURL(dir) + "/index.json"} {
		u.wipe()
		u.events = nil
		if p := u.sync(SyncRequest{Mirror: mirror}); p.Action != Installed || p.Source != pub.address() {
			t.Errorf("%s: %+v", mirror, p)
		}
		if got := strings.Join(u.events, ","); got != "fetching tap 1.0.0 from "+fileURL(filepath.Join(dir, index.File)) {
			t.Errorf("%s: events %s", mirror, got)
		}
		u.whole()
	}
	// The mirror also serves as an index.
	stranger := newUser(t)
	if p := stranger.install(fileURL(dir) + "/index.json@1.0.0"); p.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("%+v", p)
	}
	refused[error](stranger, Request{Spec: fileURL(dir) + "/index.json@latest"}, "cannot be obtained from", "proctor plugin mirror")
	u.wipe()
	if p := u.sync(SyncRequest{Mirror: t.TempDir()}); p.Action != Failed || !strings.Contains(p.Problem, "tap 1.0.0") || !strings.Contains(p.Problem, "it is not a mirror of "+pub.address()) {
		t.Errorf("an empty mirror: %+v", p)
	}
}

func TestAMirrorOfSeveralSourcesHasADirectoryForEach(t *testing.T) {
	one, two, u := newPublisher(t), newPublisher(t), newUser(t)
	one.add("tap", "1.0.0", u.program("1"))
	one.add("bats", "1.0.0", u.program("2"))
	two.add("mocha", "1.0.0", u.program("3"))
	file := filepath.Join(t.TempDir(), archive.Name("rake", "0.1.0", manifest.ThisPlatform()))
	put(t, file, packed(t, "rake", "0.1.0", manifest.ThisPlatform(), u.program("4")))
	for _, spec := range []string{one.address() + "#tap", one.address() + "#bats", two.address(), file} {
		u.install(spec)
	}
	dir := t.TempDir()
	for range 2 {
		a, err := u.installer().Mirror(t.Context(), u.lock, dir)
		if err != nil || !a.OK() {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	os.RemoveAll(one.dir)
	os.RemoveAll(two.dir)
	os.Remove(file)
	u.wipe()
	a, err := u.installer().Sync(t.Context(), SyncRequest{Lock: u.lock, Mirror: dir})
	if err != nil || !a.OK() || len(u.installed()) != 4 {
		t.Errorf("%+v, %v", a, err)
	}
	u.whole()
}

func TestAMirrorIsNotTrusted(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	u.wipe()
	evil := newPublisher(t)
	evil.add("tap", "1.0.0", u.program("evil"))
	if p := u.sync(SyncRequest{Mirror: evil.dir}); p.Code != held.CodeMismatch || len(u.installed()) > 0 {
		t.Errorf("%+v", p)
	}
}

func TestWhatCannotBeMirroredIsAnErrorAfterTheRest(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	u.install(unpacked(t, t.TempDir(), "bats", "1.0.0", u.program("2")))
	dir := t.TempDir()
	a, err := u.installer().Mirror(t.Context(), u.lock, dir)
	if err != nil || a.OK() || a.Plugins[0].Name != "bats" || !strings.Contains(a.Plugins[0].Problem, "proctor plugin pack") || a.Plugins[1].Action != Mirrored {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := os.Stat(filepath.Join(dir, subdirectory(pub.address()), index.File)); err != nil {
		t.Error(err)
	}
	// The index now has another archive than the locked one.
	resign(pub, func(a *archiveOf) { a.SHA256 = strings.Repeat("ab", 32) })
	a, err = u.installer().Mirror(t.Context(), u.lock, t.TempDir())
	if err != nil || a.Plugins[1].Code != held.CodeMismatch {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestALocalArchiveIsMirroredWhateverItsNameIs(t *testing.T) {
	u := newUser(t)
	file := filepath.Join(t.TempDir(), "my plugin: a%20b.tar.gz")
	put(t, file, packed(t, "tap", "1.0.0", manifest.ThisPlatform(), u.program("1")))
	u.install(file)
	dir := t.TempDir()
	a, err := u.installer().Mirror(t.Context(), u.lock, dir)
	if err != nil || !a.OK() {
		t.Fatalf("%+v, %v", a, err)
	}
	u.wipe()
	if p := u.sync(SyncRequest{Mirror: dir}); p.Action != Installed {
		t.Errorf("%+v", p)
	}
	u.whole()
}

func TestHashesInAnUnknownFormAreNotMirrored(t *testing.T) {
	u, platform := newUser(t), manifest.ThisPlatform()
	file := filepath.Join(t.TempDir(), "tap.tar.gz")
	put(t, file, packed(t, "tap", "1.0.0", platform, u.program("1")))
	u.install(file)
	good := u.locked().Plugins["tap"]
	for _, h := range []lock.Hashes{{Archive: "a:b", Bin: good.Hashes[platform].Bin}, {Archive: good.Hashes[platform].Archive, Bin: "a:b"}} {
		e := good
		e.Hashes = map[manifest.Platform]lock.Hashes{platform: h}
		u.amend("tap", e)
		a, err := u.installer().Mirror(t.Context(), u.lock, t.TempDir())
		if err != nil || !strings.Contains(failures(a), "upgrade proctor") {
			t.Errorf("%+v, %v", a, err)
		}
	}
}
