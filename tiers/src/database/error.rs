//! Why a database can't be opened or can't answer.

use std::path::PathBuf;

use fourbase::Board;
use fourbase::analysis::AnalysisError;

use crate::files::{FileError, is_address, shown};
use crate::format::{MANIFEST, folder_of};
use crate::index::IndexError;
use crate::kernel::Values;

/// Why a place (a folder, a file or an address) can't serve as the folder of all databases.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misplaced {
    /// The place is a database or the folder of a board. The field is the folder of all databases, which is above the
    /// place.
    #[error("is a database itself, not the folder of all databases")]
    Inside(PathBuf),
    /// A folder (the first field) has tier files (their number is the second field) but no manifest.
    #[error("has no database: {} has {_1} tier files but no manifest, so the copy is incomplete", shown(_0))]
    Incomplete(PathBuf, usize),
    /// The place is a file, or it does not exist and its text looks like an address.
    #[error("is no folder; an address begins with http:// or https://")]
    NoFolder,
    /// The place has no databases, or does not exist.
    #[error("has no databases")]
    Nothing,
    /// The address has no database of this board. It may have others: a host need not list its folders, so they are not
    /// known.
    #[error("has no database of this board")]
    Elsewhere,
}

/// A database that cannot be opened or does not answer.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The folder has no database of the board.
    #[error("no database of {board} in {}", shown(root))]
    Missing {
        /// The board.
        board: Board,
        /// The folder of all databases.
        root: PathBuf,
    },
    /// The given place has no databases at all, or is an address without a database of the board.
    #[error("{} {found}", shown(root))]
    Misplaced {
        /// The place.
        root: PathBuf,
        /// The requested board; `None` if no particular one.
        board: Option<Board>,
        /// What is there.
        found: Misplaced,
    },
    /// The folder has no database of the board with these values.
    #[error("no {values} database of {board} in {}", shown(root))]
    MissingValues {
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The folder of all databases.
        root: PathBuf,
    },
    /// The tier is not solved yet.
    #[error("{}: plies up to {ply} are not solved yet", shown(folder))]
    NotSolved {
        /// The database folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The deepest ply that the database keeps; `None` if it keeps all.
        keep_plies: Option<u32>,
        /// The deepest ply that is not solved yet.
        ply: u32,
    },
    /// A file can't be read, or has wrong contents.
    #[error(transparent)]
    File(#[from] FileError),
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The position is of another board; or a search for a position beyond the kept tiers reached a limit of the
    /// budget; or answers contradict each other.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl DatabaseError {
    /// Returns what to do about a database on a host; `None` for a local database.
    pub fn remedy_of_host(&self) -> Option<String> {
        let place = match self {
            DatabaseError::File(error) => return error.remedy_of_host().map(str::to_owned),
            DatabaseError::Missing { board, root }
            | DatabaseError::Misplaced { board: Some(board), root, found: Misplaced::Elsewhere } => {
                folder_of(root, *board, Values::Remoteness)
            }
            DatabaseError::MissingValues { board, values, root } => folder_of(root, *board, *values),
            DatabaseError::NotSolved { folder, .. } => folder.clone(),
            DatabaseError::Misplaced { .. } | DatabaseError::Index(_) | DatabaseError::Analysis(_) => return None,
        };
        let manifest = place.join(MANIFEST);
        let remedy = format!("the host should have a whole database at {}", shown(&manifest));
        let other = if matches!(self, DatabaseError::Misplaced { .. }) { ", or ask without this address" } else { "" };
        is_address(&place).then(|| remedy + other)
    }
}
