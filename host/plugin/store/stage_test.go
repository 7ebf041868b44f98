package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func mustStage(t *testing.T, s *Store) string {
	t.Helper()
	dir, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAStageIsEmptyPrivateAndGoneAfterwards(t *testing.T) {
	s := open(t)
	dir := mustStage(t, s)
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Error(entries, err)
	}
	for range 2 {
		if err := s.Discard(dir); err != nil {
			t.Error(err)
		}
	}
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASweepTakesOnlyWhatNobodyWorksIn(t *testing.T) {
	s, other := open(t), (*Store)(nil)
	other = Open(s.dir)
	mine, theirs := mustStage(t, s), mustStage(t, other)
	orphan, bare, lone := strings.Repeat("A", 26), strings.Repeat("B", 26), strings.Repeat("C", 26)
	base := filepath.Join(s.dir, stagingDir)
	deep := filepath.Join(base, orphan, "pkg", "mod")
	for _, err := range []error{
		os.MkdirAll(deep, 0o700), os.WriteFile(filepath.Join(deep, "x"), nil, 0o400), os.Chmod(deep, 0o500),
		os.WriteFile(filepath.Join(base, orphan+lockSuffix), nil, 0o600),
		os.Mkdir(filepath.Join(base, bare), 0o700), os.WriteFile(filepath.Join(base, lone+lockSuffix), nil, 0o600),
		os.WriteFile(filepath.Join(base, "notes"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.sweep(t.Context())
	want := map[string]bool{
		filepath.Base(mine): true, filepath.Base(mine) + lockSuffix: true, filepath.Base(theirs): true, filepath.Base(theirs) + lockSuffix: true, "notes": true,
	}
	for _, name := range staged(t, s) {
		if !want[name] {
			t.Errorf("%s was kept", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("removed: %v", want)
	}
	// Removing the directory is enough; the next sweep removes its lock.
	if err := os.RemoveAll(mine); err != nil {
		t.Fatal(err)
	}
	s.sweep(t.Context())
	if _, err := os.Lstat(mine + lockSuffix); err == nil {
		t.Error("the lock of a directory that is gone was kept")
	}
	if err := other.Discard(theirs); err != nil {
		t.Error(err)
	}
}

func TestALockThatASweepTookAwayIsNotTrusted(t *testing.T) {
	s := open(t)
	first := mustStage(t, s)
	lock, err := take(first)
	if lock != nil || err != nil {
		t.Fatalf("a held lock was taken: %v", err)
	}
	// The file was removed and recreated, so other processes do not see the old lock.
	if err := os.Remove(first + lockSuffix); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("what is open is not removed here")
		}
		t.Fatal(err)
	}
	if visible, err := isVisible(s.stages[first]); visible || err != nil {
		t.Errorf("a removed lock is visible: %v", err)
	}
	lock, err = take(first)
	if lock == nil || err != nil {
		t.Fatalf("a new lock was not taken: %v", err)
	}
	if visible, err := isVisible(s.stages[first]); visible || err != nil {
		t.Errorf("a removed lock is visible where another has its name: %v", err)
	}
	drop(lock)
	_ = s.Discard(first)
}

func TestNothingIsStagedWhereOthersMayWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no Unix modes")
	}
	s := open(t)
	mustInstall(t, s, version, "program")
	base := filepath.Join(s.dir, stagingDir)
	if err := os.Chmod(base, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stage(t.Context()); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Error(err)
	}
	if err := s.Remove(t.Context(), name, version); err == nil {
		t.Error("something was removed by way of a directory that is open to all")
	}
	if err := errors.Join(os.RemoveAll(base), os.Symlink(t.TempDir(), base)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stage(t.Context()); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Error(err)
	}
	checkWhole(t, s, version)
}

func TestStagingAndRemovingEndWithTheirContext(t *testing.T) {
	s := open(t)
	mustInstall(t, s, version, "program")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Stage(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Remove(ctx, name, version); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	checkWhole(t, s, version)
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
