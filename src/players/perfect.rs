//! `perfect`: a best move, by what somebody else knows.
//!
//! Where the outcomes of the moves come from, a database or a search, is not for this player to know: it is given a
//! function. Without remotenesses, as from a database of values alone, it keeps the value and may never come to the end
//! of a win.

use std::error::Error;

use rand::{Rng, RngExt};

use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Outcome, Position};

/// Tells the legal moves of a position (columns from 0, in any order) with what each is worth for its mover.
pub type Outcomes<'a> = Box<dyn FnMut(&Position) -> Result<Vec<(usize, Outcome)>, Box<dyn Error + Send + Sync>> + 'a>;

/// Returns the outcomes of somebody who knows nothing, for players that need not know.
#[must_use]
pub fn nothing_known() -> Outcomes<'static> {
    Box::new(|_| Err("nobody was asked for them".into()))
}

/// The player `perfect`.
///
/// ```
/// use fourbase::players::{Chooser, PerfectPlayer, Source};
/// use fourbase::search::{Options, Search};
/// use fourbase::{Board, notation};
///
/// let board: Board = "5x4".parse()?;
/// let mut search = Search::new(board, Options::default());
/// let outcomes = Box::new(move |position: &_| Ok(search.moves(position)?));
/// let mut player = PerfectPlayer::new(outcomes, false);
/// let choice = player.choose(&notation::parse(board, "1234")?, Some(3), &mut Source::new(1, 0))?;
/// assert_eq!((choice.column, choice.reason.to_string().as_str()), (2, "tie in 16, the only best move"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PerfectPlayer<'a> {
    outcomes: Outcomes<'a>,
    takes_first: bool,
}

impl<'a> PerfectPlayer<'a> {
    /// Makes the player from what is known. Among equally good moves it takes the leftmost if `takes_first`, else any.
    #[must_use]
    pub fn new(outcomes: Outcomes<'a>, takes_first: bool) -> PerfectPlayer<'a> {
        PerfectPlayer { outcomes, takes_first }
    }
}

impl std::fmt::Debug for PerfectPlayer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PerfectPlayer").field("takes_first", &self.takes_first).finish_non_exhaustive()
    }
}

impl Chooser for PerfectPlayer<'_> {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        if position.primitive().is_some() {
            return Err(ChooseError::Over);
        }
        let moves = (self.outcomes)(position).map_err(ChooseError::Unknown)?;
        let outcome = moves.iter().map(|&(_, outcome)| outcome).min().ok_or(ChooseError::Over)?;
        let mut best = moves.iter().filter(|of| of.1 == outcome).map(|of| of.0).collect::<Vec<_>>();
        best.sort_unstable();
        let equal = best.len();
        let number = if self.takes_first { 0 } else { random.random_range(0..equal as u32) as usize };
        Ok(Choice { column: best[number], reason: Reason::Best { outcome, equal } })
    }
}
