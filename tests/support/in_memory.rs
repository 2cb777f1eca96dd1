//! Whole solves into files in memory.

use std::collections::BTreeMap;

use fourbase_tiers::database::folder_of;
use fourbase_tiers::error::SolveError;
use fourbase_tiers::solve::{Options, Report, run_on};

use super::memory_disk::MemoryDisk;

/// Solves into the files of `disk`.
pub fn solve_in_memory(options: &Options, disk: &MemoryDisk) -> Result<Report, SolveError> {
    run_on(options, &(), disk)
}

/// The bytes of every file of a database, by name.
pub fn database_files(options: &Options, disk: &MemoryDisk) -> BTreeMap<String, Vec<u8>> {
    let folder = folder_of(&options.root, options.board, options.values);
    let named = |(path, bytes): (std::path::PathBuf, _)| {
        let name = path.strip_prefix(&folder).expect("a file of the database");
        (name.display().to_string(), bytes)
    };
    disk.files().into_iter().map(named).collect()
}

/// Solves a board without interruption.
pub fn whole_database(options: &Options) -> BTreeMap<String, Vec<u8>> {
    let disk = MemoryDisk::new();
    solve_in_memory(options, &disk).expect("a solve without faults");
    database_files(options, &disk)
}
