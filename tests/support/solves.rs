//! Solves as the tests ask for them. How the library is told what to solve is known here alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fourbase::Board;
use fourbase_tiers::solve::{self, Options};

use super::board::board;
use super::memory_disk::MemoryDisk;
use super::tiers::{
    BLOCK_WORDS, CHECKPOINT, Database, DatabaseError, Kernel, Progress, Report, SolveError, Storage, Values, folder_of,
};

/// What a solve may take: far more than any board of these tests needs.
pub const MEMORY_BYTES: u64 = 4 << 30;

/// A solve to be run, once or often. Each `with_` returns another that differs in one setting.
#[derive(Clone, Debug)]
pub struct Solve(Options);

impl Solve {
    /// A solve with the fastest kernels, in memory, into a database under `db`.
    pub fn new(board: Board, values: Values) -> Solve {
        Solve(Options {
            board,
            values,
            root: "db".into(),
            memory_bytes: MEMORY_BYTES,
            kernel: Kernel::detect(),
            replace: false,
            scratch: None,
            block_words: BLOCK_WORDS,
            checkpoint: CHECKPOINT,
            keep_plies: None,
        })
    }

    /// Sets the folder of all databases.
    pub fn with_root(&self, root: impl Into<PathBuf>) -> Solve {
        Solve(Options { root: root.into(), ..self.0.clone() })
    }

    /// Makes what is done durable after every tier, so that a solve that is stopped can go on from there.
    pub fn stepwise(&self) -> Solve {
        self.with_checkpoint(Duration::ZERO)
    }

    /// Sets how long to solve before what is done is made durable.
    pub fn with_checkpoint(&self, checkpoint: Duration) -> Solve {
        Solve(Options { checkpoint, ..self.0.clone() })
    }

    /// Sets the kernels.
    pub fn with_kernel(&self, kernel: Kernel) -> Solve {
        Solve(Options { kernel, ..self.0.clone() })
    }

    /// Sets the most memory to take.
    pub fn with_memory_bytes(&self, memory_bytes: u64) -> Solve {
        Solve(Options { memory_bytes, ..self.0.clone() })
    }

    /// Throws an older database away, or keeps it.
    pub fn with_replace(&self, replace: bool) -> Solve {
        Solve(Options { replace, ..self.0.clone() })
    }

    /// Keeps the tiers that are being solved in files.
    pub fn with_scratch(&self, scratch: impl Into<PathBuf>) -> Solve {
        Solve(Options { scratch: Some(scratch.into()), ..self.0.clone() })
    }

    /// Sets how many words a block of those tiers has.
    pub fn with_block_words(&self, block_words: usize) -> Solve {
        Solve(Options { block_words, ..self.0.clone() })
    }

    /// Keeps the tiers of at most so many pieces; `None`: all.
    pub fn with_keep_plies(&self, keep_plies: Option<u32>) -> Solve {
        Solve(Options { keep_plies, ..self.0.clone() })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.0.board
    }

    /// The values.
    pub fn values(&self) -> Values {
        self.0.values
    }

    /// The folder of all databases.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// The folder of the tiers that are being solved, where they are in files.
    pub fn scratch(&self) -> Option<&Path> {
        self.0.scratch.as_deref()
    }

    /// The deepest ply that is kept.
    pub fn keep_plies(&self) -> Option<u32> {
        self.0.keep_plies
    }

    /// The database's folder.
    pub fn folder(&self) -> PathBuf {
        folder_of(&self.0.root, self.0.board, self.0.values)
    }

    /// The folder of this database's tiers within [`Solve::scratch`].
    pub fn scratch_folder(&self) -> PathBuf {
        self.0.scratch_folder()
    }

    /// Solves into files on disk.
    pub fn run(&self) -> Result<Report, SolveError> {
        self.run_heard(&())
    }

    /// As [`Solve::run`], while `progress` hears of it.
    pub fn run_heard(&self, progress: &dyn Progress) -> Result<Report, SolveError> {
        solve::run(&self.0, progress)
    }

    /// Solves into the files of a storage.
    pub fn run_on(&self, storage: &dyn Storage) -> Result<Report, SolveError> {
        self.run_heard_on(&(), storage)
    }

    /// As [`Solve::run_on`], while `progress` hears of it.
    pub fn run_heard_on(&self, progress: &dyn Progress, storage: &dyn Storage) -> Result<Report, SolveError> {
        solve::run_on(&self.0, progress, storage)
    }

    /// Opens the database that the solve has made on a storage, or has begun.
    pub fn open_on(&self, storage: impl Storage + 'static) -> Result<Database, DatabaseError> {
        Database::open_on(Arc::new(storage), &self.folder())
    }

    /// The bytes of every file of the database that is on `disk`, by name.
    pub fn files_on(&self, disk: &MemoryDisk) -> BTreeMap<String, Vec<u8>> {
        let folder = self.folder();
        let named = |(path, bytes): (PathBuf, _)| {
            let name = path.strip_prefix(&folder).expect("a file of the database");
            (name.display().to_string(), bytes)
        };
        disk.files().into_iter().map(named).collect()
    }

    /// Solves into memory without interruption, and returns the disk.
    pub fn solved(&self) -> MemoryDisk {
        let disk = MemoryDisk::new();
        self.run_on(&disk).expect("a solve without faults");
        disk
    }

    /// Solves into memory without interruption, and returns the bytes of every file.
    pub fn whole(&self) -> BTreeMap<String, Vec<u8>> {
        self.files_on(&self.solved())
    }
}

/// A solve of a board by name that can be gone on with after every tier.
pub fn stepwise(name: &str, values: Values) -> Solve {
    Solve::new(board(name), values).stepwise()
}

/// The same with the tiers that are being solved in files, in blocks so small that each has many.
pub fn in_files(name: &str, values: Values) -> Solve {
    let solve = stepwise(name, values);
    solve.with_scratch(solve.root()).with_block_words(20)
}
