// Package selection finds the fewest sets of filters of "forge test" that
// select exactly some tests.
//
// Forge has three filters, all of which must match: a glob over the paths of files,
// a regular expression over names of contracts, and one over signatures. So one
// command selects a box: every test whose path, contract and signature are each
// among the given ones. Tests of two suites can share a command if their box
// contains no test that was not requested.
//
// The package knows of the command line only these filters, and reads no files.
package selection
