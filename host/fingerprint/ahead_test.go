package fingerprint

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestWhatWasFoundAheadCountsOnlyIfGitAgrees(t *testing.T) {
	located := func() *repository { return &repository{top: "/w", gitDir: "/w/.git", commit: "c1"} }
	for name, tc := range map[string]struct {
		change func(r *repository)
		takes  bool
	}{
		"the same":              {func(*repository) {}, true},
		"another commit":        {func(r *repository) { r.commit = "c2" }, false},
		"no commit":             {func(r *repository) { r.commit = "" }, false},
		"another top":           {func(r *repository) { r.top = "/" }, false},
		"another git directory": {func(r *repository) { r.gitDir = "/w/.git/worktrees/w" }, false},
	} {
		found := located()
		found.stagedKnown, found.watch = true, map[string]stat{"/w/.git/HEAD": {}}
		a := &ahead{stop: func() {}, done: make(chan struct{}), found: found}
		close(a.done)
		r := located()
		tc.change(r)
		if takes := a.take(r); takes != tc.takes || r.stagedKnown != tc.takes || len(r.watch) > 0 != tc.takes {
			t.Errorf("%s: taken %t, known %t, watched %v", name, takes, r.stagedKnown, r.watch)
		}
	}
	if none := (*ahead)(nil); none.take(located()) {
		t.Error("nothing was found, and it is taken")
	}
}

func TestTheCommitIsReadOnlyFromAFileOfItsOwn(t *testing.T) {
	commit, wide := strings.Repeat("0a", 20), strings.Repeat("0b", 32)
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a branch":              {map[string]string{"HEAD": "ref: refs/heads/a/b\n", "refs/heads/a/b": commit + "\n"}, commit},
		"SHA-256":               {map[string]string{"HEAD": "ref: refs/heads/a\n", "refs/heads/a": wide + "\n"}, wide},
		"a detached HEAD":       {map[string]string{"HEAD": commit + "\n"}, commit},
		"a linked worktree":     {map[string]string{"HEAD": "ref: refs/heads/a\n", "commondir": "common\n", "common/refs/heads/a": commit + "\n"}, commit},
		"before the first":      {map[string]string{"HEAD": "ref: refs/heads/a\n"}, ""},
		"a packed ref":          {map[string]string{"HEAD": "ref: refs/heads/a\n", "packed-refs": commit + " refs/heads/a\n"}, ""},
		"a ref to a ref":        {map[string]string{"HEAD": "ref: refs/heads/a\n", "refs/heads/a": "ref: refs/heads/b\n", "refs/heads/b": commit}, ""},
		"a ref elsewhere":       {map[string]string{"HEAD": "ref: ../outside\n", "../outside": commit + "\n"}, ""},
		"an option":             {map[string]string{"HEAD": "--output=x\n"}, ""},
		"no repository at all":  {nil, ""},
		"no hexadecimal digits": {map[string]string{"HEAD": strings.Repeat("z", 40) + "\n"}, ""},
	} {
		dir := filepath.Join(t.TempDir(), "git")
		testfiles.WriteAll(t, dir, tc.files)
		if got := headCommit(dir); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
