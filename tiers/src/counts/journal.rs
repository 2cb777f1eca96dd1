//! The progress of a count in files: one small file beside them, rewritten after every ply.

use std::path::Path;

use fourbase::{Board, Outcome, Value};
use serde::{Deserialize, Serialize};

use super::table::{OutcomeCount, PlyLegal};
use crate::files::{FileError, Storage, VERSION, envelope, io_error, open_existing, write_file};
use crate::kernel::Values;

/// The first version had no examples, the second also those of counts that solved by themselves, the third values as text. Later
/// ones have this magic and another version, so that this program leaves them alone.
const MAGIC: &[u8; 8] = b"fourcou4";

/// The journal's file name.
const NAME: &str = "count";

/// The progress of a count.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    board: String,
    /// The values that are counted, if any.
    pub values: Option<Values>,
    block_words: u64,
    /// The plies that the sweep has counted.
    pub legal: Vec<PlyLegal>,
    /// The counts of these plies' outcomes, in the order in which they were found.
    pub outcomes: Vec<OutcomeCount>,
    /// The last ply whose values are solved and counted. Plies are solved from the full board down.
    pub solved: Option<u32>,
}

impl Journal {
    /// Makes the journal of a new count.
    pub fn new(board: Board, values: Option<Values>, block_words: usize) -> Journal {
        Journal { board: board.to_string(), values, block_words: block_words as u64, ..Journal::default() }
    }

    /// Adds the next ply of the sweep. Positions with a line are finished, so their values need no solve.
    pub fn add_ply(&mut self, board: Board, legal: PlyLegal) {
        self.legal.push(legal);
        if let Some(values) = self.values {
            let value = if board.is_misere() { Value::Win } else { Value::Lose };
            let finished = Outcome { value, remoteness: (values == Values::Remoteness).then_some(0) };
            self.add(legal.ply, finished, legal.with_line, None);
        }
    }

    /// Adds positions of a ply with one outcome, and the moves to one of them.
    pub fn add(&mut self, ply: u32, Outcome { value, remoteness }: Outcome, legal: u64, example: Option<String>) {
        if legal == 0 {
            return;
        }
        match self.outcomes.iter_mut().find(|row| (row.ply, row.value, row.remoteness) == (ply, value, remoteness)) {
            Some(row) => {
                row.legal += legal;
                row.example = row.example.take().or(example);
            }
            None => self.outcomes.push(OutcomeCount { ply, value, remoteness, legal, example }),
        }
    }

    /// Returns whether the values of a ply are counted.
    pub fn has_counted(&self, ply: u32) -> bool {
        self.solved.is_some_and(|last| last <= ply)
    }

    /// Reads the journal of an earlier run of the same count; `None` if there is nothing to resume.
    ///
    /// # Errors
    /// [`FileError::Io`] if the system refuses to read an existing file.
    pub fn read(&self, storage: &dyn Storage, folder: &Path) -> Result<Option<Journal>, FileError> {
        let path = folder.join(NAME);
        let Some(file) = open_existing(storage, &path)? else { return Ok(None) };
        let found = FileError::unless_damaged(envelope::unseal::<Journal>(VERSION..=VERSION, &*file, &path, MAGIC))?;
        let is_same = |found: &Journal| {
            (&found.board, found.values, found.block_words) == (&self.board, self.values, self.block_words)
        };
        Ok(found.map(|(_, found, _)| found).filter(is_same))
    }

    /// Writes the journal durably.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
        write_file(storage, folder, NAME, &envelope::seal(VERSION, MAGIC, self))
    }

    /// Removes the journal from a folder.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn remove(storage: &dyn Storage, folder: &Path) -> Result<(), FileError> {
        let path = folder.join(NAME);
        storage.remove(&path).map_err(io_error(&path, "remove"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Disk;

    #[test]
    fn the_journal_of_the_largest_count_fits_its_envelope() {
        let folder = tempfile::tempdir().unwrap();
        let begun = Journal::new("8x8".parse().unwrap(), Some(Values::Remoteness), 1 << 15);
        let mut journal = begun.clone();
        for ply in 0..=64 {
            journal.legal.push(PlyLegal { ply, legal: u64::MAX, primitive: u64::MAX, with_line: u64::MAX });
            for row in 0..130 {
                let outcome = Outcome { value: Value::Win, remoteness: Some(row) };
                journal.add(ply, outcome, u64::MAX, Some("1".repeat(64)));
            }
        }
        journal.write(&Disk, folder.path()).unwrap();
        assert!(begun.read(&Disk, folder.path()).unwrap() == Some(journal), "the same journal");
        assert_eq!(Journal { values: None, ..begun.clone() }.read(&Disk, folder.path()).unwrap(), None);
        Journal::remove(&Disk, folder.path()).unwrap();
        assert_eq!(begun.read(&Disk, folder.path()).unwrap(), None);
    }
}
