// Package goflags parses the arguments of "go test" like the go command: which words
// are its flags, which are packages, and which go to the test binary. It also reads and
// writes the quoting of GOFLAGS and -exec.
//
// It does not decide which flags are allowed; package gotest does.
package goflags
