//! Reads whole numbers and sizes in bytes from arguments.

use std::ops::RangeInclusive;

use anyhow::anyhow;
use fourbase::excerpt;
use fourbase_tiers::files::grouped;
use parse_size::Config;

use super::EXCERPT_BYTES;

/// The greatest value of a number with a point or an exponent (2^53). All whole numbers up to it are exact as `f64`.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a parser of whole numbers for an option: `1000000`, `1_000_000`, `1e6` or `1.5e6`.
///
/// Its error says which numbers the option takes.
pub fn within<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> anyhow::Result<T> + Clone + Send + Sync + 'static {
    move |text| {
        let number = read_whole(text).filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let least = grouped((*range.start()).into());
            let numbers = match *range.end() {
                u64::MAX => format!("of {least} or more; write it like 1000000 or 1e6"),
                most => format!("from {least} to {}", grouped(most.into())),
            };
            anyhow!("\"{}\" is not a whole number {numbers}", excerpt(text, EXCERPT_BYTES))
        })
    }
}

/// Reads a whole number; `None` if the text is not exactly one.
fn read_whole(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || ".eE+".contains(c)) {
        return None;
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number);
    }
    let number = text.parse::<f64>().ok()?;
    (number.fract() == 0.0 && number <= MOST_EXACT).then_some(number as u64)
}

/// Reads a number of bytes: a number with or without a fraction, an optional K, M, G, T, P or E for a power of 1024, and
/// an optional `B` or `iB`.
///
/// # Errors
///
/// The text is not a size; the message shows how to write one.
pub fn size(text: &str) -> anyhow::Result<u64> {
    Config::new().with_binary().parse_size(text).map_err(|reason| {
        let text = excerpt(text, EXCERPT_BYTES);
        anyhow!("\"{text}\" is not a size: {reason}; write bytes or powers of 1024, such as 512M, 2G or 1.5GiB")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_exactly_and_everything_else_is_an_error() {
        let read = within::<u64>(0..=u64::MAX);
        let numbers = [("0", 0), ("1e6", 1_000_000), ("1.5e6", 1_500_000), ("1_000", 1000), ("1E+3", 1000)];
        for (text, number) in numbers.into_iter().chain([("18446744073709551615", u64::MAX)]) {
            assert_eq!(read(text).unwrap(), number, "{text}");
        }
        for text in ["", "_", "-1", "1.5", "1e-3", "e", "inf", "nan", "1e400", "18446744073709551616", "1 000", "0x1"] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.ends_with("is not a whole number of 0 or more; write it like 1000000 or 1e6"), "{message}");
        }
        let message = |text: &str| within::<u16>(1..=1024)(text).unwrap_err().to_string();
        assert_eq!(message("0"), "\"0\" is not a whole number from 1 to 1,024");
        assert!(message("\u{1b}").starts_with("\"\\u{1b}\" is not"));
    }

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        let small = [("0", 0), ("1000", 1000), ("1K", 1 << 10), ("512M", 512 << 20), ("512MB", 512 << 20)];
        let large = [("2G", 2 << 30), ("1.5GiB", 3 << 29), ("1 T", 1 << 40), ("2g", 2 << 30)];
        for (text, bytes) in small.into_iter().chain(large) {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
        // All other texts are errors whose message shows how to write a size.
        for text in ["", "-1", "G", "1X", "1.5.2G", "99999999E", "1e9e", "\u{1b}[31m1G"] {
            let message = size(text).unwrap_err().to_string();
            assert!(message.ends_with("such as 512M, 2G or 1.5GiB"), "{message}");
            assert!(!message.chars().any(char::is_control), "{message}");
        }
    }
}
