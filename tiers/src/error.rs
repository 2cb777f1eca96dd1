//! What can go wrong in this package: one kind a layer, each message ending with what to do.

use std::io;
use std::path::PathBuf;

use fourbase::Board;

use crate::kernel::Values;

/// A board that cannot be indexed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The tables of the wings alone are beyond any memory.
    #[error(
        "board {board}: the tables of its index would have {colourings:.1e} colourings, more than {limit:.0e}; \
         choose a board of fewer rows or columns"
    )]
    TooLarge {
        /// The board.
        board: Board,
        /// Colourings of a wing beside a spine, over all shapes.
        colourings: f64,
        /// The most that is tried.
        limit: f64,
    },
}

/// A solve that cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Not enough memory.
    #[error(
        "board {board} has {about}{entries} entries and needs {about}{} of memory, the limit is {}; \
         give a higher --memory, or a smaller board", bytes(*.needed), bytes(u128::from(*.limit))
    )]
    Memory {
        /// The board.
        board: Board,
        /// Entries after the mirror.
        entries: u128,
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
        /// `"about "` where the figures are estimates.
        about: &'static str,
    },
    /// Another solver holds the folder.
    #[error("{} is being solved by {holder}; wait for it to end, or end it", folder.display())]
    Busy {
        /// The database folder.
        folder: PathBuf,
        /// Who holds it.
        holder: String,
    },
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// A database that cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is no database of the board.
    #[error("no database of {board} in {}; make it with: fourbase solve {board}{}", root.display(), db_option(root))]
    Missing {
        /// The board.
        board: Board,
        /// The folder of all databases.
        root: PathBuf,
    },
    /// The tier that is asked for is not solved yet.
    #[error("{}: ply {ply} is not solved yet; go on with: fourbase solve {board} --values {values}{}", folder.display(), folder_option(folder))]
    NotSolved {
        /// The database folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The tier.
        ply: u32,
    },
    /// A position of another board.
    #[error("the position is of board {found}, the database of {expected}; open the database of {found}")]
    OtherBoard {
        /// The database's board.
        expected: Board,
        /// The position's board.
        found: Board,
    },
    /// A file of another kind, version, board or tier.
    #[error("{}: {what} is {found}, expected {expected}; make the database again with --replace", file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        what: &'static str,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// Bytes that are not what was written.
    #[error("{}: damaged at byte {offset} ({what}); make the database again with --replace", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// What was found.
        what: &'static str,
    },
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}; check the folder, its permissions and the free space", file.display())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The board cannot be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Writes a number of bytes with a unit: `512 B`, `1.5 MiB`.
pub fn bytes(count: u128) -> String {
    const UNITS: [&str; 9] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB", "RiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

fn db_option(root: &std::path::Path) -> String {
    if root == std::path::Path::new("db") { String::new() } else { format!(" --db {}", root.display()) }
}

fn folder_option(folder: &std::path::Path) -> String {
    folder.parent().and_then(|folder| folder.parent()).map_or_else(String::new, db_option)
}
