// Package upload takes in a set of source files that somebody handed over, and
// makes the throw-away directory that they are tested in.
//
// The files are not trusted: [Read] takes regular files only and checks every
// path before anything is written, and [Dir] writes below one directory and
// removes all of it, whatever the tests made of it.
//
// The package is not responsible for what the sources need around them (a
// plugin's Scaffold), for keeping their code in bounds (host/sandbox), or for
// running anything.
package upload
