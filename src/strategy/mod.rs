//! Rules of play, and the proof or refutation of each against every reply.
//!
//! A [`Rule`] gives one player's move in every position that the player can meet. [`check()`] plays every move of the
//! opponent against the rule. So the check visits all positions that can arise, counts all lines (whole games) exactly
//! and, if the rule loses, finds a shortest lost line. [`Check::keep`] compares the rule with values that the caller
//! supplies.
//!
//! - [`FollowUp`]: the second player answers in the column where the first player just played, with an exception for
//!   two centre columns.
//! - [`Mirror`]: the second player answers in the mirrored column.
//! - [`Centre`]: either player plays the most central column with room.
//!
//! ```
//! use fourbase::strategy::{FollowUp, Reading, Verdict, check};
//! use fourbase::{Board, Player, notation};
//!
//! let board: Board = "4x4".parse()?;
//! let rule = FollowUp::new(board, FollowUp::middle(board)?, Reading::Pair)?;
//! let proof = check(&rule, board, Player::Second, 1 << 30)?;
//! assert_eq!(proof.verdict(), Verdict::Ties);
//! assert_eq!((proof.positions.all, proof.lines.all), (639, 5_040));
//!
//! let rule = FollowUp::without_centre();
//! let refuted = check(&rule, board, Player::Second, 1 << 30)?;
//! assert_eq!(refuted.verdict(), Verdict::Loses);
//! assert_eq!(refuted.refutation.map(notation::columns_to_text).as_deref(), Some("1122334"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How lines are counted without playing them
//!
//! A rule looks only at the board and at the opponent's last move. So all lines that reach the same position with the
//! opponent to move continue in the same ways. [`check()`] goes forward by two plies at a time and keeps each such
//! position once, with the number of lines that lead to it: `4x6` has 739,200 lines under follow-up and 676 such
//! positions. A line ends when the game is over or the rule is undefined. The check counts the lines by how they end.
//! Counts are 128-bit integers: they are exact, or the check returns an error.

mod check;
mod counts;
mod error;
mod follow_up;
mod keep;
mod memo;
pub(crate) use memo::Map;
mod rule;

pub use check::{Check, check};
pub use counts::{LineCounts, PositionCounts, Verdict};
pub use error::{CentreError, CheckError};
pub use follow_up::{FollowUp, Reading};
pub use keep::KeptCounts;
pub use rule::{Centre, Mirror, Rule};

#[cfg(test)]
mod tests;
