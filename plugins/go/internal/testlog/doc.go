// Package testlog reads the log in which package testing writes what a test looks at
// (-test.testlogfile), and derives the files of a workspace that the test depends on.
//
// The format is internal to Go; see internal/testlog and testing/internal/testdeps.
// After the line "# test log" there is a line for each request to package os: "open
// PATH", "stat PATH", "chdir PATH" and "getenv NAME". The start of a program is an
// "open" of it.
//
// Requests before the tests start are only in the log of a program that was built with
// [WriteOverlay], and those that bypass package os in none.
package testlog
