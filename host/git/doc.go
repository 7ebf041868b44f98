// Package git runs git so that nothing that a repository names is executed or
// fetched: no hook, monitor, pager, helper or transport. What keeps it from that
// stands here and nowhere else.
//
// It is not responsible for which command is asked for. Some run filters or drivers
// of a repository's configuration (checkout, add, diff, status, or anything else
// that compares or writes files of a working tree): these must not be called in a
// repository that somebody else configured; see [Git.Alone].
package git
