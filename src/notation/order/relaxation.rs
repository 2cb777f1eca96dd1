//! A quick test that detects most dead ends: whether the remaining pieces may be taken in turn at all.
//!
//! A running sum starts at 0 if the first player is to move and at 1 if the second is. Taking a piece of the first
//! player adds 1, taking one of the second subtracts 1. Moving in turn means that the sum stays at 0 or 1. Deciding
//! whether that is possible takes a search, but each half is easy: is there an order that keeps the sum at most 1, and
//! one that keeps it at least 0? If either does not exist, the pieces cannot be taken in turn. (The converse is false,
//! because the two orders may differ.)
//!
//! Each column is a walk of steps up and down. Ordering the steps of all walks so that the sum stays under a ceiling is
//! known as sequencing chains to minimise the maximum cumulative cost (Abdel-Wahab and Kameda, Operations Research 26,
//! 1978). First take every walk down to its own lowest point. Do this in stages, where a stage is a part of a walk that
//! ends no higher than it begins; take stages in any order that fits under the ceiling. A stage never reduces the room
//! under the ceiling, so taking a stage is never wrong. The same holds backwards in time, from the ends of the walks
//! down to their lowest points. So if any order fits, two greedy descents find one.

use super::Column;
use crate::{MAX_COLUMNS, Player};

/// The largest allowed sum: the first player has placed one piece more than the second.
const CEILING: i32 = 1;

/// Returns `false` only if the remaining pieces cannot be taken in turn with `mover` first.
///
/// Makes one pass over the pieces, and about one more for each column that has to wait for another. Allocates nothing.
pub(super) fn may_be_in_turn(remaining: &[Column], mover: Player) -> bool {
    let begin = match mover {
        Player::First => 0,
        Player::Second => 1,
    };
    // Exchanging the players turns each sum s into 1 - s, so the floor at 0 becomes a ceiling at 1.
    fits_under_ceiling(remaining, begin, 0) && fits_under_ceiling(remaining, 1 - begin, u64::MAX)
}

/// Returns whether some order keeps the sum, which starts at `begin`, at or below the ceiling. `exchanged` is 0 if
/// pieces of the first player count +1, and all ones if those of the second do.
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

/// A sequence of `len` steps up (1) and down (0), the next one in bit 0. Higher bits are ignored.
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

    /// Takes the shortest stage that ends no higher than it begins, starting at `height`. Returns what is left of the
    /// walk and the height after the stage; `None` if there is no such stage under the ceiling.
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

/// Returns whether some order of all steps stays under the ceiling if the sum starts at `height`. Each walk must end at
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

    /// Calls [`may_be_in_turn`] for columns that are separated by blanks, each from the bottom up.
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
        // In `OX OX` the first player cannot begin; in `XOOX OX` the second player cannot make the last move.
        assert!(!["XXO", "OX", "OX OX", "XOOX OX"].into_iter().any(|columns| may(columns, Player::First)));
    }
}
