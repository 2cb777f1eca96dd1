//! What is left of a column while its pieces are taken from the bottom up.

use crate::Player;

/// What is left of a column: a bit string with the lowest piece in bit 0, 1 for the first player, and a 1 above the
/// highest piece. 128 bits, because a column of 64 rows has 65.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Column(u128);

impl Column {
    /// Takes the lowest `pieces` (0 to 64) bits of `first`, set for the first player's pieces.
    pub(super) fn new(pieces: usize, first: u64) -> Column {
        let end = 1_u128 << pieces;
        Column(u128::from(first) & (end - 1) | end)
    }

    /// Returns the number of pieces left.
    pub(super) fn len(self) -> usize {
        self.0.ilog2() as usize
    }

    /// Returns the pieces left as a bit string, without the 1 above them.
    pub(super) fn pieces(self) -> u64 {
        (self.0 ^ 1 << self.len()) as u64
    }

    /// Returns the owner of the lowest piece; `None` if no piece is left.
    pub(super) fn next(self) -> Option<Player> {
        match self.0 {
            1 => None,
            pieces if pieces & 1 == 1 => Some(Player::First),
            _ => Some(Player::Second),
        }
    }

    /// Returns what is left once the lowest piece is taken.
    pub(super) fn without_next(self) -> Column {
        Column(self.0 >> 1)
    }

    /// Returns the pieces left with the 1 above them: different for any two columns.
    pub(super) fn bits(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Column;

    #[test]
    fn a_column_gives_back_the_pieces_it_was_made_of() {
        for (pieces, first) in [(0, 0), (1, 1), (3, 0b010), (63, 5), (64, u64::MAX), (64, 0)] {
            let column = Column::new(pieces, first);
            assert_eq!((column.len(), column.pieces()), (pieces, first));
        }
        assert_eq!(Column::new(2, 0b1101), Column::new(2, 0b01));
    }
}
