// Package historytest makes histories for tests: [Past] one that a test fills run by
// run, [Fill] a large one, to measure with.
//
// The package does not test one: that is done where the contract stands, in package
// history.
package historytest
