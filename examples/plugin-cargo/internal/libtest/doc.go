// Package libtest reads the text that Rust's test harness prints on standard
// output. Stable Rust has no other format.
//
// Tests may print into this text, with --nocapture or past the capture, and their
// output may look like it. So nothing is believed before the end: what was read is
// checked against the counts of the first and the last line, and against the list of
// failed tests. Mismatches are reported.
//
// The format is that of library/test/src/formatters/pretty.rs of Rust.
package libtest
