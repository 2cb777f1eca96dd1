//! What was written.

use super::cells::Portion;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// The number of rows.
    pub rows: u64,
    /// How many positions are a win, a tie and a loss for the player to move.
    pub by_value: [u64; 3],
}

impl Summary {
    /// Counts the rows of a portion.
    pub(super) fn add(&mut self, portion: &Portion) {
        self.rows += portion.rows as u64;
        for (sum, count) in self.by_value.iter_mut().zip(portion.by_value) {
            *sum += count;
        }
    }
}
