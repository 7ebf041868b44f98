// Package panics reads what a failed Rust test printed: the message of its panic,
// where it panicked, what an assertion compared, and the stack.
//
// The forms are those of library/std/src/panicking.rs, of before and after Rust
// 1.73, and of library/test/src/test_result.rs.
package panics
