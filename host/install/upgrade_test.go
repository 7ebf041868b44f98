package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// upgrade expects one plugin in the answer.
func (u *user) upgrade(dry bool) Plugin {
	u.t.Helper()
	a, err := u.installer().Upgrade(u.t.Context(), UpgradeRequest{Lock: u.lock, DryRun: dry})
	if err != nil || len(a.Plugins) != 1 {
		u.t.Fatalf("upgrade: %+v, %v", a, err)
	}
	return a.Plugins[0]
}

func TestUpgradeTakesTheNewestVersionWithinTheConstraint(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address() + "@~> 1.0")
	if p := u.upgrade(false); p.Action != Unchanged || !strings.Contains(p.Note, "~> 1.0") {
		t.Errorf("%+v", p)
	}
	pub.add("tap", "1.2.0", u.program("2"))
	pub.add("tap", "2.0.0", u.program("3"))

	before, installed := u.locked(), u.installed()
	if p := u.upgrade(true); p.Action != Upgraded || p.From != "1.0.0" || p.Version != "1.2.0" {
		t.Errorf("%+v", p)
	}
	if string(u.locked().Encode()) != string(before.Encode()) || !slices.Equal(u.installed(), installed) {
		t.Error("a dry run changed something")
	}
	if p := u.upgrade(false); p.Action != Upgraded || p.From != "1.0.0" || p.Version != "1.2.0" {
		t.Errorf("%+v", p)
	}
	if p := u.upgrade(true); p.Newer != "2.0.0" || !strings.Contains(p.Note, "2.0.0 is newer: proctor plugin install tap@latest") {
		t.Errorf("%+v", p)
	}
	if e := u.locked().Plugins["tap"]; e.Version != "1.2.0" || e.Constraint != "~> 1.0" || len(u.installed()) != 2 {
		t.Errorf("locked %+v, installed %q", e, u.installed())
	}
	u.whole()
	u.install("tap@latest")
	if e := u.locked().Plugins["tap"]; e.Version != "2.0.0" || e.Constraint != "" {
		t.Errorf("locked %+v", e)
	}
	if p := u.upgrade(true); p.Newer != "" || p.Note != "it is the newest version" {
		t.Errorf("%+v", p)
	}
	if _, err := u.installer().Upgrade(t.Context(), UpgradeRequest{Lock: u.lock, Name: "bats"}); err == nil {
		t.Error("a plugin that is not locked was upgraded")
	}
}

func TestAnOlderIndexIsNotFollowedSilently(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	pub.add("tap", "1.1.0", u.program("2"))
	u.install(pub.address())

	delete(pub.x.Plugins["tap"].Versions, "1.1.0")
	pub.publish()
	refused[error](u, Request{Spec: pub.address()}, "tap 1.1.0", "never takes a version away", "@VERSION")
	for _, dry := range []bool{true, false} {
		if p := u.upgrade(dry); p.Action != Failed || !strings.Contains(p.Problem, "1.1.0") || u.locked().Plugins["tap"].Version != "1.1.0" {
			t.Errorf("%+v", p)
		}
	}
	// The version still exists, but not for this platform.
	pub.add("tap", "1.1.0", u.program("2"))
	delete(pub.x.Plugins["tap"].Versions["1.1.0"].Files, u.installer().cfg.Platform)
	pub.publish()
	refused[error](u, Request{Spec: pub.address()}, "offers plugin tap 1.0.0", "newer 1.1.0", "proctor plugin install tap@1.0.0")

	if p := u.install(pub.address() + "@1.0.0"); p.Version != "1.0.0" || p.From != "1.1.0" {
		t.Errorf("a requested version: %+v", p)
	}
}

func TestAConstraintNamesNoVersion(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.2.0", u.program("1"))
	pub.add("tap", "1.5.0", u.program("2"))
	u.install(pub.address() + "@~> 1.2")
	delete(pub.x.Plugins["tap"].Versions, "1.5.0")
	pub.publish()
	for _, spec := range []string{pub.address() + "@~> 1.2", pub.address() + "@>= 1.2.0", "tap@~> 1.2", "tap@latest"} {
		refused[error](u, Request{Spec: spec}, "no longer has plugin tap 1.5.0")
	}
	// Unless the locked version violates it.
	locked := u.locked().Plugins["tap"]
	for _, constraint := range []string{"@= 1.2.0", "@1.2.0", "@< 1.5"} {
		u.amend("tap", locked)
		if p := u.install(pub.address() + constraint); p.Version != "1.2.0" || p.From != "1.5.0" {
			t.Errorf("%s: %+v", constraint, p)
		}
	}
}

func TestAChangedVersionIsRefusedEvenIfAnotherIsRequested(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	resign(pub, func(a *archiveOf) { a.SHA256 = strings.Repeat("ab", 32) })
	pub.add("tap", "1.1.0", u.program("2"))
	for _, spec := range []string{pub.address() + "@1.1.0", "tap@1.1.0", "tap@> 1.0.0"} {
		refused[*held.MismatchError](u, Request{Spec: spec}, "1.0.0")
	}
}

func TestAnIndexThatWasSignedLaterMustStaySigned(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	key := pub.key
	pub.key = nil
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	pub.key = key
	pub.publish()
	u.events = nil
	if p := u.upgrade(true); p.Action != Unchanged || len(u.events) > 0 || u.locked().Plugins["tap"].Signer != "" {
		t.Errorf("a dry run: %+v, events %q", p, u.events)
	}
	if p := u.upgrade(false); p.Action != Unchanged || p.Signer != lock.SignerScheme+pub.pub || strings.Join(u.events, ",") != "pinned "+pub.pub {
		t.Errorf("%+v, events %q", p, u.events)
	}
	if e := u.locked().Plugins["tap"]; e.Signer != lock.SignerScheme+pub.pub || len(e.Hashes) != 2 {
		t.Errorf("%+v", e)
	}
	// The signature is checked even if nothing is newer.
	pub.newKey()
	pub.publish()
	for _, dry := range []bool{true, false} {
		if p := u.upgrade(dry); p.Action != Failed || !strings.Contains(p.Problem, keyID(pub.pub)) {
			t.Errorf("%+v", p)
		}
	}
}

func TestLockPinsTheKeyThatItUsed(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	os.Remove(u.cfg.Keys)
	a, err := u.installer().Lock(t.Context(), LockRequest{Lock: u.lock})
	if err != nil || !a.OK() {
		t.Fatalf("%+v, %v", a, err)
	}
	if k, err := readKeys(u.cfg.Keys); err != nil || k.Keys[pub.address()].Key != pub.pub {
		t.Errorf("%+v, %v", k, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(u.cfg.Keys)); err != nil || len(entries) != 1 {
		t.Errorf("beside the key file: %v, %v", entries, err)
	}
}

func TestUpgradeRefusesAVersionThatChanged(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	resign(pub, func(a *archiveOf) { a.SHA256 = strings.Repeat("ab", 32) })
	if p := u.upgrade(false); p.Code != held.CodeMismatch {
		t.Errorf("%+v", p)
	}
	// A newer version does not help.
	pub.add("tap", "1.1.0", u.program("2"))
	if p := u.upgrade(false); p.Code != held.CodeMismatch {
		t.Errorf("%+v", p)
	}
	refused[*held.MismatchError](u, Request{Spec: pub.address()}, "1.0.0")
}

func TestUpgradeLeavesAPathAlone(t *testing.T) {
	u := newUser(t)
	refused[error](u, Request{Spec: "tap"}, "does not exist yet")
	u.install(unpacked(t, t.TempDir(), "tap", "1.0.0", u.program("1")))
	if p := u.upgrade(false); p.Action != Unchanged || p.Note == "" {
		t.Errorf("%+v", p)
	}
	a, err := u.installer().Lock(t.Context(), LockRequest{Lock: u.lock, Platforms: []manifest.Platform{other}})
	if err != nil || !strings.Contains(failures(a), "`proctor plugin pack`") || strings.Contains(failures(a), "upgrade") {
		t.Errorf("%+v, %v", a, err)
	}
	refused[error](u, Request{Spec: "bats"}, u.lock+" names no plugin bats")
}

func TestAnotherSourceIsReported(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	p := u.install(unpacked(t, t.TempDir(), "tap", "0.9.0", u.program("0")))
	if p.FromSource != pub.address() || p.From != "1.0.0" || u.locked().Plugins["tap"].Signer != "" {
		t.Errorf("%+v, locked %+v", p, u.locked())
	}
}

func TestRemoveKeepsWhatAnotherLockFileNames(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	own := u.cfg.Locks[1]
	if _, err := u.try(Request{Lock: own, Spec: pub.address()}); err != nil {
		t.Fatal(err)
	}
	a, err := u.installer().Remove(t.Context(), u.lock, "tap")
	if err != nil || a.Plugins[0].Action != Removed || !strings.Contains(a.Plugins[0].Note, own) || len(u.installed()) != 1 {
		t.Errorf("%+v, %v, installed %q", a, err, u.installed())
	}
	if _, err := u.installer().Remove(t.Context(), u.lock, "tap"); err == nil {
		t.Error("the plugin was removed twice")
	}
	a, err = u.installer().Remove(t.Context(), own, "tap")
	if err != nil || a.Plugins[0].Note != "" || len(u.installed()) != 0 {
		t.Errorf("%+v, %v, installed %q", a, err, u.installed())
	}
	if f, err := lock.Read(own); err != nil || len(f.Plugins) > 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestALockFileThatCannotBeReadKeepsAPluginInTheStore(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	put(t, u.cfg.Locks[1], []byte("?"))
	a, err := u.installer().Remove(t.Context(), u.lock, "tap")
	if err != nil || !strings.Contains(a.Plugins[0].Note, "files stay") || len(u.installed()) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAProjectsLockFileIsCreatedBesideGit(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := NewLock(sub); err != nil || got != filepath.Join(sub, lock.ProjectFile) {
		t.Errorf("%s, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := NewLock(sub)
	if err != nil || got != filepath.Join(dir, lock.ProjectFile) {
		t.Errorf("%s, %v", got, err)
	}
	// A link to a directory is another way into the same project.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(sub, link); err == nil {
		if through, err := NewLock(link); err != nil || through != got {
			t.Errorf("through a link: %s, %v", through, err)
		}
	}
	put(t, got, []byte(`{"schema":1,"plugins":{}}`))
	if err := os.Chmod(got, 0o644); err != nil {
		t.Fatal(err)
	}
	if found, err := FindLock(sub); err != nil || found != got {
		t.Errorf("%s, %v", found, err)
	}
}
