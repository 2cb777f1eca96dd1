//! What a check finds: the positions that it meets, how lines end, and the verdict that follows.

use std::fmt;

use serde::Serialize;

use crate::{PerPlayer, Player, Position, Value};

/// Returns how the game has ended for a player; `None` if it is not over.
pub(super) fn result(position: &Position, player: Player) -> Option<Value> {
    Some(position.primitive()?.for_player(player, position.to_move()))
}

/// The distinct positions that a rule meets, including the empty board. Mirror images count separately.
///
/// The counts are disjoint and add up to `all`, except `undefined`, which is a part of `strategy_to_move`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionCounts {
    /// All positions.
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
    /// Counts a position by its `result` for `player`. `None` means that the rule is undefined in the position, which
    /// `all` counts already.
    pub(super) fn add(&mut self, result: Option<Value>, player: Player) {
        self.all += u64::from(result.is_some());
        *match result {
            Some(Value::Win) => self.won_by.of_mut(player),
            Some(Value::Lose) => self.won_by.of_mut(player.other()),
            Some(Value::Tie) => &mut self.ties,
            None => &mut self.undefined,
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
    /// Adds lines with this `result` for `player`; returns `None` if there are too many lines to count.
    pub(super) fn add(&mut self, result: Option<Value>, player: Player, lines: u128) -> Option<()> {
        self.all = self.all.checked_add(lines)?;
        *match result {
            Some(Value::Win) => self.won_by.of_mut(player),
            Some(Value::Lose) => self.won_by.of_mut(player.other()),
            Some(Value::Tie) => &mut self.ties,
            None => &mut self.undefined,
        } += lines;
        Some(())
    }
}

/// The result of a check for the player who follows the rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// The player wins every line.
    Wins,
    /// Every line is a tie.
    Ties,
    /// The player wins some lines, and the others are ties.
    NeverLoses,
    /// The player loses some line. The rule may be undefined in others.
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
    use super::LineCounts;
    use crate::{Player, Value};

    #[test]
    fn lines_are_exact_up_to_the_last_one_that_a_word_counts() {
        let mut lines = LineCounts::default();
        assert_eq!(lines.add(Some(Value::Tie), Player::First, u128::MAX - 1), Some(()));
        assert_eq!(lines.add(None, Player::First, 1), Some(()));
        assert_eq!(lines.all, u128::MAX);
        assert_eq!(lines.add(None, Player::First, 1), None);
        assert_eq!(lines.all, u128::MAX);
    }
}
