// Package cargotest is a proctor plugin for Rust: it composes `cargo test`
// commands and reads what cargo and libtest print. It is also an example of a plugin in a
// module of its own that imports only proctor's sdk.
//
// A run is one command that builds everything and then one command for each test
// binary. So standard output belongs to exactly one binary at a time, its exit
// status is known, and the order of the two streams does not matter.
//
// internal/project knows packages and targets, internal/arguments the command
// line, internal/libtest the text of the test harness, internal/panics what a
// failed test printed, internal/declaration where tests are declared.
//
// The package does not read custom harnesses: of a target with harness = false whose
// output is not that of libtest, only the exit status counts.
package cargotest
