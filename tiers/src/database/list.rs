//! What a folder of databases holds.

use std::io::ErrorKind;
use std::path::Path;

use fourbase::{Board, Outcome};

use super::open::Database;
use crate::files::{Disk, FileError, Storage, io_error};
use crate::format::{Hash, Manifest, State, folder_of};
use crate::kernel::Values;

/// One database of a folder of databases.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The board.
    pub board: Board,
    /// The values.
    pub values: Values,
    /// Finished tiers.
    pub tiers_done: u32,
    /// All tiers.
    pub tiers: u32,
    /// The deepest ply whose tier is kept, where not all are.
    pub keep_plies: Option<u32>,
    /// Whether all tiers are done.
    pub complete: bool,
    /// Bytes of the finished tiers' files and of the manifest.
    pub bytes: u64,
    /// Entries of the finished tiers, after the mirror.
    pub entries: u64,
    /// Outcome of the empty board, when complete.
    pub outcome: Option<Outcome>,
    /// Hash of the whole database, when complete.
    pub hash: Option<Hash>,
}

/// The databases of a folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Those whose manifest can be read, by name.
    pub databases: Vec<Summary>,
    /// What is wrong with the others.
    pub faults: Vec<FileError>,
}

/// Lists the databases under `root`, by name. Folders and files that are not databases are passed over. One manifest
/// that cannot be read does not hide the others.
///
/// # Errors
/// [`FileError::Io`] where the folder itself cannot be listed; one that is not there is empty.
pub fn list(root: &Path) -> Result<Listing, FileError> {
    let mut listing = Listing::default();
    for name in Disk.names(root).map_err(io_error(root, "list"))? {
        let Some(board) = name.parse::<Board>().ok().filter(|board| board.to_string() == name) else { continue };
        for values in [Values::Wdl, Values::Remoteness] {
            match Manifest::read(&Disk, &folder_of(root, board, values), board, values) {
                Ok(Some(manifest)) => listing.databases.push(Summary::of(board, values, &manifest)),
                Ok(None) => {}
                // A plain file that is named like a board, or like the values of one.
                Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => {}
                Err(fault) => listing.faults.push(fault),
            }
        }
    }
    Ok(listing)
}

impl Database {
    /// Says what a list says of this database.
    pub fn summary(&self) -> Summary {
        Summary::of(self.board(), self.values(), self.manifest())
    }
}

impl Summary {
    fn of(board: Board, values: Values, manifest: &Manifest) -> Summary {
        Summary {
            board,
            values,
            tiers_done: manifest.tiers.len() as u32,
            tiers: board.cells() as u32 + 1,
            keep_plies: manifest.keep_plies(),
            complete: manifest.state == State::Complete,
            bytes: manifest.bytes(),
            entries: manifest.entries(),
            outcome: manifest.root(),
            hash: manifest.hash(),
        }
    }
}
