//! How [`fourbase::analysis`] uses a database: alone, or together with searches.

use std::sync::Arc;

use fourbase::analysis::json::DatabaseJson;
use fourbase::analysis::{Analyst, Budget, Gap, Lookup, SearchPool};
use fourbase::{Board, Outcome, Position};

use super::error::DatabaseError;
use super::open::Database;
use crate::files::plain;
use crate::kernel::Values;

/// The budgets limit the searches for positions whose tiers the database does not keep.
impl Lookup for Database {
    type Error = DatabaseError;

    fn look_up(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, DatabaseError> {
        self.probe_within(position, budget)
    }

    /// Looks the positions up as [`Database::probe_many`] does.
    fn look_up_all(&self, positions: &[Position], budget: &Budget) -> Vec<Result<Outcome, DatabaseError>> {
        let outcomes = self.probe_many_within(positions, budget).into_iter();
        outcomes.map(|outcome| outcome.map_err(|error| *error)).collect()
    }

    fn stored(&self, position: &Position) -> Result<Option<Outcome>, DatabaseError> {
        self.stored_outcome(position)
    }

    fn gap(error: &DatabaseError) -> Option<Gap> {
        match error {
            DatabaseError::NotSolved { .. } => Some(Gap::Unsolved),
            DatabaseError::Analysis(error) if error.is_limit() => Some(Gap::Budget),
            _ => None,
        }
    }

    fn describe(&self) -> DatabaseJson {
        DatabaseJson {
            folder: (!self.is_embedded).then(|| plain(self.folder())),
            stores: Some(self.values().to_string()),
            keep_plies: self.manifest.keep_plies,
            hash: self.manifest.hash.map(|hash| hash.to_string()),
        }
    }
}

/// When to search forward.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// Use only the database.
    Never,
    /// Search what the database lacks, or everything if there is none.
    Auto,
    /// Search everything and use no database.
    Only,
}

/// Chooses the sources of answers for a board. `find` opens the board's databases, as [`Database::find_all`] does, and
/// is not called for [`When::Only`]; `pool` makes the searches and is called only if they are needed: if no database is
/// complete, or if one stores no remoteness. All databases share the cache of the first one.
///
/// # Errors
///
/// The errors of `find`; [`DatabaseError::Missing`] only for [`When::Never`].
pub fn choose(
    board: Board,
    when: When,
    find: impl FnOnce() -> Result<Vec<Database>, DatabaseError>,
    pool: impl FnOnce() -> Arc<SearchPool>,
) -> Result<Analyst<Database>, DatabaseError> {
    let mut databases = match when {
        When::Only => Vec::new(),
        _ => match find() {
            Err(DatabaseError::Missing { .. }) if when == When::Auto => Vec::new(),
            found => found?,
        },
    };
    if let Some((first, others)) = databases.split_first_mut() {
        others.iter_mut().for_each(|database| database.cache = first.cache.share());
    }
    let has_all = databases.first().is_some_and(Database::is_complete)
        && databases.iter().all(|database| database.values() == Values::Remoteness);
    Ok(Analyst::new(board, databases, (when != When::Never && !has_all).then(pool)))
}
