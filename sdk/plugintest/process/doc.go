// Package process starts a plugin binary like a host and talks to it directly: the
// process, its first line, a connection.
//
// It is for checking plugins and for talking to one by hand, so it shows what a host
// hides. Its only protection from a plugin is to end it, and it does not judge what the
// plugin says.
package process
