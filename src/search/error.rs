//! Why a search gives no answer.

use thiserror::Error;

use crate::{Board, Value};

/// Says why a search gives no answer. The search never guesses: all its answers are proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SearchError {
    /// The node limit was reached.
    #[error("not decided within {nodes} nodes; allow more nodes, or ask about a later position")]
    NodeLimit {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// [`Monitor::cancel`](super::Monitor::cancel) was called, the deadline is over, or the oracle of the search has failed.
    #[error("cancelled after {nodes} nodes; ask again to continue with what was found")]
    Cancelled {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// The position is of another board than the search.
    #[error("the position is of board {found}, the search of {expected}; start a search of {found}")]
    OtherBoard {
        /// The board of the search.
        expected: Board,
        /// The board of the position.
        found: Board,
    },
    /// The value that the caller gave is wrong.
    #[error("the position is not a {claimed}; search its value first")]
    OtherValue {
        /// The value that was given.
        claimed: Value,
    },
}
