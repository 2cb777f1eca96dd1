//! What is typed in a game.

use std::str;

use fourbase::notation::column_character;
use fourbase::players::Kind;
use fourbase::{Board, MAX_COLUMNS, excerpt};

use crate::query::lines::{KEPT_BYTES, Line};

/// How much of a line that means nothing is repeated.
const ECHO_BYTES: usize = 40;

/// What may be typed, for people.
pub const HELP: &str = "\
a column  move there
undo      take your last move back, and what was played after it
hint      the best moves, and what they are worth
values    what every column is worth; values rating:3 adds the grades of that player
history   who stood to win, tie or lose ply by ply, and in how many
moves     the moves so far
save FILE save the game
load FILE go on with a saved game
board     draw the board
new       begin a new game
help      this list
quit      leave";

/// A line that was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Nothing.
    Nothing,
    /// Move in a column, from 0, which need not be on the board.
    Move(usize),
    Undo,
    Hint,
    /// Show the values, and the grades of a player.
    Values(Option<Kind>),
    History,
    Moves,
    Save(String),
    Load(String),
    Board,
    New,
    Help,
    Quit,
}

impl Command {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it, in one line.
    pub fn read(line: &Line, board: Board) -> Result<Command, String> {
        if !line.is_whole() {
            return Err(format!("the line has {} bytes; type at most {KEPT_BYTES}", line.bytes()));
        }
        let text = str::from_utf8(line.kept()).map_err(|error| {
            format!("byte {} of the line is not UTF-8; type a column or help", error.valid_up_to() + 1)
        })?;
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let command = match word {
            "" => Command::Nothing,
            "undo" => Command::Undo,
            "hint" => Command::Hint,
            "values" if rest.is_empty() => Command::Values(None),
            "values" => {
                let kind = rest.parse::<Kind>().map_err(|error| error.to_string())?;
                if !matches!(kind, Kind::Rating { .. }) {
                    return Err(format!("{kind} grades no columns; type values, or values rating:3"));
                }
                return Ok(Command::Values(Some(kind)));
            }
            "history" => Command::History,
            "moves" => Command::Moves,
            "save" | "load" if rest.is_empty() => return Err(format!("{word} needs the name of a file")),
            "save" => return Ok(Command::Save(rest.to_owned())),
            "load" => return Ok(Command::Load(rest.to_owned())),
            "board" => Command::Board,
            "new" => Command::New,
            "help" | "?" => Command::Help,
            "quit" | "exit" => Command::Quit,
            _ => Command::Move(column(word).ok_or_else(|| {
                let last = column_character(board.width() - 1).unwrap_or('?');
                format!("\"{}\" is no command; type a column, 1 to {last}, or help", excerpt(text, ECHO_BYTES))
            })?),
        };
        if rest.is_empty() {
            Ok(command)
        } else {
            Err(format!("nothing may follow {}; type help for a list", excerpt(word, ECHO_BYTES)))
        }
    }
}

/// Reads the name of a column, a number or the character under it.
fn column(word: &str) -> Option<usize> {
    let by_number = || word.parse::<u32>().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()));
    let by_character = (0..MAX_COLUMNS).find(|&column| {
        let mut characters = word.chars();
        column_character(column) == characters.next() && characters.next().is_none()
    });
    // 0 is a column as little as 99 is, and the board says so.
    by_character.or_else(|| by_number().map(|number| (number as usize).wrapping_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::lines::Lines;

    fn read(text: &[u8]) -> Result<Command, String> {
        let line = Lines::new(text).next_chunk().unwrap().unwrap_or_default().pop();
        let line = line
            .unwrap_or_else(|| Lines::new([text, b"\n"].concat().as_slice()).next_chunk().unwrap().unwrap().remove(0));
        Command::read(&line, "12x4".parse().unwrap())
    }

    #[test]
    fn columns_are_numbers_or_the_characters_under_them() {
        for (text, column) in [("1", 0), (" 9 ", 8), ("10", 9), ("a", 9), ("c", 11), ("32", 31), ("w", 31), ("99", 98)]
        {
            assert_eq!(read(text.as_bytes()), Ok(Command::Move(column)), "{text}");
        }
        assert_eq!(read(b"0"), Ok(Command::Move(usize::MAX)));
    }

    #[test]
    fn commands_are_words() {
        assert_eq!(read(b"undo\r"), Ok(Command::Undo));
        assert_eq!(read(b"save  my game "), Ok(Command::Save("my game".to_owned())));
        assert_eq!(read(b"values rating:3:1").map(|command| matches!(command, Command::Values(Some(_)))), Ok(true));
        assert_eq!(read(b""), Ok(Command::Nothing));
    }

    #[test]
    fn everything_else_is_told_in_one_line() {
        let texts: [&[u8]; 12] = [
            b"x y",
            b"+1",
            b"-1",
            b"1 2",
            b"save",
            b"load ",
            b"values random",
            b"values x",
            b"\xff",
            b"\0",
            b"1\0",
            b"99999999999999999999",
        ];
        for text in texts {
            let error = read(text).unwrap_err();
            assert!(error.len() < 400 && !error.chars().any(char::is_control), "{error}");
        }
    }
}
