//! The result of a check in one word.

use std::fmt;

use super::LineCounts;
use crate::Player;

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
