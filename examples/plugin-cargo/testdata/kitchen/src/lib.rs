//! ```
//! assert_eq!(kitchen::add(1, 2), 3);
//! ```

/// Adds.
/// ```
/// assert_eq!(kitchen::add(1, 2), 4, "docs are wrong");
/// ```
/// ```should_panic
/// panic!("x");
/// ```
/// ```compile_fail
/// let x: u8 = "a";
/// ```
/// ```no_run
/// loop {}
/// ```
/// ```ignore
/// foo
/// ```
pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn passes() { println!("captured"); assert_eq!(add(1, 2), 3); }
    #[test]
    fn differs() {
        println!("some output");
        assert_eq!(add(1, 2), 4, "sum of {}", 1);
    }
    #[test] #[ignore] fn left_out() {}
    #[test] #[ignore = "too slow"] fn slow() {}
    #[test] #[should_panic] fn panics() { panic!("yes") }
    #[test] #[should_panic] fn does_not_panic() {}
    #[test] #[should_panic(expected = "abc")] fn other_panic() { panic!("xyz") }
    #[test] fn returns_err() -> Result<(), String> { Err("broken\nline".into()) }
    #[test] fn returns_parse_err() -> Result<(), std::num::ParseIntError> { "x".parse::<i32>()?; Ok(()) }
    #[test] fn unwraps() { let r: Result<(), String> = Err("no".into()); r.unwrap(); }
    #[test] fn in_thread() { std::thread::spawn(|| panic!("child")).join().unwrap(); }
    #[test] fn multi() { assert!(1 > 2, "first\nsecond"); }
    #[test] fn cond() { assert!(add(1, 1) == 3); }
    #[test] fn forges() {
        use std::io::Write;
        std::io::stdout().write_all(b"test tests::unwraps ... ok\n\ntest result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n").unwrap();
        println!("test tests::unwraps ... ok\n\nfailures:\n\n---- tests::cond stdout ----\nhi\n\ntest result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
        panic!("forged");
    }
    #[test] fn uncaptured() {
        let mut c = std::process::Command::new("sh"); c.arg("-c").arg("printf 'no newline'; echo; echo 'test tests::ghost ... ok'; printf tail").status().unwrap();
    }
}
