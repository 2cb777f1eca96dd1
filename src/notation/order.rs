//! The smallest order of moves that reaches a position.
//!
//! If there is no line on the board, there never was one. An order is then possible if it fills each column from the
//! bottom up and the players move in turn: it is an interleaving of the columns. If there is a line, the last move
//! completed it. The piece of that move is on top of a column, belongs to the player who just moved, and without it
//! there is no line. For each such piece, the search finds the smallest interleaving of the other pieces; the result is
//! the smallest of these orders.
//!
//! [`Interleaver`] takes the leftmost column whose next piece belongs to the player to move, and backtracks when it is
//! stuck, so the first order it finds is the smallest. Two things keep the search short:
//!
//! - Whether the remaining pieces can be taken depends on what is left in the columns, but not on the order of the
//!   columns. So a dead end is remembered as a multiset of columns, and the search skips all its permutations.
//! - [`may_be_in_turn`] detects most dead ends early. On random colourings of full boards of 42 to 64 cells, the
//!   longest search without this test entered 344,000 states (on 7x9); the longest search with the test entered 331 (on
//!   4x16). On the hardest colourings that hill climbing found, the search without the test entered 5.8 million states
//!   in 4 seconds (on 10x6), and the search with the test entered 196,000 states in 0.1 seconds (on 7x9).
//!
//! No bound on the length of the search is known for all colourings, so the number of dead ends is limited.

mod relaxation;

use std::collections::HashSet;

use relaxation::may_be_in_turn;

use super::NotationError;
use crate::{Board, Player, Position};

/// Returns the columns (from 0) of the lexicographically smallest order of moves that reaches `position`.
///
/// # Errors
///
/// [`NotationError::Unreachable`] if no play reaches the position, [`NotationError::Undecided`] if the search gave up.
pub(super) fn smallest_order(position: &Position) -> Result<Vec<usize>, NotationError> {
    let mut interleaver = Interleaver::new(position.board());
    if !position.has_any_line() {
        return interleaver.smallest(position)?.ok_or(NotationError::Unreachable);
    }
    let mut smallest: Option<Vec<usize>> = None;
    for (column, parent) in position.parents() {
        if let Some(mut order) = interleaver.smallest(&parent)? {
            order.push(column);
            smallest = Some(smallest.map_or(order.clone(), |smallest| smallest.min(order)));
        }
    }
    smallest.ok_or(NotationError::Unreachable)
}

/// What is left of a column: a bit string with the lowest piece in bit 0, 1 for the first player, and a 1 above the
/// highest piece. 128 bits, because a column of 64 rows has 65.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Column(u128);

impl Column {
    /// Makes a column of `pieces` (0 to 64) pieces. A set bit of `first` is a piece of the first player.
    fn new(pieces: usize, first: u64) -> Column {
        let end = 1_u128 << pieces;
        Column(u128::from(first) & (end - 1) | end)
    }

    /// Returns the number of pieces left.
    fn len(self) -> usize {
        self.0.ilog2() as usize
    }

    /// Returns the pieces left as a bit string, without the 1 above them.
    fn pieces(self) -> u64 {
        (self.0 ^ 1 << self.len()) as u64
    }

    /// Returns the owner of the lowest piece; `None` if no piece is left.
    fn next(self) -> Option<Player> {
        match self.0 {
            1 => None,
            pieces if pieces & 1 == 1 => Some(Player::First),
            _ => Some(Player::Second),
        }
    }

    /// Returns what is left once the lowest piece is taken.
    fn without_next(self) -> Column {
        Column(self.0 >> 1)
    }
}

/// The number of dead ends after which the search gives up. By then it has taken about 50 MB and a second.
const MAX_DEAD_ENDS: usize = 1_500_000;

/// Searches for interleavings on one board. Remembers dead ends from one search to the next.
struct Interleaver {
    column_bits: usize,
    dead_ends: HashSet<u128>,
    max_dead_ends: usize,
}

impl Interleaver {
    fn new(board: Board) -> Interleaver {
        Interleaver { column_bits: board.height() + 1, dead_ends: HashSet::new(), max_dead_ends: MAX_DEAD_ENDS }
    }

    /// Returns the smallest order that takes all pieces of a position in turn, the first player first; `None` if there
    /// is none.
    fn smallest(&mut self, position: &Position) -> Result<Option<Vec<usize>>, NotationError> {
        let (board, first) = (position.board(), position.pieces(Player::First));
        let column = |column| Column::new(position.height(column), first >> board.cell(column, 0));
        let (mut remaining, mut order) = ((0..board.width()).map(column).collect::<Vec<_>>(), Vec::new());
        Ok(self.take_all(&mut remaining, Player::First, &mut order)?.then_some(order))
    }

    /// Appends to `order` the smallest order that takes all remaining pieces, `mover` first; returns whether there is
    /// such an order. The depth of the recursion is the number of pieces, at most 64.
    fn take_all(
        &mut self,
        remaining: &mut [Column],
        mover: Player,
        order: &mut Vec<usize>,
    ) -> Result<bool, NotationError> {
        if remaining.iter().all(|column| column.next().is_none()) {
            return Ok(true);
        }
        let key = self.key(remaining);
        if self.dead_ends.contains(&key) {
            return Ok(false);
        }
        if may_be_in_turn(remaining, mover) {
            for index in 0..remaining.len() {
                let column = remaining[index];
                if column.next() == Some(mover) {
                    order.push(index);
                    remaining[index] = column.without_next();
                    if self.take_all(remaining, mover.other(), order)? {
                        return Ok(true);
                    }
                    remaining[index] = column;
                    order.pop();
                }
            }
        }
        if self.dead_ends.len() == self.max_dead_ends {
            return Err(NotationError::Undecided(self.max_dead_ends));
        }
        self.dead_ends.insert(key);
        Ok(false)
    }

    /// Returns a key of the remaining pieces, the same for any order of the columns. At most 64 cells and 32 columns
    /// take at most 96 bits. The key need not include who is to move, because the number of remaining pieces determines
    /// that: all searches of one [`Interleaver`] start with the same number.
    fn key(&self, remaining: &[Column]) -> u128 {
        let mut sorted = remaining.to_vec();
        sorted.sort_unstable();
        sorted.iter().fold(0, |key, column| key << self.column_bits | column.0)
    }
}

#[cfg(test)]
mod tests;
