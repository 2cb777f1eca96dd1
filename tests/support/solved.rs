//! Boards solved into a folder that goes away with the test.

use std::path::PathBuf;

use fourbase::Board;
use fourbase_tiers::database::{Database, folder_of};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::run;
use tempfile::TempDir;

use super::options::options;

/// A board and its database.
#[derive(Debug)]
pub struct Solved {
    board: Board,
    values: Values,
    root: TempDir,
}

impl Solved {
    /// Solves a board.
    pub fn new(board: Board, values: Values) -> Solved {
        let root = TempDir::new().expect("a temporary folder");
        run(&options(root.path(), board, values), &()).expect("the board is solved");
        Solved { board, values, root }
    }

    /// The database's folder.
    pub fn folder(&self) -> PathBuf {
        folder_of(self.root.path(), self.board, self.values)
    }

    /// Opens the database; nothing of it is in memory yet.
    pub fn open(&self) -> Database {
        Database::open(&self.folder()).expect("a database")
    }
}
