//! Counts without a database.

use std::path::{Path, PathBuf};

use fourbase::Board;
use fourbase_tiers::counts::Count;

use super::tiers::{CountError, Storage, Values};

/// A count to be run, once or often.
#[derive(Debug)]
pub struct Counting(Count);

impl Counting {
    /// A count whose tiers are in files of a folder in `scratch`; of legal positions alone where `values` is `None`.
    pub fn in_files(board: Board, values: Option<Values>, scratch: &Path) -> Counting {
        Counting(Count::new(board, values).memory(1 << 30).root(scratch).in_files(true))
    }

    /// The folder of its files.
    pub fn folder(&self) -> PathBuf {
        self.0.folder()
    }

    /// Counts.
    pub fn run_on(&self, storage: &dyn Storage) -> Result<(), CountError> {
        self.0.run_on(storage, &()).map(drop)
    }
}
