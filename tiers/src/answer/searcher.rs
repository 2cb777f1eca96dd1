//! Answers by searching forward, without a database or over one.
//!
//! A search owns a table that helps the next question, so searches are kept. A question takes an idle one, or makes one
//! where all are busy, and puts it back: there are as many as threads that ask at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fourbase::search::Options;
use fourbase::{Board, Outcome, Position, Value};

use super::{AnswerError, Answerer, Question, Work};
use crate::database::{Database, RemotenessError, RemotenessSearch};

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
    idle: Mutex<Vec<RemotenessSearch>>,
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
        Searcher { board, options: Options { node_limit: None, monitor: None, ..options }, idle: Mutex::default() }
    }

    /// Returns the remoteness of a position whose `value` the database has told. A complete database also helps the
    /// search, which asks it about other positions.
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
        self.ask(question, work, |search| match database.is_complete() {
            true => search.remoteness(database, position, value),
            false => Ok(search.search().remoteness(position, value)?),
        })
    }

    /// Asks an idle search with what is left of the limits, and adds its nodes to `work`.
    fn ask<T>(
        &self,
        question: &mut Question,
        work: Work,
        of: impl FnOnce(&mut RemotenessSearch) -> Result<T, RemotenessError>,
    ) -> Result<T, AnswerError> {
        let idle = self.idle().pop();
        let mut search = idle.unwrap_or_else(|| RemotenessSearch::new(self.board, self.options.clone()));
        let (left, before) = (question.nodes_left(), search.nodes());
        search.set_node_limit(left);
        search.search().set_node_limit(left);
        search.search().set_monitor(question.limits().monitor.clone());
        let answer = of(&mut search);
        search.search().set_monitor(None);
        question.add(Work { nodes: search.nodes() - before, ..work });
        self.idle().push(search);
        let limit = question.limits().nodes;
        answer.map_err(|error| AnswerError::of_search(error, self.board, limit, question.work().nodes))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<RemotenessSearch>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        let work = Work { positions: 1, ..Work::default() };
        self.ask(question, work, |search| Ok(search.search().solve(position)?))
    }
}
