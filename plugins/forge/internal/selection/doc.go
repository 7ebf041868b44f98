// Package selection finds the fewest sets of filters of "forge test" that
// select exactly some tests.
//
// Forge has three filters, which hold together: a glob over the paths of files,
// a regular expression over names of contracts, and one over signatures. So one
// command selects a box: every test whose path, contract and signature are each
// among the given ones. Tests of two suites can share a command when their box
// holds no test that was not asked for.
//
// The package knows no command line beside these filters and reads no files.
package selection
