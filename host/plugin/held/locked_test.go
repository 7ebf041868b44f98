package held_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/held"
	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

const content = "#!/bin/sh\n"

// installed puts tap 1.0.0 into a new store, and returns its lock entry.
func installed(t *testing.T, moduleSum string) (*store.Store, held.Locked) {
	t.Helper()
	s, platform := store.Open(filepath.Join(t.TempDir(), "store")), manifest.ThisPlatform()
	sum := sha256.Sum256([]byte(content))
	hash := hex.EncodeToString(sum[:])
	m := manifest.Manifest{
		Schema: manifest.Schema, Name: "tap", Version: "1.0.0", Protocols: []int{1},
		Platforms: map[manifest.Platform]manifest.Binary{platform: {Bin: manifest.BinaryName("tap", platform), SHA256: hash}},
	}
	stage, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{manifest.File: m.Encode(), manifest.BinaryName("tap", platform): []byte(content)} {
		if err := os.WriteFile(filepath.Join(stage, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	release, err := s.Lock(t.Context(), "tap", "1.0.0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := s.Publish(t.Context(), stage, m, store.Receipt{Source: "local:/tap", ModuleSum: moduleSum}); err != nil {
		t.Fatal(err)
	}
	entry := lock.Entry{Version: "1.0.0", ModuleSum: moduleSum}
	if moduleSum == "" {
		entry.Hashes = map[manifest.Platform]lock.Hashes{platform: {Bin: lock.Hash(hash)}}
	}
	return s, held.Locked{Lock: "/ws/proctor.lock", Name: "tap", Entry: entry, Platform: platform}
}

func TestAnInstalledPluginIsComparedWithWhatIsLocked(t *testing.T) {
	s, l := installed(t, "")
	i, expected, err := l.Lookup(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := expected.Compare(t.Context(), i.Path); err != nil {
		t.Errorf("as it was installed: %v", err)
	}
	if err := os.Chmod(i.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(i.Path, []byte(content+"echo other\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var changed *held.MismatchError
	if err := expected.Compare(t.Context(), i.Path); !errors.As(err, &changed) || changed.Intact || changed.Code() != held.CodeMismatch ||
		err.Error() != "plugin tap 1.0.0 does not match proctor.lock" || !strings.Contains(changed.Detail(), "proctor plugin install tap") {
		t.Errorf("changed: %v", err)
	}
}

func TestALockFileForAnotherBuildIsDistinguishedFromAChangedFile(t *testing.T) {
	s, l := installed(t, "")
	l.Entry.Hashes[l.Platform] = lock.Hashes{Bin: lock.Hash(strings.Repeat("0", 64))}
	i, expected, err := l.Lookup(s)
	if err != nil {
		t.Fatal(err)
	}
	var other *held.MismatchError
	if err := expected.Compare(t.Context(), i.Path); !errors.As(err, &other) || !other.Intact || !strings.Contains(other.Detail(), "as it was installed") {
		t.Errorf("got %v", err)
	}
}

func TestAModuleMustMatchItsSumAndItsBinaryTheReceipt(t *testing.T) {
	sum := "h1:" + strings.Repeat("A", 43) + "="
	s, l := installed(t, sum)
	i, expected, err := l.Lookup(s)
	if err != nil || expected.By != store.ReceiptFile {
		t.Fatalf("%+v %v", expected, err)
	}
	if err := expected.Compare(t.Context(), i.Path); err != nil {
		t.Error(err)
	}
	l.Entry.ModuleSum = "h1:" + strings.Repeat("B", 42) + "A="
	var other *held.MismatchError
	if _, _, err := l.Lookup(s); !errors.As(err, &other) || other.Expected != l.Entry.ModuleSum || other.Actual != sum {
		t.Errorf("another module: %v", err)
	}
}

func TestAMissingPluginIsReportedWithWhatToDo(t *testing.T) {
	s, l := installed(t, "")
	elsewhere := l
	elsewhere.Platform = "plan9_mips"
	if _, _, err := elsewhere.Lookup(s); err == nil || !strings.Contains(err.Error(), "proctor plugin lock --platform plan9_mips") {
		t.Errorf("another platform: %v", err)
	}
	older := l
	older.Entry.Version = "0.9.0"
	var missing *held.MissingError
	if _, _, err := older.Lookup(s); !errors.As(err, &missing) || !strings.Contains(err.Error(), "proctor plugin sync") {
		t.Errorf("another version: %v", err)
	}
	i, _, err := l.Lookup(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(i.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(i.Path); err != nil {
		t.Fatal(err)
	}
	var damaged *store.DamagedError
	if _, _, err := l.Lookup(s); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "proctor plugin install tap") {
		t.Errorf("without its binary: %v", err)
	}
}
