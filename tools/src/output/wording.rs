//! Values, paths and commands in words. Values have colours: win is green, tie yellow, lose red.
//!
//! Every path and every argument of a command that is printed for people can be pasted: a word that a shell would split or
//! change is in quotes, and control characters in it are escapes (`$'a\nb'`), so that it stays on its line. On Windows the
//! quotes are those of PowerShell.

use std::ffi::OsStr;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use fourbase::{Outcome, Player, Value, excerpt};
use fourbase_tiers::database::Database;
use os_display::Quotable;

/// How much of a path a message shows.
const PATH_BYTES: usize = 1024;

/// Returns the colour of a value on a terminal.
fn style(value: Value) -> Style {
    let colour = match value {
        Value::Win => AnsiColor::Green,
        Value::Tie => AnsiColor::Yellow,
        Value::Lose => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// Writes a value in its colour, with spaces after it to a width of `width` characters.
pub fn value(value: Value, width: usize) -> String {
    let style = style(value);
    format!("{style}{value}{style:#}{:1$}", "", width.saturating_sub(value.to_string().len()))
}

/// Writes `tie in 17` in colours; without the number if the remoteness is unknown.
pub fn outcome(outcome: Outcome) -> String {
    let value = value(outcome.value, 0);
    outcome.remoteness.map_or(value.clone(), |remoteness| format!("{value} in {remoteness}"))
}

/// Writes `first player to move: tie in 17` in colours.
pub fn sentence(to_move: Player, outcome: Outcome) -> String {
    format!("{to_move} player to move: {}", self::outcome(outcome))
}

/// Names a database: its folder, or that it is part of the program.
pub fn database(database: &Database) -> String {
    if database.is_embedded() {
        format!("the database of {} that is part of fourbase", database.board())
    } else {
        path(database.folder())
    }
}

/// Writes which plies a database keeps.
pub fn kept(keep_plies: Option<u32>) -> String {
    keep_plies.map_or_else(|| "all plies".to_string(), |most| format!("plies up to {most}"))
}

/// Writes a path for people: one that a shell reads back, unless it has more than a kilobyte, which is cut.
pub fn path(path: &Path) -> String {
    let word = shell_word(path);
    if word.len() <= PATH_BYTES { word } else { excerpt(&path.display().to_string(), PATH_BYTES) }
}

/// Quotes a word where a shell needs it.
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
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
    format!(" --{name}{between}{}", shell_word(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_has_no_colour() {
        assert_eq!(value(Value::Win, 5), "\u{1b}[1m\u{1b}[32mwin\u{1b}[0m  ");
        assert_eq!(value(Value::Lose, 2), "\u{1b}[1m\u{1b}[31mlose\u{1b}[0m");
    }

    #[test]
    fn a_path_is_on_one_line_and_not_endless() {
        assert_eq!(path(Path::new("my db")), "'my db'");
        let long = path(Path::new(&"a b\n".repeat(1000)));
        assert!(long.len() <= PATH_BYTES && !long.chars().any(char::is_control), "{long}");
    }

    #[test]
    fn an_unknown_remoteness_is_left_out() {
        let tie =
            |remoteness| anstream::adapter::strip_str(&outcome(Outcome { value: Value::Tie, remoteness })).to_string();
        assert_eq!((tie(Some(17)).as_str(), tie(None).as_str()), ("tie in 17", "tie"));
    }

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
        assert_eq!(shell_word("my db"), "'my db'");
    }

    #[cfg(unix)]
    #[test]
    fn plain_words_stay_as_they_are() {
        for plain in ["db", "/data/4x4-b_c.d", "é", "1.5GiB", "a:b@c%d+e,f", "-x"] {
            assert_eq!(shell_word(plain), plain);
        }
        assert_eq!((option("db", "a b").as_str(), option("db", "-x").as_str()), (" --db 'a b'", " --db=-x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_every_word() {
        for text in SPECIAL {
            let command = format!("printf %s {}", shell_word(text));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{command}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_word_is_on_one_line() {
        use std::os::unix::ffi::OsStrExt;

        assert_eq!(shell_word("a\nb"), r"$'a\nb'");
        assert_eq!(shell_word("\u{1b}[31m"), r"$'\x1B[31m'");
        assert_eq!(shell_word(OsStr::from_bytes(b"a\xff")), r"$'a\xFF'");
        assert!(!shell_word("a\r\u{2028}!'\n").chars().any(char::is_control));
    }
}
