//! Why a board was not counted.

use std::path::PathBuf;

use fourbase::Board;

use crate::communicator::CommunicatorError;
use crate::files::{FileError, bytes, shown};
use crate::index::IndexError;
use crate::kernel::Values;
use crate::solve::SolveError;

/// A count that cannot start or go on.
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
        /// Bytes needed, as far as known.
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
    /// The caller stopped it. The same count resumes if it used files.
    #[error("board {board}: stopped with {plies} of {all} plies counted")]
    Stopped {
        /// The board.
        board: Board,
        /// Plies that are done in the direction that was interrupted.
        plies: usize,
        /// All plies.
        all: usize,
        /// The folder of its files; a count in memory keeps nothing.
        folder: Option<PathBuf>,
    },
    /// A file of the count is not what was written.
    #[error("{source}")]
    Damaged {
        /// The folder of the count.
        folder: PathBuf,
        /// What is wrong.
        source: FileError,
    },
    /// The ranks do not fit together.
    #[error(transparent)]
    Communicator(#[from] CommunicatorError),
    /// An earlier solve has not counted the tiers that it solved.
    #[error("{}: some tiers were solved without counting them", shown(folder))]
    Uncounted {
        /// The folder of the database.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
    },
    /// The solve that is counted cannot start or go on.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl CountError {
    /// Refuses what needs more than `limit_bytes` of memory.
    pub(crate) fn check_memory(board: Board, needed_bytes: u128, limit_bytes: u64) -> Result<(), CountError> {
        let is_enough = needed_bytes <= u128::from(limit_bytes);
        is_enough.then_some(()).ok_or(CountError::Memory { board, needed_bytes, limit_bytes })
    }
}
