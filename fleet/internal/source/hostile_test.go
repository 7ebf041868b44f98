package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trap is a program that leaves a mark when it is executed.
type trap struct{ program, mark string }

func newTrap(t *testing.T) trap {
	t.Helper()
	dir := t.TempDir()
	tr := trap{program: filepath.Join(dir, "evil"), mark: filepath.Join(dir, "ran")}
	if err := os.WriteFile(tr.program, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+tr.mark+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return tr
}

// set names the program in every setting and hook of a repository that can execute one.
func (tr trap) set(t *testing.T, dir string) {
	t.Helper()
	gitDir := runGit(t, dir, "rev-parse", "--absolute-git-dir")
	for _, setting := range []string{
		"filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass",
		"core.alternateRefsCommand", "core.gitProxy", "diff.external", "diff.evil.textconv", "diff.evil.command", "merge.evil.driver",
		"uploadpack.packObjectsHook", "remote.origin.uploadpack", "credential.helper", "sequence.editor", "gpg.program", "gpg.ssh.program",
		"alias.add", "alias.ls-tree", "alias.ls-files", "pager.for-each-ref", "pager.rev-parse",
	} {
		value := "'" + tr.program + "'"
		if strings.HasPrefix(setting, "alias.") || setting == "credential.helper" {
			value = "!" + value
		}
		runGit(t, dir, "-c", "core.fsmonitor=false", "config", setting, value)
	}
	runGit(t, dir, "-c", "core.fsmonitor=false", "config", "filter.evil.required", "true")
	runGit(t, dir, "-c", "core.fsmonitor=false", "config", "core.hooksPath", filepath.Join(gitDir, "hooks"))
	runGit(t, dir, "-c", "core.fsmonitor=false", "config", "commit.gpgSign", "true")
	for _, hook := range []string{"post-checkout", "post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"} {
		path := filepath.Join(gitDir, "hooks", hook)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		if err := os.Symlink(tr.program, path); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(tr.mark)
}

func (tr trap) check(t *testing.T, when string) {
	t.Helper()
	if raw, err := os.ReadFile(tr.mark); err == nil {
		t.Errorf("%s: the trap was executed:\n%s", when, raw)
		_ = os.Remove(tr.mark)
	}
}

func newSlot(t *testing.T) Slot {
	return Slot{Mirrors: filepath.Join(t.TempDir(), "mirrors"), Dir: t.TempDir(), Git: gitPath(t), Env: os.Environ()}
}

// newOrigin makes a repository with a file that a filter would convert, and pushes it to a
// remote of its own.
func newOrigin(t *testing.T) (top, origin string) {
	t.Helper()
	top, origin = t.TempDir(), t.TempDir()
	runGit(t, origin, "init", "-q", "--bare", "-b", "main", ".")
	runGit(t, top, "init", "-q", "-b", "main", ".")
	write(t, top, ".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	write(t, top, "a.txt", "a\n")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "one")
	runGit(t, top, "remote", "add", "origin", origin)
	runGit(t, top, "push", "-q", "origin", "main")
	return top, origin
}

// No program that a repository names is executed when its sources are sent or received.
func TestNothingThatARepositoryNamesIsExecuted(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		top, _ := newOrigin(t)
		sub, _ := newOrigin(t)
		runGit(t, top, "submodule", "--quiet", "add", sub, "deps/sub")
		runGit(t, top, "commit", "-q", "-m", "two")
		tr := newTrap(t)
		tr.set(t, top)
		tr.set(t, filepath.Join(top, "deps/sub"))
		for path, text := range map[string]string{"a.txt": "changed\n", "new.txt": "new\n", "deps/sub/a.txt": "changed there\n"} {
			write(t, top, path, text)
		}
		sent, slot := packs{}, newSlot(t)
		tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Local: local, Put: sent.put})
		if err != nil {
			t.Fatal(err)
		}
		tr.check(t, "captured")
		dir, err := slot.Checkout(t.Context(), tree, sent.get)
		if err != nil {
			t.Fatal(err)
		}
		tr.check(t, "checked out")
		if got, want := stateOf(t, dir), stateOf(t, top); got != want {
			t.Errorf("state %s, want %s", got, want)
		}
		// The trap works: git add falls into it.
		_, _ = output(slot.fetching(t.Context(), top, "add", "--all"), nil)
		if _, err := os.Stat(tr.mark); err != nil {
			t.Error("git add did not run the program: this test proves nothing")
		}
	}
}

// What tests leave in a checkout is not executed by the next one, and does not make it write
// elsewhere.
func TestWhatTestsLeaveInACheckoutDoesNothing(t *testing.T) {
	t.Parallel()
	top, _ := newOrigin(t)
	write(t, top, "d/file.txt", "tracked\n")
	sub, _ := newOrigin(t)
	runGit(t, top, "submodule", "--quiet", "add", sub, "deps/sub")
	write(t, top, "new.txt", "new\n")
	tr, sent, slot := newTrap(t), packs{}, newSlot(t)
	tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Local: true, Put: sent.put})
	if err != nil {
		t.Fatal(err)
	}
	victim := t.TempDir()
	runGit(t, victim, "init", "-q", ".")
	write(t, victim, "file.txt", "precious\n")
	for name, spoil := range map[string]func(dir string){
		"settings": func(dir string) { tr.set(t, dir); tr.set(t, filepath.Join(dir, "deps/sub")) },
		"attributes": func(dir string) {
			tr.set(t, dir)
			write(t, dir, ".git/info/attributes", "* filter=evil\n")
			write(t, dir, "a.txt", "x")
		},
		"flags in the index": func(dir string) {
			runGit(t, dir, "update-index", "--assume-unchanged", "a.txt")
			runGit(t, dir, "update-index", "--skip-worktree", "new.txt")
			write(t, dir, "a.txt", "b\n")
			write(t, dir, "new.txt", "old\n")
		},
		"another working tree": func(dir string) { runGit(t, dir, "config", "core.worktree", victim) },
		"another repository": func(dir string) {
			_ = os.RemoveAll(filepath.Join(dir, ".git"))
			_ = os.Symlink(filepath.Join(victim, ".git"), filepath.Join(dir, ".git"))
		},
		"a link for a directory": func(dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "d"))
			_ = os.Symlink(victim, filepath.Join(dir, "d"))
		},
		"a link for a submodule": func(dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "deps/sub"))
			_ = os.Symlink(victim, filepath.Join(dir, "deps/sub"))
		},
		"a link for the checkout": func(dir string) {
			_ = os.RemoveAll(dir)
			_ = os.Symlink(victim, dir)
		},
		"a file for the checkout": func(dir string) {
			_ = os.RemoveAll(dir)
			_ = os.WriteFile(dir, nil, 0o600)
		},
		"a damaged index": func(dir string) { write(t, dir, ".git/index", "x") },
	} {
		dir, err := slot.Checkout(t.Context(), tree, sent.get)
		if err != nil {
			t.Fatal(err)
		}
		spoil(dir)
		if dir, err = slot.Checkout(t.Context(), tree, sent.get); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tr.check(t, name)
		if got, want := stateOf(t, dir), stateOf(t, top); got != want {
			t.Errorf("%s: state %s, want %s", name, got, want)
		}
		if raw, err := os.ReadFile(filepath.Join(victim, "file.txt")); string(raw) != "precious\n" {
			t.Fatalf("%s: the file outside is %q, %v", name, raw, err)
		}
	}
}

// A forged tree writes nothing outside the checkout.
func TestAHostileTreeWritesNothingOutside(t *testing.T) {
	t.Parallel()
	top, _ := newOrigin(t)
	outside := t.TempDir()
	hash := func(kind, text string) string {
		path := filepath.Join(t.TempDir(), "object")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return runGit(t, top, "hash-object", "-t", kind, "-w", "--literally", path)
	}
	entry := func(mode, name, object string) string {
		raw := make([]byte, len(object)/2)
		for i := range raw {
			raw[i] = unhex(object[2*i])<<4 | unhex(object[2*i+1])
		}
		return mode + " " + name + "\x00" + string(raw)
	}
	blob := hash("blob", "out\n")
	inner := hash("tree", entry("100644", "x", blob))
	tr := newTrap(t)
	head := runGit(t, top, "rev-parse", "HEAD")
	for name, c := range map[string]struct {
		tree   string
		change func(*Tree)
	}{
		"dots":                   {tree: entry("40000", "..", hash("tree", entry("40000", filepath.Base(outside), inner)))},
		"git's directory":        {tree: entry("40000", ".git", hash("tree", entry("40000", "hooks", inner)))},
		"a link and a directory": {tree: entry("120000", "d", hash("blob", outside)) + entry("40000", "d", inner)},
		"above":                  {change: func(t *Tree) { t.Within = "../../.." }},
		"through a link":         {tree: entry("120000", "d", hash("blob", outside)), change: func(t *Tree) { t.Within = "d" }},
		"a submodule above":      {change: func(t *Tree) { t.Submodules = []Submodule{{Path: "../" + filepath.Base(outside), Tree: *t}} }},
		"a submodule of a link": {tree: entry("120000", "d", hash("blob", outside)), change: func(t *Tree) {
			sub := *t
			t.Submodules = []Submodule{{Path: "d", Tree: sub}}
		}},
		"a program for a remote": {change: func(t *Tree) { t.Local, t.Remote = false, "ext::"+tr.program+" %S" }},
		"an option for a remote": {change: func(t *Tree) { t.Local, t.Remote = false, "--upload-pack="+tr.program }},
		"an option for a commit": {change: func(t *Tree) { t.State = "--output=" + outside + "/x" }},
		"no pack":                {change: func(t *Tree) { t.Local, t.Remote, t.Pack = false, filepath.Join(outside, "none"), "pack0" }},
	} {
		tree := Tree{Remote: top, Local: true, Format: "sha1", Commit: head, State: head, Within: "."}
		if c.tree != "" {
			tree.State = runGit(t, top, "commit-tree", "-m", "evil", hash("tree", c.tree))
		}
		if c.change != nil {
			c.change(&tree)
		}
		slot := newSlot(t)
		dir, err := slot.Checkout(t.Context(), tree, packs{"pack0": []byte("no pack")}.get)
		if err == nil && !strings.HasPrefix(dir, slot.Dir) {
			t.Errorf("%s: checked out at %s", name, dir)
		}
		if err == nil && c.change != nil {
			t.Errorf("%s: checked out", name)
		}
		if found, _ := os.ReadDir(outside); len(found) > 0 {
			t.Fatalf("%s: %s was written to: %v", name, outside, found)
		}
		if _, err := os.Stat(filepath.Join(dir, ".git", "hooks", "x")); err == nil {
			t.Errorf("%s: a hook was written", name)
		}
		tr.check(t, name)
	}
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// A file arrives as it is on disk, whatever git would convert it to.
func TestFilesTravelAsTheyAre(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runGit(t, top, "init", "-q", "-b", "main", ".")
	write(t, top, ".gitattributes", "*.crlf text eol=crlf\n*.id ident\n*.w working-tree-encoding=UTF-16LE\n*.lfs filter=lfs -text\n")
	write(t, top, "kept.crlf", "one\r\ntwo\r\n")
	write(t, top, "kept.id", "$Id$\n")
	write(t, top, "kept.lfs", "version https://git-lfs.github.com/spec/v1\n")
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "one")
	_ = os.Remove(filepath.Join(top, "kept.id"))
	runGit(t, top, "checkout", "-q", ".")
	write(t, top, "kept.lfs", strings.Repeat("content ", 1000)) // as its filter would write it
	write(t, top, "new.crlf", "three\r\nfour\n")
	write(t, top, "new.w", "a\x00b\x00")
	write(t, top, "quoted \"name\" \\ and\nline.txt", "x")
	sent, slot := packs{}, newSlot(t)
	tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Local: true, Put: sent.put})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := slot.Checkout(t.Context(), tree, sent.get)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := stateOf(t, dir), stateOf(t, top); got != want {
		t.Errorf("state %s, want %s\n%s", got, want, runGit(t, dir, "ls-files", "-s"))
	}
}

// Submodules travel as they are: changed, not pushed, nested, or absent.
func TestSubmodulesTravelAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		_, leafOrigin := newOrigin(t)
		inner, innerOrigin := newOrigin(t)
		runGit(t, inner, "submodule", "--quiet", "add", leafOrigin, "leaf")
		runGit(t, inner, "commit", "-q", "-m", "two")
		runGit(t, inner, "push", "-q", "origin", "main")
		top, _ := newOrigin(t)
		runGit(t, top, "submodule", "--quiet", "add", innerOrigin, "inner")
		runGit(t, top, "submodule", "--quiet", "add", leafOrigin, "absent")
		runGit(t, top, "commit", "-q", "-m", "two")
		runGit(t, top, "submodule", "--quiet", "deinit", "--force", "absent")
		runGit(t, top, "submodule", "--quiet", "update", "--init", "--recursive", "inner")
		sent, slot := packs{}, newSlot(t)
		for n, change := range []func(){
			func() {},
			func() { write(t, top, "inner/leaf/a.txt", "changed\n"); write(t, top, "inner/new.txt", "new\n") },
			func() {
				runGit(t, filepath.Join(top, "inner"), "add", "new.txt")
				runGit(t, filepath.Join(top, "inner"), "commit", "-q", "-m", "not pushed")
			},
			func() { runGit(t, top, "submodule", "--quiet", "deinit", "--force", "inner") },
		} {
			change()
			tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Local: local, Put: sent.put})
			if err != nil {
				t.Fatalf("change %d: %v", n, err)
			}
			dir, err := slot.Checkout(t.Context(), tree, sent.get)
			if err != nil {
				t.Fatalf("change %d: %v", n, err)
			}
			if got, want := stateOf(t, dir), stateOf(t, top); got != want {
				t.Errorf("change %d, local %v: state %s, want %s", n, local, got, want)
			}
		}
	}
}

func TestAPasswordInTheURLOfARemoteIsNotSent(t *testing.T) {
	t.Parallel()
	top, _ := newOrigin(t)
	for remote, want := range map[string]string{
		"https://me:secret@example.com/r.git":    "https://example.com/r.git",
		"https://token-secret@example.com/r.git": "https://example.com/r.git",
		"ssh://git@example.com/r.git":            "ssh://git@example.com/r.git",
		"ssh://me:secret@example.com/r.git":      "ssh://me@example.com/r.git",
		"git@example.com:r.git":                  "git@example.com:r.git",
		"https://example.com/r.git?x=1":          "https://example.com/r.git?x=1",
		"ext::sh -c secret":                      "",
		"foo::https://example.com":               "",
		"ssh://[::1]/r.git":                      "ssh://[::1]/r.git",
		"https://me:secret^s@example.com/r.git":  "https://example.com/r.git",
		"https://me:secret%zz@example.com/r.git": "https://example.com/r.git",
		"https://me:secret@%zz@example.com/r":    "https://example.com/r",
		"../beside":                              filepath.Join(filepath.Dir(top), "beside"),
	} {
		runGit(t, top, "remote", "set-url", "origin", remote)
		sent := packs{}
		tree, err := Capture(t.Context(), Config{Git: gitPath(t), Env: os.Environ(), Dir: top, Put: sent.put})
		raw, _ := json.Marshal(tree)
		if tree.Remote != want || (want == "") != (err != nil) || err == nil && strings.Contains(string(raw), "secret") {
			t.Errorf("%s: %s, %v", remote, tree.Remote, err)
		}
	}
}
