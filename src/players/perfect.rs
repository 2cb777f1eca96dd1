//! `perfect`: a best move, by exact outcomes that the caller supplies.
//!
//! The caller supplies a function that returns the outcomes of the moves, from a database or a search. If the function
//! returns no remotenesses, as with a `wdl` database (values only), the player keeps the value but may delay a win
//! as long as possible.

use std::error::Error;

use rand::{Rng, RngExt};

use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Outcome, Position};

/// A function that returns the legal moves of a position (columns from 0, in any order) and their outcomes for the
/// mover.
pub type Outcomes<'a> = Box<dyn FnMut(&Position) -> Result<Vec<(usize, Outcome)>, Box<dyn Error + Send + Sync>> + 'a>;

/// Returns a function that always fails, for players that need no outcomes.
pub fn nothing_known() -> Outcomes<'static> {
    Box::new(|_| Err("the player was made without a source of outcomes; make it with one".into()))
}

/// The player `perfect`. Among equally good moves it takes the leftmost if `takes_first` is set, else a random one.
pub(super) struct PerfectPlayer<'a> {
    pub outcomes: Outcomes<'a>,
    pub takes_first: bool,
}

impl Chooser for PerfectPlayer<'_> {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        if position.primitive().is_some() {
            return Err(ChooseError::Over);
        }
        let moves = (self.outcomes)(position).map_err(ChooseError::Unknown)?;
        let outcome = moves.iter().map(|&(_, outcome)| outcome).min().ok_or(ChooseError::Over)?;
        let mut best = Vec::from_iter(moves.iter().filter(|(_, found)| *found == outcome).map(|(column, _)| *column));
        best.sort_unstable();
        let equal = best.len();
        let number = if self.takes_first { 0 } else { random.random_range(0..equal as u32) as usize };
        Ok(Choice { column: best[number], reason: Reason::Best { outcome, equal } })
    }
}
