//! In how many positions a strategy keeps the value of the game, from the database of the board.

use std::path::PathBuf;

use fourbase::analysis::Lookup;
use fourbase::strategy::{Check, CheckError, Rule};
use fourbase::{Position, Value, excerpt};
use fourbase_tiers::database::DatabaseError;
use serde::Serialize;

use crate::arguments::{CacheArgument, DatabaseArgument};
use crate::json::DatabaseJson;
use crate::{remedy, wording};

/// How much of a message with a path is shown.
const MESSAGE_BYTES: usize = 1024;

/// The positions where the strategy keeps the value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Comparison {
    #[serde(flatten)]
    database: DatabaseJson,
    /// Positions in which the rule is asked for a move.
    pub strategy_to_move: u64,
    /// Those in which its reply is worth as much as the best move.
    pub kept: u64,
    /// All positions that are met, finished ones included.
    pub all: u64,
    /// Those from which the rule is sure to get the value against every reply.
    pub secured: u64,
    #[serde(skip)]
    pub folder: PathBuf,
}

impl Comparison {
    /// Compares the positions of a check with the database of the board. Returns why not if there is no complete one, or too
    /// little memory.
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
    ) -> anyhow::Result<Result<Comparison, String>> {
        let database = match databases.find(check.board) {
            Ok(database) => cache.apply(database),
            Err(missing @ DatabaseError::Missing { .. }) => return Ok(Err(not_compared(&remedy::told(&missing)))),
            Err(error) => return Err(error.into()),
        };
        let folder = database.folder().to_path_buf();
        if !database.is_complete() {
            return Ok(Err(not_compared(&format!("{} is not solved to the end yet", wording::path(&folder)))));
        }
        let values = |positions: &[Position]| -> anyhow::Result<Vec<Value>> {
            database.probe_many(positions).into_iter().map(|outcome| Ok(outcome?.value)).collect()
        };
        match check.keep(rule, memory_bytes, values) {
            Ok(kept) => Ok(Ok(Comparison {
                database: database.describe(),
                strategy_to_move: kept.strategy_to_move,
                kept: kept.kept,
                all: kept.all,
                secured: kept.secured,
                folder,
            })),
            Err(error) if error.is::<CheckError>() => {
                Ok(Err(not_compared("its positions need more memory together; give a higher --memory")))
            }
            Err(error) => Err(error),
        }
    }
}

fn not_compared(reason: &str) -> String {
    let message = format!("not compared with the value of the game: {reason}");
    // An excerpt would escape what is quoted for a shell.
    if message.len() <= MESSAGE_BYTES { message } else { excerpt(&message, MESSAGE_BYTES) }
}
