// Package process starts a plugin binary like a host and talks to it directly: the
// process, its first line, a connection.
//
// It is for checking plugins and for talking to one by hand, so it shows what a host
// hides. It protects nobody from a plugin beyond ending it, and does not judge what it
// says.
package process
