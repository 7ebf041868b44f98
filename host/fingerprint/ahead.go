package fingerprint

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

// ahead is what was found out about a repository while git was still asked where it is and
// what is checked out: the two questions take a few milliseconds each. It is of use only if
// git's answer is what the files said.
type ahead struct {
	stop context.CancelFunc
	done chan struct{}
	// found is what was found. Its git's files were looked at before anything was read.
	found *repository
}

// lookAhead compares the commit that HEAD seems to name with the index. It returns nil if
// only git can tell the commit: a ref may be packed, or stored in another way.
func (r *repository) lookAhead(ctx context.Context, g git.Git, dir string) *ahead {
	top, gitDir := checkoutOf(dir)
	commit := headCommit(gitDir)
	if commit == "" {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	found := &repository{git: g.In(top), top: top, gitDir: gitDir, commit: commit}
	a := &ahead{stop: stop, done: make(chan struct{}), found: found}
	found.look()
	go func() {
		defer close(a.done)
		found.readStaged(ctx)
	}()
	return a
}

// take completes a repository that git has located, and reports whether that was possible.
func (a *ahead) take(r *repository) bool {
	if a == nil {
		return false
	}
	defer a.drop()
	if a.found.top != r.top || a.found.gitDir != r.gitDir || a.found.commit != r.commit {
		return false
	}
	<-a.done
	r.watch, r.staged, r.stagedKnown = a.found.watch, a.found.staged, a.found.stagedKnown
	return true
}

// drop ends what is in progress.
func (a *ahead) drop() {
	if a != nil {
		a.stop()
		<-a.done
	}
}

// headCommit returns the commit of a branch or a detached HEAD, as far as a file of its own
// says it.
func headCommit(gitDir string) string {
	if gitDir == "" {
		return ""
	}
	head, err := readSmall(filepath.Join(gitDir, "HEAD"), maxLink)
	if err != nil {
		return ""
	}
	if ref, ok := strings.CutPrefix(string(head), "ref: "); ok {
		ref = filepath.FromSlash(strings.TrimSpace(ref))
		if !filepath.IsLocal(ref) {
			return ""
		}
		if head, err = readSmall(filepath.Join(commonDir(gitDir), ref), maxLink); err != nil {
			return ""
		}
	}
	commit := strings.TrimSpace(string(head))
	if isObjectName(commit) {
		return commit
	}
	return ""
}

// isObjectName reports whether a text is the whole name of an object, in either format.
func isObjectName(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
