//! Boards solved into a folder that goes away with the test.

use std::path::PathBuf;

use fourbase::Board;
use tempfile::TempDir;

use super::shared;
use super::solves::Solve;
use super::tiers::{Database, Values};

/// A board and its database.
#[derive(Debug)]
pub struct Solved {
    solve: Solve,
    // Keeps the folder.
    _root: TempDir,
}

impl Solved {
    /// Writes the database of a board, which is solved once for all tests.
    pub fn new(board: Board, values: Values) -> Solved {
        let root = TempDir::new().expect("a temporary folder");
        let solve = Solve::new(board, values).with_root(root.path());
        shared::write(board, values, &solve.folder());
        Solved { solve, _root: root }
    }

    /// Runs a solve in a folder of its own.
    pub fn by(solve: &Solve) -> Solved {
        let root = TempDir::new().expect("a temporary folder");
        let solve = solve.with_root(root.path());
        solve.run().expect("the board is solved");
        Solved { solve, _root: root }
    }

    /// The database's folder.
    pub fn folder(&self) -> PathBuf {
        self.solve.folder()
    }

    /// Opens the database; nothing of it is in memory yet.
    pub fn open(&self) -> Database {
        Database::open(&self.folder()).expect("a database")
    }
}
