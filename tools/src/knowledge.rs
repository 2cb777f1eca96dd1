//! Exact values for players and grades, shared by threads.
//!
//! A database where there is one. A small board without one is solved into a temporary folder, which takes at most
//! seconds; of a larger one nothing is known but what a search finds.

use std::rc::Rc;
use std::sync::Arc;

use anyhow::Context;
use fourbase::players::Outcomes;
use fourbase::{Board, Outcome, Position, excerpt};
use fourbase_tiers::database::{Database, Move};
use fourbase_tiers::error::DatabaseError;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::{self, BLOCK_WORDS, CHECKPOINT, Options};
use tempfile::TempDir;

use crate::arguments::{CacheArgument, DatabaseArgument};
use crate::memory;
use crate::query::answerer::Answerer;
use crate::query::searcher::Searcher;

/// The most entries that are solved in passing: a second or less.
const MOST_ENTRIES: u128 = 200_000_000;

/// How much of the name of a folder is told.
const FOLDER_BYTES: usize = 1024;

/// Where exact values come from.
pub struct Knowledge {
    board: Board,
    source: Source,
    /// How it is told.
    note: String,
    /// The command that makes the database, where there is none.
    missing: Option<String>,
}

enum Source {
    Database(Arc<Database>),
    /// Solved in passing; the folder goes away with the last of it.
    Solved(Arc<Database>, #[expect(dead_code, reason = "keeps the folder")] TempDir),
    /// Nothing but searches, of so many nodes each.
    Search(u64),
}

impl Knowledge {
    /// Finds the database of a board, or solves it in passing, or leaves it to searches of `nodes` nodes.
    ///
    /// # Errors
    ///
    /// A database that cannot be read, or a failure to solve.
    pub fn find(
        board: Board,
        databases: &DatabaseArgument,
        cache: CacheArgument,
        nodes: u64,
    ) -> anyhow::Result<Knowledge> {
        match databases.find(board) {
            Ok(database) if database.is_complete() => {
                let searched = match database.manifest().keep_plies() {
                    Some(most) => format!(", searched forward after ply {most}"),
                    None => String::new(),
                };
                let note = format!(
                    "values from {}{searched}",
                    excerpt(&database.folder().display().to_string(), FOLDER_BYTES)
                );
                let source = Source::Database(Arc::new(cache.apply(database)));
                return Ok(Knowledge { board, source, note, missing: None });
            }
            Ok(_) | Err(DatabaseError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if Plan::estimate(board, Values::Remoteness).entries <= MOST_ENTRIES {
            let (database, folder) = solve(board)?;
            let source = Source::Solved(Arc::new(cache.apply(database)), folder);
            return Ok(Knowledge { board, source, note: "values solved for this run".to_owned(), missing: None });
        }
        let missing = DatabaseError::Missing { board, root: databases.root.clone() }.to_string();
        let note = "values searched forward".to_owned();
        Ok(Knowledge { board, source: Source::Search(nodes), note, missing: Some(missing) })
    }

    /// Returns an answerer for one thread.
    pub fn answerer(&self) -> Rc<dyn Answerer> {
        match &self.source {
            Source::Database(database) | Source::Solved(database, _) => Rc::new(Shared(Arc::clone(database))),
            Source::Search(nodes) => {
                let searcher = Searcher::new(self.board, *nodes, Some(1));
                let missing = self.missing.as_deref().unwrap_or("it has no database");
                Rc::new(searcher.with_way_out(format!("solve the board first ({missing})")))
            }
        }
    }

    /// Says where the values come from.
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Returns why there is no database with all values and the command that makes one; `None` where there is one.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }
}

/// Solves a board into a temporary folder.
fn solve(board: Board) -> anyhow::Result<(Database, TempDir)> {
    let root = tempfile::Builder::new().prefix("fourbase-").tempdir().context("cannot make a temporary folder")?;
    let options = Options {
        board,
        values: Values::Remoteness,
        root: root.path().to_path_buf(),
        memory_bytes: memory::default_limit().unwrap_or(u64::MAX),
        kernel: Kernel::detect(),
        replace: false,
        scratch: None,
        block_words: BLOCK_WORDS,
        checkpoint: CHECKPOINT,
        keep_plies: None,
    };
    let report = solve::run(&options, &())?;
    Ok((Database::open(&report.folder)?, root))
}

/// A database that several threads ask.
struct Shared(Arc<Database>);

impl Answerer for Shared {
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        Answerer::outcome(&*self.0, position)
    }

    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        Answerer::moves(&*self.0, position)
    }
}

/// Lets a player ask an answerer.
pub fn outcomes(answerer: &Rc<dyn Answerer>) -> Outcomes<'static> {
    let answerer = Rc::clone(answerer);
    Box::new(move |position| {
        answerer.begin();
        let moves = answerer.moves(position)?;
        Ok(moves.into_iter().map(|of| (of.column, of.outcome)).collect())
    })
}
