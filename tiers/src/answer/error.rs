//! Why there is no answer.

use fourbase::search::SearchError;
use fourbase::{Board, Position};

use crate::database::DatabaseError;
use crate::database::question::{Limits, Question};

/// The reason why there is no answer. An answer is never a guess.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The searches of the question reached its limit of nodes.
    #[error("{board}: not decided within {nodes} nodes")]
    NodeLimit {
        /// The board.
        board: Board,
        /// The limit of the whole question.
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
    #[error("the position is of board {found}, the answers of {expected}")]
    OtherBoard {
        /// The board of the answerer.
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
    /// The database cannot be read, or is not solved as far.
    #[error(transparent)]
    Database(DatabaseError),
    /// A search has found a database wrong.
    #[error(transparent)]
    Search(SearchError),
}

impl From<DatabaseError> for AnswerError {
    fn from(error: DatabaseError) -> AnswerError {
        match error {
            DatabaseError::OtherBoard { expected, found } => AnswerError::OtherBoard { expected, found },
            error => AnswerError::Database(error),
        }
    }
}

impl AnswerError {
    /// Tells whether a limit of the question was reached, of nodes or by its monitor.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self, AnswerError::NodeLimit { .. } | AnswerError::Cancelled { .. })
    }

    /// Makes the error of a question that has reached its limit: it was cancelled, or else it is out of nodes.
    #[must_use]
    pub fn of_limit(question: &Question, board: Board) -> AnswerError {
        let Limits { nodes: limit, monitor } = question.limits();
        let is_cancelled = monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
        match *limit {
            Some(nodes) if !is_cancelled => AnswerError::NodeLimit { board, nodes },
            _ => AnswerError::Cancelled { board, nodes: question.work().nodes },
        }
    }

    /// Makes the error of a search that gave no answer to a question of `limit` nodes that has visited `nodes`.
    pub(super) fn of_search(error: SearchError, board: Board, limit: Option<u64>, nodes: u64) -> AnswerError {
        match error {
            SearchError::NodeLimit { .. } => AnswerError::NodeLimit { board, nodes: limit.unwrap_or(nodes) },
            SearchError::Cancelled { .. } => AnswerError::Cancelled { board, nodes },
            SearchError::OtherBoard { expected, found } => AnswerError::OtherBoard { expected, found },
            error => AnswerError::Search(error),
        }
    }
}

/// Refuses a position of another board.
pub(super) fn check_board(expected: Board, position: &Position) -> Result<(), AnswerError> {
    let found = position.board();
    if found == expected { Ok(()) } else { Err(AnswerError::OtherBoard { expected, found }) }
}
