//! What can go wrong in this package: one kind a layer, each message ending with what to do.

use std::io;
use std::path::{Path, PathBuf};

use fourbase::Board;
use fourbase::search::SearchError;

use crate::database::names_of;
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
    /// It was asked to stop, and did where it can go on.
    #[error(
        "{}: stopped with {done} of {tiers} tiers done; go on with: fourbase solve {board} --values {values}{}{}{}",
        folder.display(), keep_option(*keep_plies), folder_option(folder), scratch_option(scratch.as_deref())
    )]
    Stopped {
        /// The database folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The deepest ply whose tier is kept, where not all are.
        keep_plies: Option<u32>,
        /// Where the tiers that are being solved are, if not with the database.
        scratch: Option<PathBuf>,
        /// Tiers that are durable.
        done: usize,
        /// All tiers.
        tiers: usize,
    },
    /// Not enough room for the files.
    #[error(
        "{}: board {board} needs about {} of files while it is solved, {} are free; make room, or give another folder with \
         --scratch", folder.display(), bytes(*.needed), bytes(u128::from(*.free))
    )]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// Bytes needed.
        needed: u128,
        /// Bytes free.
        free: u64,
    },
    /// The tier to go on from is not where it should be.
    #[error(
        "{}: the solve can go on from ply {ply}, but {} does not hold it; give the --scratch of the earlier solve, or \
         start over with --replace", folder.display(), scratch.display()
    )]
    Scratch {
        /// The database folder.
        folder: PathBuf,
        /// The folder of the tiers that are being solved.
        scratch: PathBuf,
        /// The tier.
        ply: u32,
    },
    /// The folder was begun with another `--keep-plies`.
    #[error(
        "{}: this database keeps {}, not {}; go on with: fourbase solve {board} --values {values}{}{}, or start over with \
         --replace", folder.display(), kept(*found), kept(*wanted), keep_option(*found), folder_option(folder)
    )]
    Kept {
        /// The database folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The deepest ply whose tier the folder keeps; `None` where it keeps all.
        found: Option<u32>,
        /// The one that is asked for.
        wanted: Option<u32>,
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
    #[error(
        "{}: ply {ply} is not solved yet; go on with: fourbase solve {board} --values {values}{}{}",
        folder.display(), keep_option(*keep_plies), folder_option(folder)
    )]
    NotSolved {
        /// The database folder.
        folder: PathBuf,
        /// The board.
        board: Board,
        /// The values.
        values: Values,
        /// The deepest ply whose tier is kept, where not all are.
        keep_plies: Option<u32>,
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
    #[error("{}: {what} is {found}, expected {expected}; make the database again with: {}", file.display(), again(file))]
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
    /// A file of a later version of the format.
    #[error(
        "{}: the format's version is {found}, of a newer fourbase, and this one knows {known}; update fourbase, or, if there is \
         no newer one, the file is damaged: make the database again with: {}", file.display(), again(file)
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// Bytes that are not what was written.
    #[error("{}: damaged{} ({what}); make the database again with: {}", file.display(), at_byte(*offset), again(file))]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// What was found.
        what: &'static str,
    },
    /// A block whose bytes are not what was written as this block of this tier.
    #[error(
        "{}: block {block} at byte {offset} has the checksum {found:08x}, expected {expected:08x}; \
         make the database again with: {}", file.display(), again(file)
    )]
    Checksum {
        /// The file.
        file: PathBuf,
        /// Number of the block in the file.
        block: u64,
        /// Where it begins.
        offset: u64,
        /// What the directory says.
        expected: u32,
        /// What the bytes have.
        found: u32,
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
    /// A position of a ply that is not kept could not be searched.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A remoteness that was not found by search over a database.
#[derive(Debug, thiserror::Error)]
pub enum RemotenessError {
    /// The database could not be read.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The search gave no answer.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl DatabaseError {
    /// Tells whether a file could be read and is not what it should be, or is not there: no matter of the system.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            DatabaseError::Damaged { .. }
                | DatabaseError::Wrong { .. }
                | DatabaseError::Newer { .. }
                | DatabaseError::Checksum { .. }
        )
    }
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

/// Writes which plies a database keeps.
pub fn kept(keep_plies: Option<u32>) -> String {
    keep_plies.map_or_else(|| "all plies".to_string(), |most| format!("plies up to {most}"))
}

/// Writes the option of `fourbase solve` that keeps them, with a space before it; nothing where all are kept.
pub fn keep_option(keep_plies: Option<u32>) -> String {
    keep_plies.map_or_else(String::new, |most| format!(" --keep-plies {most}"))
}

fn db_option(root: &Path) -> String {
    if root == Path::new("db") { String::new() } else { format!(" --db {}", root.display()) }
}

fn folder_option(folder: &Path) -> String {
    folder.parent().and_then(|folder| folder.parent()).map_or_else(String::new, db_option)
}

fn scratch_option(scratch: Option<&Path>) -> String {
    scratch.map_or_else(String::new, |scratch| format!(" --scratch {}", scratch.display()))
}

/// Says where a file is damaged; nothing of one that is damaged as a whole.
fn at_byte(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!(" at byte {offset}") }
}

/// Names the command that makes the database of a file again, as far as the file's path tells it.
fn again(file: &Path) -> String {
    let folder = file.ancestors().take(2).find_map(|folder| Some((folder, names_of(folder)?)));
    let Some((folder, (board, values))) = folder else { return "fourbase solve BOARD --replace".to_string() };
    format!("fourbase solve {board} --values {values} --replace{}", folder_option(folder))
}
