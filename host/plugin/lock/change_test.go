package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// hang is when a test counts as hanging.
const hang = time.Minute

func addPlugin(name string) func(*File) error {
	return func(f *File) error {
		f.Plugins[name] = Entry{Version: "1.0.0", Source: "local:/x"}
		return nil
	}
}

func TestAChangeIsWrittenAndLeavesNoOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", UserFile)
	if err := Change(t.Context(), path, addPlugin("tap")); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil || f.Plugins["tap"].Version != "1.0.0" {
		t.Errorf("%+v, %v", f, err)
	}
	onlyFile(t, filepath.Dir(path), UserFile)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != ownDir {
		t.Errorf("%v, %v", info, err)
	}
}

func TestNothingIsWrittenWhereNothingChanges(t *testing.T) {
	dir := t.TempDir()
	crlf := "{\r\n\"plugins\": {}, \"schema\": 1}" // as a person would write it
	path := put(t, dir, ProjectFile, crlf)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := Change(t.Context(), path, func(f *File) error { f.Comment = "x"; return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := Change(t.Context(), path, func(*File) error { return nil }); err != nil {
		t.Error(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || contentOf(t, path) != crlf {
		t.Errorf("the file was replaced: %v", err)
	}
	absent := filepath.Join(dir, UserFile)
	if err := Change(t.Context(), absent, func(*File) error { return nil }); err != nil {
		t.Error(err)
	}
	onlyFile(t, dir, ProjectFile)
}

func TestAChangeOfHashesAloneIsSeen(t *testing.T) {
	path := put(t, t.TempDir(), ProjectFile, text)
	err := Change(t.Context(), path, func(f *File) error {
		f.Plugins["forge"].Hashes["linux_amd64"] = Hashes{Bin: Hash(digits)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if hash, _ := f.Plugins["forge"].Bin("linux_amd64"); err != nil || hash != Hash(digits) {
		t.Errorf("%s, %v", hash, err)
	}
}

func TestThirtyWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ProjectFile)
	const processes, routines = 4, 6 // of six changes, and of one
	var all sync.WaitGroup
	for n := range processes {
		cmd := role(t, roleAdd, path, fmt.Sprintf("p%d-", n))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for n := range routines {
		all.Go(func() {
			if err := Change(t.Context(), path, addPlugin(fmt.Sprintf("r%d", n))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	f, err := Read(path)
	if want := processes*eachAdds + routines; err != nil || len(f.Plugins) != want {
		t.Errorf("%d plugins of %d, %v", len(f.Plugins), want, err)
	}
	onlyFile(t, dir, ProjectFile)
}

func TestAProcessThatDiesInAChangeLeavesTheOldFileAndNoLock(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, ProjectFile, text)
	err := role(t, roleDie, path).Run()
	if _, died := errors.AsType[*exec.ExitError](err); !died {
		t.Fatal("it did not die:", err)
	}
	if contentOf(t, path) != text {
		t.Error("the file is another")
	}
	onlyFile(t, dir, ProjectFile)
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if err := Change(ctx, path, addPlugin("next")); err != nil {
		t.Error(err)
	}
}

func TestWaitingForALockCanBeCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), ProjectFile)
	err := Change(t.Context(), path, func(*File) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		err := Change(ctx, path, addPlugin("never"))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestADirectoryThatCannotBeLockedIsLockedAside(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // Windows
	held, err := takeAside(t.Context(), "/some/where")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := takeAside(ctx, "/some/where"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two have the lock: %v", err)
	}
	if elsewhere, err := takeAside(t.Context(), "/some/where/else"); err != nil {
		t.Error(err)
	} else if err := elsewhere.Unlock(); err != nil {
		t.Error(err)
	}
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
	if again, err := takeAside(t.Context(), "/some/where"); err != nil {
		t.Error(err)
	} else if err := again.Unlock(); err != nil {
		t.Error(err)
	}
}
