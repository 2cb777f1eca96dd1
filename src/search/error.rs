//! Why a search gives no answer.

use thiserror::Error;

use crate::{Board, Value};

/// Says why a search gives no answer. There is no such thing as a guess: what is answered is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SearchError {
    /// The node limit was reached.
    #[error("not decided within {nodes} nodes; allow more nodes, or ask about a later position")]
    NodeLimit {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// Somebody called [`Monitor::cancel`](super::Monitor::cancel).
    #[error("cancelled after {nodes} nodes; ask again to go on with what was found")]
    Cancelled {
        /// The nodes that this question has used.
        nodes: u64,
    },
    /// The position is of another board than the search.
    #[error("the position is of the board {found}, the search of {expected}; start a search of {found}")]
    OtherBoard {
        /// The board of the search.
        expected: Board,
        /// The board of the position.
        found: Board,
    },
    /// The value that the caller took for known cannot be right.
    #[error("the position is no {claimed}; search its value first")]
    OtherValue {
        /// The value that was given.
        claimed: Value,
    },
}
