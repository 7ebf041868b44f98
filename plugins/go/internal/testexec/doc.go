// Package testexec is the program behind "go test -exec". The go command starts it
// once for each package, in the package's directory, with the test binary and its
// arguments. What it is to do with them is in a [Table].
//
// In a rerun it replaces the expression in the arguments by that package's own, and
// runs the binary as its child. So one "go test" runs different tests in each
// package. It fails loudly where the table does not know the package: running
// everything, or nothing, would be taken for a result.
//
// In an index it runs the binary again and again: once with all tests together, which
// is what the go command sees, once without any, and once for each test alone. Each
// time it reads which blocks of code were executed, and writes what that comes to
// into a file; see [Measure] and [ReadMeasured].
//
// It is not responsible for what the table says.
package testexec
