package source

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	testfiles.Write(t, filepath.Join(dir, name), text)
}

// stateOf returns the source state as a run sees it.
func stateOf(t *testing.T, dir string) string {
	t.Helper()
	s, err := fingerprint.Take(t.Context(), fingerprint.Config{Root: dir, Git: gitPath(t), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return s.State.ID
}

// packs keeps packs in memory, by name.
type packs map[string][]byte

func (p packs) put(_ context.Context, pack []byte) (string, error) {
	name := fmt.Sprint("pack", len(p))
	p[name] = pack
	return name, nil
}

func (p packs) get(name string) ([]byte, error) { return p[name], nil }

func gitPath(t *testing.T) string {
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A checkout equals the working tree, however that differs from its commit, and whatever an
// earlier run left in the slot.
func TestACheckoutEqualsTheWorkingTree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runGit(t, top, "init", "-q", "-b", "main", ".")
	for name, text := range map[string]string{
		"mod/a.go": "a", "mod/sub/b.go": "b", "gone": "x", "kind": "file", ".gitignore": "ignored\n", "bin": "\x00\x01\r\n", "run.sh": "#!/bin/sh\n",
	} {
		write(t, top, name, text)
	}
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "one")
	slot := newSlot(t)
	changes := []func(){
		func() {},
		func() { write(t, top, "mod/a.go", "changed") },
		func() { write(t, top, "mod/new file", "new"); write(t, top, "ignored", "not sent") },
		func() { runGit(t, top, "rm", "-q", "gone") },
		func() { runGit(t, top, "add", "-A"); write(t, top, "mod/a.go", "changed twice") },
		func() { runGit(t, top, "commit", "-q", "-m", "not pushed") },
		func() { _ = os.Chmod(filepath.Join(top, "run.sh"), 0o755); write(t, top, "bin", "\xff\x00\n") },
		func() { _ = os.Remove(filepath.Join(top, "kind")); write(t, top, "kind/now", "a directory") },
		func() { _ = os.Symlink("mod/a.go", filepath.Join(top, "link")) },
		func() { runGit(t, top, "stash", "-q", "-u") },
	}
	for n, change := range changes {
		change()
		sent := packs{}
		tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: filepath.Join(top, "mod"), Local: true, Put: sent.put})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := slot.Checkout(t.Context(), tree, sent.get)
		if err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
		if got, want := stateOf(t, dir), stateOf(t, filepath.Join(top, "mod")); got != want {
			t.Fatalf("change %d: state %s, want %s\n%s", n, got, want, runGit(t, top, "status", "--short"))
		}
		if _, err := os.Stat(filepath.Join(dir, "..", "ignored")); err == nil {
			t.Errorf("change %d: an ignored file is in the checkout", n)
		}
		// Leave behind what tests may.
		write(t, dir, "left behind", "x")
		write(t, dir, "../ignored", "x")
		write(t, dir, "a.go", "spoilt")
		write(t, dir, "locked/file", "x")
		_ = os.Chmod(filepath.Join(dir, "locked"), 0o555)
		write(t, dir, "../.git/index.lock", "")
	}
	if status := runGit(t, top, "count-objects"); status == "" || len(runGit(t, top, "for-each-ref", "--format=%(refname)", "refs/heads")) == 0 {
		t.Error("the repository is damaged")
	}
}

func TestThePackCarriesWhatTheRemoteLacks(t *testing.T) {
	t.Parallel()
	origin, top := t.TempDir(), t.TempDir()
	runGit(t, origin, "init", "-q", "--bare", "-b", "main", ".")
	runGit(t, top, "init", "-q", "-b", "main", ".")
	write(t, top, "a.go", "a")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "pushed")
	runGit(t, top, "remote", "add", "origin", origin)
	runGit(t, top, "push", "-q", "origin", "main")
	slot := newSlot(t)
	for n, change := range []func(){
		func() {},
		func() { write(t, top, "a.go", "dirty") },
		func() { runGit(t, top, "commit", "-q", "-a", "-m", "local"); write(t, top, "b.go", "new") },
		func() { runGit(t, top, "push", "-q", "origin", "main") },
	} {
		change()
		sent := packs{}
		tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Put: sent.put})
		if err != nil || tree.Remote != origin {
			t.Fatalf("%+v, %v", tree, err)
		}
		dir, err := slot.Checkout(t.Context(), tree, sent.get)
		if err != nil {
			t.Fatalf("change %d: %v", n, err)
		}
		if got, want := stateOf(t, dir), stateOf(t, top); got != want {
			t.Fatalf("change %d: state %s, want %s", n, got, want)
		}
	}
}

func TestSourcesThatCannotBeSentAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(dir string)
		says    string
	}{
		"no repository": {func(string) {}, "not in a git repository"},
		"no commit":     {func(dir string) { runGit(t, dir, "init", "-q", ".") }, "nothing is committed yet"},
		"no remote": {func(dir string) {
			runGit(t, dir, "init", "-q", ".")
			runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
		}, "no remote origin"},
	} {
		dir := t.TempDir()
		c.prepare(dir)
		if _, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: dir}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A pack unpacked while the remote was unreachable must not hide that the commits it builds on
// are missing.
func TestAMirrorRecoversWhenItsRemoteIsBack(t *testing.T) {
	t.Parallel()
	top, origin := newOrigin(t)
	write(t, top, "sub/b.txt", "b\n")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "two")
	runGit(t, top, "push", "-q", "origin", "main")
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"not committed", func() { write(t, top, "new.txt", "new\n") }},
		{"not pushed", func() { runGit(t, top, "add", "-A"); runGit(t, top, "commit", "-q", "-m", "three") }},
	} {
		name := step.name
		step.change()
		sent := packs{}
		tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Put: sent.put})
		if err != nil || tree.Pack == "" {
			t.Fatalf("%s: %+v, %v", name, tree, err)
		}
		slot := newSlot(t)
		if err := os.Rename(origin, origin+".away"); err != nil {
			t.Fatal(err)
		}
		if _, err := slot.Checkout(t.Context(), tree, sent.get); err == nil || !strings.Contains(err.Error(), "git fetch") {
			t.Errorf("%s, without the remote: %v", name, err)
		}
		if err := os.Rename(origin+".away", origin); err != nil {
			t.Fatal(err)
		}
		dir, err := slot.Checkout(t.Context(), tree, sent.get)
		if err != nil {
			t.Errorf("%s, with the remote back: %v", name, err)
		} else if got, want := stateOf(t, dir), stateOf(t, top); got != want {
			t.Errorf("%s: state %s, want %s", name, got, want)
		}
	}
}

func TestCommitsThatOnlyAnotherRemoteHasAreSent(t *testing.T) {
	t.Parallel()
	top, _ := newOrigin(t)
	_, other := newOrigin(t)
	write(t, top, "sub/b.txt", "b\n")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "two")
	runGit(t, top, "remote", "add", "other", other)
	runGit(t, top, "push", "-q", "--force", "other", "main")
	sent := packs{}
	tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Put: sent.put})
	if err != nil {
		t.Fatal(err)
	}
	slot := newSlot(t)
	if _, err := slot.Checkout(t.Context(), tree, sent.get); err != nil {
		t.Error(err)
	}
}

// A mirror that lost what it had gets it again, when a checkout needs it.
func TestAMirrorRecoversWhatItLost(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runGit(t, top, "init", "-q", "-b", "main", ".")
	write(t, top, "a.go", "a")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "one")
	write(t, top, "a.go", "not committed")
	sent := packs{}
	tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Local: true, Put: sent.put})
	if err != nil {
		t.Fatal(err)
	}
	slot := Slot{Mirrors: filepath.Join(t.TempDir(), "mirrors"), Dir: t.TempDir(), Git: gitPath(t), Env: os.Environ()}
	dir, err := slot.Checkout(t.Context(), tree, sent.get)
	if err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(slot.mirror(tree.Remote), ".git", "objects", "pack", "*"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("the mirror has no pack: %v", err)
	}
	for _, pack := range packs {
		if err := os.Remove(pack); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "a.go", "by a test")
	if dir, err = slot.Checkout(t.Context(), tree, sent.get); err != nil {
		t.Fatal(err)
	}
	if got, want := stateOf(t, dir), stateOf(t, top); got != want {
		t.Errorf("state %s, want %s", got, want)
	}
}
