// Package libtest reads the text that Rust's test harness prints on standard
// output. A stable Rust has no other form.
//
// Tests may print into this text, with --nocapture or past the capture, and what
// they print may look like it. So nothing is believed before the end: what was
// read is held against the counts of the first and the last line, and against
// the list of failed tests. What does not add up says so.
//
// The format is that of library/test/src/formatters/pretty.rs of Rust.
package libtest
