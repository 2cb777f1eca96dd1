//! Answers by searching forward, without a database or over one.
//!
//! A search owns a table that helps the next question, so searches are kept. A question takes an idle one, or makes one
//! where all are busy, and puts it back: there are as many as threads that ask at once.

use std::sync::Arc;

use fourbase::search::{Monitor, Options, Search, SearchError};
use fourbase::{Board, Outcome, Position, Value};

use super::idle::Idle;
use super::told::Told;
use super::{AnswerError, Answerer, Question, Work, known};
use crate::database::Database;

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
    idle: Arc<Idle>,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("board", &self.board).finish_non_exhaustive()
    }
}

impl Searcher {
    /// Makes no search yet. Each will have its own table of `options` and start as many threads; the limit of nodes and
    /// the monitor are those of each question instead.
    #[must_use]
    pub fn new(board: Board, options: Options) -> Searcher {
        Searcher::sharing(board, options, Arc::new(Idle::new(usize::MAX)))
    }

    /// Makes no search yet. Its searches wait in `idle`, with those of other boards that have the same `options`.
    #[must_use]
    pub fn sharing(board: Board, options: Options, idle: Arc<Idle>) -> Searcher {
        Searcher { board, options: Options { node_limit: None, monitor: None, ..options }, idle }
    }

    /// Returns the remoteness of a position whose `value` the database has told. The database also tells the search the
    /// values of other positions, as far as it is solved.
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
        let monitor = question.limits().monitor.clone();
        let told = Told::new(database);
        let remoteness = self.ask(question, work, monitor, |search| search.remoteness_with(position, value, &told));
        told.into_error().map_or(remoteness, |error| Err(error.into()))
    }

    /// Asks an idle search with what is left of the limits, and adds its nodes to `work`.
    fn ask<T>(
        &self,
        question: &mut Question,
        work: Work,
        monitor: Option<Arc<Monitor>>,
        of: impl FnOnce(&mut Search) -> Result<T, SearchError>,
    ) -> Result<T, AnswerError> {
        let mut search = self.idle.take(self.board).unwrap_or_else(|| Search::new(self.board, self.options.clone()));
        let before = search.nodes();
        search.set_node_limit(question.nodes_left());
        search.set_monitor(monitor);
        let answer = of(&mut search);
        search.set_monitor(None);
        question.add(Work { nodes: search.nodes() - before, ..work });
        self.idle.put(search);
        let limit = question.limits().nodes;
        answer.map_err(|error| AnswerError::of_search(error, self.board, limit, question.work().nodes))
    }
}

impl Answerer for Searcher {
    fn board(&self) -> Board {
        self.board
    }

    fn database(&self) -> Option<&Database> {
        None
    }

    fn may_search(&self) -> bool {
        true
    }

    /// Searches the value. What that finds helps the search of the outcome.
    fn known_value(&self, position: &Position, question: &mut Question) -> Result<Option<Value>, AnswerError> {
        let monitor = question.limits().monitor.clone();
        known::within_limits(self.ask(question, Work::default(), monitor, |search| search.value(position)))
    }

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        let work = Work { positions: 1, ..Work::default() };
        let monitor = question.limits().monitor.clone();
        self.ask(question, work, monitor, |search| search.solve(position))
    }
}
