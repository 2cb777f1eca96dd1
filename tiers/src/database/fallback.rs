//! Searches forward for positions beyond the deepest kept tier.
//!
//! `--keep-plies N` solves every tier but keeps only the files of tiers with at most N pieces. For a later position,
//! the exact search ([`fourbase::search`]) finds the outcome. In a `wdl` database the search finds only the value,
//! which is about a quarter of the work; otherwise it finds the remoteness too. The answer is as exact as a stored one,
//! but its cost has no limit: see `docs/notebook/keep-plies.md`.
//!
//! One search solves several positions in turn and keeps its table. The table grows with use and gets slower, so a
//! search is dropped after some work. For 60 positions of 6x6 at plies 11 and 12, this cut the time of searching them
//! from 26 to 19 ms, and the time of searching all their children from 63 to 45 ms. Dropping the search after every
//! position was as fast there, but a third slower at ply 19.

use std::sync::atomic::Ordering;

use fourbase::analysis::{AnalysisError, Budget, Cost};
use fourbase::{Outcome, Position, Value};

use super::error::DatabaseError;
use super::open::Database;
use super::probe::later;
use crate::kernel::Values;

impl Database {
    /// Searches a position whose tier is not kept. `known` narrows the search: it is an outcome for the player to move
    /// at `ply`, which is the ply of `position` or an earlier one. That player gets at least this outcome, or the
    /// caller does not need to tell worse outcomes apart. If the result equals this bound, the true outcome may lie
    /// beyond it. If the tier of the ply before `position` is kept, its values narrow the search too.
    ///
    /// # Errors
    /// [`DatabaseError::Analysis`] if a limit of the budget is reached, and the errors of [`Database::probe`].
    pub(super) fn search_beyond(
        &self,
        position: &Position,
        ply: u32,
        known: Option<Outcome>,
        budget: &mut Budget,
    ) -> Result<Outcome, DatabaseError> {
        let (at_least, plies) = (self.at_least(position, budget)?, position.ply() as u32 - ply);
        let bound = known.and_then(|known| later(known, plies));
        let bounds = if plies.is_multiple_of(2) {
            // `Outcome` orders better outcomes first, so `min` returns the better one.
            [at_least.into_iter().chain(bound).min(), None]
        } else {
            [at_least, bound]
        };
        Ok(self.search(position, bounds, budget)?)
    }

    /// Returns a lower bound of a position's outcome, if the kept plies give one. In each parent (a position one move
    /// earlier) the opponent may have better moves, so the player to move here gets at least what this player gets in
    /// the parent.
    pub(super) fn at_least(&self, position: &Position, budget: &Budget) -> Result<Option<Outcome>, DatabaseError> {
        // A budget of 0 nodes allows no search, so there is none to narrow.
        if budget.nodes == Some(0) {
            return Ok(None);
        }
        let mut at_least: Option<Outcome> = None;
        for (_, parent) in position.parents() {
            let here = self.stored_outcome(&parent)?.and_then(|outcome| later(outcome, 1));
            at_least = at_least.into_iter().chain(here).min();
        }
        Ok(at_least)
    }

    /// Returns a position's outcome if the kept plies give it, without searching.
    ///
    /// # Errors
    /// The errors of [`Database::probe`], except [`DatabaseError::NotSolved`].
    pub(crate) fn stored_outcome(&self, position: &Position) -> Result<Option<Outcome>, DatabaseError> {
        if !self.reaches(position.ply() as u32) {
            return Ok(None);
        }
        let mut budget = Budget { nodes: Some(0), ..Budget::default() };
        match self.probe_within(position, &mut budget) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(DatabaseError::NotSolved { .. } | DatabaseError::Analysis(AnalysisError::NodeLimit { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Searches a position to the end of the game, within a budget. Either the true outcome lies between the bounds, or
    /// the caller does not need to tell outcomes beyond a bound apart.
    pub(super) fn search(
        &self,
        position: &Position,
        [at_least, at_most]: [Option<Outcome>; 2],
        budget: &mut Budget,
    ) -> Result<Outcome, AnalysisError> {
        let board = self.board();
        if budget.nodes_left() == Some(0) {
            return Err(AnalysisError::NodeLimit { board, nodes: budget.nodes.unwrap_or_default() });
        }
        // In a `wdl` database, bounds at the latest possible end of the game make the search find the value alone: it
        // need not tell losses apart, nor wins.
        let at_the_end = |value| Outcome { value, remoteness: Some((board.cells() - position.ply()) as u32) };
        let cost = Cost { positions: 1, ..Cost::default() };
        self.searched.fetch_add(1, Ordering::Relaxed);
        self.searches.ask(board, budget, cost, |search| match self.values() {
            Values::Wdl => {
                let worst = at_least.filter(|worst| worst.value != Value::Lose).unwrap_or(at_the_end(Value::Lose));
                let best = at_most.filter(|best| best.value != Value::Win).unwrap_or(at_the_end(Value::Win));
                let outcome = search.solve_between(position, Some(worst), Some(best));
                outcome.map(|outcome| Outcome { remoteness: None, ..outcome })
            }
            Values::Remoteness => search.solve_between(position, at_least, at_most),
        })
    }
}
