// Package profile reads the coverage profiles that Go's tests write, numbers the
// blocks of code that they name, and reads the files of counters that profiles are made of.
//
// A profile is text; see golang.org/x/tools/cover and internal/coverage/cformat of
// Go. Its first line is "mode: set", "mode: count" or "mode: atomic". Each other line
// is a block:
//
//	example.com/m/a/a.go:5.19,6.11 1 0
//
// that is the file, where the block begins and ends, how many statements it has and
// how often it was executed. A profile merged from several names blocks more than once.
//
// The package does not know where the files are.
package profile
