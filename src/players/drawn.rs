//! Positions drawn at random, by random play.

use rand::RngExt;

use super::Source;
use crate::{Board, Position};

/// Draws a ply below the number of cells and plays random moves up to it, as [`random_play`] does.
///
/// ```
/// use fourbase::Board;
/// use fourbase::players::{Source, random_position};
///
/// let board: Board = "5x4".parse()?;
/// let mut source = Source::new(1, 0);
/// let (position, _) = std::iter::repeat_with(|| random_position(board, &mut source)).flatten().next().ok_or("none")?;
/// assert_eq!(position.primitive(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn random_position(board: Board, source: &mut Source) -> Option<(Position, Option<usize>)> {
    let ply = source.random_range(0..board.cells() as u32);
    random_play(board, ply as usize, source)
}

/// Plays random moves up to a ply. Returns the position and the last move, which the empty board has none of; `None` where
/// the game ends before the ply or at it.
pub fn random_play(board: Board, ply: usize, source: &mut Source) -> Option<(Position, Option<usize>)> {
    let (mut position, mut last) = (Position::start(board), None);
    for _ in 0..ply {
        let columns = position.moves().collect::<Vec<_>>();
        let number = source.random_range(0..columns.len().max(1) as u32) as usize;
        let column = *columns.get(number)?;
        (position, last) = (position.drop_piece(column), Some(column));
    }
    position.primitive().is_none().then_some((position, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn drawn(board: &str, seed: u64, count: usize) -> Vec<Position> {
        let (board, mut source) = (board.parse().unwrap(), Source::new(seed, 0));
        let draws = std::iter::repeat_with(|| random_position(board, &mut source)).flatten();
        draws.take(count).map(|(position, _)| position).collect()
    }

    #[test]
    fn positions_are_unfinished_and_of_every_ply() {
        let positions = drawn("4x4", 1, 10_000);
        assert!(positions.iter().all(|position| position.primitive().is_none()));
        assert_eq!(positions.iter().map(Position::ply).collect::<BTreeSet<_>>(), (0..16).collect());
    }

    #[test]
    fn a_board_of_one_cell_has_its_empty_board() {
        assert_eq!(drawn("1x1c1", 1, 3), [Position::start("1x1c1".parse().unwrap()); 3]);
    }
}
