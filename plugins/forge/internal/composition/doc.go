// Package composition says what a suite of forge's is built from: source files by
// the compiler's own account, and what decides how they are compiled.
//
//   - composition.go: the parts, one for each source of the compiler's index, with
//     what it imports.
//   - configuration.go: the files that configure forge and the libraries.
//   - imports.go: where a file that appears would take the place of an imported one.
//   - suite.go: what a suite needs, and why it may depend on more.
//
// What is not certain makes a suite opaque; no closure is ever smaller than the
// true one. Three things are taken for chance, and not for a dependency: what fuzz
// tests draw, which forge takes from the literals of all sources too; the state of a
// chain that a test asks; and the cache of failures that forge replays.
//
// The package compiles nothing: it is asked when forge has just listed the tests,
// for which it compiles. What stands in the sources is not looked at further than
// for its imports and pragmas.
package composition
