//! What a check finds: the positions that it meets, how lines end, and the verdict that follows.

use std::fmt;

use serde::Serialize;

use crate::{PerPlayer, Player, Position, Value};

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// A player has won.
    Won(Player),
    /// The board is full.
    Tied,
    /// The rule says nothing.
    Undefined,
}

impl End {
    /// Returns how the game ended; `None` if it is not over.
    pub fn of(position: &Position) -> Option<End> {
        Some(match position.primitive()? {
            Value::Win => End::Won(position.to_move()),
            Value::Lose => End::Won(position.to_move().other()),
            Value::Tie => End::Tied,
        })
    }
}

/// The distinct positions that a rule meets, including the empty board. Mirror images count separately.
///
/// The others are disjoint and add up to `all`; but `undefined` is a part of `strategy_to_move`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionCounts {
    /// All of them.
    pub all: u64,
    /// The game is not over, and the opponent of the rule is to move.
    pub opponent_to_move: u64,
    /// The game is not over, and the rule is asked for a move.
    pub strategy_to_move: u64,
    /// The rule is asked for a move and is undefined after at least one last move.
    pub undefined: u64,
    /// A player has won.
    pub won_by: PerPlayer<u64>,
    /// The board is full and nobody has won.
    pub ties: u64,
}

impl PositionCounts {
    pub(super) fn add(&mut self, end: End) {
        self.all += u64::from(end != End::Undefined);
        *match end {
            End::Won(player) => self.won_by.of_mut(player),
            End::Tied => &mut self.ties,
            End::Undefined => &mut self.undefined,
        } += 1;
    }
}

/// How the lines of a rule end. A line is a whole game. Two lines differ if any move differs, even if they share their
/// last position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineCounts {
    /// All lines.
    pub all: u128,
    /// The rule is undefined, so the rest of the game is unknown.
    pub undefined: u128,
    /// A player wins.
    pub won_by: PerPlayer<u128>,
    /// The board is full and nobody has won.
    pub ties: u128,
}

impl LineCounts {
    /// Adds lines; `None` if there would be too many to count.
    pub(super) fn add(&mut self, end: End, lines: u128) -> Option<()> {
        self.all = self.all.checked_add(lines)?;
        *match end {
            End::Won(player) => self.won_by.of_mut(player),
            End::Tied => &mut self.ties,
            End::Undefined => &mut self.undefined,
        } += lines;
        Some(())
    }
}

/// Says how a player fares who plays by a rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// The player wins every line.
    Wins,
    /// Every line is a tie.
    Ties,
    /// The player wins some lines, and the others are ties.
    NeverLoses,
    /// The player loses some line. Others may be undefined.
    Loses,
    /// The rule is undefined in some line, and the player loses none.
    Undefined,
}

impl fmt::Display for Verdict {
    /// Writes `wins`, `ties`, `never-loses`, `loses` or `undefined`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Wins => "wins",
            Verdict::Ties => "ties",
            Verdict::NeverLoses => "never-loses",
            Verdict::Loses => "loses",
            Verdict::Undefined => "undefined",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{End, LineCounts};

    #[test]
    fn lines_are_exact_up_to_the_last_one_that_a_word_counts() {
        let mut lines = LineCounts::default();
        assert_eq!(lines.add(End::Tied, u128::MAX - 1), Some(()));
        assert_eq!(lines.add(End::Undefined, 1), Some(()));
        assert_eq!(lines.all, u128::MAX);
        assert_eq!(lines.add(End::Undefined, 1), None);
        assert_eq!(lines.all, u128::MAX);
    }
}
