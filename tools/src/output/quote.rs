//! Words for a shell: every path, and every argument of a command, that the program prints for people.
//!
//! What is printed can be pasted: a word that a shell would split or change is in quotes, and control characters in it
//! are escapes (`$'a\nb'`), so that it stays on its line. On Windows the quotes are those of PowerShell.

use std::ffi::OsStr;

use os_display::Quotable;

/// Quotes a word where a shell needs it.
pub fn word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref();
    match text.to_str() {
        // Shells for people replace ! by an earlier command everywhere but between single quotes.
        Some(text) if cfg!(not(windows)) && text.contains('!') => {
            let pieces = text.split('\'').map(|piece| if piece.is_empty() { String::new() } else { always(piece) });
            pieces.collect::<Vec<_>>().join(r"\'")
        }
        _ => text.maybe_quote().to_string(),
    }
}

fn always(text: &str) -> String {
    text.quote().to_string()
}

/// Writes an option with its value, after a space.
pub fn option(name: &str, value: impl AsRef<OsStr>) -> String {
    let value = value.as_ref();
    // A value that begins like an option has to follow an equals sign.
    let between = if value.as_encoded_bytes().starts_with(b"-") { '=' } else { ' ' };
    format!(" --{name}{between}{}", word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    const SPECIAL: [&str; 24] = [
        "",
        " ",
        "~/db",
        "$HOME",
        "a;b",
        "my db; rm x",
        "a*",
        "a&b",
        "#",
        "\"",
        "`",
        "it's",
        "'",
        "''",
        "it's \"$x\"",
        "a!b",
        "!",
        "it's!",
        "!'!",
        "a\\b",
        "{a,b}",
        "[a]",
        "a|b>c<d",
        "é ü",
    ];

    #[test]
    fn a_word_with_a_space_is_in_quotes() {
        assert_eq!(word("my db"), "'my db'");
    }

    #[cfg(unix)]
    #[test]
    fn plain_words_stay_as_they_are() {
        for plain in ["db", "/data/4x4-b_c.d", "é", "1.5GiB", "a:b@c%d+e,f", "-x"] {
            assert_eq!(word(plain), plain);
        }
        assert_eq!((option("db", "a b").as_str(), option("db", "-x").as_str()), (" --db 'a b'", " --db=-x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_every_word() {
        for text in SPECIAL {
            let command = format!("printf %s {}", word(text));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{command}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_word_is_on_one_line() {
        use std::os::unix::ffi::OsStrExt;

        assert_eq!(word("a\nb"), r"$'a\nb'");
        assert_eq!(word("\u{1b}[31m"), r"$'\x1B[31m'");
        assert_eq!(word(OsStr::from_bytes(b"a\xff")), r"$'a\xFF'");
        assert!(!word("a\r\u{2028}!'\n").chars().any(char::is_control));
    }
}
