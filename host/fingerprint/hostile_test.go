package fingerprint_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// inventory lists every file of a directory with time, mode and content.
func inventory(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		var raw []byte
		if st.Mode().IsRegular() {
			if raw, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&all, "%s %d %v %x\n", path, st.ModTime().UnixNano(), st.Mode(), raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// hostile makes a repository name a program, which leaves a mark, wherever git would
// run one.
func hostile(t *testing.T, r *tree) (mark string) {
	t.Helper()
	mark = filepath.Join(filepath.Dir(r.dir), "mark")
	script := filepath.Join(filepath.Dir(r.dir), "program")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\ncat\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean", "filter.x.smudge", "filter.x.process", "merge.x.driver",
		"alias.rev-parse", "alias.ls-files", "alias.check-ignore", "pager.ls-tree", "pager.check-ignore", "pager.rev-parse", "pager.ls-files", "credential.helper",
		"sequence.editor", "gpg.program", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs",
	} {
		value := script
		if strings.HasPrefix(name, "alias.") || name == "credential.helper" {
			value = "!" + script
		}
		r.git("config", name, value)
	}
	r.git("config", "filter.x.required", "true")
	r.git("config", "core.untrackedCache", "true")
	r.write(".gitattributes", "* filter=x diff=x merge=x\n")
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, hook := range []string{"post-index-change", "pre-commit", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc"} {
		if err := os.MkdirAll(hooks, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(script, filepath.Join(hooks, hook)); err != nil {
			os.Remove(filepath.Join(hooks, hook))
			os.Symlink(script, filepath.Join(hooks, hook))
		}
	}
	return mark
}

func TestNothingOfTheRepositoryIsExecutedOrWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the programs of this test are scripts for a Unix shell; the commands that git gets are the same everywhere")
		return
	}
	r := newRepo(t)
	r.write("a.txt", "a")
	r.write("b.txt", "b")
	r.commit()
	mark := hostile(t, r)
	r.write("a.txt", "changed")
	r.write("c.txt", "new")
	future := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(r.dir, "b.txt"), future, future); err != nil {
		t.Fatal(err)
	}
	os.Remove(mark)
	before := inventory(t, r.dir)
	r.cfg.Env = append(r.cfg.Env, "GIT_EXTERNAL_DIFF="+mark, "GIT_TRACE="+mark, "GIT_TRACE2="+mark, "GIT_DIR="+filepath.Join(r.dir, "nowhere"),
		"GIT_INDEX_FILE="+mark, "GIT_PAGER="+mark, "GIT_SSH_COMMAND="+mark, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.worktree", "GIT_CONFIG_VALUE_0=/")
	s := r.take()
	if got, want := paths(s.State), ".gitattributes a.txt b.txt c.txt"; got != want || s.State.Dirty != 4 && s.State.Dirty != 3 {
		t.Errorf("got %s, want %s, %d dirty", got, want, s.State.Dirty)
	}
	if _, _, err := s.Changed(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := fingerprint.OfCommit(t.Context(), r.cfg, "HEAD"); err != nil {
		t.Error(err)
	}
	if raw, err := os.ReadFile(mark); err == nil {
		t.Errorf("executed, or written to:\n%s", raw)
	}
	if inventory(t, r.dir) != before {
		t.Error("the repository is not as it was")
	}
	// The trap works: git itself falls into it.
	r.tryGit("status")
	if _, err := os.Stat(mark); err != nil {
		t.Error("git status did not run any of the programs: this test proves nothing")
	}
}

// A clone may lack objects; git would fetch them with whatever program the repository
// names.
func TestMissingObjectsAreNotFetched(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the programs of this test are scripts for a Unix shell; the commands that git gets are the same everywhere")
		return
	}
	origin := newRepo(t)
	origin.write("d/a.txt", "a")
	origin.write("b.txt", "b")
	origin.commit()
	origin.git("config", "uploadpack.allowFilter", "true")
	origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
	for _, filter := range []string{"blob:none", "tree:0"} {
		r := newTree(t)
		r.git("clone", "-q", "--no-checkout", "--filter="+filter, "file://"+origin.dir, ".")
		mark := filepath.Join(filepath.Dir(r.dir), "mark")
		script := filepath.Join(filepath.Dir(r.dir), "program")
		if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$*\" >> '"+mark+"'\nexit 1\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		r.git("config", "core.sshCommand", script)
		r.git("config", "remote.origin.uploadpack", script)
		r.git("config", "protocol.allow", "always")
		r.git("config", "protocol.ssh.allow", "always")
		r.git("config", "protocol.ext.allow", "always")
		r.write("c.txt", "c")
		for _, url := range []string{"ssh://example.invalid/x", "ext::" + script + " %S"} {
			r.git("config", "remote.origin.url", url)
			s := r.take()
			if got := paths(s.State); got != "c.txt" {
				t.Errorf("%s: got %s", filter, got)
			}
			fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
			fingerprint.OfCommit(t.Context(), r.cfg, "HEAD^{tree}^{commit}")
			if raw, err := os.ReadFile(mark); err == nil {
				t.Errorf("%s: fetched from %s with\n%s", filter, url, raw)
			}
			r.tryGit("ls-tree", "-r", "HEAD")
			r.tryGit("cat-file", "-p", "HEAD:b.txt")
			if err := os.Remove(mark); err != nil {
				t.Errorf("%s: git itself did not fetch from %s: this test proves nothing", filter, url)
			}
		}
	}
}
