//! Whole numbers for people.

/// Writes a number with its thousands in groups, such as `177,901`.
///
/// `indicatif::HumanCount` does the same, but only up to 64 bits. Entries of a large board and lines of a strategy need
/// 128: the plan of 9x7 has 2.4e19 entries.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_in_groups() {
        let texts = [0, 999, 1000, 177_901, 1 << 100].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "177,901", "1,267,650,600,228,229,401,496,703,205,376"]);
    }
}
