// Command proctor-plugin-go is proctor's detector plugin for Go. The host starts
// it; started by a person it says so.
//
// In reruns and for an index the go command starts the same binary, with the argument
// "exec-helper", between itself and the test binaries: see gotest.Exec.
//
// It decides nothing: the detector is package plugins/go, the protocol package
// sdk.
package main
