//! What a position is worth: its value for the player to move, and how far away the end is.
//!
//! [`Outcome::parent`] converts a child's outcome for its parent: the value flips, because the mover's opponent is to
//! move in the child, and the end is one ply farther away. The parent's outcome is the best of the converted ones.
//! *Best* is the order of [`Outcome`]: the winner wants a short game, the loser a long one.

use std::cmp::Ordering;
use std::fmt;

use crate::Player;

/// The value of a position for the player to move. Values are ordered best first: a win, a tie, a loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// The player to move wins against every defence.
    Win,
    /// Neither player can force a win.
    Tie,
    /// The player to move loses against best play.
    Lose,
}

impl Value {
    /// Returns the same value as the opponent sees it: win and lose swap, a tie stays.
    ///
    /// ```
    /// use fourbase::Value;
    /// assert_eq!(Value::Win.flip(), Value::Lose);
    /// assert_eq!(Value::Tie.flip(), Value::Tie);
    /// ```
    #[must_use]
    pub fn flip(self) -> Value {
        match self {
            Value::Win => Value::Lose,
            Value::Lose => Value::Win,
            Value::Tie => Value::Tie,
        }
    }

    /// Converts this value, which is for the player `to_move`, into the value for `player`.
    pub fn for_player(self, player: Player, to_move: Player) -> Value {
        if player == to_move { self } else { self.flip() }
    }

    /// Returns `win`, `lose` or `tie`.
    pub fn name(self) -> &'static str {
        match self {
            Value::Win => "win",
            Value::Lose => "lose",
            Value::Tie => "tie",
        }
    }

    /// Returns the noun for messages: `win`, `loss` or `tie`.
    pub fn noun(self) -> &'static str {
        if self == Value::Lose { "loss" } else { self.name() }
    }
}

impl fmt::Display for Value {
    /// Writes `win`, `lose` or `tie`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A value, and the number of plies to the end under best play if it is known.
///
/// Outcomes are ordered **best first**, as the player who gets them sees it: an ascending sort puts the soonest win
/// first, then ties, then losses, the latest loss first. So `min` picks the best move. An outcome of unknown remoteness
/// comes after all others with the same value. (Ties under best play all last until the board is full, so their
/// remoteness never decides between moves of one position. Ties are still ordered by it, to agree with `==`.)
///
/// ```
/// use fourbase::{Outcome, Value};
///
/// let outcome = |value, remoteness| Outcome { value, remoteness: Some(remoteness) };
/// let mut moves = [outcome(Value::Lose, 2), outcome(Value::Tie, 9), outcome(Value::Lose, 8), outcome(Value::Win, 5)];
/// moves.sort();
/// assert_eq!(moves, [outcome(Value::Win, 5), outcome(Value::Tie, 9), outcome(Value::Lose, 8), outcome(Value::Lose, 2)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// The value for the player to move; in a result of [`Outcome::parent`], for the player who makes the move.
    pub value: Value,
    /// Plies to the end under best play, 0 for a finished game; `None` if unknown.
    pub remoteness: Option<u32>,
}

/// Writes a number of plies with a space before it, such as ` in 1 ply` or ` in 41 plies`.
pub(crate) fn in_plies(plies: u32) -> String {
    format!(" in {plies} {}", if plies == 1 { "ply" } else { "plies" })
}

impl Outcome {
    /// Converts a child's outcome into the outcome that its parent gets by moving there: the value flips, and a known
    /// remoteness grows by one.
    ///
    /// ```
    /// use fourbase::{Outcome, Value};
    ///
    /// let child = Outcome { value: Value::Lose, remoteness: Some(4) };
    /// assert_eq!(child.parent(), Outcome { value: Value::Win, remoteness: Some(5) });
    /// ```
    #[must_use]
    pub fn parent(self) -> Outcome {
        Outcome { value: self.value.flip(), remoteness: self.remoteness.map(|plies| plies.saturating_add(1)) }
    }

    /// Returns the key that outcomes are sorted by; a smaller key is a better outcome.
    fn sort_key(self) -> (Value, bool, Option<u32>) {
        let plies = self.remoteness.map(|plies| if self.value == Value::Lose { u32::MAX - plies } else { plies });
        (self.value, plies.is_none(), plies)
    }
}

impl Ord for Outcome {
    fn cmp(&self, other: &Outcome) -> Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

impl PartialOrd for Outcome {
    fn partial_cmp(&self, other: &Outcome) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Value};

    #[test]
    fn the_order_is_total_with_wins_before_ties_before_losses() {
        let values = [Value::Win, Value::Tie, Value::Lose];
        let remotenesses = [Some(0), Some(1), Some(17), Some(u32::MAX), None];
        let outcomes = |value| remotenesses.map(|remoteness| Outcome { value, remoteness });
        let mut outcomes = [outcomes(Value::Lose), outcomes(Value::Win), outcomes(Value::Tie)].concat();
        for (a, b) in outcomes.iter().flat_map(|a| outcomes.iter().map(move |b| (a, b))) {
            assert_eq!(a.cmp(b), b.cmp(a).reverse());
            assert_eq!(a.cmp(b).is_eq(), a == b, "{a:?} {b:?}");
        }
        outcomes.sort();
        assert!(outcomes.is_sorted_by_key(|outcome| values.iter().position(|value| *value == outcome.value)));
        assert_eq!(outcomes[0], Outcome { value: Value::Win, remoteness: Some(0) });
    }

    #[test]
    fn a_parent_of_the_farthest_end_stays_there() {
        let far = Outcome { value: Value::Tie, remoteness: Some(u32::MAX) };
        assert_eq!(far.parent(), far);
        let unknown = Outcome { value: Value::Win, remoteness: None };
        assert_eq!(unknown.parent(), Outcome { value: Value::Lose, remoteness: None });
    }
}
