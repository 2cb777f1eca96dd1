//! Finds out why a folder or address that should have all databases has none.

use std::path::{Path, PathBuf};

use fourbase::Board;

use super::error::{DatabaseError, Misplaced};
use crate::files::{Disk, Storage, is_address, storage_of};
use crate::format::{MANIFEST, REPLACEMENT, TIER_PREFIX};
use crate::kernel::Values;

/// The folder of all databases if none is given. It need not exist.
pub const DEFAULT_ROOT: &str = "db";

/// Checks whether `root` can be the folder of all databases, although no database of `board` was found there (or, if
/// `board` is `None`, no database at all). A folder with databases of other boards passes, and so does
/// [`DEFAULT_ROOT`].
///
/// # Errors
/// [`DatabaseError::Misplaced`].
pub fn check_root(root: &Path, board: Option<Board>) -> Result<(), DatabaseError> {
    let (storage, is_host) = (storage_of(root), is_address(root));
    let has_manifest = |folder: &Path| storage.open(&folder.join(MANIFEST)).is_ok();
    // A database's folder is two levels below the folder of all databases; a board's folder is one level below it.
    let above = |levels: usize| {
        let above = root.ancestors().nth(levels).filter(|above| is_address(above) == is_host)?;
        let is_inside =
            if levels == 2 { has_manifest(root) } else { of_values(root).iter().any(|of| has_manifest(of)) };
        is_inside.then(|| if above.as_os_str().is_empty() { PathBuf::from(".") } else { above.to_path_buf() })
    };
    let found = match above(2).or_else(|| above(1)) {
        Some(above) => Some(Misplaced::Inside(above)),
        None if is_host => board.map(|_| Misplaced::Elsewhere),
        None => on_disk(root, board),
    };
    let Some(found) = found else { return Ok(()) };
    Err(DatabaseError::Misplaced { root: root.to_path_buf(), board, found })
}

/// Returns the folders that both databases of a board have in `folder`, the board's folder.
fn of_values(folder: &Path) -> [PathBuf; 2] {
    [Values::Remoteness, Values::Wdl].map(|values| folder.join(values.to_string()))
}

/// Returns why a path on disk can't be the folder of all databases; `None` if it can.
fn on_disk(root: &Path, board: Option<Board>) -> Option<Misplaced> {
    let names = Disk.names(root).unwrap_or_default();
    let boards = || names.iter().filter_map(|name| name.parse::<Board>().ok());
    let folders = |board: Board| of_values(&root.join(board.to_string()));
    let tiers = |folder: &Path| {
        let names = Disk.names(folder).unwrap_or_default();
        names.iter().filter(|name| name.starts_with(TIER_PREFIX)).count()
    };
    let itself = [root.to_path_buf()].into_iter().chain(of_values(root));
    let of_board = boards().filter(|found| board.is_none_or(|board| board == *found)).flat_map(folders);
    let incomplete = itself.chain(of_board).find(|folder| !folder.join(MANIFEST).exists() && tiers(folder) > 0);
    if let Some(folder) = incomplete {
        let count = tiers(&folder);
        return Some(Misplaced::Incomplete(folder, count));
    }
    let is_used = |folder: PathBuf| {
        [&folder, &folder.with_extension(REPLACEMENT)].into_iter().any(|folder| folder.join(MANIFEST).exists())
    };
    if root == Path::new(DEFAULT_ROOT) || boards().flat_map(folders).any(is_used) {
        None
    } else if root.is_file() || !root.exists() && looks_like_address(root) {
        Some(Misplaced::NoFolder)
    } else {
        Some(Misplaced::Nothing)
    }
}

/// Returns whether a text is more likely an address than a folder: it has a scheme, or a port as in `127.0.0.1:8000`.
#[must_use]
pub fn looks_like_address(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let port = text.split('/').next().and_then(|host| host.split_once(':')).map(|(_, port)| port);
    text.contains("://") || port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
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
            assert_eq!(found(Path::new(address)), Misplaced::NoFolder, "{address}");
        }
        let database = root.join("4x4/remoteness");
        fs::create_dir_all(&database).unwrap();
        fs::write(database.join("tier-01"), "").unwrap();
        for named in [root, &root.join("4x4"), &database] {
            assert_eq!(found(named), Misplaced::Incomplete(database.clone(), 1));
        }
        assert_eq!(found(&database.join("tier-01")), Misplaced::NoFolder);
        fs::write(database.join(MANIFEST), "").unwrap();
        assert_eq!(found(&database), Misplaced::Inside(root.to_path_buf()));
        assert_eq!(found(&root.join("4x4")), Misplaced::Inside(root.to_path_buf()));
        // A folder with a database of another board is accepted.
        let other = "3x3".parse().unwrap();
        assert!(matches!(Database::find(root, other), Err(DatabaseError::Missing { .. })));
    }
}
