//! The lines that the user types in a game.

use std::str;

use fourbase::notation::{DIGITS, column_character, parse_moves};
use fourbase::players::Kind;
use fourbase::{MAX_COLUMNS, Position, excerpt};

use crate::batch::lines::{KEPT_BYTES, Line};

/// How many bytes of an invalid line the error message repeats.
const ECHO_BYTES: usize = 40;

/// The column whose name is `q`, counted from 0.
const COLUMN_Q: usize = 25;

/// The text that `help` prints.
pub const HELP: &str = "  \
  a column   move there: 4, or d or d1 as books write it
  undo       take back your last move and the moves after it
  hint       show the best moves and their result
  values     show the result of every column; values rating:3 adds the
             grades of that player
  history    show for every move which player wins, and in how many plies
  moves      show the moves so far
  save FILE  save the game
  load FILE  load a saved game
  board      draw the board
  new        start a new game
  help       show this list
  quit, q    leave";

/// A line that was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// An empty line.
    Nothing,
    /// A move in a column, counted from 0; it may be outside of the board.
    Move(usize),
    Undo,
    Hint,
    /// The values, and the grades of a player.
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

impl Typed {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// A one-line message that says what is wrong with the line.
    pub fn read(line: &Line, position: &Position) -> Result<Typed, String> {
        if !line.is_whole() {
            return Err(format!("the line has {} bytes; type at most {KEPT_BYTES}", line.bytes));
        }
        let text = str::from_utf8(&line.kept).map_err(|error| {
            format!("byte {} of the line is not UTF-8; type a column or help", error.valid_up_to() + 1)
        })?;
        // Some programs begin a file with a byte order mark, which is ignored.
        let text = text.trim_start_matches('\u{feff}').trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let command = match word {
            "" => Typed::Nothing,
            "undo" => Typed::Undo,
            "hint" => Typed::Hint,
            "values" if rest.is_empty() => Typed::Values(None),
            "values" => {
                let kind = rest.parse::<Kind>().map_err(|error| error.to_string())?;
                if !matches!(kind, Kind::Rating { .. }) {
                    return Err(format!("{kind} does not grade columns; type values, or values rating:3"));
                }
                return Ok(Typed::Values(Some(kind)));
            }
            "history" => Typed::History,
            "moves" => Typed::Moves,
            "save" | "load" if rest.is_empty() => return Err(format!("{word} needs the name of a file")),
            "save" => return Ok(Typed::Save(rest.to_owned())),
            "load" => return Ok(Typed::Load(rest.to_owned())),
            "board" => Typed::Board,
            "new" => Typed::New,
            "help" | "?" => Typed::Help,
            "quit" | "exit" => Typed::Quit,
            "q" if position.board().width() <= COLUMN_Q => Typed::Quit,
            _ if is_square(word) && position.board().width() <= DIGITS => {
                let columns = parse_moves(position, word).map_err(|error| error.to_string())?;
                Typed::Move(columns.first().copied().unwrap_or(usize::MAX))
            }
            _ => Typed::Move(column(word).ok_or_else(|| {
                let width = position.board().width();
                let last = column_character(width - 1).unwrap_or('?');
                let letter =
                    (b'a'..=b'i').nth(width - 1).map_or_else(String::new, |last| format!(" or a to {}", last as char));
                format!(
                    "\"{}\" is not a command; type a column, 1 to {last}{letter}, or help",
                    excerpt(text, ECHO_BYTES)
                )
            })?),
        };
        if rest.is_empty() {
            Ok(command)
        } else {
            Err(format!("{} must be alone on its line; type help for a list", excerpt(word, ECHO_BYTES)))
        }
    }
}

/// Tells whether a word is a column or a square as books write them, such as `d` or `D1`.
fn is_square(word: &str) -> bool {
    matches!(word.as_bytes(), [b'a'..=b'i' | b'A'..=b'I', row @ ..] if row.iter().all(u8::is_ascii_digit))
}

/// Reads a column: its number, or the character that stands under the column on the drawn board. Returns it counted from 0.
fn column(word: &str) -> Option<usize> {
    let by_number = || word.parse::<u32>().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()));
    let by_character = (0..MAX_COLUMNS).find(|&column| {
        let mut characters = word.chars();
        column_character(column) == characters.next() && characters.next().is_none()
    });
    // Numbers outside of the board, such as 0 and 99, pass here; the board refuses them later.
    by_character.or_else(|| by_number().map(|number| (number as usize).wrapping_sub(1)))
}
