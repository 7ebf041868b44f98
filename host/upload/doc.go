// Package upload accepts a set of source files from somebody else, and makes the
// temporary directory that they are tested in.
//
// The files are not trusted: [readFiles] accepts only regular files and checks every path
// before anything is written, and [workDir] writes below one directory and removes all of
// it, whatever the tests made of it.
//
// It does not decide what the sources need around them (a plugin's Scaffold), confine
// their code (host/sandbox), or run anything.
package upload
