pub mod entry;

pub fn total(amounts: &[i64]) -> i64 {
    amounts.iter().sum::<i64>() + 1
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn of_nothing_is_nothing() {
        assert_eq!(total(&[]), 0);
    }

    #[test]
    fn same_name() {}
}
