//! Why a place that was named as the folder of all databases has none.

use std::path::{Path, PathBuf};

use fourbase::Board;

use super::error::DatabaseError;
use super::open::list;
use crate::files::{Disk, Storage, is_address};
use crate::format::{MANIFEST, TIER_PREFIX, folder_of};
use crate::kernel::Values;

/// The folder of all databases where none is named. It need not exist.
pub const DEFAULT_ROOT: &str = "db";

/// What is at a place without databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misplaced {
    /// One database itself, or both of a board; the folder of all databases is given.
    Inside(PathBuf),
    /// So many tiers without their manifest, in this folder.
    Incomplete(PathBuf, usize),
    /// Nothing, and the text looks like an address.
    Scheme,
    /// Nothing.
    Nothing,
}

/// Checks a folder without a database of `board`, or without any. One with databases of other boards passes, and so does the default
/// one.
///
/// # Errors
/// [`DatabaseError::Misplaced`].
pub fn check_root(root: &Path, board: Option<Board>) -> Result<(), DatabaseError> {
    if is_address(root) {
        return Ok(());
    }
    let kinds = [Values::Remoteness, Values::Wdl];
    let is_board = kinds.iter().any(|values| root.join(values.to_string()).join(MANIFEST).exists());
    let levels = if root.join(MANIFEST).exists() { 2 } else { usize::from(is_board) };
    let tiers = |folder: &Path| {
        let names = Disk.names(folder).unwrap_or_default();
        names.iter().filter(|name| name.starts_with(TIER_PREFIX)).count()
    };
    let names = Disk.names(root).unwrap_or_default();
    let boards =
        names.iter().filter_map(|name| name.parse().ok()).filter(|found| board.is_none_or(|board| board == *found));
    let mut folders = boards.flat_map(|board: Board| kinds.map(|values| folder_of(root, board, values)));
    let incomplete = folders.find(|folder| !folder.join(MANIFEST).exists() && tiers(folder) > 0);
    let text = root.to_string_lossy();
    let found = if levels > 0 {
        let root = root.ancestors().nth(levels).filter(|root| root.components().next().is_some());
        Misplaced::Inside(root.unwrap_or(Path::new(".")).to_path_buf())
    } else if let Some(folder) = incomplete {
        let count = tiers(&folder);
        Misplaced::Incomplete(folder, count)
    } else if root == Path::new(DEFAULT_ROOT) || !list(root).is_ok_and(|listing| listing.is_empty()) {
        return Ok(());
    } else if !root.exists() && (text.contains("://") || text.contains(':') && !cfg!(windows)) {
        Misplaced::Scheme
    } else {
        Misplaced::Nothing
    };
    Err(DatabaseError::Misplaced { root: root.to_path_buf(), board, found })
}

impl std::fmt::Display for Misplaced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misplaced::Inside(_) => f.write_str("is a database itself, not the folder of all databases"),
            Misplaced::Incomplete(folder, count) => {
                write!(
                    f,
                    "has no database: {} has {count} tier files but no manifest, so the copy is incomplete",
                    folder.display()
                )
            }
            Misplaced::Scheme => f.write_str("is no folder; an address begins with http:// or https://"),
            Misplaced::Nothing => f.write_str("has no databases"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::database::Database;

    #[test]
    fn every_wrong_folder_is_named_with_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (root, board) = (folder.path(), "4x4".parse::<Board>().unwrap());
        let found = |path: &Path| match Database::find_or_embedded(path, board) {
            Err(DatabaseError::Misplaced { found, .. }) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(found(root), Misplaced::Nothing);
        assert_eq!(found(&root.join("typo")), Misplaced::Nothing);
        for address in ["ftp://host/db", "file:///db", "127.0.0.1:8000"] {
            assert_eq!(found(Path::new(address)), Misplaced::Scheme, "{address}");
        }
        let database = root.join("4x4/remoteness");
        fs::create_dir_all(&database).unwrap();
        fs::write(database.join("tier-01"), "").unwrap();
        assert_eq!(found(root), Misplaced::Incomplete(database.clone(), 1));
        fs::write(database.join(MANIFEST), "").unwrap();
        assert_eq!(found(&database), Misplaced::Inside(root.to_path_buf()));
        assert_eq!(found(&root.join("4x4")), Misplaced::Inside(root.to_path_buf()));
        // A folder with a database of another board is the right one.
        let other = "3x3".parse().unwrap();
        assert!(matches!(Database::find(root, other), Err(DatabaseError::Missing { .. })));
    }
}
