//! In how many positions a strategy keeps the value of the game, from the database of the board.

use std::path::PathBuf;

use fourbase::analysis::Lookup;
use fourbase::strategy::{Check, CheckError, Kept, Rule};
use fourbase::{Position, Value, excerpt};
use fourbase_tiers::database::DatabaseError;

use crate::arguments::{CacheArgument, DatabaseArgument};
use crate::json::DatabaseJson;
use crate::{remedy, wording};

/// How much of a message with a path is shown.
const MESSAGE_BYTES: usize = 1024;

/// The comparison of a strategy with the values.
pub enum Comparison {
    /// The counts.
    Made {
        /// The folder of the database.
        folder: PathBuf,
        /// The database, for programs.
        database: DatabaseJson,
        /// The positions where the strategy keeps the value.
        kept: Kept,
    },
    /// There is no comparison, for this reason.
    NotMade(String),
}

impl Comparison {
    /// Compares the positions of a check with the database of the board, if it is complete.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn of(
        check: &Check,
        rule: &dyn Rule,
        databases: &DatabaseArgument,
        cache: CacheArgument,
        memory_bytes: u64,
    ) -> anyhow::Result<Comparison> {
        let database = match databases.find(check.board) {
            Ok(database) => cache.apply(database),
            Err(missing @ DatabaseError::Missing { .. }) => return Ok(not_made(&remedy::told(&missing))),
            Err(error) => return Err(error.into()),
        };
        let folder = database.folder().to_path_buf();
        if !database.is_complete() {
            return Ok(not_made(&format!("{} is not solved to the end yet", wording::path(&folder))));
        }
        let values = |positions: &[Position]| -> anyhow::Result<Vec<Value>> {
            database.probe_many(positions).into_iter().map(|outcome| Ok(outcome?.value)).collect()
        };
        match check.keep(rule, memory_bytes, values) {
            Ok(kept) => Ok(Comparison::Made { folder, database: database.describe(), kept }),
            Err(error) if error.is::<CheckError>() => {
                Ok(not_made("its positions need more memory together; give a higher --memory"))
            }
            Err(error) => Err(error),
        }
    }
}

fn not_made(reason: &str) -> Comparison {
    let message = format!("not compared with the value of the game: {reason}");
    // An excerpt would escape what is quoted for a shell.
    Comparison::NotMade(if message.len() <= MESSAGE_BYTES { message } else { excerpt(&message, MESSAGE_BYTES) })
}
