//! Counts without a database.

use std::path::{Path, PathBuf};

use fourbase::Board;
use fourbase_tiers::counts::Count;

use super::tiers::{Alone, CountError, Storage, Values};

/// A count to be run, once or often.
#[derive(Debug)]
pub struct Counting(Count, Option<Values>);

impl Counting {
    /// A count whose tiers are in files of a folder in `scratch`; of legal positions alone where `values` is `None`.
    pub fn in_files(board: Board, values: Option<Values>, scratch: &Path) -> Counting {
        Counting(Count::new(board).memory(1 << 30).root(scratch).in_files(true), values)
    }

    /// The folder of its files.
    pub fn folder(&self) -> PathBuf {
        self.0.folder(self.1)
    }

    /// Counts.
    pub fn run_on(&self, storage: &dyn Storage) -> Result<(), CountError> {
        match self.1 {
            None => self.0.legal_on(&Alone, storage, &()).map(drop),
            Some(values) => self.0.by_value_on(values, &Alone, storage, &()).map(drop),
        }
    }
}
