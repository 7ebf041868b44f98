// Package edit writes a Go module, and changes it at random as somebody working on it would: an
// operator, a constant, a statement, a test, a file of test data, the module file. Some edits
// break the build, as real ones do.
//
// The same seed makes the same edits. Reverting them is up to the caller.
package edit
