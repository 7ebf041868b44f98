// Package git runs git so that nothing named by a repository is executed or fetched:
// no hook, monitor, pager, helper or transport. All precautions are here.
//
// It does not judge the commands it is given. Some run filters or drivers from a
// repository's configuration (checkout, add, diff, status, or anything else that
// compares or writes files of a working tree): they must not be called in a
// repository that somebody else configured; see [Git.Alone].
package git
