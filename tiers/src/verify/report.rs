//! The options and the report of a verification.

use std::collections::BTreeMap;
use std::fmt;

use fourbase::{Outcome, Position, notation};
use serde::{Deserialize, Serialize};

/// How thorough a verification is.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// How many stored values are recomputed; `None` for all. Such a sample is spread evenly over all stored values,
    /// and contains all of them if there are no more. Legal positions are counted only if this is `None`. A sample of
    /// any size takes at most some 200 MB in addition to the caches, and less if `memory_bytes` is small.
    pub sample: Option<u64>,
    /// How many positions are searched forward. On small boards there are fewer, because no position is searched twice.
    /// A search of more than 200,000 nodes is given up.
    pub searches: u64,
    /// How many faults are reported in full; the others are only counted.
    pub faults: usize,
    /// The limit in bytes for memory in addition to the caches. A sample is recomputed in batches that use about a
    /// quarter of this limit, but never more than some 200 MB.
    pub memory_bytes: u64,
}

impl Default for VerifyOptions {
    /// Returns the defaults: all values, 1,000 searches (some seconds on any board), 20 faults, and no memory limit.
    fn default() -> Self {
        VerifyOptions { sample: None, searches: 1000, faults: 20, memory_bytes: u64::MAX }
    }
}

/// The result of a verification. All processes of a job get the same faults.
#[derive(Default, Serialize, Deserialize, Debug)]
pub struct VerifyReport {
    /// The outcome of the empty board, as looked up in the files; `None` if the look-up failed.
    #[serde(skip)]
    pub root: Option<Outcome>,
    /// How many files were read: the manifest and the stored tiers, without unreadable ones.
    pub files: u64,
    /// Stored values that were recomputed.
    pub checked: u64,
    /// All stored values; 0 if a file could not be read.
    pub stored: u64,
    /// The number of legal positions of the kept plies, if they were counted.
    pub legal: Option<u64>,
    /// Positions whose outcome a forward search found.
    pub searched: u64,
    /// Positions whose search was given up.
    pub undecided: u64,
    /// The first faults, sorted by stage, then by tier from the full board down, then by entry.
    pub faults: Vec<Fault>,
    /// The number of all faults.
    pub faults_in_all: u64,
    /// Files that the system refused to read or a newer fourbase has written, by name. If there is such a file, or if a
    /// file has a fault, only the other files were checked, and no values.
    pub unread: BTreeMap<String, Unread>,
}

/// A file that cannot be checked.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Unread {
    /// The file and the reason.
    pub message: String,
    /// Whether a newer fourbase has written it.
    pub is_newer: bool,
}

impl VerifyReport {
    /// Returns whether everything was read and nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults_in_all == 0 && self.unread.is_empty()
    }
}

/// The kind of a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// A file differs from what was written.
    File,
    /// The manifest and the index have different numbers of entries for a tier.
    Entries,
    /// A block has the right checksum but does not decode.
    Block,
    /// A chunk does not have exactly one value for each of its quiet entries.
    Count,
    /// A stored code stands for no outcome.
    #[serde(rename = "no outcome")]
    NoOutcome,
    /// A stored value is not the best of its moves.
    Value,
    /// The values of a stored position's moves can't be looked up, although the files are sound.
    Unanswered,
    /// A probe returns another outcome than this verification.
    Probe,
    /// The empty board has another outcome than in the manifest.
    Root,
    /// A reachable position has no entry.
    #[serde(rename = "no entry")]
    NoEntry,
    /// A search forward finds another outcome.
    Search,
    /// The counts beside the database are damaged, or belong to another database.
    Counts,
}

/// A fault of a database.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The tier.
    pub ply: Option<u32>,
    /// The block in the tier's file, from 0.
    pub block: Option<u64>,
    /// The entry in the tier, from 0; for a chunk, its first entry.
    pub entry: Option<u64>,
    /// The bitboards of the position.
    pub position: Option<[u64; 2]>,
    /// What the database has: an outcome, a number or a code.
    pub found: Option<String>,
    /// What the database should have.
    pub expected: Option<String>,
    /// The place and the fault, as text.
    pub message: String,
}

impl Fault {
    /// Makes a fault without a place.
    pub(super) fn new(kind: FaultKind, message: impl fmt::Display) -> Fault {
        let message = message.to_string();
        Fault { kind, ply: None, block: None, entry: None, position: None, found: None, expected: None, message }
    }

    /// Makes a fault of a position. Its message consists of the ply, `place`, `what` and the position.
    pub(super) fn at(kind: FaultKind, place: &str, position: &Position, what: impl fmt::Display) -> Fault {
        let message = format!("ply {}{place}: {what} (position {})", position.ply(), notation::to_uni(position));
        Fault { ply: Some(position.ply() as u32), position: Some(position.bitboards()), ..Fault::new(kind, message) }
    }

    /// Adds the found and the expected value.
    pub(super) fn comparing(self, found: impl ToString, expected: impl ToString) -> Fault {
        Fault { found: Some(found.to_string()), expected: Some(expected.to_string()), ..self }
    }

    /// Returns the sort key of faults within a stage: tiers from the full board down, then entries, then positions.
    pub(super) fn order(&self) -> impl Ord + '_ {
        let ply = self.ply.map_or(u32::MAX, |ply| u32::MAX - 1 - ply);
        (ply, self.entry.unwrap_or(u64::MAX), self.block, self.position, self.kind, &self.message)
    }
}

/// Formats an outcome: `tie in 17`, or `tie`.
pub(super) fn words(Outcome { value, remoteness }: Outcome) -> String {
    remoteness.map_or_else(|| value.to_string(), |plies| format!("{value} in {plies}"))
}
