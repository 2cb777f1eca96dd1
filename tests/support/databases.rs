//! Databases: solved once for all tests, in memory or in a folder; and their verification.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fourbase::Board;
use fourbase_tiers::communicator::Alone;
pub use fourbase_tiers::communicator::Communicator;
use fourbase_tiers::context::Context;
pub use fourbase_tiers::testing::Threads;
use fourbase_tiers::verify;
pub use fourbase_tiers::verify::{Fault, FaultKind, VerifyOptions, VerifyReport};

use super::solves::Runs;
use super::tiers::{Database, Solve, Values};

/// The bytes of every file of a database, by name.
pub type Files = Arc<BTreeMap<String, Vec<u8>>>;

/// The databases by board and values. A test that asks for one while another test solves it waits.
static ALL: Mutex<BTreeMap<String, Arc<OnceLock<Files>>>> = Mutex::new(BTreeMap::new());

/// Opens the database of a board, which is in memory; nothing of it is in the cache yet.
pub fn shared(board: Board, values: Values) -> Database {
    let solve = Solve::new(board, values);
    solve.open_on(solve.disk_with(&files(board, values))).expect("a database")
}

/// Returns the files of the database of a board.
pub fn files(board: Board, values: Values) -> Files {
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let once = all().entry(format!("{board} {values}")).or_default().clone();
    once.get_or_init(|| Arc::new(Solve::new(board, values).whole())).clone()
}

/// Writes the files of the database of a board into a folder.
pub fn write(board: Board, values: Values, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for (name, bytes) in files(board, values).iter() {
        fs::write(folder.join(name), bytes).expect("a file");
    }
}

/// Verifies a database; `set` changes the options of a whole verification.
pub fn verify(database: &Database, set: impl FnOnce(&mut VerifyOptions)) -> VerifyReport {
    verify_by(&Alone, database, set)
}

/// Verifies a database as a rank of a job.
pub fn verify_by(all: &dyn Communicator, database: &Database, set: impl FnOnce(&mut VerifyOptions)) -> VerifyReport {
    let mut options = VerifyOptions::default();
    set(&mut options);
    verify::verify(database, &options, &Context { all, ..Context::default() }).expect("a verification")
}
