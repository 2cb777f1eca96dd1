//! Players: programs that choose a column, from a random one to a perfect one.
//!
//! A [`Chooser`] chooses a column in a position and gives the reason. A [`Kind`] is a player as people name it, such as
//! `pomakis:5`; [`Kind::chooser`] makes its chooser for a board. a [`Match`] plays games between two choosers.
//!
//! K is the number of pieces in a line that wins.
//!
//! | name | chooses | source |
//! |---|---|---|
//! | `level:LEVEL` | as a person does, who overlooks what is far away | exact outcomes, by which it errs |
//! | `perfect` | a best move, by exact outcomes that the caller supplies | |
//! | `random` | any column | |
//! | `pomakis:LEVEL` | by minimax; a line with p pieces counts 2^p | Keith Pomakis' Connect-4 algorithm 3.7 |
//! | `window:DEPTH` | by minimax over the pieces in every window of K cells | the [Connect Four robot][robot] |
//! | `rating:LEVEL` | by grades that say only how near a win is | the Delphi program CONNECT4 4.0 |
//! | `follow-up` | by the second player's rule, see [`strategy`](crate::strategy) | GamesCrafters |
//! | `human` | by asking a person | |
//!
//! [robot]: https://roboticsproject.readthedocs.io/en/latest/ConnectFourAlgorithm.html
//!
//! The four players with a source are written from descriptions of the originals, not from their code. If a description
//! leaves something open, the module of the player says what the player does here. All players play on any board,
//! including misère.
//!
//! All random choices come from a [`RandomSource`], which generates the same numbers on every machine. So the same seed
//! gives the same game.
//!
//! ```
//! use fourbase::players::{Kind, nothing_known, random_source};
//! use fourbase::{Board, Position};
//!
//! let board: Board = "7x6".parse()?;
//! let kind: Kind = "pomakis:5".parse()?;
//! let mut player = kind.chooser(board, nothing_known()).ok_or("a human")?;
//! let choice = player.choose(&Position::start(board), None, &mut random_source(1, 0))?;
//! assert_eq!((choice.column, choice.reason.to_string().as_str()), (3, "the middle of the empty board"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chooser;
mod follow_up;
pub mod json;
mod kind;
pub(crate) mod level;
mod matches;
mod minimax;
mod perfect;
mod pomakis;
pub(crate) mod random;
mod rating;
mod standing;
mod window;

pub use chooser::{Choice, ChooseError, Chooser, Reason};
pub use kind::{Kind, KindError, NAMES};
pub use matches::{DrawnOpenings, Match, MatchError, Openings, PlayedGame, Score};
pub use perfect::{Outcomes, nothing_known};
pub use random::{RandomSource, random_play, random_source};
pub use rating::RatingPlayer;

#[cfg(test)]
mod tests;
