// Package fingerprint identifies the exact state of a workspace's sources, including
// uncommitted and untracked files, and says which files differ between two states. It
// never writes to a repository's index or objects, nor to the working tree, and
// executes nothing of the workspace: no hooks, filters or monitors.
//
// A state is the path, kind and raw content, as on disk, of every file of the
// repository that is tracked, or neither tracked nor ignored. So it does not matter
// what is staged, committed, or marked in the index, and a file that a sparse checkout
// leaves out is absent. A nested repository, submodule or not, counts with its files;
// a submodule that is not populated is one entry, its commit. Files in .git and
// .proctor never count. A file without read permission has a zero hash: the tests
// cannot read it either. Pipes, sockets and devices have no content, and are never
// opened.
//
// To find the state, we walk the working tree and stat every file. If the index has
// the same stat, and is old enough not to have missed a change, its object name is the
// hash; all other files are read. Names missing from the index are passed to
// `git check-ignore`. Git itself is never asked whether a file changed, since it may
// run filters for that.
//
// Files that git converts (line endings, filters, ident, encodings) are always read:
// their object is not what is on disk, and which of the two counts must not depend on
// whether git has seen the file since it was touched. Attributes and core.autocrlf
// identify these files. If they changed without a new checkout, touching a file may
// make it appear changed; two contents never appear equal except for that conversion.
//
// Without git, nothing distinguishes sources from the rest: all files below the root
// count, except for the directories of version control, up to a bound. Beyond it
// there is no state.
//
// Package history keeps states; what a changed file means to a test is decided
// elsewhere.
package fingerprint
