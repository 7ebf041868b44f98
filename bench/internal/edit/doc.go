// Package edit changes a Go module at random, as somebody does who works on it: an
// operator, a constant, a statement, a test, a file of test data, the module's file. Some
// of the edits break the build, as some of theirs do.
//
// The same seed makes the same edits. Nothing is taken back: that is for the caller.
package edit
