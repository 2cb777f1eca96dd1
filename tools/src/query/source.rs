//! Which questions go to a database, and which are searched.
//!
//! | `--search` | no database | position not solved yet | values alone |
//! |---|---|---|---|
//! | not given | one position: searched; a batch: an error | an error | as they are |
//! | `never` | an error | an error | as they are |
//! | `auto` | searched | searched | the remoteness is searched |
//! | `only` | searched | searched | searched |

use clap::{Args, ValueEnum};
use fourbase::{Board, excerpt};
use fourbase_tiers::database::Database;
use fourbase_tiers::error::DatabaseError;
use fourbase_tiers::kernel::Values;

use super::answerer::Answerer;
use super::both::Both;
use super::searcher::Searcher;
use crate::arguments::{CacheArgument, DatabaseArgument};

/// How many nodes one position may take where `--nodes` does not say: about half a minute of one thread on 7x6.
const DEFAULT_NODES: u64 = 100_000_000;

/// How much of the name of a folder is told.
const FOLDER_BYTES: usize = 1024;

/// How to search.
#[derive(Args, Clone, Copy, Debug)]
pub struct SearchArguments {
    /// When to search forward [default: for one position where no database covers the board]
    #[arg(long, value_name = "WHEN")]
    search: Option<When>,

    /// How many nodes a search may visit for one position before it gives up [default: 100000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many threads search [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// What `--search` may be.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    /// A database answers, or nobody
    Never,
    /// Where there is no database, and for whatever it leaves open
    Auto,
    /// Always, without a look at databases
    Only,
}

impl SearchArguments {
    fn searcher(self, board: Board) -> Searcher {
        Searcher::new(board, self.nodes.unwrap_or(DEFAULT_NODES), self.threads)
    }

    /// Finds who answers for a board, in a batch or for one position.
    ///
    /// # Errors
    ///
    /// Says how to make the database if there is none and nobody may search, and what is wrong with it if it cannot be
    /// read.
    pub fn find(
        self,
        board: Board,
        databases: &DatabaseArgument,
        cache: CacheArgument,
        is_batch: bool,
    ) -> anyhow::Result<Box<dyn Answerer>> {
        if self.search == Some(When::Only) {
            return Ok(Box::new(self.searcher(board)));
        }
        let may_search = self.search == Some(When::Auto) || self.search.is_none() && !is_batch;
        match databases.find(board) {
            Ok(database) => {
                let database = cache.apply(database);
                if self.search == Some(When::Auto) { Ok(self.beside(database)) } else { Ok(Box::new(database)) }
            }
            Err(missing @ DatabaseError::Missing { .. }) if may_search => {
                let root = excerpt(&databases.root.display().to_string(), FOLDER_BYTES);
                let searcher =
                    self.searcher(board).with_note(format!("searched forward: no database of {board} in {root}"));
                Ok(Box::new(searcher.with_way_out(format!("solve the board first ({missing})"))))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Lets a database answer, and searches what it leaves open.
    fn beside(self, database: Database) -> Box<dyn Answerer> {
        let folder = excerpt(&database.folder().display().to_string(), FOLDER_BYTES);
        let note = match (database.is_complete(), database.values()) {
            (true, Values::Remoteness) => return Box::new(database),
            (true, Values::Wdl) => format!("remoteness searched forward: {folder} has values alone"),
            (false, _) => format!("searched forward: {folder} is not solved to the end yet"),
        };
        let searcher = self.searcher(database.board()).with_note(note);
        Box::new(Both::new(database, searcher))
    }
}
