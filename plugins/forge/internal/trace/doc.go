// Package trace finds the exact line of a failure in what `forge test --json
// -vvvvv` prints: the steps of the virtual machine, each with its program
// counter, which the compiler's source map leads back to a line.
//
// It is for runs whose contracts were compiled with the optimizer and via-IR
// off: only there does the source map say of every instruction which call it
// belongs to. The settings are read from the artifacts, not believed. A step
// that does not fit the code, a source that was changed since, a code that two
// contracts have: what cannot be located for certain is not reported, or is
// where the innermost certain call stands. Nor is a test reported that may have
// gone another way than in the run before, because the other code takes other
// amounts of gas or because forge words some failures only when it traces.
//
// The lexer cuts the output into JSON tokens, document follows those that one
// test needs, arena the calls between contracts and replay those within one.
// The library tells whose code was executed, and texts has the lines.
//
// It is not responsible for results, messages or declarations, nor for running
// anything.
package trace
