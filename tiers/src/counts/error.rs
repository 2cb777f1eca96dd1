//! What can go wrong in counting.

use std::io;
use std::path::PathBuf;

use fourbase::Board;

use crate::error::{DatabaseError, IndexError, bytes};
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

/// Why a board could not be counted, solving it on the way or not at all.
#[derive(Debug, thiserror::Error)]
pub enum SolveAndCountError {
    /// Not enough memory.
    #[error(
        "counting {board} needs {} of memory or more, the limit is {}; give a higher --memory, or count a smaller board",
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
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Another process counts in the folder.
    #[error("{} is being used by {holder}; wait for it to end, or give another --scratch", folder.display())]
    Busy {
        /// The folder of the count.
        folder: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// Not enough room for the files.
    #[error(
        "{}: counting {board} needs about {} of files meanwhile, {} are free; make room, or give another folder with --scratch",
        folder.display(), bytes(*.needed), bytes(u128::from(*.free))
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
    /// It was asked to stop.
    #[error(
        "board {board}: stopped with {plies} of {all} plies counted; the same command goes on where files were used"
    )]
    Stopped {
        /// The board.
        board: Board,
        /// Plies that are done in the way that was going on.
        plies: usize,
        /// All plies.
        all: usize,
    },
    /// What an earlier run of the count has left, or this one has written, is not what it was.
    #[error("{what_short}; remove {} and count again", folder.display(), what_short = shortened(what))]
    Damaged {
        /// The folder of the count.
        folder: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Files(#[from] DatabaseError),
    /// The values of a tier do not belong to its positions.
    #[error(transparent)]
    Tally(#[from] TallyError),
}

/// Leaves out the remedy for a database.
fn shortened(what: &str) -> &str {
    what.split(';').next().unwrap_or(what)
}
