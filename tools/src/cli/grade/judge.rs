//! The judgement of one move: how it compares with the best one.

use std::sync::Arc;

use anyhow::Context;
use fourbase::players::{Chooser, Kind, Reason, nothing_known};
use fourbase::{Board, Outcome, Position};

use super::positions::Asked;
use crate::cli::query::asker::Asker;
use crate::knowledge::{Knowledge, outcomes};

/// A player and a source of exact values, for one thread.
pub struct Judge {
    kind: Kind,
    chooser: Option<Box<dyn Chooser>>,
    asker: Arc<Asker>,
}

/// How a player's move compares with the best one, in a position where the choice matters.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub position: Position,
    /// The column played, from 0, and why.
    pub column: usize,
    pub reason: Reason,
    /// Its outcome.
    pub played: Outcome,
    /// The outcome of the best move.
    pub best: Outcome,
    /// The columns of the best moves.
    pub best_columns: Vec<usize>,
    /// The number of moves that keep the value.
    pub keeping: u32,
    /// The number of legal moves.
    pub legal: u32,
}

impl Judgement {
    /// Returns whether the move keeps the value.
    pub fn keeps(&self) -> bool {
        self.played.value == self.best.value
    }

    /// Returns whether the move is a best one; `None` without a remoteness.
    pub fn is_best(&self) -> Option<bool> {
        self.best.remoteness.map(|_| self.played == self.best)
    }
}

impl Judge {
    /// Makes a player and an answerer.
    pub fn new(board: Board, kind: Kind, knowledge: &Knowledge) -> Judge {
        let asker = knowledge.asker();
        let known = if kind.needs_outcomes() { outcomes(&asker) } else { nothing_known() };
        Judge { kind, chooser: kind.chooser(board, known), asker }
    }

    /// Lets the player move and judges the move; `None` if the game is over or all moves have the same value.
    ///
    /// # Errors
    ///
    /// Those of the answerer and of the player.
    pub fn judge(&mut self, asked: &Asked) -> anyhow::Result<Option<Judgement>> {
        let Asked { position, last, source } = asked;
        let moves = self.asker.moves(position)?;
        // Sorted, the best first.
        let (Some(best), Some(worst)) = (moves.first(), moves.last()) else { return Ok(None) };
        if best.outcome.value == worst.outcome.value {
            return Ok(None);
        }
        let best = best.outcome;
        let kind = self.kind;
        let chooser = self.chooser.as_mut().with_context(|| format!("{kind} is not a program"))?;
        let choice = chooser.choose(position, *last, &mut source.clone())?;
        let played = moves.iter().find(|of| of.column == choice.column);
        let played = played.with_context(|| format!("{kind} plays an illegal move in {position}"))?.outcome;
        Ok(Some(Judgement {
            position: *position,
            column: choice.column,
            reason: choice.reason,
            played,
            best,
            best_columns: moves.iter().filter(|of| of.outcome == best).map(|of| of.column).collect(),
            keeping: moves.iter().filter(|of| of.outcome.value == best.value).count() as u32,
            legal: moves.len() as u32,
        }))
    }
}
