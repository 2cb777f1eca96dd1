//! Several positions: the moves of one, best play to its end, and many at once.
//!
//! Moves and best play follow from outcomes alone. So each algorithm is here once, for the database below and for the
//! other answerers of [`crate::answer`].

use fourbase::{Outcome, Player, Position};
use rayon::prelude::*;

use super::error::DatabaseError;
use super::open::Database;
use super::question::{Limits, Question};

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

/// Lists the legal moves, sorted. `outcome` returns what a child is worth for its player to move.
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

/// Positions that one thread looks up in a row: neighbours share blocks.
const RUN: usize = 64;

/// Fewer positions are looked up one after the other: to wake another thread would take longer.
const FEW: usize = 16;

impl Database {
    /// Looks many positions up, on all threads of rayon's current pool and in an order that reuses what is read. A position
    /// that is asked for several times is looked up once. The results are in the order of the positions.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Outcome, DatabaseError>> {
        self.probe_many_with(positions, &Limits::default())
    }

    /// Looks many positions up like [`Database::probe_many`]. Each is a question of its own within `limits`.
    pub(crate) fn probe_many_with(
        &self,
        positions: &[Position],
        limits: &Limits,
    ) -> Vec<Result<Outcome, DatabaseError>> {
        // A position that is searched may take as long as all others together.
        let is_searched = self.manifest().keep_plies().is_some();
        if positions.len() <= if is_searched { 1 } else { FEW } {
            return positions
                .iter()
                .map(|position| self.probe_with(position, &mut Question::new(limits.clone())))
                .collect();
        }
        let mut order: Vec<(u128, usize, &Position)> = positions
            .par_iter()
            .enumerate()
            .map(|(number, position)| (self.file_order(position), number, position))
            .collect();
        let pieces = |position: &Position| (position.pieces(Player::First), position.pieces(Player::Second));
        order.par_sort_unstable_by_key(|(order, number, position)| (*order, pieces(position), *number));
        let run = if is_searched { 1 } else { RUN };
        let groups: Vec<&[_]> = order.chunk_by(|(_, _, one), (_, _, other)| one == other).collect();
        let first = |same: &&[(u128, usize, &Position)]| {
            same.first().map(|(_, _, position)| self.probe_with(position, &mut Question::new(limits.clone())))
        };
        let found: Vec<_> = groups.par_iter().with_min_len(run).map(first).collect();
        let mut results: Vec<_> = positions.iter().map(|_| None).collect();
        for (same, mut result) in groups.into_iter().zip(found) {
            for (number, position) in same.iter().map(|(_, number, position)| (*number, *position)) {
                let Some(slot) = results.get_mut(number) else { continue };
                *slot = match &result {
                    Some(Ok(outcome)) => Some(Ok(*outcome)),
                    Some(Err(DatabaseError::Search(error))) => Some(Err(DatabaseError::Search(*error))),
                    // Another error cannot be copied, so the others are asked again.
                    _ => Some(
                        result.take().unwrap_or_else(|| self.probe_with(position, &mut Question::new(limits.clone()))),
                    ),
                };
            }
        }
        results.into_iter().flatten().collect()
    }

    /// Returns a number by which positions of a tier are in the order of the tier's file.
    fn file_order(&self, position: &Position) -> u128 {
        if position.board() != self.board() {
            return 0;
        }
        let parts = self.index().split().parts(position);
        let parts = if parts.left < parts.right { parts.mirror() } else { parts };
        // The high bits of the left wing are as good as its rank; the right wing is left out.
        let fields = [
            (position.ply() as u128, 8),
            (u128::from(parts.left.0), 26),
            (u128::from(parts.right.0), 26),
            (u128::from(parts.spine.bits), 32),
            (u128::from(parts.left_bits.count_ones()), 6),
            (u128::from(parts.left_bits) >> 8, 24),
        ];
        fields.into_iter().fold(0, |order, (field, bits)| order << bits | field)
    }
}
