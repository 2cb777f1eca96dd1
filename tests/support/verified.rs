//! Verifications of databases.

use fourbase_tiers::verify::{self, Options};
pub use fourbase_tiers::verify::{Fault, Report};

use super::tiers::Database;

/// Verifies a database; `set` changes the options of a whole verification.
pub fn verify(database: &Database, set: impl FnOnce(&mut Options)) -> Report {
    let mut options = Options::default();
    set(&mut options);
    verify::verify(database, &options, &()).expect("a verification")
}
