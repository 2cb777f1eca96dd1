//! Searches forward for positions beyond the deepest kept tier.
//!
//! `--keep-plies N` solves every tier but keeps only the files of tiers with at most N pieces. For a later position,
//! the exact search ([`fourbase::search`]) finds the outcome: in a `wdl` database the value alone, about a quarter of
//! the work, else the remoteness too. The answer is as exact as a stored one, but its cost has no limit: see
//! `docs/notebook/keep-plies.md`.
//!
//! A search's table grows with use and gets slower, so a search is dropped after some work. For 60 positions of 6x6 at
//! plies 11 and 12, this cut the time of the searches from 26 to 19 ms, and that of searching all their children from
//! 63 to 45 ms. Dropping it after every search was as fast there, but a third slower at ply 19.

use std::sync::atomic::Ordering;

use fourbase::analysis::{AnalysisError, Budget, Cost};
use fourbase::{Outcome, Position, Value};

use super::error::DatabaseError;
use super::open::Database;
use crate::kernel::Values;

impl Database {
    /// Searches a position whose tier is not kept. `known` narrows the search: the player to move at `ply`, the same ply
    /// or an earlier one, gets at least this outcome, or lower outcomes don't matter. If the answer is this bound, the
    /// true outcome may lie beyond it. If the ply before is kept, its values narrow the search too.
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
        let (mut at_least, mut at_most) = (self.at_least(position, budget)?, None);
        let plies = position.ply() as u32 - ply;
        // A game that is lost before the position gives no bound.
        if let Some(Outcome { value, remoteness }) = known
            && remoteness.is_none_or(|remoteness| remoteness >= plies)
        {
            let remoteness = remoteness.map(|remoteness| remoteness - plies);
            if plies.is_multiple_of(2) {
                // Better outcomes compare as less.
                at_least = at_least.into_iter().chain([Outcome { value, remoteness }]).min();
            } else {
                at_most = Some(Outcome { value: value.flip(), remoteness });
            }
        }
        Ok(self.search(position, [at_least, at_most], budget)?)
    }

    /// Returns a lower bound of a position's outcome, if the kept plies give one: the player does at least as well as
    /// in any earlier position from which the opponent's move leads here.
    pub(super) fn at_least(&self, position: &Position, budget: &Budget) -> Result<Option<Outcome>, DatabaseError> {
        // Without nodes there is no search to narrow.
        if budget.nodes == Some(0) {
            return Ok(None);
        }
        let mut at_least: Option<Outcome> = None;
        for (_, parent) in position.parents() {
            if let Some(outcome) = self.stored_outcome(&parent)? {
                let plies = outcome.remoteness.map(|plies| plies.saturating_sub(1));
                let here = Outcome { value: outcome.value.flip(), remoteness: plies };
                at_least = Some(at_least.map_or(here, |best| best.min(here)));
            }
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

    /// Searches a position to the end of the game, within a budget. It must be worth at least and at most the bounds, or
    /// outcomes beyond them must not matter.
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
        // Sets both bounds at the latest possible end of the game, so that only the value is searched.
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
