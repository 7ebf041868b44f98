// Package goflags reads the arguments of "go test" as the go command does: which
// words are its flags, which are packages, and which go to the test binary. It
// also reads and writes the quoting of GOFLAGS and -exec.
//
// It has no opinion on which flags are good to have; that is package gotest's.
package goflags
