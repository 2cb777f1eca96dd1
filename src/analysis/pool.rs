//! Idle searches, kept because their tables speed up later questions.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{AnalysisError, Budget, Cost};
use crate::search::{Search, SearchError, SearchOptions};
use crate::{Board, Outcome, Position};

/// Idle searches of one or several boards, each with its table.
///
/// Each question takes an idle search of its board, or makes a new one if there is none, and puts it back afterwards.
/// So the number of a board's searches is at most the largest number of threads that have asked about that board at the
/// same time.
///
/// ```
/// use fourbase::analysis::{Budget, SearchPool};
/// use fourbase::search::SearchOptions;
/// use fourbase::{Outcome, Position, Value};
///
/// let pool = SearchPool::new(SearchOptions::default());
/// let outcome = pool.outcome(&Position::start("5x4".parse()?), &mut Budget::default())?;
/// assert_eq!(outcome, Outcome { value: Value::Tie, remoteness: Some(20) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SearchPool {
    options: SearchOptions,
    most_idle: usize,
    most_nodes: u64,
    /// The idle searches, the most recently used one last.
    idle: Mutex<VecDeque<Search>>,
}

impl SearchPool {
    /// Makes an empty pool. Each search will have its own table and threads as in `options`, but takes its limits from
    /// the budget of each question.
    pub fn new(options: SearchOptions) -> SearchPool {
        SearchPool { options, most_idle: usize::MAX, most_nodes: u64::MAX, idle: Mutex::default() }
    }

    /// Keeps at most `most` idle searches; drops the least recently used ones.
    #[must_use]
    pub fn keep_idle(self, most: usize) -> SearchPool {
        SearchPool { most_idle: most, ..self }
    }

    /// Drops each search once it has visited `nodes` nodes, because its table grows with use and gets slower.
    #[must_use]
    pub fn drop_after(self, nodes: u64) -> SearchPool {
        SearchPool { most_nodes: nodes, ..self }
    }

    /// Searches for the outcome of a position.
    ///
    /// # Errors
    ///
    /// An [`AnalysisError`] that names the limit of the budget that was reached.
    pub fn outcome(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, AnalysisError> {
        let cost = Cost { positions: 1, ..Cost::default() };
        self.ask(position.board(), budget, cost, |search| search.solve(position))
    }

    /// Calls `ask` with the most recently used idle search of a board, or with a new search. Limits the search to the
    /// rest of the budget. Adds `cost` and the visited nodes to [`Budget::spent`].
    ///
    /// # Errors
    ///
    /// An [`AnalysisError`] that names the limit of the budget that was reached, or the error of the search.
    pub fn ask<T>(
        &self,
        board: Board,
        budget: &mut Budget,
        cost: Cost,
        ask: impl FnOnce(&mut Search) -> Result<T, SearchError>,
    ) -> Result<T, AnalysisError> {
        let mut search = self.take(board).unwrap_or_else(|| Search::new(board, self.options.clone()));
        let before = search.nodes();
        search.set_limits(budget.nodes_left(), budget.deadline, budget.monitor.clone());
        let answer = ask(&mut search);
        search.set_limits(None, None, None);
        budget.spent += Cost { nodes: search.nodes() - before, ..cost };
        self.put(search);
        answer.map_err(|error| match error {
            SearchError::NodeLimit { nodes } => {
                AnalysisError::NodeLimit { board, nodes: budget.nodes.unwrap_or(nodes) }
            }
            SearchError::Cancelled { .. } => budget.limit(board),
            SearchError::OtherBoard(error) => error.into(),
            error @ SearchError::OtherValue { .. } => AnalysisError::Search(error),
        })
    }

    fn take(&self, board: Board) -> Option<Search> {
        let mut idle = self.idle();
        let at = idle.iter().rposition(|search| search.board() == board)?;
        idle.remove(at)
    }

    fn put(&self, search: Search) {
        if search.nodes() < self.most_nodes {
            let mut idle = self.idle();
            idle.push_back(search);
            let dropped = if idle.len() > self.most_idle { idle.pop_front() } else { None };
            // Free the table of the dropped search only after other threads can use the pool again.
            drop(idle);
            drop(dropped);
        }
    }

    fn idle(&self) -> MutexGuard<'_, VecDeque<Search>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
