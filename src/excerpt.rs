//! Showing untrusted text inside a message: escaped, and never longer than asked for.

/// Marks the place where text was cut off.
const CUT: &str = "...";

/// Escapes `text` for a message of one line and cuts it to at most `limit_bytes` bytes, including the `...` at a cut.
///
/// Line breaks, tabs, backslashes, terminal controls and other unprintable characters become escapes such as `\t` or
/// `\u{1b}`; letters of any script stay. An escape is never cut in two. The cost depends on `limit_bytes`, not on the
/// length of `text`.
///
/// ```
/// use fourbase::excerpt;
///
/// assert_eq!(excerpt("44\t53", 256), "44\\t53");
/// assert_eq!(excerpt(&"4".repeat(1_000_000), 10), "4444444...");
/// ```
pub fn excerpt(text: &str, limit_bytes: usize) -> String {
    let mut shown = String::new();
    // The length of the longest prefix that leaves room for `CUT`.
    let mut keep_bytes = 0;
    for character in text.chars() {
        push_escaped(&mut shown, character);
        if shown.len() > limit_bytes {
            shown.truncate(keep_bytes);
            shown.push_str(&CUT[..CUT.len().min(limit_bytes)]);
            return shown;
        }
        if shown.len() + CUT.len() <= limit_bytes {
            keep_bytes = shown.len();
        }
    }
    shown
}

/// Describes a character of untrusted text: in quotes, escaped, and with its code point unless it is plain ASCII.
pub(crate) fn name_character(character: char) -> String {
    let mut shown = String::from("'");
    push_escaped(&mut shown, character);
    shown.push('\'');
    if !character.is_ascii() {
        shown.push_str(&format!(" (U+{:04X})", u32::from(character)));
    }
    shown
}

/// Describes the character that was found where another was expected; `None` stands for the end of the text.
pub(crate) fn name_found(found: Option<char>) -> String {
    found.map_or_else(|| "the end of the text".to_owned(), name_character)
}

fn push_escaped(shown: &mut String, character: char) {
    match character {
        // Quotes are harmless, and easier to read unescaped.
        '\'' | '"' => shown.push(character),
        _ => shown.extend(character.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::{excerpt, name_character};
    use proptest::prelude::*;

    #[test]
    fn text_that_fits_is_kept_whole_and_a_cut_falls_between_escapes() {
        for (text, limit_bytes, shown) in [("", 0, ""), ("4x4", 3, "4x4"), ("4x4 'é'", 16, "4x4 'é'")] {
            assert_eq!(excerpt(text, limit_bytes), shown);
        }
        assert_eq!(excerpt("a\u{1b}[31m", 8), "a...");
        assert_eq!(excerpt("éééé", 7), "éé...");
        assert_eq!(excerpt("4444", 2), "..");
    }

    #[test]
    fn a_character_beyond_ascii_is_named_with_its_code_point() {
        assert_eq!(name_character('8'), "'8'");
        assert_eq!(name_character('\n'), "'\\n'");
        assert_eq!(name_character('é'), "'é' (U+00E9)");
        assert_eq!(name_character('\u{202e}'), "'\\u{202e}' (U+202E)");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_bounded_and_has_no_controls(text in any::<String>(), limit_bytes in 0_usize..80) {
            let shown = excerpt(&text, limit_bytes);
            prop_assert!(shown.len() <= limit_bytes);
            prop_assert!(!shown.chars().any(char::is_control));
        }
    }
}
