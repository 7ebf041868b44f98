// Package testexec is the program behind "go test -exec" in a rerun. The go
// command starts it once for each package, in the package's directory, with the
// test binary and its arguments; it replaces the expression in the arguments by
// that package's own, read from a [Table], and runs the binary as its child.
//
// So one "go test" runs different tests in each package. It fails loudly where
// the table does not know the package: running everything, or nothing, would be
// taken for a result. It is not responsible for what the table says.
package testexec
