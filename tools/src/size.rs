//! Numbers of bytes as people write them.

use anyhow::anyhow;
use fourbase::excerpt;
use parse_size::Config;

/// How much of a text that is no size is repeated in the error.
const EXCERPT_BYTES: usize = 40;

/// Reads a number of bytes: a number, perhaps with a fraction, then K, M, G, T, P or E for powers of 1024, then perhaps
/// `B` or `iB`.
///
/// # Errors
///
/// Says what is wrong with the text, and what a size looks like.
pub fn parse(text: &str) -> anyhow::Result<u64> {
    Config::new().with_binary().parse_size(text).map_err(|reason| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is not a size: {reason}; write bytes or powers of 1024, such as 512M, 2G or 1.5GiB")
    })
}

/// Writes a number with its thousands apart, such as `177,901`.
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
    fn sizes_are_bytes_or_powers_of_1024() {
        let sizes = [
            ("0", 0),
            ("1000", 1000),
            ("1K", 1 << 10),
            ("512M", 512 << 20),
            ("512MB", 512 << 20),
            ("2G", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("1 T", 1 << 40),
            ("2g", 2 << 30),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse(text).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn everything_else_is_an_error_that_shows_a_size() {
        for text in ["", "-1", "G", "1X", "1.5.2G", "99999999E", "1e9e", "\u{1b}[31m1G"] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.ends_with("such as 512M, 2G or 1.5GiB"), "{message}");
            assert!(!message.chars().any(char::is_control), "{message}");
        }
    }

    #[test]
    fn thousands_are_apart() {
        let texts = [0, 999, 1000, 177_901, 1 << 100].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "177,901", "1,267,650,600,228,229,401,496,703,205,376"]);
    }
}
