//! Players: who chooses a column, from one that rolls a die to one that knows the answer.
//!
//! A [`Chooser`] is asked for a column in a position and says why it took it. A [`Kind`] is the name of a player as people
//! write it, such as `pomakis:5`; it makes the chooser for a board.
//!
//! | name | chooses | source |
//! |---|---|---|
//! | `perfect` | a best move, by exact outcomes from elsewhere | |
//! | `random` | any column | |
//! | `pomakis:LEVEL` | by minimax over 2^p a line | Keith Pomakis' Connect-4 algorithm 3.7 |
//! | `window:DEPTH` | by minimax over what stands in every window of K cells | the player of a robot arm |
//! | `rating:LEVEL` | by grades that say how near a win is, and nothing else | the Delphi program CONNECT4 4.0 |
//! | `follow-up` | by the second player's rule, see [`strategy`](crate::strategy) | GamesCrafters |
//! | `human` | is asked by the program | |
//!
//! The four players from elsewhere are built from their descriptions, not from their code; where a description is silent,
//! the file of the player says what was built. All of them play any board, also misère.
//!
//! Whatever is left to chance comes from one [`Source`], a generator that gives the same numbers on every machine: the
//! same seed, the same game.
//!
//! ```
//! use fourbase::players::{Kind, Source, nothing_known};
//! use fourbase::{Board, Position};
//!
//! let board: Board = "7x6".parse()?;
//! let kind: Kind = "pomakis:5".parse()?;
//! let mut player = kind.chooser(board, nothing_known()).ok_or("a human")?;
//! let choice = player.choose(&Position::start(board), None, &mut Source::new(1, 0))?;
//! assert_eq!((choice.column, choice.reason.to_string().as_str()), (3, "the middle of the empty board"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chooser;
mod follow_up;
mod kind;
mod perfect;
mod pomakis;
mod random;
mod rating;
mod source;
mod standing;
mod strategy;
mod window;

pub use chooser::{Choice, ChooseError, Chooser, Reason};
pub use follow_up::FollowUpPlayer;
pub use kind::{Kind, KindError, NAMES};
pub use perfect::{Outcomes, PerfectPlayer, nothing_known};
pub use pomakis::PomakisPlayer;
pub use random::RandomPlayer;
pub use rating::{Grade, RatingPlayer};
pub use source::Source;
pub use strategy::Strategy;
pub use window::WindowPlayer;

#[cfg(test)]
mod tests;
