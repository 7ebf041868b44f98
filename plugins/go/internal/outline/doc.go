// Package outline divides a Go source file into units ([File]), each with a digest of
// what it means: layout, comments that mean nothing to a compiler, and the place in the
// file do not count, so gofmt changes no digest and moving a function none either.
//
// The kind of a unit says whom a change of it concerns:
//
//   - The body of a function is a unit of its own: it only matters where it is executed,
//     which a measurement of coverage tells.
//   - The rest of a plain function is a name: what uses it would change as well. So is
//     the import of one of the packages of the standard library that do nothing by
//     being imported.
//   - A test of a test file, which nothing else mentions, is a test. A benchmark and an
//     example without output are in no unit, as they do not run.
//   - All else is a declaration: types, methods (they decide which interfaces a type
//     has), constants, variables and their order, other imports, build constraints and
//     the other comments that a compiler reads, init and main, functions that hide a
//     predeclared name or cannot be measured, and whatever stands in a test file.
//
// A file with a line directive has declarations only: a measurement names other files
// and lines for what it has.
//
// One thing is not seen: which other variables the body of a function mentions can
// change the order in which package variables are initialised, even where the function
// is not called then.
package outline
