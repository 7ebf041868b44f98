// Package testexec is the program behind "go test -exec". The go command starts it
// once for each package, in the package's directory, with the test binary and its
// arguments. A [Table] says what to do with them.
//
// In a rerun it replaces the expression in the arguments by that package's own, and
// runs the binary as its child. So one "go test" runs different tests in each
// package. It fails loudly if the table lacks the package: running everything, or
// nothing, would be taken for a result.
//
// In an index it runs the binary repeatedly: once with all tests together, which is
// what the go command sees, once without any, and once for each test alone. Each time
// it reads which blocks of code were executed, and writes the result to a file; see
// [Measure] and [ReadMeasured].
//
// It does not check what the table selects.
package testexec
