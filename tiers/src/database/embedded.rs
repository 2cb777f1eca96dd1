//! The databases that are built into the program: the early plies of boards that take long to solve.
//!
//! The files in `tiers/embedded` are those that `fourbase solve BOARD --keep-plies N` writes;
//! `docs/reference/built-in-databases.md` describes how they were made. They are in the program's own memory, so
//! nothing is read from disk.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use fourbase::Board;

use super::error::DatabaseError;
use super::open::Database;
use crate::files::{ReadFile, ReadStorage};
use crate::format::{MANIFEST, board_and_values_of, folder_of};
use crate::kernel::Values;

/// The folder in which the paths of embedded files begin. It is not on disk, but stands for the program.
const ROOT: &str = "embedded";

/// Makes the list of embedded files from their names in each folder: the path and the bytes of every file.
#[cfg(feature = "embedded")]
macro_rules! files {
    ($($folder:literal: $($name:literal)+;)+) => {
        &[$($((concat!("embedded/", $folder, "/", $name), include_bytes!(concat!("../../embedded/", $folder, "/", $name))),)+)+]
    };
}

/// The path and the bytes of every embedded file, the smallest board first. Empty without the cargo feature
/// `embedded`.
#[cfg(not(feature = "embedded"))]
const FILES: &[(&str, &[u8])] = &[];
#[cfg(feature = "embedded")]
const FILES: &[(&str, &[u8])] = files! {
    "7x5/remoteness": "manifest" "tier-01" "tier-03" "tier-05" "tier-07" "tier-09";
    "6x6/remoteness": "manifest" "tier-01" "tier-03" "tier-05" "tier-07" "tier-09" "tier-11";
    "7x6/remoteness": "manifest" "tier-01" "tier-03" "tier-05" "tier-07" "tier-09" "tier-11" "tier-13";
};

impl Database {
    /// Opens the built-in database of a board; `None` if there is none. It has remoteness and keeps only early plies;
    /// later positions are searched forward.
    ///
    /// # Errors
    /// The errors of [`Database::open`]: a board whose tables are too large, or a damaged program.
    ///
    /// ```
    /// use fourbase::{Board, Outcome, Value, notation};
    /// use fourbase_tiers::database::Database;
    ///
    /// let board: Board = "6x6".parse()?;
    /// let database = Database::embedded(board)?.ok_or("no database of 6x6")?;
    /// let position = notation::parse(board, "34")?;
    /// assert_eq!(database.probe(&position)?.value, Value::Lose);
    /// assert!(Database::embedded("5x4".parse()?)?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embedded(board: Board) -> Result<Option<Database>, DatabaseError> {
        match Database::open_on(Arc::new(Embedded), &folder_of(ROOT.as_ref(), board, Values::Remoteness)) {
            Ok(database) => Ok(Some(Database { is_embedded: true, ..database })),
            Err(DatabaseError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the best database of a board, the first of [`Database::find_all`]. If that is the built-in one, but the
    /// folder has one that is still being solved, says so in [`Database::passed_over`].
    ///
    /// # Errors
    /// The errors of [`Database::find`].
    pub fn find_or_embedded(root: &Path, board: Board) -> Result<Database, DatabaseError> {
        let mut databases = Database::find_all(root, board)?;
        let mut first = databases.remove(0);
        // Only unfinished databases come after the built-in one.
        let unfinished = databases.into_iter().next().filter(|_| first.is_embedded);
        let passed_over = unfinished.map(|found| {
            let not_solved = found.not_solved(0);
            found.passed_over.unwrap_or(not_solved)
        });
        let passed_over = passed_over.or(first.passed_over.take());
        Ok(Database { passed_over, ..first })
    }

    /// Lists the boards with a built-in database, smallest first.
    #[must_use]
    pub fn embedded_boards() -> Vec<Board> {
        let manifests = FILES.iter().map(|(path, _)| Path::new(path)).filter(|path| path.ends_with(MANIFEST));
        manifests.filter_map(|path| Some(board_and_values_of(path.parent()?)?.0)).collect()
    }
}

/// The embedded files as a read-only file system.
#[derive(Clone, Copy, Debug)]
struct Embedded;

impl ReadStorage for Embedded {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let file = FILES.iter().find(|(name, _)| Path::new(name) == path).ok_or(ErrorKind::NotFound)?;
        Ok(Box::new(file.1))
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_database_is_complete_and_has_all_its_files() {
        for board in Database::embedded_boards() {
            let database = Database::embedded(board).unwrap().unwrap();
            assert!(database.is_complete() && database.is_embedded);
            let inside =
                FILES.iter().map(|(path, _)| Path::new(path)).filter(|path| path.starts_with(database.folder()));
            let listed = Vec::from_iter(inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)));
            let kept = database.manifest.stored_tiers();
            let names = kept.map(|tier| format!("tier-{:02}", tier.ply)).chain(["manifest".to_owned()]);
            assert_eq!(listed, Vec::from_iter(names.collect::<std::collections::BTreeSet<_>>()));
            assert!(database.manifest.check_hashes(&Embedded, database.folder(), (0, 1), &|_| true).unwrap());
        }
    }
}
