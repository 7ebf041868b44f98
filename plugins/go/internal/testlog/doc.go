// Package testlog reads the log in which package testing writes what a test looks at
// (-test.testlogfile), and tells the files of a workspace on which the test depends.
//
// The format is internal to Go; see internal/testlog and testing/internal/testdeps.
// After the line "# test log" there is a line for each thing that package os was asked
// for: "open PATH", "stat PATH", "chdir PATH" and "getenv NAME". The start of a
// program is an "open" of it.
//
// What is asked for before the tests start, or past package os, is not in the log.
package testlog
