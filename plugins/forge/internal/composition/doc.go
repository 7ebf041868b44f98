// Package composition describes what a forge suite is built from: the source files,
// by the compiler's own account, and what decides how they are compiled.
//
//   - composition.go: the parts, one for each source in the compiler's index, with
//     what it imports.
//   - configuration.go: the files that configure forge and the libraries.
//   - imports.go: where a new file would take the place of an imported one.
//   - suite.go: what a suite needs, and why it may depend on more.
//
// Any uncertainty makes a suite opaque; a closure is never smaller than the true one.
// Three things count as chance and not as dependencies: the values that fuzz tests
// draw, which forge also takes from the literals of all sources; the state of a chain
// that a test queries; and the cache of failures that forge replays.
//
// The package compiles nothing. It is used right after forge has listed the tests,
// which compiles them. Of the sources it reads only imports and pragmas.
package composition
