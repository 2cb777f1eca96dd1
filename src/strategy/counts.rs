//! What a check finds: the positions that it meets, how lines end, and the verdict that follows.

use std::fmt;

use crate::{Player, Position, Value};

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
/// Five of the fields are disjoint and add up to [`PositionCounts::all`]; `undefined` is a part of `strategy_to_move`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PositionCounts {
    /// The game is not over, and the opponent of the rule is to move.
    pub opponent_to_move: u64,
    /// The game is not over, and the rule is asked for a move.
    pub strategy_to_move: u64,
    /// The first player has won.
    pub first_wins: u64,
    /// The second player has won.
    pub second_wins: u64,
    /// The board is full and nobody has won.
    pub ties: u64,
    /// The rule is asked for a move and is undefined after at least one last move.
    pub undefined: u64,
}

impl PositionCounts {
    /// Returns the number of all positions.
    #[must_use]
    pub fn all(&self) -> u64 {
        let PositionCounts { opponent_to_move, strategy_to_move, first_wins, second_wins, ties, .. } = self;
        opponent_to_move + strategy_to_move + first_wins + second_wins + ties
    }

    pub(super) fn add(&mut self, end: End) {
        *match end {
            End::Won(Player::First) => &mut self.first_wins,
            End::Won(Player::Second) => &mut self.second_wins,
            End::Tied => &mut self.ties,
            End::Undefined => &mut self.undefined,
        } += 1;
    }
}

/// How the lines of a rule end. A line is a whole game. Two lines differ if any move differs, even if they share their
/// last position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LineCounts {
    /// The first player wins.
    pub first_wins: u128,
    /// The second player wins.
    pub second_wins: u128,
    /// The board is full and nobody has won.
    pub ties: u128,
    /// The rule is undefined, so the rest of the game is unknown.
    pub undefined: u128,
}

impl LineCounts {
    /// Returns the number of all lines.
    #[must_use]
    pub fn all(&self) -> u128 {
        self.first_wins + self.second_wins + self.ties + self.undefined
    }

    /// Returns the lines that `player` wins.
    #[must_use]
    pub fn wins(&self, player: Player) -> u128 {
        match player {
            Player::First => self.first_wins,
            Player::Second => self.second_wins,
        }
    }

    /// Adds lines; `None` if the total would be too large, so no sum of these counts can overflow.
    pub(super) fn add(&mut self, end: End, lines: u128) -> Option<()> {
        self.all().checked_add(lines)?;
        *match end {
            End::Won(Player::First) => &mut self.first_wins,
            End::Won(Player::Second) => &mut self.second_wins,
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

impl Verdict {
    pub(super) fn of(lines: &LineCounts, player: Player) -> Verdict {
        if lines.wins(player.other()) > 0 {
            Verdict::Loses
        } else if lines.undefined > 0 {
            Verdict::Undefined
        } else if lines.wins(player) == 0 {
            Verdict::Ties
        } else if lines.ties > 0 {
            Verdict::NeverLoses
        } else {
            Verdict::Wins
        }
    }
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
        assert_eq!(lines.all(), u128::MAX);
        assert_eq!(lines.add(End::Undefined, 1), None);
        assert_eq!(lines.all(), u128::MAX);
    }
}
