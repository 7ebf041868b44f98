package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/lock"
)

// change edits the lock file as text.
func (u *user) change(old, new string) {
	u.t.Helper()
	text, err := os.ReadFile(u.lock)
	if err != nil || !strings.Contains(string(text), old) {
		u.t.Fatalf("%q is not in %s, %v", old, text, err)
	}
	put(u.t, u.lock, []byte(strings.ReplaceAll(string(text), old, new)))
}

// failures formats the failed plugins of an answer.
func failures(a Answer) string {
	var all []string
	for _, p := range a.Plugins {
		if p.Action == Failed {
			all = append(all, p.Name+": "+p.Problem)
		}
	}
	return strings.Join(all, "\n")
}

// On another machine only the lock file names the signer.
func TestTheSignerOfOnePluginMustSignAllOfItsIndex(t *testing.T) {
	for _, unsigned := range []bool{false, true} {
		pub, u := newPublisher(t), newUser(t)
		pub.add("tap", "1.0.0", u.program("1"))
		pub.add("bats", "1.0.0", u.program("2"))
		u.install(pub.address() + "#tap")
		id := keyID(pub.pub)
		if err := os.Remove(u.cfg.Keys); err != nil {
			t.Fatal(err)
		}
		if pub.newKey(); unsigned {
			pub.key = nil
		}
		pub.publish()
		if e := refused[*KeyError](u, Request{Spec: pub.address() + "#bats"}, id); e.Where != u.lock {
			t.Errorf("%+v", e)
		}

		// Even if the entry itself names none.
		second := u.locked().Plugins["tap"]
		second.Signer, second.Hashes = "", nil
		u.amend("bats", second)
		a, err := u.installer().Upgrade(t.Context(), UpgradeRequest{Lock: u.lock, Name: "bats"})
		if err != nil || !strings.Contains(failures(a), id) {
			t.Errorf("upgrade: %+v, %v", a, err)
		}
		a, err = u.installer().Lock(t.Context(), LockRequest{Lock: u.lock})
		if err != nil || strings.Count(failures(a), id) != 2 {
			t.Errorf("lock: %+v, %v", a, err)
		}
		a, err = u.installer().Mirror(t.Context(), u.lock, t.TempDir())
		if err != nil || strings.Count(failures(a), id) != 2 {
			t.Errorf("mirror: %+v, %v", a, err)
		}
		full := u.locked().Plugins["tap"]
		full.Signer = ""
		u.amend("bats", full)
		a, err = u.installer().Sync(t.Context(), SyncRequest{Lock: u.lock})
		if err != nil || !strings.Contains(failures(a), "bats: ") || !strings.Contains(failures(a), id) {
			t.Errorf("sync: %+v, %v", a, err)
		}
	}
}

// amend writes an entry to the lock file.
func (u *user) amend(name string, e lock.Entry) {
	u.t.Helper()
	err := lock.Change(u.t.Context(), u.lock, func(f *lock.File) error {
		f.Plugins[name] = e
		return nil
	})
	if err != nil {
		u.t.Fatal(err)
	}
}

func TestTwoSignersOfOneIndexAreAnErrorUntilOneIsGiven(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	pub.add("bats", "1.0.0", u.program("2"))
	u.install(pub.address() + "#tap")
	u.install(pub.address() + "#bats")
	e := u.locked().Plugins["bats"]
	e.Signer = lock.SignerScheme + newPublisher(t).pub
	u.amend("bats", e)
	refused[error](u, Request{Spec: pub.address() + "#tap"}, u.lock, pub.address(), "bats", "tap", "--repin")
	if _, err := u.try(Request{Spec: pub.address() + "#tap", Key: pub.pub, Repin: true}); err != nil {
		t.Fatal(err)
	}
	if got := u.locked().Plugins["bats"]; got.Signer != lock.SignerScheme+pub.pub || got.Version != "1.0.0" || len(got.Hashes) != 2 {
		t.Errorf("the index's new key does not apply to its other plugins: %+v", got)
	}
	u.install(pub.address() + "#bats")
}

func TestASignerInAnUnknownFormIsNotIgnored(t *testing.T) {
	for _, signed := range []bool{true, false} {
		pub, u := newPublisher(t), newUser(t)
		if !signed {
			pub.key = nil
		}
		pub.add("tap", "1.0.0", u.program("1"))
		u.install(pub.address())
		e := u.locked().Plugins["tap"]
		e.Signer = "minisign2:RWabc"
		u.amend("tap", e)
		os.Remove(u.cfg.Keys)
		pub.add("tap", "1.1.0", u.program("2"))
		refused[error](u, Request{Spec: pub.address()}, u.lock, "minisign2:RWabc", "Upgrade proctor")
		if p := u.upgrade(false); p.Action != Failed || !strings.Contains(p.Problem, "minisign2:RWabc") || u.locked().Plugins["tap"].Signer != e.Signer {
			t.Errorf("%+v", p)
		}
		u.wipe()
		if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, "minisign2:RWabc") || len(u.installed()) > 0 {
			t.Errorf("%+v", p)
		}
	}
}

func TestALockFileThatOthersMayWriteIsRefused(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	own := u.cfg.Locks[1]
	if _, err := u.try(Request{Lock: own, Spec: pub.address()}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(own, 0o666); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o666 {
		t.Skip("no file modes here:", err)
	}
	if _, err := u.installer().Verify(t.Context(), own); err == nil || !strings.Contains(err.Error(), "chmod o-w "+own) {
		t.Error(err)
	}
}

func TestAProjectsLockFileInstallsNothingFromTheProject(t *testing.T) {
	u := newUser(t)
	project := filepath.Dir(u.lock)
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	vendored := unpacked(t, filepath.Join(project, "vendor", "p"), "tap", "1.0.0", u.program("1"))
	u.install(vendored)
	u.wipe()
	aside := filepath.Join(t.TempDir(), "link")
	deeper := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(project, aside), os.Symlink(filepath.Join(project, "vendor"), deeper)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	pub := &publisher{t: t, dir: filepath.Join(project, "published"), x: newPublisher(t).x}
	pub.add("tap", "1.0.0", u.program("1"))
	for _, source := range []string{
		"local:" + vendored, "local:" + filepath.Join(aside, "vendor", "p"), "local:" + filepath.Join(deeper, "p"), "local:" + project + "/../project/vendor/p",
		pub.address(), fileURL(filepath.Join(aside, "published", "index.json")),
	} {
		e := u.locked().Plugins["tap"]
		e.Source = source
		u.amend("tap", e)
		p := u.sync(SyncRequest{})
		if p.Action != Failed || !strings.Contains(p.Problem, "from within the project itself") || !strings.Contains(p.Problem, "proctor plugin install ") || len(u.installed()) > 0 {
			t.Errorf("%s: %+v", source, p)
		}
		refused[error](u, Request{Spec: "tap"}, u.lock+" has plugin tap", "from within the project itself")
		if p := u.upgrade(false); p.Action != Unchanged && !strings.Contains(p.Problem, "from within the project itself") {
			t.Errorf("%s: %+v", source, p)
		}
	}
	if slices.ContainsFunc(u.events[1:], func(line string) bool { return strings.HasPrefix(line, "fetching") }) {
		t.Errorf("events %q", u.events)
	}

	// A relative path means something else in each directory.
	u.change(fileURL(filepath.Join(aside, "published", "index.json")), "local:vendor/p")
	if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, "absolute") {
		t.Errorf("%+v", p)
	}
	// A path that the user gives is installed, and the user's own lock file is not a project's.
	u.install(vendored)
	own := u.cfg.Locks[1]
	beside := unpacked(t, filepath.Join(filepath.Dir(own), "p"), "tap", "1.0.0", u.program("1"))
	if _, err := u.try(Request{Lock: own, Spec: beside}); err != nil {
		t.Fatal(err)
	}
	if _, err := u.try(Request{Lock: own, Spec: "tap"}); err != nil {
		t.Error(err)
	}
}
