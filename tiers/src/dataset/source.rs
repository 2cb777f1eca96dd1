//! Where the rows of a data set come from.

use fourbase::{Player, Position};

use super::error::DatasetError;

/// About how many rows are made, labelled and written together. Every row group of a Parquet file has as many.
pub(super) const PORTION: usize = 1 << 16;

/// A source of positions, the same at every time and with any number of threads.
pub(super) trait Positions: Send {
    /// Returns the next positions, at most [`PORTION`]; none at the end.
    fn next(&mut self) -> Result<Vec<Position>, DatasetError>;
}

/// Returns the one of a position and its mirror image that stands for both: the one whose bitboards are the smaller numbers.
pub(super) fn representative(position: &Position) -> Position {
    let key = |position: &Position| (position.pieces(Player::First), position.pieces(Player::Second));
    let mirror = position.mirror();
    if key(&mirror) < key(position) { mirror } else { *position }
}

/// Hands out positions in portions.
#[derive(Debug, Default)]
pub(super) struct Buffer(Vec<Position>);

impl Buffer {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn extend(&mut self, positions: impl IntoIterator<Item = Position>) {
        self.0.extend(positions);
    }

    /// Takes the first ones, at most [`PORTION`].
    pub fn take(&mut self) -> Vec<Position> {
        let rest = self.0.split_off(PORTION.min(self.0.len()));
        std::mem::replace(&mut self.0, rest)
    }
}
