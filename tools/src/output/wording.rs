//! Values, columns and paths in words. Values have colours: win is green, tie yellow, lose red.

use std::path::Path;

use anstyle::{AnsiColor, Style};
pub use fourbase::notation::choice_of_columns as columns;
use fourbase::{Outcome, Player, Value, excerpt};
use fourbase_tiers::database::Database;

use crate::quote;

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
    let word = quote::word(path);
    if word.len() <= PATH_BYTES { word } else { excerpt(&path.display().to_string(), PATH_BYTES) }
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
}
