//! Sizes in bytes, read from the command line.

use anyhow::anyhow;
use fourbase::excerpt;
use parse_size::Config;

/// How much of a wrong text the error repeats.
const EXCERPT_BYTES: usize = 40;

/// Reads a number of bytes: a number with or without a fraction, an optional K, M, G, T, P or E for a power of 1024, and
/// an optional `B` or `iB`.
///
/// # Errors
///
/// The text is not a size; the message shows how to write one.
pub fn parse(text: &str) -> anyhow::Result<u64> {
    Config::new().with_binary().parse_size(text).map_err(|reason| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is not a size: {reason}; write bytes or powers of 1024, such as 512M, 2G or 1.5GiB")
    })
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
}
