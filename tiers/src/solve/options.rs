//! The options of a solve, and its report.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fourbase::{Board, Outcome};
use xxhash_rust::xxh3::xxh3_64;

use super::error::SolveError;
use super::plan::Plan;
use crate::files::{Disk, FileError, Storage};
use crate::format::{Hash, Manifest, REPLACEMENT, folder_of};
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::tier::BLOCK_WORDS;

/// The least time between two checkpoints, by default.
pub const CHECKPOINT: Duration = Duration::from_secs(120);

/// A solve that can be run: which board, which values, and how.
///
/// ```
/// use fourbase::{Outcome, Value};
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let root = tempfile::tempdir()?;
/// let report = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path()).memory(1 << 30).run()?;
/// assert_eq!(report.outcome, Outcome { value: Value::Tie, remoteness: Some(16) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Solve {
    /// The board.
    pub board: Board,
    /// The values to compute.
    pub values: Values,
    pub(super) root: PathBuf,
    pub(crate) memory_bytes: u64,
    pub(crate) kernel: Kernel,
    pub(super) replace: bool,
    pub(crate) scratch: Option<PathBuf>,
    /// The deepest ply that the database keeps, as [`Solve::keep_plies`] sets it; `None` if it keeps all.
    pub keep_plies: Option<u32>,
    pub(super) checkpoint: Duration,
    /// About how many words a block ([`crate::tier`]) has.
    pub(crate) block_words: usize,
}

impl Solve {
    /// Prepares a solve that writes to the folder `db`, has no memory limit, uses the fastest kernels and keeps all
    /// tiers.
    pub fn new(board: Board, values: Values) -> Solve {
        Solve {
            board,
            values,
            root: PathBuf::from("db"),
            memory_bytes: u64::MAX,
            kernel: Kernel::detect(),
            replace: false,
            scratch: None,
            keep_plies: None,
            checkpoint: CHECKPOINT,
            block_words: BLOCK_WORDS,
        }
    }

    /// Sets the folder of all databases, and creates it if it is missing.
    pub fn root(self, root: &Path) -> Solve {
        Solve { root: root.to_path_buf(), ..self }
    }

    /// Limits the memory in bytes. A solve that does not fit keeps its live tiers (the tier being solved and the one
    /// after it) in files.
    pub fn memory(self, memory_bytes: u64) -> Solve {
        Solve { memory_bytes, ..self }
    }

    /// Sets the kernels ([`crate::kernel`]). All kernels give the same database.
    pub fn kernel(self, kernel: Kernel) -> Solve {
        Solve { kernel, ..self }
    }

    /// Solves the board again, and replaces an existing database in one step when the new one is complete. Until then
    /// the new database is in a folder beside the old one. The name of the new folder ends in `.replacement`, and a
    /// stopped solve resumes there.
    pub fn replace(self, replace: bool) -> Solve {
        Solve { replace, ..self }
    }

    /// Keeps the live tiers in files in this folder, even if they would fit into memory. With `None`, the live tiers
    /// stay in memory if they fit; otherwise they are kept in files in the database's folder.
    pub fn scratch(self, scratch: Option<PathBuf>) -> Solve {
        Solve { scratch, ..self }
    }

    /// Keeps only tiers of at most `most` pieces (0 counts as 1). `None`, or a number that is at least the number of
    /// cells, keeps all tiers. Tiers of more pieces are solved too but not kept; a probe of a position in such a tier
    /// searches forward. An even number keeps the same files as the odd number below it, because only odd plies have
    /// files.
    pub fn keep_plies(self, most: Option<u32>) -> Solve {
        let keep_plies = most.map(|most| most.max(1)).filter(|most| (*most as usize) < self.board.cells());
        Solve { keep_plies, ..self }
    }

    /// Sets the least time between checkpoints (default: [`CHECKPOINT`]); zero makes a checkpoint after every tier. A
    /// killed solve resumes from the last checkpoint. If several machines solve together, every tier is a checkpoint.
    pub fn checkpoint(self, checkpoint: Duration) -> Solve {
        Solve { checkpoint, ..self }
    }

    /// Returns the plan. If the board is too large to count, all figures are estimates; otherwise memory and entries
    /// are exact.
    pub fn plan(&self) -> Plan {
        Plan::with_index(self).0
    }

    /// Returns whether the database is complete, so that a solve would do nothing. Always `false` with
    /// [`Solve::replace`].
    pub fn is_complete(&self) -> bool {
        !self.replace && self.manifest(&Disk).is_ok_and(|found| found.is_some_and(|manifest| manifest.is_complete()))
    }

    /// Returns the plan of [`Solve::plan`], and the index.
    ///
    /// # Errors
    /// [`SolveError::Memory`] if there is too little memory even to count the figures; [`SolveError::Index`] if the
    /// board can't be indexed.
    pub(crate) fn counted_plan(&self) -> Result<(Plan, Index), SolveError> {
        let (plan, index) = Plan::with_index(self);
        if index.is_none() {
            plan.check(self.memory_bytes)?;
        }
        Ok((plan, index.map_or_else(|| Index::new(self.board, self.kernel), Ok)?))
    }

    /// Reads the manifest of an earlier solve that this one would resume; `None` if there is none.
    pub(crate) fn manifest(&self, storage: &dyn Storage) -> Result<Option<Manifest>, FileError> {
        if self.replace {
            return self.replacement(storage);
        }
        Manifest::read(storage, &self.folder())
    }

    /// Returns the folder in which a count makes its temporary folder: the scratch folder if one was set, else the
    /// folder of all databases.
    pub(crate) fn scratch_root(&self) -> &Path {
        self.scratch.as_deref().unwrap_or(&self.root)
    }

    /// Returns the folder of the database.
    pub fn folder(&self) -> PathBuf {
        folder_of(&self.root, self.board, self.values)
    }

    /// Returns the folder that the solve writes: the database's, or the folder beside it that will replace the
    /// database.
    pub(super) fn output_folder(&self) -> PathBuf {
        let folder = self.folder();
        if self.replace { folder.with_extension(REPLACEMENT) } else { folder }
    }

    /// Returns the folder of the live tiers: the database's folder or, if a scratch folder was set that is not the
    /// folder of all databases, a folder inside it that only this database uses. Several databases can share a scratch
    /// folder.
    pub fn scratch_folder(&self) -> PathBuf {
        let folder = self.output_folder();
        let scratch = self.scratch.as_ref().map(|scratch| folder_of(scratch, self.board, self.values));
        let Some(scratch) = scratch.filter(|scratch| *scratch != self.folder()) else { return folder };
        let absolute = std::path::absolute(&folder).unwrap_or(folder);
        let owner = xxh3_64(absolute.as_os_str().as_encoded_bytes());
        scratch.join(format!("{owner:016x}"))
    }
}

/// The result of a solve.
#[derive(Clone, Debug)]
pub struct Report {
    /// Outcome of the empty board.
    pub outcome: Outcome,
    /// Entries of all tiers, with mirror images merged.
    pub entries: u64,
    /// Bytes of all files of the database: tiers and manifest.
    pub bytes: u64,
    /// Hash of the whole database. It does not depend on the machine, the number of threads or the kernel.
    pub hash: Option<Hash>,
    /// The deepest ply that the database keeps; `None` if it keeps all.
    pub keep_plies: Option<u32>,
    /// The database's folder.
    pub folder: PathBuf,
    /// Whether there was nothing left to do.
    pub already_complete: bool,
}
