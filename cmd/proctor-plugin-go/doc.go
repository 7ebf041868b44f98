// Command proctor-plugin-go is proctor's detector plugin for Go. The host starts
// it; it tells that to a person who does.
//
// In reruns and for an index the go command starts the same binary, with the argument
// "exec-helper", between itself and the test binaries: see gotest.Exec.
//
// The detector is package plugins/go, the protocol package sdk.
package main
