//! What a position is worth, what its moves are worth, and how best play goes on: one request and one result for everything
//! that answers.
//!
//! A [`Budget`] says how far one question may go: nodes, a deadline, and a [`Monitor`](crate::search::Monitor) through which
//! another thread watches and cancels it. An [`Analyst`] answers with an [`Analysis`], from what it has:
//!
//! | it has | value | remoteness | takes |
//! |---|---|---|---|
//! | a database ([`Lookup`]) | looked up | looked up; unknown in a database of values alone | microseconds |
//! | searches ([`SearchPool`]) | searched | searched | microseconds to years: give it a budget |
//! | both | looked up; searched where the tier is not solved yet | looked up; searched where the database has none, and only for moves that keep the value | the sum of the two |
//!
//! Where a limit is reached, the analysis has what is known: the value, and some of the moves. While it is made, a listener
//! gets the same [`Analysis`] again and again, each time with more. [`json`] writes it.
//!
//! [`GameAnalysis`] analyses all positions of a game, and [`Grade`] adds up how the moves of a player compare with the best.
//!
//! Analysts are for many threads: every method takes `&self`. Calls block until there is an answer.
//!
//! ```
//! use fourbase::analysis::{Analyst, Budget, Source};
//! use fourbase::search::Options;
//! use fourbase::{Board, Outcome, Value, notation};
//!
//! let board: Board = "7x6".parse()?;
//! let analyst = Analyst::searching(board, Options::default());
//! let position = notation::parse(board, "4444435555")?;
//! let mut budget = Budget { nodes: Some(10_000_000), ..Budget::default() };
//! let analysis = analyst.analyse(&position, true, &mut budget, None)?;
//! assert_eq!(analysis.outcome, Some(Outcome { value: Value::Win, remoteness: Some(31) }));
//! assert_eq!((analysis.moves[0].column, analysis.line.map(|line| line.len())), (4, Some(31)));
//! assert!(analysis.source == Source::Search && analysis.cost.nodes <= 10_000_000 && analysis.limit.is_none());
//!
//! let mut budget = Budget { nodes: Some(1000), ..Budget::default() };
//! let error = analyst.outcome(&notation::parse(board, "-")?, &mut budget).unwrap_err();
//! assert_eq!(error.to_string(), "7x6: not decided within 1000 nodes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyst;
mod budget;
mod description;
mod game;
mod grade;
pub mod json;
mod pool;
mod share;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::search::SearchError;
use crate::{Board, Outcome, Position, Value};
pub use analyst::{Analyst, Gap, Listener, Lookup};
pub use budget::{Budget, Cost};
pub use description::{DescriptionJson, canonical};
pub use game::{GameAnalysis, Loss, Mistake, Ply, QUICK_NODES};
pub use grade::{Grade, GradedPly, Judgement, Shares};
use json::DatabaseJson;
pub use pool::SearchPool;
pub use share::Share;

/// What was found out about a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The position.
    pub position: Position,
    /// What it is worth, the value alone where the remoteness is not known; `None` where nothing is known.
    pub outcome: Option<Outcome>,
    /// All legal moves, best first, equally good ones by column; those that are not known last. By column until the analysis
    /// is complete.
    pub moves: Vec<Move>,
    /// Best play to the end of the game, columns from 0, the lowest among equals; `None` where it is unknown, or was not asked
    /// for.
    pub line: Option<Vec<usize>>,
    /// What decided the value.
    pub source: Source,
    /// The database that was asked.
    pub database: DatabaseJson,
    /// What everything took.
    pub cost: Cost,
    /// The limit that was reached; `None` where everything is known.
    pub limit: Option<AnalysisError>,
}

/// A legal move, and what it is worth if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Column, from 0.
    pub column: usize,
    /// What the move is worth to the player who makes it; the remoteness counts from the position before it.
    pub outcome: Option<Outcome>,
}

/// What decided the value of an analysis. Several analyses together are as good as the last of theirs here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The board itself: the game is over, or the player to move can win at once.
    Board,
    /// A database that looked it up.
    Database,
    /// A search.
    Search,
}

impl Analysis {
    /// Begins the analysis of a position of which only the moves are known.
    #[must_use]
    pub fn unknown(position: &Position) -> Analysis {
        Analysis {
            position: *position,
            outcome: None,
            moves: position.moves().map(|column| Move { column, outcome: None }).collect(),
            line: None,
            source: Source::Search,
            database: DatabaseJson::default(),
            cost: Cost::default(),
            limit: None,
        }
    }

    /// Returns whether anything is known of the position.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.outcome.is_some() || self.moves.iter().any(|of| of.outcome.is_some())
    }

    /// Returns the columns of the best moves, as far as they are known.
    pub fn best(&self) -> impl Iterator<Item = usize> + '_ {
        let is_best = |of: &&Move| self.outcome.is_some() && of.outcome == self.outcome;
        self.moves.iter().filter(is_best).map(|of| of.column)
    }

    /// Finds what the position is worth from its moves: the best of all, or a win, whose remoteness is not known then.
    fn outcome_of_moves(&self) -> Option<Outcome> {
        let best = self.moves.iter().filter_map(|of| of.outcome).min()?;
        if self.moves.iter().all(|of| of.outcome.is_some()) {
            return Some(best);
        }
        (best.value == Value::Win).then_some(Outcome { remoteness: None, ..best })
    }
}

/// The reason why there is no answer. An answer is never a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum AnalysisError {
    /// The searches of the question reached its limit of nodes.
    #[error("{board}: not decided within {nodes} nodes")]
    NodeLimit {
        /// The board.
        board: Board,
        /// The limit of the whole question.
        nodes: u64,
    },
    /// The time of the question is over.
    #[error("{board}: not decided in time, after {nodes} nodes")]
    Deadline {
        /// The board.
        board: Board,
        /// The nodes that the question has visited.
        nodes: u64,
    },
    /// The monitor of the question was cancelled.
    #[error("{board}: cancelled after {nodes} nodes")]
    Cancelled {
        /// The board.
        board: Board,
        /// The nodes that the question has visited.
        nodes: u64,
    },
    /// A position of another board.
    #[error("the position is of board {found}, not of {expected}")]
    OtherBoard {
        /// The board of the analyst.
        expected: Board,
        /// The board of the position.
        found: Board,
    },
    /// The answers contradict each other, so a database is wrong.
    #[error("no move of {position} is worth what the position is")]
    NoBestMove {
        /// The position.
        position: Position,
    },
    /// A search has found a database wrong.
    #[error(transparent)]
    Search(SearchError),
}

impl AnalysisError {
    /// Returns whether a limit of the budget was reached.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        use AnalysisError::{Cancelled, Deadline, NodeLimit};
        matches!(self, NodeLimit { .. } | Deadline { .. } | Cancelled { .. })
    }
}
