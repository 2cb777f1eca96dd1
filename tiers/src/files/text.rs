//! Paths, numbers and other text in messages of one line.

use std::path::Path;

use super::http::{is_address, split_query};

/// Formats a path for a message of one line, as [`escaped`] does, without the user and the password of an address.
///
/// ```
/// use fourbase_tiers::files::shown;
///
/// assert_eq!(shown("db/4x4".as_ref()), "db/4x4");
/// assert_eq!(shown("http://me:secret@host/db".as_ref()), "http://...@host/db");
/// assert_eq!(shown("http://h@host".as_ref()), "http://...@host");
/// assert_eq!(shown("http://host/db?key=se/cret".as_ref()), "http://host/db");
/// assert_eq!(shown("http://host?key=se/cret".as_ref()), "http://host");
/// assert_eq!(shown("a\nb\u{1b}[31m".as_ref()), "a\\nb\\u{1b}[31m");
/// ```
pub fn shown(path: &Path) -> String {
    let text = escaped(&path.to_string_lossy());
    if !is_address(path) {
        return text;
    }
    let text = split_query(&text).0;
    let Some((scheme, rest)) = text.split_once("//") else { return text };
    let (host, folder) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    host.rsplit_once('@').map_or_else(|| text.clone(), |(_, host)| format!("{scheme}//...@{host}{folder}"))
}

/// Writes a path for programs: an address as [`shown`] does, other paths unchanged. Bytes that are not UTF-8 become the
/// replacement character.
pub fn plain(path: &Path) -> String {
    if is_address(path) { shown(path) } else { path.to_string_lossy().into_owned() }
}

/// Escapes control characters, line breaks and characters that change the direction of text, so that a text is one
/// line.
///
/// ```
/// use fourbase_tiers::files::escaped;
///
/// assert_eq!(escaped("no\tsuch\u{2028}file"), "no\\tsuch\\u{2028}file");
/// ```
pub fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if character.is_control() => line.extend(character.escape_debug()),
            _ if DIRECTIONS.contains(&character) => line.extend(character.escape_unicode()),
            _ => line.push(character),
        }
    }
    line
}

/// Characters that change the direction of the following text or end a line.
const DIRECTIONS: [char; 14] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2028}',
    '\u{2029}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Formats a number with its thousands in groups, such as `177,901`.
///
/// `indicatif::HumanCount` does the same, but only up to 64 bits. Entries of a large board and lines of a strategy need
/// 128: the plan of 9x7 has 2.4e19 entries.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Formats a number with its noun in the singular or plural: `1 entry`, `98,809 entries`.
pub fn counted(number: impl TryInto<u128>, noun: &str) -> String {
    // Every number here is unsigned and has at most 128 bits.
    let number = number.try_into().unwrap_or(u128::MAX);
    let noun = match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        None if noun.ends_with('s') => format!("{noun}es"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{} {noun}", grouped(number))
}

/// Formats a number of bytes with a unit: `512 B`, `1.5 MiB`.
pub fn bytes(count: u128) -> String {
    const UNITS: [&str; 9] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB", "RiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let unit = UNITS.len().min(count.ilog2() as usize / 10);
    format!("{:.1} {}", count as f64 / 1024f64.powi(unit as i32), UNITS[unit - 1])
}
