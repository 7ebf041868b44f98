use ledger::entry::owner;

#[test]
fn has_an_owner() {
    assert_eq!(owner(Some("ann")), "ann");
}

mod tests {
    #[test]
    fn same_name() {
        assert_eq!(ledger::entry::owner(None), "nobody");
    }
}
