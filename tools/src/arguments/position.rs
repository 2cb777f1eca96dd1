//! Boards, positions and players on the command line.

use std::collections::BTreeSet;

use anyhow::bail;
use clap::Args;
use fourbase::notation::board_of_link;
use fourbase::{Board, excerpt};
use fourbase_tiers::database::Database;

use super::EXCERPT_BYTES;
use crate::failure::BadInput;

/// The default board.
pub const USUAL_BOARD: &str = "7x6";

/// Boards that a shell completes even if they are not solved.
const COMMON_BOARDS: [&str; 8] = ["4x4", "5x4", "5x5", "6x5", "7x4", "7x5", "6x6", "7x6"];

/// Players that a shell completes, with usual levels.
const PLAYERS: [&str; 8] =
    ["human", "perfect", "perfect:first", "random", "pomakis:5", "window:4", "rating:9", "follow-up"];

/// The strategies of `prove`.
pub const STRATEGIES: [&str; 3] = ["follow-up", "mirror", "centre"];

/// The part of a help text that explains how to write a position.
pub const POSITION_HELP: &str = "\
Write a position in one of these forms:
  moves               4453: one character for each column played, 1 to 9, then
                      a to w; - for the empty board. Also 4 4 5 3, 4,4,5,3 or
                      1. 4 4 2. 5 3; and d1 d2 e1 c1 on up to 9 columns
  link                of gamesolver.org, or of the page of fourbase serve
  column bit strings  10100 10010 11010 01010: each column from the bottom up,
                      0 for the first player, 1 for the second, then a 1, and
                      0s to the top
  GamesmanUni string  1_-XXX--OO---O----: the player to move, then each column
                      from the top down
  drawn board         as fourbase draws it, in one argument: a line for each
                      row from the top, of . X O, or 0 1 2
Moves and bit strings may be separate arguments: 4 4 5 3.";

/// The board.
#[derive(Args, Clone, Copy, Debug)]
pub struct BoardArgument {
    /// Columns x rows; then cN for lines of N instead of 4; then m for misère: 5x4, 4x4c3, 4x4m
    // Allow a hyphen, so that the error for `-1x4` says how to write a board. Otherwise clap would say that no option -1 exists.
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    pub board: Board,
}

/// A board and a position on it. Each may be left out.
#[derive(Args, Clone, Debug)]
pub struct PositionArgument {
    /// Columns x rows; then cN for lines of N instead of 4; then m for misère [default: 7x6, or the board of a link]
    #[arg(value_name = "BOARD")]
    board: Option<String>,

    /// The position, in any of the forms below [default: the empty board]
    #[arg(value_name = "POSITION")]
    position: Vec<String>,
}

impl PositionArgument {
    /// Returns the board and the text of the position. The first word is the board if it looks like one.
    ///
    /// # Errors
    ///
    /// The board is malformed, or follows the position; the text is blank; or a position is given although a batch reads its
    /// positions from its input.
    pub fn read(&self, is_batch: bool) -> anyhow::Result<(Board, String)> {
        let mut words: Vec<&str> =
            self.board.iter().chain(&self.position).flat_map(|argument| words_of(argument)).collect();
        let named = words.first().filter(|word| is_board(word)).map(|word| word.parse()).transpose()?;
        words.drain(..usize::from(named.is_some()));
        let text = words.join(" ");
        if let Some(board) = words.iter().find(|word| word.parse::<Board>().is_ok()) {
            let board = excerpt(board, EXCERPT_BYTES);
            bail!(BadInput(format!("\"{board}\" is a board; write one board, before the position")));
        }
        if words.iter().any(|word| word.trim().is_empty()) {
            bail!(BadInput("the text is blank; write - for the empty board".to_owned()));
        }
        if is_batch && !words.is_empty() {
            let text = excerpt(&text, EXCERPT_BYTES);
            bail!(BadInput(format!("--batch reads lines from standard input or --input FILE; leave \"{text}\" out")));
        }
        let board = named.or_else(|| board_of_link(&text)).map_or_else(|| USUAL_BOARD.parse(), Ok)?;
        Ok((board, text))
    }
}

/// Returns the words of an argument. Returns a blank argument whole, so that it is refused later, and also an argument of several
/// lines, which may be a drawn board.
fn words_of(argument: &str) -> impl Iterator<Item = &str> {
    let is_whole = argument.trim().is_empty() || argument.trim().contains('\n');
    let words = (!is_whole).then(|| argument.split_whitespace());
    words.into_iter().flatten().chain(is_whole.then_some(argument))
}

/// Tells whether a word is meant as a board: it has an `x`, and before that only digits and minus signs.
fn is_board(word: &str) -> bool {
    let columns = word.split_once(['x', 'X']).map(|(columns, _)| columns).filter(|_| !word.contains('\n'));
    columns.is_some_and(|columns| columns.chars().all(|found| found.is_ascii_digit() || found == '-'))
}

/// Tells whether an argument in the place of a subcommand is meant as a board or as a position: its first word is a board, a link
/// or `-`, begins with a digit, or names a column or a square such as `d` or `D1`.
pub fn is_board_or_position(argument: &str) -> bool {
    let word = argument.split_whitespace().next().unwrap_or_default();
    let is_digit = |place: usize| word.as_bytes().get(place).is_some_and(u8::is_ascii_digit);
    matches!(word.as_bytes(), [b'-' | b'a'..=b'i' | b'A'..=b'I'])
        || !word.starts_with('-') && (is_board(word) || word.contains('?') || is_digit(0) || is_digit(1))
}

/// Lists the values that a shell completes for an argument, which also takes other values. `name` is the argument's value name. The
/// boards are the common and the built-in ones.
pub fn suggestions(name: &str) -> Vec<String> {
    match name {
        "BOARD" => {
            let built_in = Database::embedded_boards().into_iter().map(|board| board.to_string());
            let boards: BTreeSet<String> = COMMON_BOARDS.map(str::to_owned).into_iter().chain(built_in).collect();
            boards.into_iter().collect()
        }
        "PLAYER" => PLAYERS.map(str::to_owned).to_vec(),
        "NAME" => STRATEGIES.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}
