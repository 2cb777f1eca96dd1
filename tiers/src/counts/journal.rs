//! The journal of a count that uses files: a small file beside the others that stores the progress of the count. It is
//! rewritten after every ply.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::table::OutcomeCount;
use crate::files::{FileError, Storage, VERSION, envelope, open_existing, write_file};
use crate::format::Manifest;
use crate::kernel::reach::Pulled;

/// The first bytes of the journal. Older versions had other magics. Later versions keep this magic and change the
/// version number, so this program recognises their journals and does not overwrite them.
const MAGIC: &[u8; 8] = b"fourcou5";

/// The journal's file name.
pub(super) const NAME: &str = "count";

/// The progress of a count.
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
