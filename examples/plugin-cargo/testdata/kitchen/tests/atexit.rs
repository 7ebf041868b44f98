#[test] fn passes() {}
#[test] fn after() { extern "C" fn die() { std::process::abort() } extern "C" { fn atexit(f: extern "C" fn()) -> i32; } unsafe { atexit(die); } }
