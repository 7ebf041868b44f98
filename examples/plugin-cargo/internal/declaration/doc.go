// Package declaration finds the lines in which the tests of a Rust target are
// declared, by reading its sources.
//
// It knows modules, comments and literals, but not macros: a test made by a macro
// has no place here. If two declarations share a name, as under different cfg
// attributes, neither counts: no place is better than a wrong one.
package declaration
