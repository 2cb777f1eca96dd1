//! Scores: a value and a remoteness in one small integer that changes sign with the player.
//!
//! A win is positive, a loss negative, a tie 0. The sooner a game ends, the farther its score is from 0. The score
//! depends on the ply `p` on which the game ends, not on the remoteness, so it is the same for all positions on the way
//! there, except for its sign. A given player can win on only one of two successive plies, so the player and
//! `ceil(p / 2)` determine the ply. A win scores `ceil(cells / 2) + 1 - ceil(p / 2)`; a win with the last piece of the
//! board scores 1. On 7x6 this is the usual "22 minus the winner's pieces".
//!
//! A search only ever decides whether a score is at least some number `beta`; [`next_beta`] chooses the next `beta`.

use crate::{Board, Outcome, Value};

/// A score for the player to move, from -32 to 32.
pub(super) type Score = i32;

/// Converts between the outcomes and the scores of one board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The number of cells of the board.
    pub cells: u32,
    top: Score,
    misere: bool,
}

impl Scale {
    pub fn new(board: Board) -> Scale {
        let cells = board.cells() as u32;
        Scale { cells, top: cells.div_ceil(2) as Score + 1, misere: board.is_misere() }
    }

    /// Returns the winner's score in a game that ends on `ply` (from 1). The result 0 means that the board has too few
    /// cells for a game of this length.
    #[inline(always)]
    pub fn win_on(self, ply: u32) -> Score {
        (self.top - (ply as Score + 1) / 2).max(0)
    }

    /// Returns the lowest and the highest score that `outcome` can mean at a position of `ply` pieces. They are equal
    /// if the remoteness is known.
    pub fn scores(self, outcome: Outcome, ply: u32) -> (Score, Score) {
        let (latest, soonest) = match outcome.remoteness {
            Some(plies) => [self.win_on(ply.saturating_add(plies).min(self.cells)); 2].into(),
            None => (1, self.top),
        };
        match outcome.value {
            Value::Win => (latest, soonest),
            Value::Tie => (0, 0),
            Value::Lose => (-soonest, -latest),
        }
    }

    /// Returns the outcome that `score` stands for at a position of `ply` pieces.
    pub fn outcome(self, score: Score, ply: u32) -> Outcome {
        let (value, end) = match score.signum() {
            0 => (Value::Tie, self.cells),
            sign => {
                // The player to move places the pieces number ply + 1, ply + 3, ... The game ends on one of these if
                // that player wins, or under misère if that player loses.
                let even = 2 * (self.top - score.abs()) as u32;
                let ends_with_mover = (sign > 0) != self.misere;
                let is_even = (ply + u32::from(ends_with_mover)).is_multiple_of(2);
                (if sign > 0 { Value::Win } else { Value::Lose }, if is_even { even } else { even - 1 })
            }
        };
        Outcome { value, remoteness: Some(end.saturating_sub(ply)) }
    }
}

/// Returns the next `beta` to ask about if the score is from `low` to `high`, with `low < beta <= high`.
///
/// The first question is about the sign, which most prunings can decide. Each later question moves away from the tie by
/// a quarter of the remaining range. The alternatives were measured before the last prunings were added. Nodes per
/// position on Test_L2_R1 and Test_L2_R2 (`tests/data/README.md` describes both):
/// - quarters: 268 and 14,198
/// - halves: 226 and 14,163
/// - single steps: 381 and 13,345
/// - eighths: 310 and 13,995
/// - starting from the far end: 199 and 16,460
pub(super) fn next_beta(low: Score, high: Score) -> Score {
    if low < 0 && high >= 0 {
        0
    } else if low >= 0 {
        low + 1 + (high - low) / 4
    } else {
        high - (high - low) / 4
    }
}

#[cfg(test)]
mod tests {
    use super::{Scale, next_beta};
    use crate::{Outcome, Value};

    fn outcome(value: Value, remoteness: u32) -> Outcome {
        Outcome { value, remoteness: Some(remoteness) }
    }

    #[test]
    fn scores_of_the_usual_board_count_the_winners_pieces() {
        let scale = Scale::new("7x6".parse().unwrap());
        assert_eq!(scale.win_on(41), 22 - 21);
        assert_eq!(scale.win_on(7), 22 - 4);
        assert_eq!(scale.outcome(1, 0), outcome(Value::Win, 41));
        assert_eq!(scale.outcome(0, 10), outcome(Value::Tie, 32));
    }

    #[test]
    fn every_end_of_a_game_leads_to_a_score_and_back() {
        for name in ["7x6", "5x5", "1x1c1", "9x7", "32x2", "3x3m", "4x4m", "1x1c1m"] {
            let board = name.parse::<crate::Board>().unwrap();
            let scale = Scale::new(board);
            let cells = board.cells() as u32;
            for ply in 0..cells {
                for end in ply + 1..=cells {
                    let mover_ends = (end - ply) % 2 == 1;
                    let score = scale.win_on(end);
                    assert!(score > 0);
                    assert_eq!(scale.scores(outcome(Value::Win, end - ply), ply), (score, score));
                    assert_eq!(scale.scores(outcome(Value::Lose, end - ply), ply), (-score, -score));
                    let (worst, best) = scale.scores(Outcome { value: Value::Win, remoteness: None }, ply);
                    assert!((worst..=best).contains(&score));
                    let is_won = mover_ends != board.is_misere();
                    let (score, value) = if is_won { (score, Value::Win) } else { (-score, Value::Lose) };
                    assert_eq!(scale.outcome(score, ply), outcome(value, end - ply), "{name} {ply} {end}");
                }
            }
            assert_eq!(scale.win_on(cells + 1 + cells % 2), 0);
        }
    }

    #[test]
    fn every_question_narrows_the_window_from_either_side() {
        for low in -40..40 {
            for high in low + 1..=40 {
                assert!((low + 1..=high).contains(&next_beta(low, high)), "{low} {high}");
            }
        }
    }
}
