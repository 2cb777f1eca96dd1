//! A player against the exact values: how often its moves keep the value, and how often they are best moves.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::players::Reason;
use crate::{Outcome, Player, Position, Value};

/// The chance 1 in sums of chances. They are whole numbers, so that they do not depend on the order of adding.
const ONE: u64 = 1 << 32;

/// How a player's move compares with the best one, in a position where the choice matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The position before the move.
    pub position: Position,
    /// The column played, from 0.
    pub column: usize,
    /// Why, if the player says so.
    pub reason: Option<Reason>,
    /// What that is worth to the player.
    pub played: Outcome,
    /// What the best move is worth.
    pub best: Outcome,
    /// The columns of the best moves, in ascending order.
    pub best_columns: Vec<usize>,
    /// The share of the legal moves that keep the value, in parts of [`ONE`].
    chance: u64,
}

impl Judgement {
    /// Judges a move, given the outcomes of all legal moves; `None` for a column that is not among them.
    #[must_use]
    pub fn of(
        position: &Position,
        moves: &[(usize, Outcome)],
        column: usize,
        reason: Option<Reason>,
    ) -> Option<Judgement> {
        let best = moves.iter().map(|of| of.1).min()?;
        let mut best_columns: Vec<usize> = moves.iter().filter(|of| of.1 == best).map(|of| of.0).collect();
        best_columns.sort_unstable();
        let keeping = moves.iter().filter(|of| of.1.value == best.value).count() as u64;
        Some(Judgement {
            position: *position,
            column,
            reason,
            played: moves.iter().find(|of| of.0 == column)?.1,
            best,
            best_columns,
            chance: ONE * keeping / moves.len() as u64,
        })
    }

    /// Returns whether the choice matters in a position: its moves do not all have the same value.
    #[must_use]
    pub fn matters(moves: &[(usize, Outcome)]) -> bool {
        moves.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one.value != other.value))
    }

    /// Returns whether the move keeps the value.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.played.value == self.best.value
    }
}

/// The sum of the judgements of some positions, ply by ply.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Grade {
    /// By the number of pieces; plies without a judgement are left out.
    pub plies: BTreeMap<usize, GradedPly>,
    /// First a win that became a loss, then the blunder nearest to a win before the move, then the one nearest to the loss
    /// after it, then the earlier position; `None` if every move keeps the value.
    pub worst: Option<Judgement>,
}

/// The sum of the judgements of one ply, or of several.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GradedPly {
    /// The positions.
    pub graded: u64,
    /// The moves that keep the value.
    pub keeps: u64,
    /// The best moves that are known to be.
    best: u64,
    /// Whether some positions have no remoteness, so that their best moves are unknown.
    no_remoteness: bool,
    /// The sum of the chances that a random move keeps the value, in parts of [`ONE`].
    chance: u128,
}

impl GradedPly {
    /// Returns how many moves are best moves: the earliest win, the latest loss; `None` where remotenesses are unknown.
    #[must_use]
    pub fn best(&self) -> Option<u64> {
        (!self.no_remoteness).then_some(self.best)
    }

    /// Returns the chance that a random move keeps the value, from 0 to 1; `None` without positions.
    #[must_use]
    pub fn chance(&self) -> Option<f64> {
        (self.graded > 0).then(|| self.chance as f64 / ONE as f64 / self.graded as f64)
    }

    fn add(&mut self, other: &GradedPly) {
        self.graded += other.graded;
        self.keeps += other.keeps;
        self.best += other.best;
        self.no_remoteness |= other.no_remoteness;
        self.chance += other.chance;
    }
}

impl Grade {
    /// Adds a judgement.
    pub fn add(&mut self, judgement: Judgement) {
        let one = GradedPly {
            graded: 1,
            keeps: judgement.keeps().into(),
            best: (judgement.played == judgement.best).into(),
            no_remoteness: judgement.best.remoteness.is_none(),
            chance: judgement.chance.into(),
        };
        self.plies.entry(judgement.position.ply()).or_default().add(&one);
        if !judgement.keeps() {
            self.blame(judgement);
        }
    }

    /// Adds other sums. The order of adding does not matter.
    #[must_use]
    pub fn merge(mut self, other: Grade) -> Grade {
        for (ply, sums) in &other.plies {
            self.plies.entry(*ply).or_default().add(sums);
        }
        other.worst.into_iter().for_each(|worst| self.blame(worst));
        self
    }

    /// Returns the sum over all plies.
    #[must_use]
    pub fn total(&self) -> GradedPly {
        self.plies.values().fold(GradedPly::default(), |mut sum, ply| {
            sum.add(ply);
            sum
        })
    }

    /// Keeps the worse of two blunders.
    fn blame(&mut self, blunder: Judgement) {
        let key = |blunder: &Judgement| {
            let Judgement { position, best, played, .. } = blunder;
            let whole = best.value == Value::Win && played.value == Value::Lose;
            let pieces = [Player::First, Player::Second].map(|player| position.pieces(player));
            (Reverse(whole), best.remoteness, played.remoteness, position.ply(), pieces)
        };
        if self.worst.as_ref().is_none_or(|worst| key(&blunder) < key(worst)) {
            self.worst = Some(blunder);
        }
    }
}
