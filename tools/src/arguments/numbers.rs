//! Reads whole numbers and sizes in bytes from arguments.

use std::ops::RangeInclusive;

use fourbase_tiers::files::grouped;
use parse_size::Config;

use super::refused;

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
            refused(text, format!("is not a whole number {numbers}"))
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
        let remedy = "write bytes or powers of 1024, such as 512M, 2G or 1.5GiB";
        refused(text, format!("is not a size: {reason}; {remedy}"))
    })
}
