//! What a position is worth, in words of the tests' own.

use fourbase::{Outcome, Value};

use super::plain_game::End;
use super::tiers::Values;

/// What a position is worth to the player to move, and the plies to the end when the winner plays for speed and
/// the loser delays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Win(u8),
    Tie(u8),
    Lose(u8),
}

impl Answer {
    /// The answer of a position in which the game has ended.
    pub fn of_end(end: End) -> Answer {
        match end {
            End::Won => Answer::Win(0),
            End::Tied => Answer::Tie(0),
            End::Lost => Answer::Lose(0),
        }
    }

    /// The answer of a database with remoteness.
    pub fn of_outcome(Outcome { value, remoteness }: Outcome) -> Answer {
        let plies = u8::try_from(remoteness.expect("a remoteness")).expect("at most 64 plies");
        match value {
            Value::Win => Answer::Win(plies),
            Value::Tie => Answer::Tie(plies),
            Value::Lose => Answer::Lose(plies),
        }
    }

    /// The same answer as the opponent saw it one ply before.
    pub fn before_the_move(self) -> Answer {
        match self {
            Answer::Win(plies) => Answer::Lose(plies + 1),
            Answer::Tie(plies) => Answer::Tie(plies + 1),
            Answer::Lose(plies) => Answer::Win(plies + 1),
        }
    }

    /// Whether a player would rather have this answer than the other: a win soon, a tie, a loss late.
    pub fn is_better_than(self, other: Answer) -> bool {
        match (self, other) {
            (Answer::Win(plies), Answer::Win(others)) => plies < others,
            (Answer::Lose(plies), Answer::Lose(others)) => plies > others,
            (Answer::Win(_), _) | (Answer::Tie(_), Answer::Lose(_)) => true,
            _ => false,
        }
    }

    /// What a database of these values should say.
    pub fn outcome(self, values: Values) -> Outcome {
        let (value, plies) = match self {
            Answer::Win(plies) => (Value::Win, plies),
            Answer::Tie(plies) => (Value::Tie, plies),
            Answer::Lose(plies) => (Value::Lose, plies),
        };
        Outcome { value, remoteness: (values == Values::Remoteness).then_some(u32::from(plies)) }
    }
}
