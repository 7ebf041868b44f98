pub fn owner(account: Option<&str>) -> &str {
    account.expect("an entry has an account")
}
