// Package declaration finds the lines in which the tests of a Rust target are
// declared, by reading its sources.
//
// It knows modules, comments and literals, and no macros: a test that a macro
// makes has no place here. Where two declarations have one name, as under
// different cfg attributes, neither is named: no place is better than a wrong one.
package declaration
