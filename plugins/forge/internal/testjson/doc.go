// Package testjson reads the standard output of `forge test --json`.
//
// Forge prints one line with an object of all suites when everything has run,
// and beside it whatever else writes to standard output. A document may be
// hundreds of megabytes, nearly all of it traces. The reader is fed bytes as
// they come, skips what nobody asks for without building it, and keeps a
// bounded part of every test.
//
// A line is a result document when it is an object whose every value is an
// object with "test_results". Nothing of any other line is taken for a result.
//
// The package knows the syntax and its versions, from the documents of 2022 to
// those of today. What a result means, what two documents mean together and
// what text beside them means is decided by package forge.
package testjson
