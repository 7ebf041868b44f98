// Package guard decides which requests over HTTP a server answers: whoever can talk to it
// can run tests. Of what they ask it reads only what decides who answers.
package guard
