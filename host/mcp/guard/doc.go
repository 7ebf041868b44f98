// Package guard decides which requests over HTTP a server answers: whoever can talk to it
// can run tests. It does not know what they ask.
package guard
