//! Errors of rules and of checks.

use thiserror::Error;

use crate::Board;
use crate::notation::columns_to_text;

/// Why two columns can't be the centre of a board. Columns count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CentreError {
    /// A column is outside the board.
    #[error(
        "column {} of the centre {first},{second} is outside the board {board}; take two of the columns 1 to {}",
        if *first > board.width() { first } else { second }, board.width()
    )]
    Outside {
        /// The board.
        board: Board,
        /// One column.
        first: usize,
        /// The other column.
        second: usize,
    },
    /// Both columns are the same.
    #[error("the centre has column {column} twice; take two of the columns 1 to {}", board.width())]
    Twice {
        /// The board.
        board: Board,
        /// The column.
        column: usize,
    },
    /// The board has one column.
    #[error("the board {board} has one column, the centre needs two; take a wider board, or the rule without a centre")]
    Narrow {
        /// The board.
        board: Board,
    },
}

/// Why a check gives no result. The results of a check are always exact, never estimates.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CheckError {
    /// The positions need more memory than allowed.
    #[error(
        "after {ply} plies the check has met {positions} positions and needs more than {limit_bytes} bytes of memory; \
         allow more, or check a smaller board{}", found_before(refutation.as_deref())
    )]
    Memory {
        /// The number of plies checked before the limit.
        ply: usize,
        /// How many positions were met by then.
        positions: u64,
        /// The memory limit.
        limit_bytes: u64,
        /// The shortest refutation (columns from 0) that was found before the limit, if any.
        refutation: Option<Vec<usize>>,
    },
    /// There are more lines than a 128-bit integer can count.
    #[error("there are more than 2^128 lines; check a smaller board")]
    Lines,
}

fn found_before(refutation: Option<&[usize]>) -> String {
    refutation.map_or_else(String::new, |line| {
        format!(" (the rule loses in any case: {})", columns_to_text(line.iter().copied()))
    })
}
