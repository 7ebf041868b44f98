// Package source reads what a Go workspace says about itself on disk: which
// modules it has, in which directory an import path lies ([Layout]), and which
// test functions a package declares, with their places ([Reader], [Scan]).
//
// Whatever is read may have been put there by a test: see [Reader].
//
// It starts no process and evaluates no build constraint: a function in a file
// that the build leaves out is found too. It is not responsible for packages
// outside the main modules (the module cache, the standard library).
package source
