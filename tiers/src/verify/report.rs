//! What a verification is asked, what it tells on its way, and what it reports.

use fourbase::{Board, Outcome};

use super::fault::Fault;
use crate::crew::Crew;
use crate::files::FileError;
use crate::format::Hash;
use crate::kernel::Values;

/// How thorough to be.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How many of the stored values are recomputed, spread evenly over all stored values: exactly so many, or all where there
    /// are fewer; `None` for all of them. Legal positions are only counted with `None`. A sample takes at most some 200 MB of
    /// memory beside the caches, however large it is.
    pub sample: Option<u64>,
    /// How many positions are searched forward; on small boards fewer, because each is searched once.
    pub searches: u64,
    /// The most nodes that the search of one position may take; one that takes more is given up.
    pub nodes: u64,
    /// How many faults are kept; the others are only counted.
    pub faults: usize,
    /// The memory in bytes that the count of the plies that are not kept may take.
    pub memory_bytes: u64,
    /// The processes that share the work out, each of which verifies the same database with the same options; `None`: this one alone.
    pub crew: Option<&'a dyn Crew>,
}

impl Default for Options<'_> {
    /// Returns all values, 1,000 searches of at most 200,000 nodes (some seconds on any board), 20 faults, and no limit of
    /// memory.
    fn default() -> Self {
        Options { sample: None, searches: 1000, nodes: 200_000, faults: 20, memory_bytes: u64::MAX, crew: None }
    }
}

/// A part of a verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Checksums; a step is a tier.
    Files,
    /// Stored values against their moves; a step is an entry of the index, or a value of a sample.
    Values,
    /// Counting legal positions; a step is an entry of the index.
    Legal,
    /// Searching forward; a step is a position.
    Search,
}

/// Receives the progress of a verification. The methods may be called from any thread and should be quick.
pub trait Progress: Sync {
    /// A stage with this many steps begins.
    fn begins(&self, _stage: Stage, _steps: u64) {}

    /// More steps of the stage are done.
    fn done(&self, _steps: u64) {}

    /// A tier is done in the stage, where it has that many blocks, stored values, legal positions or searches that
    /// ended. Tiers are done from the full board down in [`Stage::Values`], from the empty board on in the others.
    fn tier_done(&self, _stage: Stage, _ply: u32, _count: u64) {}
}

/// Says nothing.
impl Progress for () {}

/// What a verification found.
#[derive(Debug)]
pub struct Report {
    /// The board.
    pub board: Board,
    /// The kind of values.
    pub values: Values,
    /// Outcome of the empty board, as looked up; `None` where that fails.
    pub root: Option<Outcome>,
    /// Files that were read through: the manifest and the stored tiers, without those that cannot be read.
    pub files: u64,
    /// Bytes of all files of the database.
    pub bytes: u64,
    /// The deepest ply whose tier is kept, where not all are.
    pub keep_plies: Option<u32>,
    /// Hash of the whole database, as the manifest says. The files were compared with it.
    pub hash: Option<Hash>,
    /// Stored values that were recomputed.
    pub checked: u64,
    /// All stored values; 0 where a file could not be read.
    pub stored: u64,
    /// Legal positions, where they were counted.
    pub legal: Option<u64>,
    /// Positions whose outcome a search forward has found.
    pub searched: u64,
    /// Positions whose search was given up.
    pub undecided: u64,
    /// The first faults: by file, then by tier from the full board down and by entry.
    pub faults: Vec<Fault>,
    /// All faults.
    pub faults_in_all: u64,
    /// Files that the system did not let be read, by name: nothing is known about them, and with any of them, or with a
    /// fault of a file, only the other files were tried.
    pub unread: Vec<FileError>,
}

impl Report {
    /// Tells whether everything was read, and nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults_in_all == 0 && self.unread.is_empty()
    }
}
