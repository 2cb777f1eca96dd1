//! What the codes of a tier stand for, by `docs/format.md`: the list of all outcomes, each with its number.

use fourbase::{Board, Outcome, Player, Value};

use crate::kernel::Values;

/// The codes of one tier.
#[derive(Debug)]
pub(super) struct Codes {
    values: Values,
    /// By code; `None` for a code that stands for no outcome.
    outcomes: Vec<Option<Outcome>>,
}

impl Codes {
    /// Lists the codes of the tier of `ply` pieces.
    pub fn new(board: Board, values: Values, ply: u32) -> Codes {
        let mover = if ply.is_multiple_of(2) { Player::First } else { Player::Second };
        let won_by = |winner: Player| if winner == mover { Value::Win } else { Value::Lose };
        let outcomes = match values {
            Values::Wdl => {
                let outcome = |value| Some(Outcome { value, remoteness: None });
                vec![outcome(won_by(Player::Second)), outcome(Value::Tie), None, outcome(won_by(Player::First))]
            }
            Values::Remoteness => {
                let cells = board.cells() as u32;
                let mut numbered = vec![(0, Value::Tie, cells - ply)];
                for winner in [Player::First, Player::Second] {
                    // The first player's pieces make the plies odd. A line wins, or under misère loses.
                    let parity = u32::from((winner == Player::First) != board.is_misere());
                    let ends = (ply..=cells).rev().filter(|end| end % 2 == parity);
                    // The latest end may lie before the tier: then the list is empty.
                    for (number, end) in (1..).zip(ends) {
                        let number: i32 = if winner == Player::First { number } else { -number };
                        numbered.push((number, won_by(winner), end - ply));
                    }
                }
                let fits = |planes: u32| {
                    numbered.iter().all(|(number, ..)| (-(1 << (planes - 1))..1 << (planes - 1)).contains(number))
                };
                let planes = (2..).find(|planes| fits(*planes)).unwrap_or(2);
                let mut outcomes = vec![None; 1 << planes];
                for (number, value, remoteness) in numbered {
                    let code = number + (1 << (planes - 1));
                    if let Some(slot) = outcomes.get_mut(code as usize) {
                        *slot = Some(Outcome { value, remoteness: Some(remoteness) });
                    }
                }
                outcomes
            }
        };
        Codes { values, outcomes }
    }

    /// Returns the outcome for the player to move; `None` for a code that stands for none.
    pub fn outcome(&self, code: u8) -> Option<Outcome> {
        self.outcomes.get(usize::from(code)).copied().flatten()
    }

    /// Returns the bytes that this many codes take in a block.
    pub fn bytes(&self, codes: usize) -> usize {
        match self.values {
            Values::Wdl => codes.div_ceil(4),
            Values::Remoteness => codes,
        }
    }

    /// Returns one code of the packed ones, given by its number.
    pub fn unpack(&self, packed: &[u8], number: usize) -> Option<u8> {
        match self.values {
            Values::Wdl => Some(packed.get(number / 4)? >> (2 * (number % 4)) & 3),
            Values::Remoteness => packed.get(number).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Coding;

    #[test]
    fn codes_stand_for_the_outcomes_that_the_solver_means_by_them() {
        for name in ["4x4", "5x5", "4x4m", "5x3m", "1x1", "1x8", "3x3c3", "6x6", "7x6", "5x5m"] {
            let board: Board = name.parse().unwrap();
            for ply in 0..=board.cells() as u32 {
                for values in [Values::Wdl, Values::Remoteness] {
                    let (codes, coding) = (Codes::new(board, values, ply), Coding::new(board, values, ply));
                    assert_eq!(codes.outcomes.len(), 1 << coding.planes(), "{name} {values} ply {ply}");
                    for code in 0..codes.outcomes.len() as u8 {
                        assert_eq!(codes.outcome(code), coding.decode(code), "{name} {values} ply {ply} code {code}");
                    }
                }
            }
        }
    }
}
