//! Verifications of databases.

pub use fourbase_tiers::communicator::Communicator;
pub use fourbase_tiers::testing::Threads;
use fourbase_tiers::verify;
pub use fourbase_tiers::verify::{Fault, FaultKind, Options, Report};

use super::tiers::{Database, Progress};

/// Verifies a database; `set` changes the options of a whole verification.
pub fn verify(database: &Database, set: impl FnOnce(&mut Options)) -> Report {
    let mut options = Options::default();
    set(&mut options);
    verify_as(database, &options)
}

/// Verifies a database with these options.
pub fn verify_as(database: &Database, options: &Options) -> Report {
    verify::verify(database, options, &()).expect("a verification")
}

/// Verifies a database, and tells its progress.
pub fn verify_heard(database: &Database, progress: &dyn Progress) -> Report {
    verify::verify(database, &Options::default(), progress).expect("a verification")
}
