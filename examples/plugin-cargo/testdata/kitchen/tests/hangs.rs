#[test] fn a() {}
mod inner {
    #[test]
    fn hangs() { loop { std::thread::sleep(std::time::Duration::from_secs(1)) } }
}
