package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/lock"
)

func TestAPinnedKeyIsTheOnlyOneFromThenOn(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	first, firstID := pub.pub, keyID(pub.pub)
	stranger := newPublisher(t).pub
	refused[*KeyError](u, Request{Spec: pub.address(), Key: stranger}, firstID, keyID(stranger), "--key")

	pub.newKey()
	pub.add("tap", "1.1.0", u.program("2"))
	// A locked plugin is reinstalled by its name: the address alone would upgrade it.
	says := []string{pub.address(), firstID, keyID(pub.pub), "nothing was installed", "proctor plugin install tap --key RW… --repin"}
	e := refused[*KeyError](u, Request{Spec: pub.address()}, says...)
	if e.Pinned != firstID || e.Offered != keyID(pub.pub) || e.Where != u.cfg.Keys {
		t.Errorf("%+v", e)
	}
	refused[*KeyError](u, Request{Spec: pub.address(), Key: pub.pub}, firstID, keyID(pub.pub), "--key")
	a, err := u.installer().Upgrade(t.Context(), UpgradeRequest{Lock: u.lock})
	if err != nil || a.OK() || !strings.Contains(a.Plugins[0].Problem, firstID) {
		t.Errorf("upgrade: %+v, %v", a, err)
	}
	a, err = u.installer().Lock(t.Context(), LockRequest{Lock: u.lock})
	if err != nil || a.OK() || !strings.Contains(a.Plugins[0].Problem, firstID) {
		t.Errorf("lock: %+v, %v", a, err)
	}

	// Without the key file, the lock file still names the key.
	os.Remove(u.cfg.Keys)
	if e := refused[*KeyError](u, Request{Spec: pub.address()}, firstID, keyID(pub.pub)); e.Where != u.lock {
		t.Errorf("%+v", e)
	}
	if _, err := pinKey(t.Context(), u.cfg.Keys, pub.address(), first, false, u.installer().cfg.Now()); err != nil {
		t.Fatal(err)
	}

	// The user confirms the new key.
	if _, err := u.try(Request{Spec: pub.address(), Key: pub.pub, Repin: true}); err != nil {
		t.Fatal(err)
	}
	if got := u.locked().Plugins["tap"]; got.Version != "1.1.0" || got.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("locked %+v", got)
	}
	u.install("tap")
}

func TestAnIndexThatLostItsSignatureIsRefused(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	id := keyID(pub.pub)
	pub.key = nil
	pub.add("tap", "1.1.0", u.program("2"))
	e := refused[*KeyError](u, Request{Spec: pub.address()}, "no longer signed", id)
	if e.Offered != "" {
		t.Errorf("%+v", e)
	}
}

func TestAnIndexThatWasChangedAfterItWasSignedIsRefused(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	path := filepath.Join(pub.dir, index.File)
	signature, err := os.ReadFile(path + index.SignatureSuffix)
	if err != nil {
		t.Fatal(err)
	}
	pub.add("tap", "1.1.0", u.program("2"))
	put(t, path+index.SignatureSuffix, signature)
	refused[error](u, Request{Spec: pub.address()}, "is not signed by the key "+keyID(pub.pub), "nothing was installed")
	pub.publish()
	u.install(pub.address())
	put(t, path+index.SignatureSuffix, signature)
	refused[*KeyError](u, Request{Spec: pub.address()}, "was changed after it was signed")
}

func TestTheFirstUseOfASignedIndexNeedsAKey(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	beside := filepath.Join(pub.dir, index.KeyFile)
	if err := os.Remove(beside); err != nil {
		t.Fatal(err)
	}
	refused[error](u, Request{Spec: pub.address() + "#tap@~> 1.0"}, "is signed by the key "+keyID(pub.pub), "proctor plugin install "+pub.address()+"#tap@~> 1.0 --key RW")
	stranger := newPublisher(t)
	refused[error](u, Request{Spec: pub.address(), Key: stranger.pub}, "is not signed by the key "+keyID(stranger.pub))
	refused[*UsageError](u, Request{Spec: pub.address(), Key: "RWnonsense"}, "RWnonsense", "public key")
	refused[*UsageError](u, Request{Spec: pub.address(), Repin: true}, "--key")
	file := filepath.Join(t.TempDir(), "their.pub")
	put(t, file, []byte("untrusted comment: x\r\n"+pub.pub+"\r\n"))
	if _, err := u.try(Request{Spec: pub.address(), Key: file}); err != nil {
		t.Fatal(err)
	}
	k, err := readKeys(u.cfg.Keys)
	if err != nil || k.Keys[pub.address()].Key != pub.pub {
		t.Errorf("pinned %+v, %v", k, err)
	}
	if info, err := os.Stat(u.cfg.Keys); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAnUnsignedIndexIsUsedAndReported(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.key = nil
	pub.add("tap", "1.0.0", u.program("1"))
	refused[error](u, Request{Spec: pub.address(), Key: pub.pub}, "is not signed by the key", "no signature")
	u.events = nil
	if p := u.install(pub.address()); p.Signer != "" || u.events[0] != "unsigned" {
		t.Errorf("installed %+v, events %q", p, u.events)
	}
	refused[*UsageError](u, Request{Spec: unpacked(t, t.TempDir(), "tap", "2.0.0", u.program("2")), Key: pub.pub}, "--key")
}

func TestALockFileCannotReplaceAPinnedKey(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	stranger := newPublisher(t)
	text, err := os.ReadFile(u.lock)
	if err != nil {
		t.Fatal(err)
	}
	put(t, u.lock, []byte(strings.ReplaceAll(string(text), pub.pub, stranger.pub)))
	e := refused[*KeyError](u, Request{Spec: pub.address()}, keyID(pub.pub), keyID(stranger.pub))
	if e.By != u.lock {
		t.Errorf("%+v", e)
	}
	u.wipe()
	a, err := u.installer().Sync(t.Context(), SyncRequest{Lock: u.lock})
	if err != nil || a.OK() {
		t.Errorf("sync: %+v, %v", a, err)
	}
}

func TestAKeyFileThatCannotBeReadStopsEverything(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	good := `"keys":{"` + pub.address() + `":{"key":"` + pub.pub + `","pinned_at":"2026-01-02T03:04:05Z"}}`
	for _, text := range []string{
		"", "{", "null", "[]", "{}", `{"schema":1}`, `{` + good + `}`, `{"schema":1,"keys":null}`, `{"schema":1,"keys":[]}`, `{"schema":2,"keys":{}}`,
		`{"schema":1,"keys":{"x":{"key":"RWno"}}}`, `{"schema":1,"keys":{"x":{}}}`, `{"schema":1,"keys":{},"more":1}`, `{"schema":1,"Keys":{}}`,
		`{"schema":1,` + good + `,"keys":null}`, `{"schema":1,` + good + `,"keys":{}}`, `{"schema":1,` + good + `} trailing`,
		strings.Replace(`{"schema":1,`+good+`}`, "2026-01", "soon", 1), strings.Replace(`{"schema":1,`+good+`}`, `"pinned_at"`, `"at"`, 1),
	} {
		put(t, u.cfg.Keys, []byte(text))
		refused[error](u, Request{Spec: pub.address()}, "the pinned keys in "+u.cfg.Keys, "move it away")
		if now, err := os.ReadFile(u.cfg.Keys); err != nil || string(now) != text {
			t.Errorf("%s became %s, %v", text, now, err)
		}
	}
	put(t, u.cfg.Keys, []byte(`{"schema":1,`+good+`}`))
	u.install(pub.address())
}

func TestAKeyFileThatOthersMayWriteStopsEverything(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows access lists are not checked")
	}
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	u.install(pub.address())
	if err := os.Chmod(u.cfg.Keys, 0o606); err != nil {
		t.Fatal(err)
	}
	e := refused[error](u, Request{Spec: pub.address()}, "every user may change it", "chmod o-w "+u.cfg.Keys)
	if strings.Count(e.Error(), u.cfg.Keys) != 2 {
		t.Errorf("the file is named too often: %v", e)
	}
	aside := u.cfg.Keys + ".aside"
	if err := errors.Join(os.Chmod(u.cfg.Keys, 0o600), os.Rename(u.cfg.Keys, aside), os.Symlink(aside, u.cfg.Keys)); err != nil {
		t.Fatal(err)
	}
	refused[error](u, Request{Spec: pub.address()}, "symbolic link")
}

func TestTheFirstPinnedKeyStaysUntilItIsRepinned(t *testing.T) {
	u := newUser(t)
	a, b := newPublisher(t), newPublisher(t)
	now := u.installer().cfg.Now()
	if added, err := pinKey(t.Context(), u.cfg.Keys, "file:///x", a.pub, false, now); !added || err != nil {
		t.Fatal(added, err)
	}
	if added, err := pinKey(t.Context(), u.cfg.Keys, "file:///x", a.pub, false, now); added || err != nil {
		t.Error(added, err)
	}
	if _, err := pinKey(t.Context(), u.cfg.Keys, "file:///x", b.pub, false, now); err == nil {
		t.Error("the first key was replaced")
	}
	if added, err := pinKey(t.Context(), u.cfg.Keys, "file:///x", b.pub, true, now); !added || err != nil {
		t.Error(added, err)
	}
}
