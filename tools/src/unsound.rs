//! The verdict on a database with faults.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use fourbase::Board;
use fourbase_tiers::kernel::Values;

use crate::number::counted;
use crate::wording;

/// A database that should be made again.
#[derive(Clone, Debug)]
pub struct Unsound {
    pub board: Board,
    pub values: Values,
    /// The deepest ply in the database; `None` if it has all.
    pub keep_plies: Option<u32>,
    pub folder: PathBuf,
    /// The number of faults, at least 1.
    pub faults: u64,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {}", wording::path(&self.folder), counted(self.faults, "fault"))
    }
}

impl Error for Unsound {}

/// A file of a database that the system refused to read, with the reason.
#[derive(Clone, Debug)]
pub struct UnreadFile(pub String);

impl fmt::Display for UnreadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for UnreadFile {}
