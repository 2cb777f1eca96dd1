//! What can go wrong in counting.

use std::io;

use fourbase::Board;

use crate::error::bytes;
use crate::kernel::Values;

/// Values that do not belong to the positions that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TallyError {
    /// The values are those of another tier.
    #[error(
        "board {board}, ply {ply}: the values are those of ply {found_ply} or of another board; pass the tier of this ply"
    )]
    OtherTier {
        /// The board that is counted.
        board: Board,
        /// The ply that is counted.
        ply: u32,
        /// The ply that the values are of.
        found_ply: u32,
    },
    /// The values are of the other kind.
    #[error("board {board}, ply {ply}: the values are {found}, {expected} are counted; pass tiers of one kind")]
    OtherValues {
        /// The board that is counted.
        board: Board,
        /// The ply that is counted.
        ply: u32,
        /// The kind that is counted.
        expected: Values,
        /// The kind that was passed.
        found: Values,
    },
    /// Legal positions have a code that stands for no outcome.
    #[error(
        "board {board}, ply {ply}: {positions} legal positions have the code {code}, which is no outcome; solve the board anew"
    )]
    Code {
        /// The board that is counted.
        board: Board,
        /// The ply that is counted.
        ply: u32,
        /// The code.
        code: u8,
        /// How many legal positions have it.
        positions: u64,
    },
}

/// Why a board could not be counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError<E: std::error::Error + 'static> {
    /// The values of a tier could not be had.
    #[error("the values of ply {ply} could not be read")]
    Values {
        /// The ply.
        ply: u32,
        /// Why.
        source: E,
    },
    /// The values of a tier do not belong to its positions.
    #[error(transparent)]
    Tally(#[from] TallyError),
}

/// Why a board could not be solved and counted.
#[derive(Debug, thiserror::Error)]
pub enum SolveAndCountError {
    /// Not enough memory.
    #[error(
        "counting {board} needs {} of memory or more, the limit is {}; free some, or count a smaller board",
        bytes(*.needed_bytes), bytes(u128::from(*.limit_bytes))
    )]
    Memory {
        /// The board.
        board: Board,
        /// Bytes needed, as far as is known.
        needed_bytes: u128,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// The reached positions of a ply could not be compressed, or not expanded, in memory.
    #[error("board {board}, ply {ply}: the reached positions could not be kept in memory; count again")]
    Packed {
        /// The board.
        board: Board,
        /// The ply.
        ply: u32,
        /// Why.
        source: io::Error,
    },
    /// The values of a tier do not belong to its positions.
    #[error(transparent)]
    Tally(#[from] TallyError),
}
