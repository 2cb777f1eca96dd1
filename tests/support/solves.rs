//! Solves as the tests run them: alone, and often on disks in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::memory_disk::MemoryDisk;
use super::positions::board;
use super::tiers::{
    Context, Database, DatabaseError, Disk, Plan, Progress, Report, Solve, SolveError, Storage, Values,
};

/// What a solve may take: far more than any board of these tests needs.
pub const MEMORY_BYTES: u64 = 4 << 30;

/// What the tests do with a solve.
pub trait Runs {
    /// The solve.
    fn solve(&self) -> &Solve;

    /// Makes every tier durable, so that a solve that is stopped can resume there.
    fn stepwise(&self) -> Solve {
        self.solve().clone().checkpoint(Duration::ZERO)
    }

    /// Keeps the live tiers in memory, where there is plenty. An earlier solve's files are found if they are beside the database.
    fn in_memory(&self) -> Solve {
        self.solve().clone().scratch(None).memory(MEMORY_BYTES)
    }

    /// Solves into files on disk and reports to `progress`.
    fn run_heard(&self, progress: &dyn Progress) -> Result<Report, SolveError> {
        self.run_heard_on(progress, &Disk)
    }

    /// Solves into the files of a storage.
    fn solve_on(&self, storage: &dyn Storage) -> Result<Report, SolveError> {
        self.run_heard_on(&(), storage)
    }

    /// Solves like [`Runs::solve_on`] and reports to `progress`.
    fn run_heard_on(&self, progress: &dyn Progress, storage: &dyn Storage) -> Result<Report, SolveError> {
        self.solve().run_on(&Context { storage, progress, ..Context::default() })
    }

    /// Opens the database that the solve has made on a storage, or has begun.
    fn open_on(&self, storage: impl Storage + 'static) -> Result<Database, DatabaseError> {
        Database::open_on(Arc::new(storage), &self.solve().folder())
    }

    /// Makes a disk with these files of the solve's database.
    fn disk_with(&self, files: &BTreeMap<String, Vec<u8>>) -> MemoryDisk {
        let disk = MemoryDisk::default();
        files.iter().for_each(|(name, bytes)| disk.put(&self.solve().folder().join(name), bytes));
        disk
    }

    /// The bytes of every file of the database that is on `disk`, by name.
    fn files_on(&self, disk: &MemoryDisk) -> BTreeMap<String, Vec<u8>> {
        let folder = self.solve().folder();
        let named = |(path, bytes): (PathBuf, _)| {
            let name = path.strip_prefix(&folder).expect("a file of the database");
            (name.display().to_string(), bytes)
        };
        disk.files().into_iter().map(named).collect()
    }

    /// Solves into memory without interruption, and returns the disk.
    fn solved(&self) -> MemoryDisk {
        let disk = MemoryDisk::default();
        self.solve_on(&disk).expect("a solve without faults");
        disk
    }

    /// Solves into memory without interruption, and returns the bytes of every file.
    fn whole(&self) -> BTreeMap<String, Vec<u8>> {
        self.files_on(&self.solved())
    }
}

impl Runs for Solve {
    fn solve(&self) -> &Solve {
        self
    }
}

/// A solve of a board by name that can be resumed after every tier.
pub fn stepwise(name: &str, values: Values) -> Solve {
    Solve::new(board(name), values).stepwise()
}

/// The same with the tiers that are being solved in files, in blocks so small that each has many. There is memory for all of
/// them until a tier is made durable.
pub fn in_files(name: &str, values: Values) -> Solve {
    stepwise(name, values).scratch(Some("db".into())).block_words(20)
}

/// The same with no memory for blocks: each goes into its file as soon as it is solved.
pub fn in_files_at_once(name: &str, values: Values) -> Solve {
    let solve = in_files(name, values);
    let bytes = least_bytes(&solve);
    solve.memory(bytes)
}

/// The least memory of a solve in files.
pub fn least_bytes(solve: &Solve) -> u64 {
    Plan::new(solve.board, solve.values, MEMORY_BYTES).bounded().memory_bytes() as u64
}
