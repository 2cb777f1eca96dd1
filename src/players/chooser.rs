//! The interface of a player: a program that chooses a column and gives the reason.

use std::error::Error;
use std::fmt;

use rand::Rng;
use thiserror::Error;

use super::Kind;
use crate::value::in_plies;
use crate::{Board, OtherBoard, Outcome, Position};

/// Chooses a column for the player to move. A chooser works for one board. It may store data between moves, but its
/// choice depends only on the arguments.
pub trait Chooser {
    /// Chooses a column of `position`, in which the game is not over.
    ///
    /// `last` is the column (from 0) of the opponent's last move, `None` on the empty board or if unknown. Only
    /// [`Kind::FollowUp`](super::Kind::FollowUp) looks at it.
    ///
    /// # Errors
    ///
    /// [`ChooseError::OtherBoard`] if the position and the player are of different boards, [`ChooseError::Over`] if
    /// there is no move, [`ChooseError::Unknown`] if the player needs outcomes and can't get them.
    fn choose(&mut self, position: &Position, last: Option<usize>, random: &mut dyn Rng)
    -> Result<Choice, ChooseError>;
}

/// A column, and why it was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The column, from 0.
    pub column: usize,
    /// Why the player chose the column.
    pub reason: Reason,
}

/// Why a column was chosen. `Display` writes it as one line without a line break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A best move by exact outcomes.
    Best {
        /// The outcome of the move for its mover.
        outcome: Outcome,
        /// The number of best moves, this one included.
        equal: usize,
    },
    /// A random column.
    Chance {
        /// The number of columns with room.
        columns: usize,
    },
    /// The middle of the empty board, played without a search.
    Middle,
    /// The move that leads to the best score, computed some plies ahead.
    Score {
        /// The score; higher is better for the mover.
        score: i64,
        /// How many plies the player looked ahead.
        plies: u32,
    },
    /// The search found a win.
    WinSeen {
        /// Plies to the win; `None` if the player does not count them.
        plies: Option<u32>,
    },
    /// The search found a loss after every move.
    LossSeen {
        /// Plies to the loss; `None` if the player does not count them.
        plies: Option<u32>,
    },
    /// The move with the best grade.
    Graded {
        /// The grade of the move.
        grade: u8,
        /// How many plies the player looked ahead.
        plies: u32,
        /// The value of the move's cell, by which the player's strategy chooses among moves of equal grade; `None` for
        /// a player with strategy 0.
        cell: Option<i32>,
    },
    /// The player sees no win and no loss, and takes a cell of promising lines.
    Promise,
    /// The reply of a rule of play.
    Rule {
        /// The rule's name.
        name: &'static str,
    },
    /// The most central column with room, because the rule of play has no reply here.
    NoRule {
        /// The rule's name.
        name: &'static str,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let within = |plies: Option<u32>| plies.map_or_else(String::new, in_plies);
        match *self {
            Reason::Best { outcome, equal } => {
                write!(f, "{}{}", outcome.value.noun(), within(outcome.remoteness))?;
                match equal {
                    0 | 1 => write!(f, ", the only best move"),
                    _ => write!(f, ", one of {equal} best moves"),
                }
            }
            Reason::Chance { columns: 1 } => write!(f, "the only column"),
            Reason::Chance { columns } => write!(f, "one of {columns} columns at random"),
            Reason::Middle => write!(f, "the middle of the empty board"),
            Reason::Score { score, plies } => write!(f, "score {score:+}, looking {plies} plies ahead"),
            Reason::WinSeen { plies } => write!(f, "sees a win{}", within(plies)),
            Reason::LossSeen { plies } => write!(f, "sees a loss{}", within(plies)),
            Reason::Graded { grade, plies, cell } => {
                write!(f, "grade {grade}, looking {plies} plies ahead")?;
                cell.map_or(Ok(()), |cell| write!(f, ", value of the cell {cell}"))
            }
            Reason::Promise => write!(f, "sees no end: a promising cell"),
            Reason::Rule { name } => write!(f, "by the rule {name}"),
            Reason::NoRule { name } => write!(f, "the rule {name} has no reply here: the most central column"),
        }
    }
}

/// Why a player could not choose a column.
#[derive(Debug, Error)]
pub enum ChooseError {
    /// The position and the player are of different boards.
    #[error("{0}; make a player for {found}", found = .0.found)]
    OtherBoard(#[from] OtherBoard),
    /// The game is over.
    #[error("the game is over; take moves back, or start another game")]
    Over,
    /// The player is a human.
    #[error("a human chooses a move; ask for one of another player")]
    Human,
    /// The player looks so far ahead that a move may take long, and its search can't be interrupted.
    #[error("{kind} looks {} plies ahead, which may take long; on {board} at most {most} are allowed", kind.looks_ahead())]
    TooFar {
        /// The player.
        kind: Kind,
        /// The board.
        board: Board,
        /// The most plies that a player may look ahead.
        most: u32,
    },
    /// The outcomes of the moves have no remoteness, as from a database of values alone.
    #[error(
        "the remoteness of the moves is not known; allow a search, or a longer one, or solve the board with remoteness"
    )]
    NoRemoteness,
    /// The exact outcomes that the player needs are not known.
    #[error("the values of the moves are not known: {0}")]
    Unknown(
        /// Why they are not known.
        #[source]
        Box<dyn Error + Send + Sync>,
    ),
}

/// Returns an error if the game is over or `position` is not of the `expected` board.
pub(super) fn check_open(expected: Board, position: &Position) -> Result<(), ChooseError> {
    position.check_board(expected)?;
    if position.primitive().is_some() { Err(ChooseError::Over) } else { Ok(()) }
}
