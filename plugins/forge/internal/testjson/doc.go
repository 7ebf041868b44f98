// Package testjson parses the standard output of `forge test --json`.
//
// When everything has run, forge prints one line with an object of all suites. Other
// output may surround it. A document may have hundreds of megabytes, nearly all of them
// traces. The reader takes bytes as they arrive, skips what is not needed without
// decoding it, and keeps a bounded part of each test.
//
// A line is a result document if it is an object whose every value is an object with
// "test_results". Nothing in other lines is taken for a result.
//
// The package knows the syntax in all versions since 2022. Package forge decides what a
// result means, how several documents combine, and what the text around them means.
package testjson
