//! Values, paths and commands in words. Values have colours that no piece has: win is green, tie yellow, loss red.
//!
//! Users can paste every printed path and command into a shell. A word that a shell would split or change is in quotes. Control
//! characters in the word are escapes (`$'a\nb'`), so that it stays on one line. On Windows the quotes are those of PowerShell.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anstyle::AnsiColor;
use fourbase::{Outcome, Player, Position, Value, excerpt};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{counted, is_address, shown};
use os_display::Quotable;

/// The width of a line of output, in characters.
pub const LINE: usize = 80;

/// The most bytes of a path in a message; a longer path is cut.
const PATH_BYTES: usize = 1024;

/// Writes a text in the colour of a value.
pub fn in_colour(value: Value, text: &str) -> String {
    let colour = match value {
        Value::Win => AnsiColor::Green,
        Value::Tie => AnsiColor::Yellow,
        Value::Lose => AnsiColor::Red,
    };
    let style = colour.on_default().bold();
    format!("{style}{text}{style:#}")
}

/// Writes a value in its colour: `win`, `tie` or `loss`.
pub fn value(value: Value) -> String {
    in_colour(value, value.noun())
}

/// Writes `tie in 17 plies` in colours; without the number if the remoteness is unknown.
pub fn outcome(outcome: Outcome) -> String {
    let value = value(outcome.value);
    outcome.remoteness.map_or(value.clone(), |remoteness| format!("{value} in {}", counted(remoteness, "ply")))
}

/// Writes `X to move: tie in 17 plies` in colours.
pub fn sentence(to_move: Player, outcome: Outcome) -> String {
    format!("{} to move: {}", to_move.mark(), self::outcome(outcome))
}

/// Writes the outcome of an unfinished position as a sentence: `X to move: wins in 37 plies (X's 19th move from here)`.
pub fn verdict(to_move: Player, outcome: Outcome) -> String {
    let verb = match outcome.value {
        Value::Win => "wins",
        Value::Tie => "a tie",
        Value::Lose => "loses",
    };
    let end = outcome.remoteness.map_or_else(String::new, |plies| match outcome.value {
        Value::Tie => format!(", {} to a full board", counted(plies, "ply")),
        _ => format!(" in {} ({})", counted(plies, "ply"), last_move(to_move, plies)),
    });
    format!("{} to move: {}{end}", to_move.mark(), in_colour(outcome.value, verb))
}

/// Names the move that ends the game after `plies` plies. On misère boards the loser makes that move.
fn last_move(to_move: Player, plies: u32) -> String {
    let mark = if plies % 2 == 1 { to_move.mark() } else { to_move.other().mark() };
    let number = plies.div_ceil(2);
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    if number == 1 { format!("{mark}'s next move") } else { format!("{mark}'s {number}{ending} move from here") }
}

/// Writes who is to move or who has won: `X to move`, `O has won`, `a tie: the board is full`.
pub fn standing(position: &Position) -> String {
    match (position.primitive(), position.winner()) {
        (None, _) => format!("{} to move", position.to_move().mark()),
        (Some(_), None) => "a tie: the board is full".to_owned(),
        (Some(_), Some(winner)) if position.board().is_misere() => {
            format!("{} has won: {} completed a line", winner.mark(), winner.other().mark())
        }
        (Some(_), Some(winner)) => format!("{} has won", winner.mark()),
    }
}

/// Names a database by its folder, or as built in.
pub fn database(database: &Database) -> String {
    if database.is_embedded { format!("the built-in {} database", database.board()) } else { path(database.folder()) }
}

/// Writes which plies a database keeps.
pub fn kept(keep_plies: Option<u32>) -> String {
    keep_plies.map_or_else(|| "all plies".to_string(), |most| format!("plies up to {most}"))
}

/// Writes a path for people, quoted as a shell needs it. A path of more than [`PATH_BYTES`] bytes is cut instead.
pub fn path(path: &Path) -> String {
    let path = if is_address(path) { PathBuf::from(shown(path)) } else { path.to_path_buf() };
    let word = shell_word(&path);
    if word.len() <= PATH_BYTES { word } else { excerpt(&path.display().to_string(), PATH_BYTES) }
}

/// Writes the message of a failed write; the caller appends the cause.
pub fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", path(file))
}

/// Quotes a word if a shell needs quotes.
pub fn shell_word(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref();
    match text.to_str() {
        // Interactive shells replace `!` by an earlier command, except between single quotes.
        Some(text) if cfg!(not(windows)) && text.contains('!') => {
            let quoted = |piece: &str| if piece.is_empty() { String::new() } else { piece.quote().to_string() };
            text.split('\'').map(quoted).collect::<Vec<_>>().join(r"\'")
        }
        _ => text.maybe_quote().to_string(),
    }
}

/// Writes an option with its value, after a space.
pub fn option(name: &str, value: impl AsRef<OsStr>) -> String {
    let value = value.as_ref();
    // A value that begins with a hyphen would be read as an option, unless it follows an equals sign.
    let between = if value.as_encoded_bytes().starts_with(b"-") { '=' } else { ' ' };
    format!(" --{name}{between}{}", shell_word(value))
}

/// Writes words after a name, on several lines if one is too short.
pub fn wrapped(name: &str, words: &str) -> String {
    let (mut text, mut width) = (name.to_owned(), name.len());
    for word in words.split(' ') {
        if width + 1 + word.len() > LINE {
            text.push('\n');
            text.push_str(&" ".repeat(name.len()));
            width = name.len();
        }
        text.push(' ');
        text.push_str(word);
        width += 1 + word.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_on_one_line_and_not_endless() {
        assert_eq!(path(Path::new("my db")), "'my db'");
        let long = path(Path::new(&"a b\n".repeat(1000)));
        assert!(long.len() <= PATH_BYTES && !long.chars().any(char::is_control), "{long}");
    }

    #[cfg(unix)]
    #[test]
    fn plain_words_stay_as_they_are_and_every_word_is_on_one_line() {
        use std::os::unix::ffi::OsStrExt;

        for plain in ["db", "/data/4x4-b_c.d", "é", "1.5GiB", "a:b@c%d+e,f", "-x"] {
            assert_eq!(shell_word(plain), plain);
        }
        assert_eq!((option("db", "a b").as_str(), option("db", "-x").as_str()), (" --db 'a b'", " --db=-x"));
        assert_eq!(shell_word("a\nb"), r"$'a\nb'");
        assert_eq!(shell_word("\u{1b}[31m"), r"$'\x1B[31m'");
        assert_eq!(shell_word(OsStr::from_bytes(b"a\xff")), r"$'a\xFF'");
        assert!(!shell_word("a\r\u{2028}!'\n").chars().any(char::is_control));
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_every_word() {
        let words = "\n \n~/db\n$HOME\na;b\nmy db; rm x\na*\na&b\n#\n\"\n`\nit's\n'\n''\nit's \"$x\"\na!b\n!\nit's!\n!'!\n\
                     a\\b\n{a,b}\n[a]\na|b>c<d\né ü";
        for text in words.split('\n') {
            let command = format!("printf %s {}", shell_word(text));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{command}");
        }
    }
}
