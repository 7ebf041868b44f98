// Package upload accepts a set of source files from somebody else, and makes the
// temporary directory that they are tested in.
//
// The files are not trusted: [readFiles] accepts only regular files and checks every path
// before anything is written. [workDir] writes below one directory and removes all of it,
// whatever the tests did to it.
//
// The package does not decide which files and settings the sources need besides (a
// plugin's Scaffold does) or confine their code (host/sandbox does).
package upload
