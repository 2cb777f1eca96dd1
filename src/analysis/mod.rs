//! The value of a position, the values of its moves, and best play. Requests and results have the same form, whether a
//! database or a search answers.
//!
//! A [`Budget`] limits the work for one question: nodes, a deadline, and a [`Monitor`](crate::search::Monitor) through
//! which another thread can watch and cancel it. An [`Analyst`] answers with an [`Analysis`], depending on its sources:
//!
//! | sources | value | remoteness | time |
//! |---|---|---|---|
//! | a database ([`Lookup`]) | looked up | looked up; unknown if the database stores only values | microseconds |
//! | searches ([`SearchPool`]) | searched | searched | microseconds to years: give it a budget |
//! | both | looked up, or searched in unsolved tiers | looked up or searched | the sum of the two |
//!
//! With both sources, the analyst searches for a remoteness that the database does not have, except after moves that
//! give the value away. If a limit is reached, the analysis contains what is known by then, such as the value and some
//! of the moves. While an analysis is running, a listener is called after each result. [`json`] writes analyses as
//! JSON.
//!
//! [`GameAnalysis`] analyses all positions of a game, and [`Grade`] sums up how a player's moves compare with the best
//! ones.
//!
//! Many threads can share an analyst: every method takes `&self`. Calls block until there is an answer.
//!
//! ```
//! use fourbase::analysis::{Analyst, Budget, Source};
//! use fourbase::search::SearchOptions;
//! use fourbase::{Board, Outcome, Value, notation};
//!
//! let board: Board = "7x6".parse()?;
//! let analyst = Analyst::searching(board, SearchOptions::default());
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
mod game;
mod grade;
pub mod json;
mod pool;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::reasons::Reason;
use crate::search::SearchError;
use crate::{Board, OtherBoard, Outcome, Position, Value};
pub use analyst::{Analyst, Gap, Listener, Lookup, compare_alike};
pub use budget::{Budget, Cost, DEFAULT_NODES};
pub use game::{Accuracy, GameAnalysis, Loss, Mistake, MoveClass, Ply, QUICK_NODES};
pub use grade::{Grade, GradedPly, Judgement, Share, Shares};
pub use json::{DescriptionJson, canonical};
pub use pool::SearchPool;

/// Everything found out about a position.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The position.
    pub position: Position,
    /// The outcome, or the value alone if the remoteness is unknown; `None` if both are unknown.
    pub outcome: Option<Outcome>,
    /// All legal moves, best first, equally good ones by column, unknown ones last. Until the analysis is complete, the
    /// moves are ordered by column.
    pub moves: Vec<Move>,
    /// Best play to the end of the game (columns from 0, the leftmost of equally good moves); `None` if it is unknown
    /// or was not requested.
    pub line: Option<Vec<usize>>,
    /// What decided the value.
    pub source: Source,
    /// The database that was asked.
    pub database: json::DatabaseJson,
    /// The cost of the whole analysis.
    pub cost: Cost,
    /// The limit that was reached; `None` if everything is known.
    pub limit: Option<AnalysisError>,
    /// Why the position is worth its value; `None` before [`Analysis::explain`].
    pub reason: Option<Reason>,
}

/// A legal move, and its outcome if that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Column, from 0.
    pub column: usize,
    /// The outcome for the player who makes the move; the remoteness counts from the position before it.
    pub outcome: Option<Outcome>,
    /// Why the position after the move is worth its value; `None` before [`Analysis::explain`].
    pub reason: Option<Reason>,
}

/// What decided the value of an analysis. For several analyses together, it is the last of their sources in this list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The board itself: the game is over, or the player to move can win at once.
    Board,
    /// A database in which the value was looked up.
    Database,
    /// A search.
    Search,
}

impl Analysis {
    /// Makes an analysis of a position in which nothing is known except the legal moves.
    pub fn unknown(position: &Position) -> Analysis {
        Analysis {
            position: *position,
            outcome: None,
            moves: position.moves().map(|column| Move { column, outcome: None, reason: None }).collect(),
            line: None,
            source: Source::Search,
            database: json::DatabaseJson::default(),
            cost: Cost::default(),
            limit: None,
            reason: None,
        }
    }

    /// Finds the reasons of the position and of its moves, as far as their values are known; see
    /// [`reasons`](crate::reasons). A reason takes some milliseconds at most.
    pub fn explain(&mut self) {
        let position = self.position;
        let value = position.primitive().or(self.outcome.map(|outcome| outcome.value));
        self.reason = value.map(|value| Reason::with_value(&position, value, self.line.as_deref()));
        for child in &mut self.moves {
            let value = child.outcome.map(|outcome| outcome.value.flip());
            child.reason = value.map(|value| Reason::with_value(&position.drop_piece(child.column), value, None));
        }
    }

    /// Returns whether the outcome of the position or of any move is known.
    pub fn is_known(&self) -> bool {
        self.outcome.is_some() || self.moves.iter().any(|child| child.outcome.is_some())
    }

    /// Returns the columns of the moves that are known to be best. If the remoteness of the position is unknown, these
    /// are the moves that keep the value.
    pub fn best(&self) -> impl Iterator<Item = usize> + '_ {
        let as_good = |of: Outcome, best: Outcome| of == best || best.remoteness.is_none() && of.value == best.value;
        let is_best = move |child: &&Move| child.outcome.zip(self.outcome).is_some_and(|(of, best)| as_good(of, best));
        self.moves.iter().filter(is_best).map(|child| child.column)
    }

    /// Derives the outcome of the position from those of its moves: the best one if all are known, a win if only some
    /// are known and one of them wins, else `None`. The remoteness is left unknown if any move's outcome is unknown, or
    /// if a move with the same value has no remoteness.
    fn outcome_of_moves(&self) -> Option<Outcome> {
        let outcomes = || self.moves.iter().map(|child| child.outcome);
        let best = outcomes().flatten().min()?;
        let is_exact = outcomes().all(|of| of.is_some_and(|of| of.value != best.value || of.remoteness.is_some()));
        let is_decided = best.value == Value::Win || outcomes().all(|of| of.is_some());
        is_decided.then_some(Outcome { remoteness: best.remoteness.filter(|_| is_exact), ..best })
    }
}

/// Why there is no answer. An answer is never a guess.
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
    /// The question's deadline has passed.
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
    /// The position is not of the expected board.
    #[error(transparent)]
    OtherBoard(#[from] OtherBoard),
    /// The outcomes of a position and of its moves contradict each other, so a database is wrong.
    #[error("no move of {0} is worth what the position is")]
    NoBestMove(Position),
    /// A search found that a database is wrong.
    #[error(transparent)]
    Search(SearchError),
}

impl AnalysisError {
    /// Returns whether a limit of the budget was reached.
    pub fn is_limit(&self) -> bool {
        use AnalysisError::{Cancelled, Deadline, NodeLimit};
        matches!(self, NodeLimit { .. } | Deadline { .. } | Cancelled { .. })
    }
}
