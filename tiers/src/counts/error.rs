//! Why a count can't start or continue.

use std::path::PathBuf;

use fourbase::Board;

use crate::communicator::CommunicatorError;
use crate::files::{FileError, bytes, shown};
use crate::index::IndexError;
use crate::kernel::Values;
use crate::solve::SolveError;

/// Why a count can't start or continue.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// Not enough memory.
    #[error(
        "counting {board} needs at least {} of memory, the limit is {}",
        bytes(*.needed_bytes), bytes(u128::from(*.limit_bytes))
    )]
    Memory {
        /// The board.
        board: Board,
        /// Bytes needed, or a lower bound.
        needed_bytes: u128,
        /// Bytes allowed.
        limit_bytes: u64,
    },
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Another process counts in the folder.
    #[error("{} is in use by {holder}", shown(folder))]
    Busy {
        /// The folder of the count.
        folder: PathBuf,
        /// The name of the holder.
        holder: String,
    },
    /// Not enough room for the files.
    #[error(
        "{}: counting {board} needs about {} of disk space; {} are free",
        shown(folder), bytes(*.needed), bytes(u128::from(*.free))
    )]
    Disk {
        /// The folder of the count.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// Bytes needed.
        needed: u128,
        /// Bytes free.
        free: u64,
    },
    /// The caller stopped the count. The same count resumes if it uses files.
    #[error("board {board}: stopped with {plies} of {all} plies counted")]
    Stopped {
        /// The board.
        board: Board,
        /// Plies done in the interrupted direction.
        plies: usize,
        /// All plies.
        all: usize,
        /// The folder of its files; `None` for a count in memory, which keeps nothing.
        folder: Option<PathBuf>,
    },
    /// A file of the count has wrong contents.
    #[error("{source}")]
    Damaged {
        /// The folder of the count.
        folder: PathBuf,
        /// What is wrong.
        source: FileError,
    },
    /// The ranks don't fit together.
    #[error(transparent)]
    Communicator(#[from] CommunicatorError),
    /// An earlier solve did not count the tiers that it solved.
    #[error("{}: some tiers were solved without counting them", shown(folder))]
    Uncounted {
        /// The folder of the database.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
    },
    /// The counted solve can't start or continue.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl CountError {
    /// Returns an error if more than `limit_bytes` of memory is needed.
    pub(crate) fn check_memory(board: Board, needed_bytes: u128, limit_bytes: u64) -> Result<(), CountError> {
        let is_enough = needed_bytes <= u128::from(limit_bytes);
        is_enough.then_some(()).ok_or(CountError::Memory { board, needed_bytes, limit_bytes })
    }
}
