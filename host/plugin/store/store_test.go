package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestAPluginIsInstalledFoundAndRemoved(t *testing.T) {
	s := open(t)
	if s.Dir() != s.dir {
		t.Error(s.Dir())
	}
	checkWhole(t, s)
	if _, err := os.Lstat(s.dir); err == nil {
		t.Error("to look made the directory")
	}
	got := mustInstall(t, s, version, "program")
	want := Installed{
		Dir:      filepath.Join(s.dir, name, version, string(manifest.ThisPlatform())),
		Path:     filepath.Join(s.dir, name, version, string(manifest.ThisPlatform()), manifest.BinaryName(name, manifest.ThisPlatform())),
		Manifest: describe(version, "program"), Receipt: receipt(),
	}
	want.Receipt.Schema, want.Receipt.Bin = ReceiptSchema, "sha256:"+sum("program")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	found, err := Open(s.dir).Lookup(name, version)
	if diff := cmp.Diff(want, found); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := remove(t.Context(), s, version); err != nil {
		t.Fatal(err)
	}
	var missing *NotInstalledError
	if _, err := s.Lookup(name, version); !errors.As(err, &missing) {
		t.Error(err)
	}
	if err := remove(t.Context(), s, version); !errors.As(err, &missing) {
		t.Error(err)
	}
	checkWhole(t, s)
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	mustInstall(t, s, version, "another program")
	checkWhole(t, s, version)
}

func TestAnInstalledPluginIsPrivateAndReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no Unix modes")
	}
	s := open(t)
	got := mustInstall(t, s, version, "program")
	for path, want := range map[string]fs.FileMode{
		s.dir: fs.ModeDir | 0o700, filepath.Join(s.dir, stagingDir): fs.ModeDir | 0o700,
		filepath.Join(s.dir, name): fs.ModeDir | 0o700, filepath.Join(s.dir, name, version): fs.ModeDir | 0o700, got.Dir: fs.ModeDir | 0o700,
		got.Path: 0o555, filepath.Join(got.Dir, manifest.File): 0o444, filepath.Join(got.Dir, LicenseFile): 0o444, filepath.Join(got.Dir, ReceiptFile): 0o444,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v, want %v; %v", path, info.Mode(), want, err)
		}
	}
}

func TestTheSameContentIsInstalledOnce(t *testing.T) {
	s := open(t)
	first := mustInstall(t, s, version, "program")
	later := receipt()
	later.Source = "local:./elsewhere"
	again, err := install(t.Context(), s, version, "program", later)
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
	var different *DifferentError
	if _, err := install(t.Context(), s, version, "another program", receipt()); !errors.As(err, &different) {
		t.Fatal(err)
	}
	if different.Installed != "sha256:"+sum("program") || different.Offered != "sha256:"+sum("another program") || different.Path != first.Path {
		t.Errorf("%+v", different)
	}
	checkWhole(t, s, version)
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnotherManifestIsAnotherContent(t *testing.T) {
	s := open(t)
	first := mustInstall(t, s, version, "program")
	stage, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := describe(version, "program")
	m.Summary = "other"
	if err := fill(stage, m, "program"); err != nil {
		t.Fatal(err)
	}
	var different *DifferentError
	if _, err := s.Publish(t.Context(), stage, m, receipt()); !errors.As(err, &different) {
		t.Fatal(err)
	}
	if different.Path != filepath.Join(first.Dir, manifest.File) || different.Installed != "sha256:"+sum(string(first.Manifest.Encode())) || different.Offered != "sha256:"+sum(string(m.Encode())) {
		t.Errorf("%+v", different)
	}
}

func TestAGoModuleBuiltByAnotherToolchainIsTheSame(t *testing.T) {
	s := open(t)
	r := receipt()
	r.ModuleSum = "h1:x"
	first, err := install(t.Context(), s, version, "built here", r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := install(t.Context(), s, version, "built there", r)
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
	r.ModuleSum = "h1:y"
	var different *DifferentError
	if _, err := install(t.Context(), s, version, "built there", r); !errors.As(err, &different) {
		t.Error(err)
	}
}

func TestAChangedBinaryIsNotMistakenForTheSame(t *testing.T) {
	s := open(t)
	r := receipt()
	r.ModuleSum = "h1:x"
	got, err := install(t.Context(), s, version, "program", r)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(got.Path, 0o700), os.WriteFile(got.Path, []byte("changed"), 0o700)); err != nil {
		t.Fatal(err)
	}
	var wrong *ChecksumError
	if _, err := install(t.Context(), s, version, "program", r); !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	if wrong.Path != got.Path || wrong.Expected != "sha256:"+sum("program") || wrong.Actual != "sha256:"+sum("changed") {
		t.Errorf("%+v", wrong)
	}
	if data, err := os.ReadFile(got.Path); string(data) != "changed" || err != nil {
		t.Errorf("it was healed: %q, %v", data, err)
	}
}

func TestListIsSortedByVersionsAsNumbers(t *testing.T) {
	s := open(t)
	for _, v := range []string{"0.10.0", "0.9.0", "0.10.0-rc.1"} {
		mustInstall(t, s, v, "program "+v)
	}
	checkWhole(t, s, "0.9.0", "0.10.0-rc.1", "0.10.0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.List(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAWaitingProcessIsToldAndCanGiveUp(t *testing.T) {
	s := open(t)
	release, err := s.Lock(t.Context(), name, version, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := Open(s.dir)
	other.slowAfter = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := 0
	// The callback gives up, so it was called while waiting.
	_, err = other.Lock(ctx, name, version, func() { told++; cancel() })
	if !errors.Is(err, context.Canceled) || told != 1 {
		t.Errorf("told %d times, %v", told, err)
	}
	// Another version is another lock.
	free, err := other.Lock(t.Context(), name, "1.2.4", nil)
	if err != nil {
		t.Fatal(err)
	}
	free()
	told = 0
	again, err := other.Lock(t.Context(), name, version, func() { told++; release() })
	if err != nil || told != 1 {
		t.Fatalf("told %d times, %v", told, err)
	}
	again()
	for _, v := range []string{"", "../x", "1", ".."} {
		if _, err := s.Lock(t.Context(), name, v, nil); err == nil {
			t.Errorf("version %q was locked", v)
		}
	}
}

func TestHashIsOfTheContentAndEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	testfiles.Write(t, path, "abc")
	const want = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := Hash(t.Context(), path); got != want || err != nil {
		t.Error(got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Hash(ctx, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, path := range []string{path + ".gone", filepath.Dir(path), os.DevNull} {
		if _, err := Hash(t.Context(), path); err == nil {
			t.Errorf("%s has a hash", path)
		}
	}
}
