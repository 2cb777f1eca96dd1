//! The moves of a position, best first, and best play to the end of the game.
//!
//! Both follow from outcomes alone. So each algorithm is here once, for everything that knows outcomes: the database
//! below, and the answerers of [`crate::answer`].

use fourbase::{Outcome, Position};

use super::DatabaseError;
use super::open::Database;

/// A legal move and what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Column, from 0.
    pub column: usize,
    /// What the move is worth to the player who makes it; the remoteness counts from the position before it.
    pub outcome: Outcome,
}

impl Database {
    /// Looks all moves of a position up, best first: win soonest, tie, loss latest, then by column. A finished game
    /// has none.
    ///
    /// # Errors
    /// The same as [`Database::probe`].
    pub fn moves(&self, position: &Position) -> Result<Vec<Move>, DatabaseError> {
        self.check_board(position)?;
        moves(position, |child| self.probe(child))
    }

    /// Plays the best moves to the end, the lowest column among equals; `None` in a database without remoteness.
    ///
    /// # Errors
    /// The same as [`Database::probe`], and [`DatabaseError::File`] where no move is worth what its position is.
    pub fn best_line(&self, position: &Position) -> Result<Option<Vec<usize>>, DatabaseError> {
        let is_worth = |child: &Position, outcome| Ok(self.probe(child)? == outcome);
        let no_move = |_: &Position| self.manifest_error("no move is worth what its position is");
        best_line(position, self.probe(position)?, is_worth, no_move)
    }
}

/// Lists the legal moves, sorted. `outcome` tells what a child is worth for its player to move.
pub(crate) fn moves<E>(
    position: &Position,
    mut outcome: impl FnMut(&Position) -> Result<Outcome, E>,
) -> Result<Vec<Move>, E> {
    let mut moves = Vec::new();
    for column in position.moves() {
        moves.push(Move { column, outcome: outcome(&position.drop_piece(column))?.parent() });
    }
    sort(&mut moves);
    Ok(moves)
}

/// Sorts moves, best first, equally good ones by column.
pub(crate) fn sort(moves: &mut [Move]) {
    moves.sort_by_key(|of| (of.outcome, of.column));
}

/// Plays the best moves to the end, the lowest column among equals; `None` where the remoteness is unknown.
///
/// What the best child is worth follows from its parent: the other value, one ply less. So the children are asked in
/// turn whether they are worth just that, and those after the first are not asked at all. `no_move` makes the error for
/// a position whose children contradict its outcome.
pub(crate) fn best_line<E>(
    position: &Position,
    outcome: Outcome,
    mut is_worth: impl FnMut(&Position, Outcome) -> Result<bool, E>,
    no_move: impl FnOnce(&Position) -> E,
) -> Result<Option<Vec<usize>>, E> {
    let Some(remoteness) = outcome.remoteness else { return Ok(None) };
    let (mut position, mut value, mut line) = (*position, outcome.value, Vec::new());
    for plies in (0..remoteness).rev() {
        value = value.flip();
        let mut best = None;
        for column in position.moves() {
            let child = position.drop_piece(column);
            if is_worth(&child, Outcome { value, remoteness: Some(plies) })? {
                best = Some((column, child));
                break;
            }
        }
        let Some((column, child)) = best else { return Err(no_move(&position)) };
        line.push(column);
        position = child;
    }
    Ok(Some(line))
}
