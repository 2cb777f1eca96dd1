//! Exact values for players and grades, shared by threads.
//!
//! The values come from the databases of the board. A small board without a database is solved into memory, which takes at most
//! some seconds. The positions of a larger board without a database are searched.

use std::sync::Arc;

use fourbase::Board;
use fourbase::analysis::json::{DatabaseJson, SourceJson};
use fourbase::analysis::{Analyst, Lookup, SearchPool, Source};
use fourbase::players::Outcomes;
use fourbase_tiers::context::Context;
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::files::Memory;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::memory;
use fourbase_tiers::solve::{Plan, Solve};

use crate::arguments::LookupArguments;
use crate::cli::query::limited::LimitedAnalyst;
use crate::cli::query::source::options;
use crate::remedy;

/// The most entries of a board that is solved for one run. Such a solve takes a second or less.
const MOST_ENTRIES: u128 = 200_000_000;

/// The source of exact values: a database or searches.
pub struct Knowledge {
    /// Computes the values; threads can share it.
    pub analyst: Arc<LimitedAnalyst>,
    /// Why there is no database, and the command that makes one; `None` if there is one.
    pub missing: Option<String>,
    /// Whether the board was solved for this run, into memory.
    is_solved: bool,
}

impl Knowledge {
    /// Finds the databases of a board. Without a complete one, solves a small board for this run; positions of a larger board are searched,
    /// with at most `nodes` nodes each.
    ///
    /// # Errors
    ///
    /// A database that cannot be read, or a failure to solve.
    pub fn find(board: Board, lookup: &LookupArguments, nodes: u64) -> anyhow::Result<Knowledge> {
        let is_small = Plan::estimate(board, Values::Remoteness).entries() <= MOST_ENTRIES;
        let (databases, is_solved) = match lookup.find_all(board) {
            Ok(databases) if databases[0].is_complete() => (databases, false),
            Ok(_) | Err(DatabaseError::Missing { .. }) if is_small => (vec![lookup.cache.apply(solve(board)?)], true),
            Ok(_) | Err(DatabaseError::Missing { .. }) => (Vec::new(), false),
            Err(error) => return Err(error.into()),
        };
        let root = databases.is_empty().then(|| lookup.database.root.clone());
        let missing = root.clone().map(|root| remedy::describe(&DatabaseError::Missing { board, root }));
        let pool = databases.is_empty().then(|| Arc::new(SearchPool::new(options(1))));
        let analyst = LimitedAnalyst::new(Analyst::new(board, databases, pool), Some(nodes), None, root);
        Ok(Knowledge { analyst: Arc::new(analyst), missing, is_solved })
    }

    /// Returns a text that says where the values so far come from.
    pub fn note(&self) -> String {
        if self.is_solved {
            "values solved for this run".to_owned()
        } else {
            format!("values {}", self.analyst.source())
        }
    }

    /// Returns the JSON that describes where the values come from.
    pub fn source(&self) -> SourceJson {
        let database = self.analyst.database().map(Lookup::describe);
        let kind = if database.is_some() { Source::Database } else { Source::Search };
        let database = database.unwrap_or_default();
        // A board that was solved for this run is in memory, not in a folder.
        let folder = database.folder.filter(|_| !self.is_solved);
        SourceJson { kind, database: DatabaseJson { folder, ..database }, nodes: None }
    }
}

/// Solves a board into memory.
fn solve(board: Board) -> anyhow::Result<Database> {
    let (files, memory_bytes) = (Memory::default(), memory::default_limit().unwrap_or(u64::MAX));
    let context = Context { storage: &files, ..Context::default() };
    let report = Solve::new(board, Values::Remoteness).memory(memory_bytes).run_on(&context)?;
    Ok(Database::open_on(Arc::new(files), &report.folder)?)
}

/// Wraps an analyst as the source of outcomes for a player.
pub fn outcomes(analyst: &Arc<LimitedAnalyst>) -> Outcomes<'static> {
    let analyst = Arc::clone(analyst);
    Box::new(move |position| Ok(analyst.moves(position)?))
}
