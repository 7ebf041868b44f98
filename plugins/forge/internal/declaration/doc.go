// Package declaration says where a test of a forge project is declared, and
// which tests there are. Forge's own results have neither lines nor the file of
// an inherited test.
//
// Two ways lead to a declaration; see [Finder.Find]:
//
//   - dispatch.go: the compiler's artifacts. The selector in the contract's
//     dispatcher leads to an entry, and the source map to a range. This tells
//     overloads apart and knows what is inherited. The optimizer merges equal
//     bodies, and other settings move ranges, so a range only counts when the
//     function of that name and those parameters stands there (check.go).
//   - scan.go: the sources, where artifacts are missing, old, or fail that
//     check.
//
// The package runs no compiler, reads no results, and says nothing about the
// line at which a test failed: that is package trace.
package declaration
