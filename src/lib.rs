#![forbid(unsafe_code)]
//! Connect Four on any board of up to 64 cells and 32 columns: the rules, and how positions are written.
//!
//! - [`Board`] names a game: columns, rows, how many in a row make a line, and whether a line wins or loses (misère).
//! - [`Position`] is a board with pieces on it, as two 64-bit bitboards. It lists its moves and says if it is over.
//! - [`lines`] lists the places where a line fits, and [`has_line`] finds a line by shifts, without a list.
//! - [`Value`] and [`Outcome`] are what a position is worth, always **for the player to move**.
//! - [`notation`] reads and writes positions as text.
//! - [`search`] finds the value and remoteness of a position by looking forward.
//! - [`Game`] is a position with the moves that led to it.
//! - [`analysis`] evaluates a position and its moves within a budget, from a database, by search, or both.
//! - [`strategy`] proves or refutes a rule of play against every reply.
//! - [`players`] choose a column and say why.
//! - [`puzzles`] draws positions in which exactly one move keeps the win or the tie.
//!
//! In the library, columns and rows count from 0, column 0 on the left and row 0 at the bottom. In text for people,
//! including error messages, they count from 1.
//!
//! ```
//! use fourbase::{Board, Player, Value, notation};
//!
//! let board: Board = "5x4".parse()?;
//! let position = notation::parse(board, "112233")?;
//! assert_eq!(position.to_move(), Player::First);
//! assert_eq!(position.moves().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
//!
//! let finished = position.play(3)?;
//! assert_eq!(finished.primitive(), Some(Value::Lose)); // the second player is to move, and has lost
//! assert_eq!(finished.to_string(), "01100 01100 01100 01000 10000");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
mod board;
mod excerpt;
mod game;
mod lines;
pub mod notation;
mod player;
pub mod players;
mod position;
pub mod puzzles;
pub mod reasons;
pub mod search;
pub mod strategy;
mod value;

/// The plain search of the tests that cross the packages, which shares no code with this library.
#[cfg(test)]
#[path = "../tests/support/long.rs"]
#[allow(dead_code)]
mod long;
#[cfg(test)]
#[path = "../tests/support/plain_game.rs"]
#[allow(dead_code)]
mod plain_game;
#[cfg(test)]
#[path = "../tests/support/plain_search.rs"]
#[allow(dead_code)]
mod plain_search;
#[cfg(test)]
extern crate self as fourbase;

pub use board::{Board, BoardError, MAX_CELLS, MAX_COLUMNS, MAX_CONNECT};
pub use excerpt::excerpt;
pub use game::Game;
pub use lines::{has_line, lines, winning_cells};
pub use player::{PerPlayer, Player};
pub use position::{MoveError, OtherBoard, PiecesError, Position};
pub use value::{Outcome, Value};
