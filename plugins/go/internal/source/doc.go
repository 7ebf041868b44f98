// Package source reads what a Go workspace says about itself on disk: which
// modules it has, which directory an import path means ([Layout]), and which
// test functions a package declares, with their places ([Reader], [Scan]).
//
// A test may have put there whatever is read: see [Reader].
//
// It starts no process and evaluates no build constraint: it also finds a function in
// a file that the build excludes. It does not cover packages outside the main modules
// (the module cache, the standard library).
package source
