//! Counts without a database.

use std::path::{Path, PathBuf};

use fourbase::Board;
use fourbase_tiers::counts::{self, Options};

use super::tiers::{SolveAndCountError, Storage, Values};

/// A count to be run, once or often.
#[derive(Debug)]
pub struct Counting(Options);

impl Counting {
    /// A count whose tiers are in files of a folder in `scratch`; of legal positions alone where `values` is `None`.
    pub fn in_files(board: Board, values: Option<Values>, scratch: &Path) -> Counting {
        Counting(Options { is_bounded: true, ..Options::new(board, values, 1 << 30, scratch) })
    }

    /// The folder of its files.
    pub fn folder(&self) -> PathBuf {
        self.0.folder()
    }

    /// Counts.
    pub fn run_on(&self, storage: &dyn Storage) -> Result<(), SolveAndCountError> {
        counts::run_on(&self.0, &(), storage).map(drop)
    }
}
