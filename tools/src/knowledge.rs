//! Exact values for players and grades, shared by threads.
//!
//! They come from the database of the board. A small board without one is solved into a temporary folder, which takes at
//! most seconds; the positions of a larger one are searched.

use std::sync::Arc;

use fourbase::Board;
use fourbase::analysis::json::SourceJson;
use fourbase::analysis::{Analyst, Lookup, SearchPool, Source};
use fourbase::players::Outcomes;
use fourbase_tiers::database::{Database, DatabaseError};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::{Plan, Solve};

use crate::arguments::LookupArguments;
use crate::cli::query::limited::LimitedAnalyst;
use crate::cli::query::source::options;
use crate::output::wording;
use crate::temporary::Temporary;
use crate::{memory, remedy};

/// The most entries of a board that is solved for one run: a second or less.
const MOST_ENTRIES: u128 = 200_000_000;

/// Where exact values come from.
pub struct Knowledge {
    analyst: Arc<LimitedAnalyst>,
    /// Says where they come from.
    note: String,
    /// The command that makes the database, where there is none.
    missing: Option<String>,
    /// The folder of a board that was solved for this run; dropped, it is removed.
    _folder: Option<Temporary>,
}

impl Knowledge {
    /// Finds the database of a board; or solves a small board for this run; or searches, at most `nodes` nodes a position.
    ///
    /// # Errors
    ///
    /// A database that cannot be read, or a failure to solve.
    pub fn find(board: Board, lookup: &LookupArguments, nodes: u64) -> anyhow::Result<Knowledge> {
        let limited = |analyst, missing_in| Arc::new(LimitedAnalyst::new(analyst, Some(nodes), None, missing_in));
        let of_database = |database| limited(Analyst::new(board, Some(database), None), None);
        match lookup.find_or_embedded(board) {
            Ok(database) if database.is_complete() => {
                let searched = match database.manifest().keep_plies {
                    Some(most) => format!(", searched forward after ply {most}"),
                    None => String::new(),
                };
                let note = format!("values from {}{searched}", wording::database(&database));
                return Ok(Knowledge { analyst: of_database(database), note, missing: None, _folder: None });
            }
            Ok(_) | Err(DatabaseError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if Plan::estimate(board, Values::Remoteness).entries() <= MOST_ENTRIES {
            let (database, folder) = solve(board)?;
            let database = lookup.cache.apply(database);
            let note = "values solved for this run".to_owned();
            return Ok(Knowledge { analyst: of_database(database), note, missing: None, _folder: Some(folder) });
        }
        let root = lookup.database.root.clone();
        let missing = remedy::describe(&DatabaseError::Missing { board, root: root.clone() });
        let analyst = limited(Analyst::new(board, None, Some(Arc::new(SearchPool::new(options(1))))), Some(root));
        let note = "values searched forward".to_owned();
        Ok(Knowledge { analyst, note, missing: Some(missing), _folder: None })
    }

    /// Returns whom to ask, for any number of threads.
    pub fn analyst(&self) -> Arc<LimitedAnalyst> {
        Arc::clone(&self.analyst)
    }

    /// Says where the values come from.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns where the values come from, for programs.
    pub fn source(&self) -> SourceJson {
        let database = self.analyst.database().map(Lookup::describe);
        let kind = if database.is_some() { Source::Database } else { Source::Search };
        // The folder of a board that was solved for this run does not last.
        let lasts = self._folder.is_none();
        let database = database.map(|database| if lasts { database } else { database.without_folder() });
        SourceJson { kind, database: database.unwrap_or_default(), nodes: None }
    }

    /// Returns why there is no database with all values and the command that makes one; `None` where there is one.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }
}

/// Solves a board into a temporary folder.
fn solve(board: Board) -> anyhow::Result<(Database, Temporary)> {
    let root = Temporary::folder()?;
    let memory_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let report = Solve::new(board, Values::Remoteness).existing_root(root.path()).memory(memory_bytes).run()?;
    Ok((Database::open(&report.folder)?, root))
}

/// Lets a player ask.
pub fn outcomes(analyst: &Arc<LimitedAnalyst>) -> Outcomes<'static> {
    let analyst = Arc::clone(analyst);
    Box::new(move |position| Ok(analyst.moves(position)?))
}
