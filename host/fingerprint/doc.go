// Package fingerprint identifies the exact state of a workspace's sources,
// uncommitted and untracked files included, and tells which files differ between
// two states. It reads; it never writes to a repository's index or objects, nor
// to the working tree, and executes nothing of the workspace: no hooks, filters
// or monitors.
//
// What a state is: the path, kind and raw content of every file of the repository
// that is tracked, or neither tracked nor ignored, as it is on disk. So it does
// not matter what is staged, committed, or marked in the index, and a file that a
// sparse checkout leaves out is not there. A repository inside, submodule or not,
// counts with its files; a submodule that is not populated is one entry, its
// commit. Files in .git and .proctor are never part of it. A file that may not be
// read has a zero hash: the tests cannot read it either. Pipes, sockets and
// devices have no content, and are never opened.
//
// How it is found: we walk the working tree and look at every file. Where the
// index has the same stat, and is not so young that it could have missed a change,
// its object name is the hash; all other files are read. Names that the index
// does not have are put to `git check-ignore`. Git itself is never asked whether a
// file changed, since for that it may run filters.
//
// Files that git converts (line endings, filters, ident, encodings) are read,
// always: their object is not what is on disk, and which of the two counts must
// not depend on whether git has seen the file since it was touched. Which files
// these are, attributes and core.autocrlf tell. Where these changed without the
// files being checked out again, a file may seem changed when it is touched; two
// contents never seem the same but for that conversion.
//
// Without git there is nothing to tell sources from the rest: all files below the
// root count, but for the directories of version control, up to a bound. Beyond it
// there is no state.
//
// The package is not responsible for keeping states (package history does), nor
// for what a changed file means to a test.
package fingerprint
