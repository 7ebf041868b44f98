// Package historytest makes histories for tests: [Past] is one that a test fills run by
// run, [Fill] makes a large one, to measure with.
//
// Conformance tests for implementations are in package history.
package historytest
