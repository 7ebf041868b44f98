// Package outline splits a Go source file into units ([File]), each with a digest of
// its meaning: layout, comments that mean nothing to a compiler, and the place in the
// file do not count, so gofmt changes no digest and neither does moving a function.
//
// The kind of a unit says whom a change of it concerns:
//
//   - The body of a function is a unit of its own: it only matters where it is executed,
//     as measured by coverage.
//   - The rest of a plain function is a name: its users would change as well. So is the
//     import of a standard library package that does nothing by being imported.
//   - A test of a test file, which nothing else mentions, is a test. A benchmark and an
//     example without output are in no unit, as they do not run.
//   - Everything else is a declaration: types, methods (they decide which interfaces a
//     type has), constants, variables and their order, other imports, build constraints
//     and other comments for a compiler, init and main, functions that hide a predeclared
//     name or cannot be measured, and the rest of a test file.
//
// A file with a line directive only has declarations: measurements use other files
// and lines for its content.
//
// One thing goes unnoticed: which other variables the body of a function mentions can
// change the order in which package variables are initialized, even if the function
// is not called then.
package outline
