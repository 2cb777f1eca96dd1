//! The positions of a game with the outcomes of all moves, and what each move gave away.

use fourbase::{Outcome, Position, Value};
use fourbase_tiers::answer::{AnswerError, Answerer, Question};
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::database::Move;

use crate::game::Game;
use crate::query::asker::Asker;

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Ply {
    pub position: Position,
    /// The column played, from 0; `None` for the last position.
    pub column: Option<usize>,
    /// The outcome for the player to move; `None` if a search reached its limit.
    pub outcome: Option<Outcome>,
    /// All moves, best first; empty if the outcome is unknown or the game is over.
    pub moves: Vec<Move>,
}

/// What a move gave away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Nothing: it was a best move.
    Nothing,
    /// The value: before and after.
    Value(Value, Value),
    /// Plies of the same value: a later win or an earlier loss.
    Plies(u32),
}

impl Ply {
    /// Returns the outcome of the move played.
    pub fn played(&self) -> Option<Outcome> {
        self.moves.iter().find(|of| Some(of.column) == self.column).map(|of| of.outcome)
    }

    /// Returns the columns of the best moves.
    pub fn best(&self) -> impl Iterator<Item = usize> + '_ {
        self.moves.iter().filter(|of| Some(of.outcome) == self.outcome).map(|of| of.column)
    }

    /// Returns what the move played gave away; `None` without a move, or if that is unknown.
    pub fn loss(&self) -> Option<Loss> {
        let (before, after) = (self.outcome?, self.played()?);
        if before.value != after.value {
            return Some(Loss::Value(before.value, after.value));
        }
        match (before.remoteness, after.remoteness) {
            (Some(before), Some(after)) if before != after => Some(Loss::Plies(before.abs_diff(after))),
            _ => Some(Loss::Nothing),
        }
    }
}

/// Finds the outcomes in every position of a game, from the last one back, because searches of late positions help those
/// of earlier ones. After a search that reaches its limit, earlier positions are left out.
///
/// # Errors
///
/// A database that cannot be read.
pub fn of_game(asker: &Asker, game: &Game) -> anyhow::Result<Vec<Ply>> {
    let (mut plies, mut is_decided) = (Vec::new(), true);
    for (ply, position) in game.positions().iter().enumerate().rev() {
        let column = game.columns().get(ply).copied();
        let mut known = None;
        if is_decided {
            known = decided(asker.ask(|answerer, question| outcome_and_moves(answerer, position, question)))?;
            is_decided = known.is_some();
        }
        let (outcome, moves) = known.map_or((None, Vec::new()), |(outcome, moves)| (Some(outcome), moves));
        plies.push(Ply { position: *position, column, outcome, moves });
    }
    plies.reverse();
    Ok(plies)
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

fn outcome_and_moves(
    answerer: &dyn Answerer,
    position: &Position,
    question: &mut Question,
) -> Result<(Outcome, Vec<Move>), AnswerError> {
    let moves = answerer.moves(position, question)?;
    let outcome = match moves.first() {
        Some(best) => best.outcome,
        None => answerer.outcome(position, question)?,
    };
    Ok((outcome, moves))
}
