//! What a caller says to a solve, and hears of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fourbase::{Board, Outcome};
use xxhash_rust::xxh3::xxh3_64;

use crate::database::{DatabaseError, Hash, Manifest, TierRecord, folder_of};
use crate::error::SolveError;
use crate::kernel::{Kernel, Values};
use crate::plan::Plan;

/// What to solve, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    /// The folder of all databases.
    pub root: PathBuf,
    /// The most memory to take.
    pub memory_bytes: u64,
    /// The kernels to run.
    pub kernel: Kernel,
    /// Throw a database that is there away.
    pub replace: bool,
    /// Keep the tiers that are being solved in this folder, compressed, instead of in memory; `None`: in memory where they
    /// fit, and else in the database's folder.
    pub scratch: Option<PathBuf>,
    /// About how many words a block of those tiers has; [`BLOCK_WORDS`](super::BLOCK_WORDS) is good.
    pub block_words: usize,
    /// How long to solve before what is done is made durable, so that a solve that is stopped can go on from there;
    /// zero: after every tier. [`CHECKPOINT`] costs a solve little.
    pub checkpoint: Duration,
    /// Keep the tiers of at most so many pieces, at least 1; `None`, or as many as the board has cells: all. Later
    /// tiers are solved as well, but a probe there has to search forward. An even number is as good as one less, since
    /// only odd plies have files.
    pub keep_plies: Option<u32>,
}

impl Options {
    /// Returns the deepest ply whose tier is kept, where not all are.
    pub(super) fn kept(&self) -> Option<u32> {
        self.keep_plies.map(|most| most.max(1)).filter(|most| (*most as usize) < self.board.cells())
    }

    /// Refuses a folder that was begun with another `keep_plies`.
    pub(super) fn check_kept(&self, folder: &Path, manifest: &Manifest) -> Result<(), SolveError> {
        let Options { board, values, .. } = *self;
        let (found, wanted) = (manifest.keep_plies(), self.kept());
        if found == wanted {
            return Ok(());
        }
        Err(SolveError::Kept { folder: folder.to_path_buf(), board, values, found, wanted })
    }
}

impl Options {
    /// Returns the folder of the tiers that are being solved: the database's, or one in `scratch` that is this database's
    /// alone, whatever others use the same `scratch`.
    pub fn scratch_folder(&self) -> PathBuf {
        let folder = folder_of(&self.root, self.board, self.values);
        let scratch = self.scratch.as_ref().map(|scratch| folder_of(scratch, self.board, self.values));
        let Some(scratch) = scratch.filter(|scratch| *scratch != folder) else { return folder };
        let absolute = std::path::absolute(&folder).unwrap_or(folder);
        let owner = xxh3_64(absolute.as_os_str().as_encoded_bytes());
        scratch.join(format!("{owner:016x}"))
    }
}

/// How long a solve goes on between checkpoints unless told otherwise.
pub const CHECKPOINT: Duration = Duration::from_secs(5);

/// What a solve did.
#[derive(Clone, Debug)]
pub struct Report {
    /// The board.
    pub board: Board,
    /// The values.
    pub values: Values,
    /// Outcome of the empty board.
    pub outcome: Outcome,
    /// Entries of all tiers, after the mirror.
    pub entries: u64,
    /// Bytes of all files of the database: tiers and manifest.
    pub bytes: u64,
    /// Hash of the whole database: equal on every machine, for every number of threads and every kernel.
    pub hash: Option<Hash>,
    /// The deepest ply whose tier is kept, where not all are.
    pub keep_plies: Option<u32>,
    /// The database's folder.
    pub folder: PathBuf,
    /// There was nothing left to do.
    pub already_complete: bool,
}

/// Hears how a solve goes, and may stop it. The methods may be called from any thread and should be quick.
pub trait Progress: Sync {
    /// The solve fits memory, holds its folder and begins. An earlier solve has done `entries_done` of the entries. Not
    /// called where nothing is left to do, nor by [`solve_tier`](super::solve_tier).
    fn planned(&self, _plan: &Plan, _entries_done: u64) {}

    /// A tier begins.
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// More entries of the tier are solved.
    fn solved(&self, _entries: u64) {}

    /// A tier is solved and written.
    fn tier_done(&self, _tier: &TierRecord) {}

    /// What an earlier solve left to go on from is damaged, so that this one begins with the full board.
    fn starts_over(&self, _why: &DatabaseError) {}

    /// Tells whether to stop: asked all the time, before each piece of a tier (about half a million entries, or a block of
    /// the frontier) and of its file. Of a tier in memory what is half done is lost, and the tier after it is made durable
    /// to go on from; blocks in the frontier are kept.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Says nothing.
impl Progress for () {}
