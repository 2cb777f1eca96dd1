//! Solves as the tests ask for them. How the library is told what to solve is known here alone.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fourbase::Board;
use fourbase_tiers::solve;

use super::memory_disk::MemoryDisk;
use super::positions::board;
use super::tiers::{Alone, Database, DatabaseError, Disk, Kernel, Plan, Progress, Report, SolveError, Storage, Values};

/// What a solve may take: far more than any board of these tests needs.
pub const MEMORY_BYTES: u64 = 4 << 30;

/// A solve to be run, once or often, with its folder of all databases, and that of the live tiers where they are in files. Each `with_`
/// returns another that differs in one setting.
#[derive(Clone, Debug)]
pub struct Solve {
    pub board: Board,
    pub values: Values,
    pub root: PathBuf,
    pub scratch: Option<PathBuf>,
    pub keep_plies: Option<u32>,
    library: solve::Solve,
}

impl Solve {
    /// A solve with the fastest kernels, in memory, into a database under `db`.
    pub fn new(board: Board, values: Values) -> Solve {
        let library = solve::Solve::new(board, values).memory(MEMORY_BYTES);
        Solve { board, values, root: "db".into(), scratch: None, keep_plies: None, library }
    }

    fn with(&self, set: impl FnOnce(solve::Solve) -> solve::Solve) -> Solve {
        Solve { library: set(self.library.clone()), ..self.clone() }
    }

    /// Sets the folder of all databases.
    pub fn with_root(&self, root: impl Into<PathBuf>) -> Solve {
        let root = root.into();
        Solve { root: root.clone(), ..self.with(|solve| solve.root(&root)) }
    }

    /// Makes every tier durable, so that a solve that is stopped can resume there.
    pub fn stepwise(&self) -> Solve {
        self.with_checkpoint(Duration::ZERO)
    }

    /// Sets how long to solve before a tier is made durable.
    pub fn with_checkpoint(&self, checkpoint: Duration) -> Solve {
        self.with(|solve| solve.checkpoint(checkpoint))
    }

    /// Sets the kernels.
    pub fn with_kernel(&self, kernel: Kernel) -> Solve {
        self.with(|solve| solve.kernel(kernel))
    }

    /// Limits the memory.
    pub fn with_memory_bytes(&self, memory_bytes: u64) -> Solve {
        self.with(|solve| solve.memory(memory_bytes))
    }

    /// Replaces an older database, or resumes it.
    pub fn with_replace(&self, replace: bool) -> Solve {
        self.with(|solve| solve.replace(replace))
    }

    /// Keeps the live tiers in files.
    pub fn with_scratch(&self, scratch: impl Into<PathBuf>) -> Solve {
        let scratch = Some(scratch.into());
        Solve { scratch: scratch.clone(), ..self.with(|solve| solve.scratch(scratch)) }
    }

    /// Keeps them in memory, where there is plenty. An earlier solve's files are found if they are beside the database.
    pub fn in_memory(&self) -> Solve {
        Solve { scratch: None, ..self.with(|solve| solve.scratch(None).memory(MEMORY_BYTES)) }
    }

    /// Sets how many words a block of those tiers has.
    pub fn with_block_words(&self, block_words: usize) -> Solve {
        self.with(|solve| solve.block_words(block_words))
    }

    /// Keeps the tiers of at most so many pieces; `None`: all.
    pub fn with_keep_plies(&self, keep_plies: Option<u32>) -> Solve {
        Solve { keep_plies, ..self.with(|solve| solve.keep_plies(keep_plies)) }
    }

    /// The database's folder.
    pub fn folder(&self) -> PathBuf {
        self.library.folder()
    }

    /// The folder of this database's tiers within [`Solve::scratch`].
    pub fn scratch_folder(&self) -> PathBuf {
        self.library.scratch_folder()
    }

    /// Solves into files on disk.
    pub fn run(&self) -> Result<Report, SolveError> {
        self.run_heard(&())
    }

    /// Runs like [`Solve::run`] and reports to `progress`.
    pub fn run_heard(&self, progress: &dyn Progress) -> Result<Report, SolveError> {
        self.run_heard_on(progress, &Disk)
    }

    /// Solves into the files of a storage.
    pub fn run_on(&self, storage: &dyn Storage) -> Result<Report, SolveError> {
        self.run_heard_on(&(), storage)
    }

    /// Runs like [`Solve::run_on`] and reports to `progress`.
    pub fn run_heard_on(&self, progress: &dyn Progress, storage: &dyn Storage) -> Result<Report, SolveError> {
        self.library.run_on(&Alone, storage, progress)
    }

    /// Opens the database that the solve has made on a storage, or has begun.
    pub fn open_on(&self, storage: impl Storage + 'static) -> Result<Database, DatabaseError> {
        Database::open_on(Arc::new(storage), &self.folder())
    }

    /// Makes a disk with these files of the solve's database.
    pub fn disk_with(&self, files: &BTreeMap<String, Vec<u8>>) -> MemoryDisk {
        let disk = MemoryDisk::default();
        files.iter().for_each(|(name, bytes)| disk.put(&self.folder().join(name), bytes));
        disk
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
        let disk = MemoryDisk::default();
        self.run_on(&disk).expect("a solve without faults");
        disk
    }

    /// Solves into memory without interruption, and returns the bytes of every file.
    pub fn whole(&self) -> BTreeMap<String, Vec<u8>> {
        self.files_on(&self.solved())
    }
}

/// A solve of a board by name that can be resumed after every tier.
pub fn stepwise(name: &str, values: Values) -> Solve {
    Solve::new(board(name), values).stepwise()
}

/// The same with the tiers that are being solved in files, in blocks so small that each has many. There is memory for all of
/// them until a tier is made durable.
pub fn in_files(name: &str, values: Values) -> Solve {
    let solve = stepwise(name, values);
    solve.with_scratch(&solve.root).with_block_words(20)
}

/// The same with no memory for blocks: each goes into its file as soon as it is solved.
pub fn in_files_at_once(name: &str, values: Values) -> Solve {
    let solve = in_files(name, values);
    solve.with_memory_bytes(least_bytes(&solve))
}

/// The least memory of a solve in files.
pub fn least_bytes(solve: &Solve) -> u64 {
    Plan::new(solve.board, solve.values, MEMORY_BYTES).bounded().memory_bytes() as u64
}
