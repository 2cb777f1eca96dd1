//! Who answers for a board.

use std::sync::Arc;

use super::{Answerer, Both, Searcher};
use crate::database::{Database, DatabaseError};
use crate::kernel::Values;

/// When to search forward.
///
/// | | no database | tier not solved yet | values alone |
/// |---|---|---|---|
/// | `Never` | an error | an error | no remoteness |
/// | `NoDatabase` | searched | an error | no remoteness |
/// | `Auto` | searched | searched | the remoteness is searched |
/// | `Only` | searched | searched | searched |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// Use only the database.
    Never,
    /// Search where the board has no database.
    NoDatabase,
    /// Search what the database leaves open, or everything where there is none.
    Auto,
    /// Search everything, without a look for a database.
    Only,
}

/// Chooses who answers for a board. `find` opens its database, and is not called for [`When::Only`]; `searcher` makes
/// its searches, and is called only if they are needed.
///
/// # Errors
///
/// Those of `find`. [`DatabaseError::Missing`] only where `when` allows for no search instead; a database that cannot be
/// read is an error even where a search could take its place.
pub fn choose(
    when: When,
    find: impl FnOnce() -> Result<Database, DatabaseError>,
    searcher: impl FnOnce() -> Searcher,
) -> Result<Arc<dyn Answerer>, DatabaseError> {
    if when == When::Only {
        return Ok(Arc::new(searcher()));
    }
    match find() {
        Ok(database) if when == When::Auto && leaves_open(&database) => Ok(Arc::new(Both::new(database, searcher()))),
        Ok(database) => Ok(Arc::new(database)),
        Err(DatabaseError::Missing { .. }) if when != When::Never => Ok(Arc::new(searcher())),
        Err(error) => Err(error),
    }
}

/// Tells whether a database leaves anything open.
fn leaves_open(database: &Database) -> bool {
    !database.is_complete() || database.values() == Values::Wdl
}
