// Package trace finds the exact line of a failure in the output of `forge test --json
// -vvvvv`: the steps of the EVM, each with its program counter, which the compiler's
// source map leads back to a line.
//
// It requires contracts compiled without the optimizer and via-IR, because only then
// does the source map identify the call that each instruction belongs to. It takes the
// settings from the artifacts rather than trusting its caller. It reports only what is
// certain: if a step does not fit the code, a source has changed since, or two
// contracts share a code, it reports the innermost certain call or nothing. Nor does it
// report a test that may have taken another path than in the run before, because the
// code uses different amounts of gas or because forge explains some failures only when
// it traces.
//
// The lexer splits the output into JSON tokens, document selects those that one test
// needs, arena follows the calls between contracts and replay those within one. The
// library identifies the executed code, and texts holds the lines.
//
// The package runs nothing, and does not handle results, messages or declarations.
package trace
