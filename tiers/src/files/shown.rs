//! Paths and other text in messages of one line.

use std::fmt;
use std::path::Path;

/// A path for a message of one line: control characters, line breaks and what turns the direction of text are escaped.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(&'a Path);

/// Shows a path in a message of one line.
///
/// ```
/// use fourbase_tiers::files::shown;
///
/// assert_eq!(shown("db/4x4".as_ref()).to_string(), "db/4x4");
/// assert_eq!(shown("a\nb\u{1b}[31m".as_ref()).to_string(), "a\\nb\\u{1b}[31m");
/// ```
#[must_use]
pub fn shown(path: &Path) -> Shown<'_> {
    Shown(path)
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.0.to_string_lossy()))
    }
}

/// Escapes control characters, line breaks and what turns the direction of text, so that a text is one line.
///
/// ```
/// use fourbase_tiers::files::escaped;
///
/// assert_eq!(escaped("no\tsuch\u{2028}file"), "no\\tsuch\\u{2028}file");
/// ```
#[must_use]
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

/// Characters that turn the direction of the text after them, or end a line.
const DIRECTIONS: [char; 14] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2028}',
    '\u{2029}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];
