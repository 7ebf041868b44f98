#[test] fn a() {}
#[test] fn deep() { fn f(x: u64) -> u64 { if x == u64::MAX { 0 } else { 1 + f(std::hint::black_box(x + 1)) } } println!("{}", f(0)); }
