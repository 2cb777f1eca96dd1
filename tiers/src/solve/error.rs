//! Why a solve or a count can't start or continue.

use std::path::PathBuf;

use fourbase::Board;

use crate::communicator::CommunicatorError;
use crate::files::{FileError, bytes, grouped, shown};
use crate::index::IndexError;
use crate::progress::Stage;

/// Why a solve or a count can't start or continue.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Not enough memory.
    #[error(
        "{} entries of {board} need {}{} of memory; the limit is {}",
        number(*.entries, *.exact), if *.exact { "" } else { "about " }, bytes(*.needed), bytes(u128::from(*.limit))
    )]
    Memory {
        /// The board.
        board: Board,
        /// Entries, with mirror images merged.
        entries: u128,
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
        /// Whether the figures are exact; otherwise they are estimates.
        exact: bool,
    },
    /// The threads can't be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// Another process works in the folder.
    #[error("{} is in use by {holder}", shown(folder))]
    Busy {
        /// The folder of the database or of the count.
        folder: PathBuf,
        /// The name of the other process.
        holder: String,
    },
    /// The caller stopped the work. If the work has files, running it again resumes it.
    #[error(
        "{board}: stopped with {done} of {} tiers {}",
        board.cells() + 1, if *.stage == Stage::Sweep { "counted" } else { "solved" }
    )]
    Stopped {
        /// The folder of the files; `None` for a count in memory, which keeps nothing.
        folder: Option<PathBuf>,
        /// The board.
        board: Board,
        /// The deepest ply that the database keeps; `None` if it keeps all.
        keep_plies: Option<u32>,
        /// What was stopped: [`Stage::Sweep`] or [`Stage::Solve`].
        stage: Stage,
        /// How many tiers of the stage are done. If there are files, these tiers are durable.
        done: usize,
    },
    /// Not enough disk space for the files.
    #[error(
        "{}: {board} needs about {} of disk space; {} are free",
        shown(folder), bytes(*.needed), bytes(u128::from(*.free))
    )]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// Bytes needed.
        needed: u128,
        /// Bytes free.
        free: u64,
    },
    /// The tier to resume from is not in the folder of the live tiers.
    #[error("{}: cannot resume: the tier of ply {ply} is not in {}", shown(folder), shown(scratch))]
    Scratch {
        /// The database folder.
        folder: PathBuf,
        /// The folder of the live tiers.
        scratch: PathBuf,
        /// The ply of that tier.
        ply: u32,
    },
    /// The earlier solve of this database keeps another number of plies than this solve requests.
    #[error("{}: this database keeps {}, but you asked for {}", shown(folder), kept(*found), kept(*wanted))]
    Kept {
        /// The database folder.
        folder: PathBuf,
        /// The deepest ply that the database keeps; `None` for all.
        found: Option<u32>,
        /// The requested deepest ply; `None` for all.
        wanted: Option<u32>,
    },
    /// A file of a count has wrong contents. To count again, the user can remove the folder.
    #[error("{source}")]
    Damaged {
        /// The folder of the count.
        folder: PathBuf,
        /// What is wrong.
        source: FileError,
    },
    /// An earlier solve did not count the tiers that it solved.
    #[error("{}: some tiers were solved without counting them", shown(folder))]
    Uncounted {
        /// The folder of the database.
        folder: PathBuf,
        /// The board.
        board: Board,
    },
    /// The ranks can't work together.
    #[error(transparent)]
    Communicator(#[from] CommunicatorError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Formats a number of entries. An estimate is rounded to two digits.
fn number(entries: u128, exact: bool) -> String {
    if exact { grouped(entries) } else { format!("about {:.1e}", entries as f64) }
}

/// Describes the plies that a database keeps.
fn kept(keep_plies: Option<u32>) -> String {
    keep_plies.map_or_else(|| "all plies".to_string(), |most| format!("plies 0 to {most}"))
}
