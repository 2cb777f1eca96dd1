//! Answers by searching forward, without a database or over one.
//!
//! A search owns a table that helps the next question, so searches wait in a [`SearchPool`].

use std::sync::{Arc, OnceLock};

use fourbase::search::{Options, Oracle, Search, SearchError};
use fourbase::{Board, Outcome, Position, Value};

use super::error::AnswerError;
use super::{Answerer, within_limits};
use crate::database::fallback::SearchPool;
use crate::database::question::{Question, Work};
use crate::database::{Database, DatabaseError};

/// The searches of one board.
///
/// ```
/// use fourbase::search::Options;
/// use fourbase::{Board, Outcome, Position, Value};
/// use fourbase_tiers::answer::{Answerer, Question, Searcher};
///
/// let board: Board = "5x4".parse()?;
/// let searcher = Searcher::new(board, Options::default());
/// let outcome = searcher.outcome(&Position::start(board), &mut Question::default())?;
/// assert_eq!(outcome, Outcome { value: Value::Tie, remoteness: Some(20) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Searcher {
    board: Board,
    options: Options,
    pool: Arc<SearchPool>,
}

impl Searcher {
    /// Makes no search yet. Each will have its own table of `options` and start as many threads; the limit of nodes and
    /// the monitor are those of each question instead.
    #[must_use]
    pub fn new(board: Board, options: Options) -> Searcher {
        Searcher::sharing(board, options, Arc::new(SearchPool::new(usize::MAX)))
    }

    /// Makes no search yet. Its searches wait in `pool`, with those of other boards that have the same `options`.
    #[must_use]
    pub fn sharing(board: Board, options: Options, pool: Arc<SearchPool>) -> Searcher {
        Searcher { board, options: Options { node_limit: None, monitor: None, ..options }, pool }
    }

    /// Returns the remoteness of a position whose `value` the database has. The search also reads the values of
    /// other positions from the database, as far as it is solved.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`].
    pub fn remoteness(
        &self,
        database: &Database,
        position: &Position,
        value: Value,
        question: &mut Question,
    ) -> Result<u32, AnswerError> {
        let work = Work { remotenesses: 1, ..Work::default() };
        let stored = StoredValues { database, error: OnceLock::new() };
        let remoteness = self.ask(question, work, |search| search.remoteness_with(position, value, &stored));
        stored.error.into_inner().map_or(remoteness, |error| Err(error.into()))
    }

    /// Asks an idle search with what is left of the limits, and adds its nodes to `work`.
    fn ask<T>(
        &self,
        question: &mut Question,
        work: Work,
        ask: impl FnOnce(&mut Search) -> Result<T, SearchError>,
    ) -> Result<T, AnswerError> {
        let answer = self.pool.ask(self.board, &self.options, question, work, ask);
        let (limit, nodes) = (question.limits().nodes, question.work().nodes);
        answer.map_err(|error| AnswerError::of_search(error, self.board, limit, nodes))
    }
}

impl Answerer for Searcher {
    fn board(&self) -> Board {
        self.board
    }

    /// Searches the value. What that finds helps the search of the outcome.
    fn known_value(&self, position: &Position, question: &mut Question) -> Result<Option<Value>, AnswerError> {
        within_limits(self.ask(question, Work::default(), |search| search.value(position)))
    }

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        let work = Work { positions: 1, ..Work::default() };
        self.ask(question, work, |search| search.solve(position))
    }
}

/// A database as the oracle of a search: it has the values of the positions of its plies, so that only the remoteness is
/// searched. The first error ends the search.
pub(super) struct StoredValues<'a> {
    pub database: &'a Database,
    /// The error that has ended the search.
    pub error: OnceLock<DatabaseError>,
}

impl Oracle for StoredValues<'_> {
    fn value(&self, position: &Position) -> Option<Value> {
        match self.database.stored_outcome(position) {
            Ok(outcome) => outcome.map(|outcome| outcome.value),
            Err(error) => {
                // Another thread's error is as good.
                let _ = self.error.set(error);
                None
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.error.get().is_some()
    }
}
