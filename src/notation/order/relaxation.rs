//! A quick test that detects most dead ends: whether the remaining pieces may be taken in turn at all.
//!
//! Count +1 for a piece of the first player and -1 for one of the second, from 0 when the first is to move and from 1
//! when the second is. Moving in turn means that the sum stays at 0 or 1. Deciding that takes a search, but each half
//! of it is easy: is there an order that keeps the sum at most 1, and is there one that keeps it at least 0? If either
//! does not exist, the pieces cannot be taken in turn. (The converse is false: the two orders need not be the same.)
//!
//! Each column is a walk. Ordering their steps so that the sum stays under a ceiling is known as the sequencing of
//! chains to minimise the maximum cumulative cost
//! (Abdel-Wahab and Kameda, Operations Research 26, 1978). Every walk should first get to its own lowest point, by
//! stages that end no higher than they begin, in any order that fits under the ceiling. Each stage leaves at least as
//! much room as it found, so taking one is never wrong. Backwards in time, the same holds from the end of the walks
//! down to their lowest points. So if any order fits, two greedy descents find one.

use super::Column;
use crate::{MAX_COLUMNS, Player};

/// The largest allowed sum: one more piece of the first player.
const CEILING: i32 = 1;

/// Returns `false` only if the remaining pieces cannot be taken in turn with `mover` first.
///
/// Makes one pass over the pieces, and about one more for each column that has to wait for another. Allocates nothing.
pub(super) fn may_be_in_turn(remaining: &[Column], mover: Player) -> bool {
    let begin = match mover {
        Player::First => 0,
        Player::Second => 1,
    };
    // A floor at 0 becomes a ceiling at 1 if the players, and so the signs, are exchanged.
    fits_under_ceiling(remaining, begin, 0) && fits_under_ceiling(remaining, 1 - begin, u64::MAX)
}

/// Returns whether some order keeps the sum, now `begin`, at or below the ceiling. Pieces count +1 where the bits of
/// `exchanged` differ from the first player's 1.
fn fits_under_ceiling(remaining: &[Column], begin: i32, exchanged: u64) -> bool {
    let mut from_begin = [Walk::default(); MAX_COLUMNS];
    let mut from_end = [Walk::default(); MAX_COLUMNS];
    let mut end = begin;
    for (index, &column) in remaining.iter().enumerate() {
        let walk = Walk { steps: column.pieces() ^ exchanged, len: column.len() };
        let low = walk.lowest_point();
        from_begin[index] = Walk { len: low, ..walk };
        from_end[index] = walk.without(low).reversed();
        end += walk.sum();
    }
    let columns = remaining.len();
    descend(&mut from_begin[..columns], begin) && descend(&mut from_end[..columns], end)
}

/// Steps up (1) and down (0), the next one in bit 0. Bits from `len` on are ignored.
#[derive(Clone, Copy, Default)]
struct Walk {
    steps: u64,
    len: usize,
}

impl Walk {
    fn step(self, index: usize) -> i32 {
        if self.steps >> index & 1 == 1 { 1 } else { -1 }
    }

    fn sum(self) -> i32 {
        (0..self.len).map(|index| self.step(index)).sum()
    }

    /// Returns the number of steps to the first of the walk's lowest points.
    fn lowest_point(self) -> usize {
        let (mut height, mut lowest, mut place) = (0, 0, 0);
        for index in 0..self.len {
            height += self.step(index);
            if height < lowest {
                (lowest, place) = (height, index + 1);
            }
        }
        place
    }

    /// Returns the walk without its first `count` steps.
    fn without(self, count: usize) -> Walk {
        Walk { steps: self.steps.checked_shr(count as u32).unwrap_or(0), len: self.len - count }
    }

    /// Returns the walk backwards in time: the last step first, with up and down exchanged.
    fn reversed(self) -> Walk {
        let reversed = !self.steps.reverse_bits();
        Walk { steps: reversed.checked_shr(64 - self.len as u32).unwrap_or(0), len: self.len }
    }

    /// Takes the shortest stage that ends no higher than it begins, from `height` and under the ceiling. Returns what
    /// is left of the walk, and the height after the stage.
    fn descend_once(self, height: i32) -> Option<(Walk, i32)> {
        let mut reached = height;
        for index in 0..self.len {
            reached += self.step(index);
            if reached > CEILING {
                return None;
            }
            if reached <= height {
                return Some((self.without(index + 1), reached));
            }
        }
        None
    }
}

/// Returns whether some order of all steps stays under the ceiling, from a sum of `height` on. Each walk must end at
/// its lowest point.
fn descend(walks: &mut [Walk], mut height: i32) -> bool {
    loop {
        let mut has_moved = false;
        for walk in walks.iter_mut() {
            while let Some((rest, lower)) = walk.descend_once(height) {
                (*walk, height) = (rest, lower);
                has_moved = true;
            }
        }
        if walks.iter().all(|walk| walk.len == 0) {
            return true;
        }
        if !has_moved {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, may_be_in_turn};
    use crate::Player;

    /// Calls [`may_be_in_turn`] for columns with blanks between them.
    fn may(columns: &str, mover: Player) -> bool {
        let column = |string: &str| {
            let first = string.chars().zip(0..).map(|(piece, row)| u64::from(piece == 'X') << row).sum();
            Column::new(string.len(), first)
        };
        may_be_in_turn(&columns.split_whitespace().map(column).collect::<Vec<_>>(), mover)
    }

    #[test]
    fn what_can_be_taken_in_turn_may_and_two_of_one_player_with_nothing_between_may_not() {
        assert!(["", "X", "XX OO", &"XO".repeat(32)].into_iter().all(|columns| may(columns, Player::First)));
        assert!(["O", "XXOO OOXX"].into_iter().all(|columns| may(columns, Player::Second)));
        // In the last two nobody can begin, and nobody can end.
        assert!(!["XXO", "OX", "OX OX", "XOOX OX"].into_iter().any(|columns| may(columns, Player::First)));
    }
}
