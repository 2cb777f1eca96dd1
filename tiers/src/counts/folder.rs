//! The folder of a count: its lock, its journal, its files.
//!
//! ```text
//! <root>/<board>/count-legal/           a count by ply
//!                count-wdl/             a count by value (or count-remoteness/)
//!                tally-wdl/             a count during a solve (or tally-remoteness/)
//!                    count              the journal: how far the count has come
//!                    reached-NN.S       bits of ply NN that say which positions play reaches; S is the file's number
//!                    lock               held by the process that counts
//! ```
//!
//! A count by ply needs the reached bits of two plies at a time. A count by value needs the bits of all plies, because
//! the sweep goes up from the empty board and the solve goes down from the full board; the bits compress well. If
//! everything fits into memory, these files are in memory too. All files are removed when the count is done.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::table::OutcomeCount;
use crate::context::{Context, Folders};
use crate::files::{FileError, Storage, VERSION, envelope, has_room, open_existing, remove_named, write_file};
use crate::format::Manifest;
use crate::kernel::Values;
use crate::kernel::reach::Pulled;
use crate::solve::{Solve, SolveError};
use crate::tier::{Kind, segments};

/// A count in its own folder, as one rank runs it.
pub(super) struct Count<'a> {
    pub solve: &'a Solve,
    /// The values that are counted, if any.
    pub values: Option<Values>,
    pub context: &'a Context<'a>,
    pub folder: PathBuf,
    /// Whether the files of the count are on disk, so that a later run can resume the count. Otherwise they are in
    /// memory.
    pub in_files: bool,
}

impl Count<'_> {
    /// Returns the path of the folder `name` for counts of the board of `solve`.
    pub fn folder(solve: &Solve, name: &str) -> PathBuf {
        solve.scratch_root().join(solve.board.to_string()).join(name)
    }

    /// Reads the journal that an earlier run of this count left, or returns a new one.
    pub fn journal(&self) -> Result<Journal, FileError> {
        let job = format!("{} {:?} {}", self.solve.board, self.values, self.solve.block_words);
        Journal::read(self.context.storage, &self.folder, job)
    }

    /// Checks that the `needed` bytes of a new count's files fit on the disk. Does not check a resumed count, or a
    /// count in memory.
    pub fn check_disk(&self, journal: &Journal, needed: u128) -> Result<(), SolveError> {
        let Count { context: &Context { storage, all, .. }, ref folder, .. } = *self;
        if !all.is_root() || !self.in_files || !journal.swept.is_empty() {
            return Ok(());
        }
        let error = |free| SolveError::Disk { folder: folder.clone(), board: self.solve.board, needed, free };
        has_room(storage, folder, needed).map_err(error)
    }

    /// Waits for all ranks, and then does `work` on rank 0.
    pub fn on_root<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        self.context.all.barrier();
        if self.context.all.is_root() { work() } else { Ok(()) }
    }

    /// Creates and locks the folder, and calls `work` with the journal of the count. If `work` succeeds, removes the
    /// files of the count. If it had the lock, removes that and then the folder if it is empty (after an error only if
    /// this call has created the folder).
    pub fn in_folder<T>(&self, work: impl FnOnce(Journal) -> Result<T, SolveError>) -> Result<T, SolveError> {
        let Count { context: &Context { storage, all, .. }, ref folder, .. } = *self;
        let (lock, temporary) = (folder.join("lock"), Some((self.solve.scratch_root(), &**folder)));
        let folders = Folders { written: &[folder], lock: &lock, temporary };
        let work = || {
            let counted = work(self.journal()?)?;
            self.on_root(|| {
                // Version 0.2.0 left logs of values in this folder too.
                for kind in [Kind::Reached, Kind::Values(self.solve.values)] {
                    segments::remove(storage, folder, kind, |_| true)?;
                }
                remove_named(storage, folder, |name| name == NAME)
            })?;
            Ok(counted)
        };
        let end = |_: &Result<_, _>, _: &[PathBuf]| {
            if all.is_root() {
                let _ = storage.remove(&lock);
            }
        };
        let busy = |holder| SolveError::Busy { folder: folder.clone(), holder };
        let counted = self.context.in_folders(&folders, busy, work, end);
        counted.map_err(|error| match error {
            SolveError::File(source) if source.is_damage() && source.path().starts_with(folder) => {
                SolveError::Damaged { folder: folder.clone(), source }
            }
            error => error,
        })
    }
}

/// The first bytes of the journal. Older versions had other magics. Later versions keep this magic and change the
/// version number, so this program recognises their journals and does not overwrite them.
const MAGIC: &[u8; 8] = b"fourcou6";

/// The file name of the journal.
const NAME: &str = "count";

/// The progress of a count. The journal is rewritten after every ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    /// What is counted, as text: the board, the values, and the number of words in a block.
    pub job: String,
    /// For each ply that the sweep has finished, from the empty board on, how many positions play reaches.
    pub swept: Vec<Pulled>,
    /// For each ply that is tallied, the counts by outcome of its positions without a line.
    pub outcomes: Vec<OutcomeCount>,
    /// The ply that was tallied last. The tally goes from the full board down; `u32::MAX` if no ply is tallied yet.
    pub solved: u32,
}

impl Journal {
    /// Reads the journal of this job. Returns a new one if the file is missing, damaged or of another job.
    ///
    /// # Errors
    /// [`FileError::Io`] if the system refuses to read an existing file, [`FileError::Newer`].
    pub fn read(storage: &dyn Storage, folder: &Path, job: String) -> Result<Journal, FileError> {
        let path = folder.join(NAME);
        let file = open_existing(storage, &path)?;
        let found = file.map(|file| envelope::unseal::<Journal>(VERSION..=VERSION, &*file, &path, MAGIC));
        let found = found.map(FileError::unless_damaged).transpose()?.flatten().map(|(_, found, _)| found);
        let begun = Journal { job, swept: Vec::new(), outcomes: Vec::new(), solved: u32::MAX };
        Ok(found.filter(|found| found.job == begun.job).unwrap_or(begun))
    }

    /// Returns whether all tiers in the manifest of a solve are tallied.
    pub fn has_counted(&self, manifest: Option<Manifest>) -> bool {
        let last = manifest.and_then(|manifest| manifest.tiers.last().map(|tier| tier.ply));
        last.is_none_or(|last| self.solved <= last)
    }

    /// Writes the journal durably.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
        write_file(storage, folder, NAME, &envelope::seal(VERSION, MAGIC, self))
    }
}

#[cfg(test)]
mod tests {
    use fourbase::Value;

    use super::*;
    use crate::files::Disk;

    #[test]
    fn the_journal_of_the_largest_count_fits_its_envelope() {
        let folder = tempfile::tempdir().unwrap();
        let row = |row: u32| {
            let (ply, remoteness, example) = (row / 130, Some(row % 130), Some("1".repeat(64)));
            OutcomeCount { ply, value: Value::Win, remoteness, legal: u64::MAX, example }
        };
        let swept = vec![Pulled { without_line: u64::MAX, with_line: u64::MAX }; 65];
        let outcomes = (0..65 * 130).map(row).collect();
        let journal = Journal { job: "8x8".to_owned(), swept, outcomes, solved: 0 };
        journal.write(&Disk, folder.path()).unwrap();
        let read = |job: &str| Journal::read(&Disk, folder.path(), job.to_owned()).unwrap();
        assert!(read("8x8") == journal && read("8x7").swept.is_empty());
    }
}
