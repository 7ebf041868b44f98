package checkout_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestNothingThatARepositoryNamesIsExecuted(t *testing.T) {
	r := newRepo(t)
	ran := filepath.Join(r.dir, "..", "ran")
	evil := filepath.Join(r.dir, "..", "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+ran+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	r.write("a.txt", "a\n")
	commit := r.commit("one")
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		if err := os.Symlink(evil, filepath.Join(r.dir, ".git", "hooks", hook)); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	for _, setting := range []string{
		"filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor",
		"core.askPass", "core.alternateRefsCommand", "core.gitProxy", "diff.external", "diff.evil.textconv", "diff.evil.command", "merge.evil.driver",
		"uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs", "credential.helper", "sequence.editor", "gpg.program",
		"alias.checkout", "alias.ls-tree", "alias.rev-parse", "alias.ls-files", "pager.rev-parse", "pager.ls-tree", "pager.ls-files", "pager.merge-base",
	} {
		value := "'" + evil + "'"
		if strings.HasPrefix(setting, "alias.") || setting == "credential.helper" {
			value = "!" + value
		}
		r.run("config", setting, value)
	}
	r.run("config", "filter.evil.required", "true")
	r.run("config", "remote.origin.url", r.dir)
	r.run("config", "remote.origin.promisor", "true")
	r.run("config", "extensions.partialClone", "origin")
	// Nor a filter of the user's own: it may fetch its output.
	global := "[filter \"evil\"]\n\tsmudge = '" + evil + "'\n\trequired\n[core]\n\thooksPath = " + filepath.Join(r.dir, ".git", "hooks") + "\n"
	testfiles.Write(t, filepath.Join(r.dir, "..", ".gitconfig"), global)
	os.Remove(ran)
	plain := r.env
	r.env = append(slices.Clone(plain), "GIT_EXTERNAL_DIFF="+evil, "GIT_TRACE="+ran, "GIT_PAGER="+evil, "GIT_SSH_COMMAND="+evil, "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=core.worktree", "GIT_CONFIG_VALUE_0=/")
	c := r.checkout(commit, ".")
	hostile := r.config(t.TempDir())
	r.env = plain
	if got := content(t, c.Root, "a.txt"); got != "a\n" {
		t.Errorf("a.txt holds %q", got)
	}
	if !slices.ContainsFunc(c.Lacks, func(s string) bool { return strings.Contains(s, `the filter "evil"`) }) {
		t.Errorf("that the filter was not run is not said: %q", c.Lacks)
	}
	// A blob that the repository lacks is not fetched.
	blob := r.run("rev-parse", commit+":a.txt")
	if err := os.Remove(filepath.Join(r.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	cfg := hostile
	cfg.Commit = commit
	var failed *git.Error
	if _, err := checkout.New(t.Context(), cfg); !errors.As(err, &failed) {
		t.Errorf("a commit without its blob was checked out: %v", err)
	}
	// Nor is a commit.
	for _, setting := range [][2]string{{"core.repositoryFormatVersion", "1"}, {"protocol.ext.allow", "always"}, {"remote.origin.url", "ext::" + evil + " %S"}} {
		r.run("config", setting[0], setting[1])
	}
	var none *checkout.RevisionError
	if _, err := checkout.Resolve(t.Context(), cfg, strings.Repeat("ab", 20)); !errors.As(err, &none) {
		t.Errorf("a commit that is not there: %v", err)
	}
	if log := content(t, ran); !strings.HasPrefix(log, "(") {
		t.Errorf("executed: %s", log)
	}
}

func TestAHostileTreeWritesNothingOutsideTheCheckout(t *testing.T) {
	r := newRepo(t)
	r.write("x", "out\n")
	r.commit("one")
	blob := r.run("rev-parse", "HEAD:x")
	outside := filepath.Join(r.dir, "..", "outside")
	r.mkdir(outside)
	link := r.hash([]byte(outside))
	inner := r.tree("100644 x", blob)
	for name, top := range map[string]string{
		"a link and a directory of one name": r.tree("120000 d", link, "40000 d", inner),
		"dots":                               r.tree("40000 ..", r.tree("40000 outside", inner)),
		"git's own":                          r.tree("40000 .git", r.tree("40000 hooks", inner)),
		"git's own in another case":          r.tree("40000 .GIT", r.tree("40000 hooks", inner)),
	} {
		cfg := r.config(t.TempDir())
		cfg.Commit = r.run("commit-tree", "-m", "evil", top)
		c, err := checkout.New(t.Context(), cfg)
		if err == nil {
			if _, there := os.Lstat(filepath.Join(c.Root, ".git", "hooks", "x")); there == nil {
				t.Errorf("%s: a hook was written", name)
			}
			err = c.Remove()
			if err != nil {
				t.Error(err)
			}
		}
		if found, _ := os.ReadDir(outside); len(found) > 0 {
			t.Fatalf("%s: %s was written to", name, outside)
		}
	}
}

func TestADirectoryThatOthersCanReachIsRefused(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	cfg := r.config(t.TempDir())
	cfg.Commit = r.commit("one")
	c, err := checkout.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	parents, _ := filepath.Glob(filepath.Join(cfg.Temp, "*"))
	if err := os.Chmod(parents[0], 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := checkout.New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "not a private directory") {
		t.Errorf("a directory that others can write was used: %v", err)
	}
	if err := errors.Join(os.RemoveAll(parents[0]), os.Symlink(t.TempDir(), parents[0])); err != nil {
		t.Fatal(err)
	}
	if _, err := checkout.New(t.Context(), cfg); err == nil {
		t.Error("a link was used")
	}
}
