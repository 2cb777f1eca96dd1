//! The smallest order of moves that reaches a position.
//!
//! Without a line on the board there was no line earlier. Then any order will do that takes every column from the
//! bottom up and lets the players move in turn: an interleaving of the columns, which [`Interleaver`] finds. With a
//! line, the last move made it: a piece on top of a column, of the player who just moved, without which there is no
//! line. Each such piece gives an interleaving of the rest; the result is the smallest order of them all.

mod column;
mod interleave;
mod relaxation;

use column::Column;
use interleave::Interleaver;

use super::NotationError;
use crate::{Player, Position, has_line};

/// Returns the columns (from 0) of the lexicographically smallest play that reaches `position`.
///
/// # Errors
///
/// [`NotationError::Unreachable`] if no play reaches the position, [`NotationError::Undecided`] if the search gave up.
pub(super) fn smallest_order(position: &Position) -> Result<Vec<usize>, NotationError> {
    let board = position.board();
    let [first, second] = [Player::First, Player::Second].map(|player| position.pieces(player));
    let no_line_without = |piece: u64| !has_line(board, first & !piece) && !has_line(board, second & !piece);
    let columns = (0..board.width())
        .map(|column| Column::new(position.height(column), first >> board.cell(column, 0)))
        .collect::<Vec<_>>();
    let mut interleaver = Interleaver::new(board);
    if no_line_without(0) {
        return interleaver.smallest(columns)?.ok_or(NotationError::Unreachable);
    }

    let mut smallest: Option<Vec<usize>> = None;
    let last_mover = position.to_move().other();
    for column in 0..board.width() {
        let Some(row) = position.height(column).checked_sub(1) else { continue };
        let is_last_mover = position.piece(column, row) == Some(last_mover);
        if !is_last_mover || !no_line_without(1 << board.cell(column, row)) {
            continue;
        }
        let mut before = columns.clone();
        before[column] = Column::new(row, first >> board.cell(column, 0));
        if let Some(mut order) = interleaver.smallest(before)? {
            order.push(column);
            smallest = Some(smallest.map_or(order.clone(), |smallest| smallest.min(order)));
        }
    }
    smallest.ok_or(NotationError::Unreachable)
}

#[cfg(test)]
mod tests;
