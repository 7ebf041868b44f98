package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// sync expects one plugin in the answer, and an unchanged lock file.
func (u *user) sync(req SyncRequest) Plugin {
	u.t.Helper()
	req.Lock = u.lock
	before := u.locked()
	a, err := u.installer().Sync(u.t.Context(), req)
	if err != nil || len(a.Plugins) != 1 {
		u.t.Fatalf("sync: %+v, %v", a, err)
	}
	if after := u.locked(); string(after.Encode()) != string(before.Encode()) {
		u.t.Errorf("sync changed the lock file:\n%s", after.Encode())
	}
	return a.Plugins[0]
}

func TestSyncInstallsWhatIsLockedAndNothingElse(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	pub.add("tap", "1.1.0", u.program("2"))
	if p := u.sync(SyncRequest{}); p.Action != Unchanged {
		t.Errorf("%+v", p)
	}

	u.wipe()
	if p := u.sync(SyncRequest{Check: true}); p.Action != Missing || !strings.Contains(p.Note, "proctor plugin sync") || len(u.installed()) > 0 {
		t.Errorf("a check: %+v", p)
	}
	if p := u.sync(SyncRequest{}); p.Action != Installed || p.Version != "1.0.0" {
		t.Errorf("%+v", p)
	}
	u.whole()
	if p := u.sync(SyncRequest{Check: true}); p.Action != Unchanged {
		t.Errorf("a check: %+v", p)
	}
}

func TestSyncRefusesWhatHasAnotherHashThanTheLockFile(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	u.wipe()
	pub.add("tap", "1.0.0", u.program("another"))
	p := u.sync(SyncRequest{})
	if p.Action != Failed || p.Code != held.CodeMismatch || !strings.Contains(p.Detail, "proctor.lock, "+string(manifest.ThisPlatform())) || len(u.installed()) > 0 {
		t.Errorf("%+v", p)
	}
	if strings.Contains(strings.Join(u.events[2:], ","), "fetching") {
		t.Errorf("fetched although the hash is known to differ: %q", u.events)
	}
	pub.add("tap", "1.0.0", u.program("1"))
	files := pub.x.Plugins["tap"].Versions["1.0.0"].Files
	far := files[other]
	far.SHA256 = strings.Repeat("ab", 32)
	files[other] = far
	pub.publish()
	if p := u.sync(SyncRequest{}); p.Code != held.CodeMismatch || !strings.Contains(p.Detail, "proctor.lock, "+string(other)) {
		t.Errorf("another archive for another platform: %+v", p)
	}
	os.RemoveAll(pub.dir)
	if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, pub.address()) {
		t.Errorf("without a source: %+v", p)
	}
}

func TestSyncSaysHowToLockAPlatformThatIsMissing(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	u.wipe()
	u.forget(manifest.ThisPlatform())
	p := u.sync(SyncRequest{})
	if p.Action != Failed || !strings.Contains(p.Problem, "proctor plugin lock --platform "+string(manifest.ThisPlatform())) {
		t.Errorf("%+v", p)
	}
	a, err := u.installer().Lock(t.Context(), LockRequest{Lock: u.lock, Platforms: []manifest.Platform{manifest.ThisPlatform()}})
	if err != nil || !a.OK() {
		t.Fatalf("lock: %+v, %v", a, err)
	}
	if p := u.sync(SyncRequest{}); p.Action != Installed {
		t.Errorf("%+v", p)
	}
}

// forget removes the hashes of a platform from the lock file.
func (u *user) forget(p manifest.Platform) {
	u.t.Helper()
	err := lock.Change(u.t.Context(), u.lock, func(f *lock.File) error {
		for _, e := range f.Plugins {
			delete(e.Hashes, p)
		}
		return nil
	})
	if err != nil {
		u.t.Fatal(err)
	}
}

func TestSyncInstallsFromAPathUntilItsFilesChange(t *testing.T) {
	u := newUser(t)
	dir := unpacked(t, filepath.Join(t.TempDir(), "built"), "tap", "1.0.0", u.program("1"))
	u.install(dir)
	u.wipe()
	if p := u.sync(SyncRequest{}); p.Action != Installed {
		t.Errorf("%+v", p)
	}
	u.wipe()
	unpacked(t, dir, "tap", "1.0.0", u.program("2"))
	if p := u.sync(SyncRequest{}); p.Code != held.CodeMismatch {
		t.Errorf("%+v", p)
	}
	os.RemoveAll(dir)
	if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, dir) {
		t.Errorf("%+v", p)
	}
}

func TestLockAddsHashesAndNeverChangesThem(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address() + "@~> 1.0")
	full := string(u.locked().Plugins["tap"].Hashes[other].Archive)
	u.forget(other)

	a, err := u.installer().Lock(t.Context(), LockRequest{Lock: u.lock, Platforms: []manifest.Platform{"no_such"}})
	if err != nil || a.OK() || !strings.Contains(a.Plugins[0].Problem, "no_such") {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := u.installer().Lock(t.Context(), LockRequest{Lock: u.lock, Platforms: []manifest.Platform{"Linux"}}); !Misuse(err) {
		t.Error(err)
	}
	a, err = u.installer().Lock(t.Context(), LockRequest{Lock: u.lock})
	if err != nil || !a.OK() || len(a.Plugins[0].Platforms) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	e := u.locked().Plugins["tap"]
	if e.Hashes[other].Archive != full || e.Constraint != "~> 1.0" || e.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("locked %+v", e)
	}

	before := u.locked()
	resign(pub, func(a *archiveOf) { a.SHA256 = strings.Repeat("ab", 32) })
	a, err = u.installer().Lock(t.Context(), LockRequest{Lock: u.lock})
	if err != nil || a.OK() || a.Plugins[0].Code != held.CodeMismatch || string(u.locked().Encode()) != string(before.Encode()) {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestSyncDistinguishesAnotherLockFileFromAChangedFile(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	text, err := os.ReadFile(u.lock)
	if err != nil {
		t.Fatal(err)
	}
	put(t, u.lock, []byte(strings.ReplaceAll(string(text), hexSum(u.program("1")), hexSum(u.program("2")))))
	p := u.sync(SyncRequest{})
	if p.Code != held.CodeMismatch || p.Problem != "plugin tap 1.0.0 does not match proctor.lock" || !strings.Contains(p.Detail, "The file is as it was installed") {
		t.Errorf("%+v", p)
	}
	refused[*held.MismatchError](u, Request{Spec: "tap"}, "is not what proctor.lock says", "proctor plugin remove tap")
}

func TestSyncSaysWhatNobodyVouchesFor(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.key = nil
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	u.wipe()
	u.events = nil
	if p := u.sync(SyncRequest{}); p.Action != Installed || u.events[0] != "unsigned" {
		t.Errorf("%+v, events %q", p, u.events)
	}
	// It has been signed since, and nothing here says by whom it should be.
	pub.newKey()
	pub.publish()
	u.wipe()
	u.events = nil
	if p := u.sync(SyncRequest{}); p.Action != Installed || u.events[0] != "unchecked" {
		t.Errorf("%+v, events %q", p, u.events)
	}
}
