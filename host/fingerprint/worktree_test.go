package fingerprint_test

import (
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
)

func TestTheWorktreeIsFoundWithoutAProcess(t *testing.T) {
	r := newTree(t)
	r.write("repo/.git/HEAD", "ref: refs/heads/main\n")
	r.write("repo/sub/deep/x", "")
	r.write("linked/.git", "gitdir: ../repo/.git/worktrees/linked\n")
	r.write("repo/.git/worktrees/linked/HEAD", "x")
	r.write("absolute/.git", "gitdir: "+filepath.Join(r.dir, "repo/.git")+"\r\n")
	r.write("repo/empty/.git/x", "")
	r.write("repo/broken/.git", "gitdir: nowhere")
	r.write("repo/garbage/.git", "garbage")
	r.write("none/x", "")
	for dir, want := range map[string]string{
		"repo": "repo/.git", "repo/sub/deep": "repo/.git", "linked": "repo/.git/worktrees/linked", "absolute": "repo/.git",
		"repo/empty": "repo/.git", "repo/broken": "repo/.git", "repo/garbage": "repo/.git", "none": "",
	} {
		if want != "" {
			want = filepath.Join(r.dir, want)
		}
		if got := fingerprint.Worktree(filepath.Join(r.dir, dir)); got != want {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
	}
}
