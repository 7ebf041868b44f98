// Package source carries a working tree to other machines: as a commit that they fetch, and
// a pack of the git objects that no remote has, uncommitted files included.
package source
