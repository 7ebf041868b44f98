#[test] fn a() {}
#[test] fn nullptr() { unsafe { std::ptr::null_mut::<u8>().write_volatile(1) } }
#[test] fn aborts() { std::process::abort() }
