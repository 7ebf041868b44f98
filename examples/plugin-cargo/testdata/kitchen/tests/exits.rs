#[test] fn a() {}
#[test] fn exits() { std::process::exit(0) }
