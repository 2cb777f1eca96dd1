//! What can be wrong with a database.

use std::fmt;
use std::path::PathBuf;

use fourbase::{Outcome, Player, Position};

use crate::database::DatabaseError;
use crate::files::{FileError, counted, grouped, shown};

/// Something that is wrong with a database. What cannot be read is no fault: see [`Report::unread`](super::Report::unread).
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A file is not as it was written.
    #[error("{0}")]
    File(DatabaseError),
    /// The counts that are kept beside the database are not as they were written, or cannot be those of the database.
    #[error("{0}")]
    Counts(FileError),
    /// Play reaches another number of positions than the counts say that are kept beside the database.
    #[error("{}: {}, {} counted", shown(file), counted(*found, "legal position"), grouped((*expected).into()))]
    CountedLegal {
        /// The file of the counts.
        file: PathBuf,
        /// What the file says.
        found: u64,
        /// What was counted.
        expected: u64,
    },
    /// The manifest says another number of entries than the index has.
    #[error(
        "ply {ply}: the manifest says {}, the index has {}",
        counted(*found, "entry"), grouped((*expected).into())
    )]
    Entries {
        /// The tier.
        ply: u32,
        /// What the manifest says.
        found: u64,
        /// What the index has.
        expected: u64,
    },
    /// A stored value is not the best of what the moves lead to.
    #[error(
        "ply {ply}, block {block}, entry {entry}: stored {}, expected {} (position {})",
        Words(*stored), Words(*expected), fourbase::notation::to_uni(position)
    )]
    Value {
        /// The tier.
        ply: u32,
        /// The block in the tier's file, from 0.
        block: u64,
        /// The entry in the tier, from 0.
        entry: u64,
        /// The position.
        position: Position,
        /// What is stored.
        stored: Outcome,
        /// The best of its moves.
        expected: Outcome,
    },
    /// A value that the moves of a stored position lead to cannot be looked up, although the files are whole.
    #[error("ply {ply}, entry {entry}: {source} (position {})", fourbase::notation::to_uni(position))]
    Unanswered {
        /// The tier.
        ply: u32,
        /// The entry in the tier, from 0.
        entry: u64,
        /// The position.
        position: Position,
        /// Why.
        source: DatabaseError,
    },
    /// A block is whole but does not decode.
    #[error("ply {ply}, block {block}: {what}")]
    Block {
        /// The tier.
        ply: u32,
        /// The block in the tier's file, from 0.
        block: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A chunk has values for another number of entries than are quiet.
    #[error(
        "ply {ply}, block {block}, chunk {chunk} from entry {entry} on: {}, {}",
        counted(*found, "value"), counted(*expected, "quiet entry")
    )]
    Count {
        /// The tier.
        ply: u32,
        /// The block in the tier's file, from 0.
        block: u64,
        /// The chunk in the tier, from 0.
        chunk: u64,
        /// Its first entry.
        entry: u64,
        /// How many values the block has.
        found: u32,
        /// How many quiet entries there are.
        expected: u32,
    },
    /// A stored code stands for no outcome.
    #[error(
        "ply {ply}, block {block}, entry {entry}: code {code} stands for no outcome (position {})",
        fourbase::notation::to_uni(position)
    )]
    NoOutcome {
        /// The tier.
        ply: u32,
        /// The block in the tier's file, from 0.
        block: u64,
        /// The entry in the tier, from 0.
        entry: u64,
        /// The position.
        position: Position,
        /// What is stored.
        code: u8,
    },
    /// A probe answers something else than this verification finds.
    #[error(
        "ply {ply}: a probe answers {}, expected {} (position {})",
        Words(*probed), Words(*expected), fourbase::notation::to_uni(position)
    )]
    Probe {
        /// The tier.
        ply: u32,
        /// The position.
        position: Position,
        /// What the probe answers.
        probed: Outcome,
        /// What it should answer.
        expected: Outcome,
    },
    /// The empty board has another value.
    #[error("the empty board: {} by its moves, {} {figure}", Words(*found), Words(*expected))]
    Root {
        /// What is looked up in the database.
        found: Outcome,
        /// What it should be.
        expected: Outcome,
        /// Who says so.
        figure: Figure,
    },
    /// A position that play reaches has no entry.
    #[error("ply {ply}: a legal position has no entry (position {})", fourbase::notation::to_uni(position))]
    NoEntry {
        /// The tier.
        ply: u32,
        /// The position.
        position: Position,
    },
    /// Play reaches another number of positions than published.
    #[error("legal positions: {} counted, {} published", grouped((*found).into()), grouped((*expected).into()))]
    Legal {
        /// What was counted.
        found: u64,
        /// What is published.
        expected: u64,
    },
    /// A search forward finds another value.
    #[error(
        "ply {ply}: looked up {}, a search forward finds {} (position {})",
        Words(*found), Words(*searched), fourbase::notation::to_uni(position)
    )]
    Search {
        /// The tier.
        ply: u32,
        /// The position.
        position: Position,
        /// What is looked up in the database.
        found: Outcome,
        /// What the search says.
        searched: Outcome,
    },
}

/// Who says what the empty board is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Figure {
    /// The manifest.
    Manifest,
    /// See [`published`](super::published).
    Published,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Figure::Manifest => "in the manifest",
            Figure::Published => "published",
        })
    }
}

/// Where a fault belongs in a list: by the stage that finds it, the tier, which counts from the full board down, and two numbers in
/// the tier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rank(pub [u64; 4]);

impl Rank {
    /// The place of a fault of a file.
    pub const OF_FILE: Rank = Rank([0; 4]);
}

impl Fault {
    /// Tells whether the database itself is not concerned, but only the counts that are kept beside it.
    pub fn is_of_counts(&self) -> bool {
        matches!(self, Fault::Counts(_) | Fault::CountedLegal { .. })
    }

    /// Returns the error of a file that the system did not let be read, which says nothing about the database.
    pub(super) fn into_unread(self) -> Result<FileError, Fault> {
        match self {
            Fault::File(DatabaseError::File(error)) if !error.is_damage() => Ok(error),
            Fault::Unanswered { source: DatabaseError::File(error), .. } if !error.is_damage() => Ok(error),
            Fault::Counts(error) if !error.is_damage() => Ok(error),
            fault => Err(fault),
        }
    }

    /// Returns where the fault belongs in a list.
    pub(super) fn rank(&self) -> Rank {
        let pieces = |position: &Position| [Player::First, Player::Second].map(|player| position.pieces(player));
        let (stage, ply, entry) = match self {
            Fault::File(_) => return Rank::OF_FILE,
            Fault::Entries { ply, .. } => (1, *ply, [0; 2]),
            Fault::Value { ply, entry, .. }
            | Fault::Unanswered { ply, entry, .. }
            | Fault::Count { ply, entry, .. }
            | Fault::NoOutcome { ply, entry, .. } => (2, *ply, [*entry, 0]),
            Fault::Block { ply, block, .. } => (1, *ply, [1, *block]),
            Fault::Probe { ply, position, .. } => (7, *ply, pieces(position)),
            Fault::Root { .. } => (3, 0, [0; 2]),
            Fault::NoEntry { ply, position } => (4, *ply, pieces(position)),
            Fault::Legal { .. } => (5, 0, [0; 2]),
            Fault::Search { ply, position, .. } => (6, *ply, pieces(position)),
            Fault::Counts(_) | Fault::CountedLegal { .. } => (8, 0, [0; 2]),
        };
        let [one, other] = entry;
        Rank([stage, u64::from(u32::MAX - ply), one, other])
    }
}

/// Writes `tie in 17`.
struct Words(Outcome);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { value, remoteness } = self.0;
        match remoteness {
            Some(plies) => write!(f, "{value} in {plies}"),
            None => write!(f, "{value}"),
        }
    }
}
