//! The positions of a game with the outcomes of all moves, and what each move gave away.

use anyhow::Error;
use fourbase::{Outcome, Position, Value};
use fourbase_tiers::answer::KnownMove;
use fourbase_tiers::database::DatabaseError;

use crate::cli::query::asker::Asker;
use crate::cli::query::found::Found;
use crate::game::Game;
use crate::json::SourceJson;
use crate::wording;

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Ply {
    pub position: Position,
    /// The column played, from 0; `None` for the last position.
    pub column: Option<usize>,
    /// The outcome for the player to move; `None` if a search reached its limit.
    pub outcome: Option<Outcome>,
    /// All moves, best first, those that are not known last; empty if the game is over.
    pub moves: Vec<KnownMove>,
    /// Where the outcome comes from.
    pub source: SourceJson,
}

/// A game with all its positions.
#[derive(Debug)]
pub struct Played {
    /// From the empty board on.
    pub plies: Vec<Ply>,
    /// Which limit was reached and what to do, if something is not known.
    pub limit: Option<Error>,
}

/// What a move gave away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Nothing: it was a best move.
    Nothing,
    /// Not the value; plies, if any, are not known.
    NoValue,
    /// The value: before and after.
    Value(Value, Value),
    /// Plies of the same value: a later win or an earlier loss.
    Plies(u32),
}

impl Ply {
    /// Returns the outcome of the move played.
    pub fn played(&self) -> Option<Outcome> {
        self.moves.iter().find(|of| Some(of.column) == self.column)?.outcome
    }

    /// Returns the columns of the best moves.
    pub fn best(&self) -> impl Iterator<Item = usize> + '_ {
        let is_best = |of: &&KnownMove| self.outcome.is_some() && of.outcome == self.outcome;
        self.moves.iter().filter(is_best).map(|of| of.column)
    }

    /// Returns what the move played gave away; `None` without a move, or if that is unknown.
    pub fn loss(&self) -> Option<Loss> {
        let (before, after) = (self.outcome?, self.played()?);
        if before.value != after.value {
            return Some(Loss::Value(before.value, after.value));
        }
        Some(match (before.remoteness, after.remoteness) {
            (Some(before), Some(after)) if before != after => Loss::Plies(before.abs_diff(after)),
            (Some(_), Some(_)) => Loss::Nothing,
            _ => Loss::NoValue,
        })
    }

    /// Says what would have been better: `missed win in 5 at column 4`; `None` if nothing, or if that is unknown.
    pub fn reason(&self) -> Option<String> {
        let (before, after) = (self.outcome?, self.played()?);
        let (loss, mut best) = (self.loss()?, Vec::from_iter(self.best()));
        best.sort_unstable();
        let at = if best.is_empty() { String::new() } else { format!(" at column {}", wording::columns(best)) };
        let plies = before.remoteness.filter(|_| before.value != Value::Tie);
        match (loss, after.remoteness) {
            (Loss::Value(value, _), _) => {
                let plies = plies.map_or(String::new(), |plies| format!(" in {plies}"));
                Some(format!("missed {value}{plies}{at}"))
            }
            (Loss::Plies(_), Some(after)) => {
                let verb = if before.value == Value::Win { "wins" } else { "loses" };
                Some(format!("{verb} in {after} instead of {}{at}", plies?))
            }
            _ => None,
        }
    }
}

/// Finds the outcomes in every position of a game, by [`of_game_by`].
///
/// # Errors
///
/// A database that cannot be read.
pub fn of_game(asker: &Asker, game: &Game) -> anyhow::Result<Played> {
    of_game_by(game, |position, pace| match pace {
        Pace::Whole => asker.find(position, false),
        Pace::Quick => asker.find_quickly(position),
    })
}

/// How much is asked about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Everything within the limits.
    Whole,
    /// What takes a millisecond or less.
    Quick,
}

/// Finds the outcomes in every position of a game, from the last one back, because searches of late positions help those
/// of earlier ones. After a search that reaches its limit, earlier positions get a quick look only.
///
/// # Errors
///
/// Those of `find`.
pub fn of_game_by<E>(
    game: &Game,
    mut find: impl FnMut(&Position, Pace) -> Result<Found<Error>, E>,
) -> Result<Played, E> {
    let (mut plies, mut limit) = (Vec::new(), None);
    for (ply, position) in game.positions().iter().enumerate().rev() {
        let column = game.columns().get(ply).copied();
        let pace = if limit.is_none() { Pace::Whole } else { Pace::Quick };
        let Found { outcome, moves, source, limit: reached, .. } = find(position, pace)?;
        plies.push(Ply { position: *position, column, outcome, moves, source });
        limit = limit.or(reached);
    }
    plies.reverse();
    Ok(Played { plies, limit })
}

/// Turns the error of a search that reached its limit into `None`.
///
/// # Errors
///
/// A database that cannot be read.
pub fn decided<T>(answer: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.downcast_ref::<DatabaseError>().is_some() => Err(error),
        Err(_) => Ok(None),
    }
}
