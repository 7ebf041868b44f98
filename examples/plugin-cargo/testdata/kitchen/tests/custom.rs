fn main() { println!("custom main"); std::process::exit(3) }
