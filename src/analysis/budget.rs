//! The limits of the searches for one question, and their cost.

use std::ops::AddAssign;
use std::sync::Arc;

use web_time::Instant;

use super::AnalysisError;
use crate::Board;
use crate::search::Monitor;

/// How many nodes a question may visit if its user gives no limit: about half a minute of one thread on 7x6.
pub const DEFAULT_NODES: u64 = 100_000_000;

/// The limits of the searches for one question, and their cost so far. All parts of the question share one budget.
///
/// ```
/// use fourbase::analysis::Budget;
///
/// let budget = Budget { nodes: Some(1_000_000), ..Budget::default() };
/// assert_eq!(budget.nodes_left(), Some(1_000_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The most nodes that all searches of the question may visit together; `None` for no limit.
    pub nodes: Option<u64>,
    /// When the searches must end; `None` for no time limit.
    pub deadline: Option<Instant>,
    /// Receives the number of visited nodes. Searches check every few thousand nodes whether it was cancelled.
    pub monitor: Option<Arc<Monitor>>,
    /// The cost so far, including searches without an answer.
    pub spent: Cost,
}

/// The cost of an answer. All fields are zero if the board alone decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Positions that were looked up in a database's files.
    pub lookups: u64,
    /// Positions that were searched because no database had their value.
    pub positions: u64,
    /// Positions whose value a database had, so that only the remoteness was searched.
    pub remotenesses: u64,
    /// Nodes of all searches.
    pub nodes: u64,
}

impl Cost {
    /// Returns whether anything was searched.
    pub fn has_searched(&self) -> bool {
        self.positions > 0 || self.remotenesses > 0
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.lookups += other.lookups;
        self.positions += other.positions;
        self.remotenesses += other.remotenesses;
        self.nodes += other.nodes;
    }
}

impl Budget {
    /// Returns how many nodes the question may still visit; `None` for no limit.
    pub fn nodes_left(&self) -> Option<u64> {
        self.nodes.map(|nodes| nodes.saturating_sub(self.spent.nodes))
    }

    /// Returns the limit that a question about a position of `board` has reached.
    pub fn limit(&self, board: Board) -> AnalysisError {
        let spent = self.spent.nodes;
        let is_cancelled = self.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
        match self.nodes {
            _ if is_cancelled => AnalysisError::Cancelled { board, nodes: spent },
            _ if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
                AnalysisError::Deadline { board, nodes: spent }
            }
            Some(nodes) => AnalysisError::NodeLimit { board, nodes },
            None => AnalysisError::Cancelled { board, nodes: spent },
        }
    }

    /// Calls `ask` for a part of the question, with at most `nodes` of the remaining nodes (`None` for all).
    pub(super) fn part<T>(&mut self, nodes: Option<u64>, ask: impl FnOnce(&mut Budget) -> T) -> T {
        let whole = self.nodes;
        self.nodes =
            nodes.map_or(whole, |nodes| Some(self.spent.nodes + nodes.min(self.nodes_left().unwrap_or(nodes))));
        let answer = ask(self);
        self.nodes = whole;
        answer
    }
}
