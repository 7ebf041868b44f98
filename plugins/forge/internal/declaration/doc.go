// Package declaration finds where the tests of a forge project are declared, and lists
// which tests there are. Forge's own results contain neither lines nor the file of an
// inherited test.
//
// There are two ways to a declaration; see [Finder.Find]:
//
//   - dispatch.go: the compiler's artifacts. The selector in the contract's
//     dispatcher leads to an entry, and the source map to a range. This handles
//     overloads and inheritance. Because the optimizer merges equal bodies, and other
//     settings move ranges, a range counts only if the function with that name and
//     those parameters stands there (check.go).
//   - scan.go: the sources, if artifacts are missing, outdated, or fail that check.
//
// The package runs no compiler and reads no results. Finding the line at which a test
// failed is up to package trace.
package declaration
