// Package cargotest is a proctor plugin for Rust: it composes `cargo test`
// commands and reads what cargo and libtest print. It is also an example of a
// plugin that lives in a module of its own and knows proctor's sdk alone.
//
// A run is one command that builds everything and then one command for each test
// binary. So standard output belongs to exactly one binary at a time, its exit
// status is known, and what cargo says on the other stream needs no order.
//
// internal/project knows packages and targets, internal/arguments the command
// line, internal/libtest the text of the test harness, internal/panics what a
// failed test printed, internal/declaration where tests stand in the sources.
//
// The package is not responsible for custom harnesses: of a target with
// harness = false whose output is not that of libtest, only the exit status is read.
package cargotest
