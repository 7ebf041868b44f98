// Package source carries a working tree to other machines: as a commit that they fetch, and
// a pack of git objects with what no remote has, uncommitted files included.
package source
