//! Random legal positions to look up, and what a probe makes of them.

use fourbase::{Board, Position};
use fourbase_tiers::database::Manifest;
use fourbase_tiers::quiet::{Sight, sight};
use serde::Serialize;

/// Plays at random from the empty board to a random ply, again and again; games that end before are played anew.
/// Positions of the first plies come up many times.
pub fn positions(board: Board, count: usize, seed: u64) -> Vec<Position> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = || {
        let mut position = Position::start(board);
        for _ in 0..random.usize(..board.cells()) {
            let moves = position.moves().count();
            let column = position.moves().nth(random.usize(..moves.max(1)))?;
            position = position.drop_piece(column);
        }
        position.primitive().is_none().then_some(position)
    };
    std::iter::repeat_with(&mut game).flatten().take(count).collect()
}

/// Returns whether a probe of this position looks it up itself: it is quiet, and its tier is stored.
pub fn is_looked_up(position: &Position, manifest: &Manifest) -> bool {
    let stored = manifest.tiers.iter().any(|tier| tier.ply as usize == position.ply() && tier.bytes > 0);
    stored && sight(position) == Sight::Quiet
}

/// How a probe finds the values of a sample.
#[derive(Serialize, Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Kinds {
    /// The board alone says it.
    pub decided: u64,
    /// The reply is forced, so it is the value of the child.
    pub forced: u64,
    /// It is looked up.
    pub looked_up: u64,
    /// Its tier is not stored, so it is the best of the children.
    pub looked_ahead: u64,
}

impl Kinds {
    /// Looks at every position of a sample.
    pub fn of(positions: &[Position], manifest: &Manifest) -> Kinds {
        let mut kinds = Kinds::default();
        for position in positions {
            *match sight(position) {
                Sight::Decided(_) => &mut kinds.decided,
                Sight::Forced(_) => &mut kinds.forced,
                Sight::Quiet if is_looked_up(position, manifest) => &mut kinds.looked_up,
                Sight::Quiet => &mut kinds.looked_ahead,
            } += 1;
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_gives_the_same_positions_and_another_others() {
        let board = "5x4".parse().unwrap();
        assert_eq!(positions(board, 1000, 7), positions(board, 1000, 7));
        assert_ne!(positions(board, 1000, 7), positions(board, 1000, 8));
        assert_eq!(positions(board, 1000, 7)[..10], positions(board, 10, 7));
    }

    #[test]
    fn positions_are_unfinished_and_of_every_ply() {
        let positions = positions("4x4".parse().unwrap(), 10_000, 1);
        assert!(positions.iter().all(|position| position.primitive().is_none()));
        let plies = positions.iter().map(Position::ply).collect::<BTreeSet<_>>();
        assert_eq!(plies, (0..16).collect());
    }

    #[test]
    fn a_board_of_one_cell_has_its_empty_board() {
        let board = "1x1c1".parse().unwrap();
        assert_eq!(positions(board, 3, 1), [Position::start(board); 3]);
    }
}
