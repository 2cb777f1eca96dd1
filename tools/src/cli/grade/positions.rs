//! The positions in which a player moves, with the moves that lead to them.

use fourbase::players::{RandomSource, random_source};
use fourbase::{Board, Position, notation};
use rand::RngExt;
use rayon::prelude::*;

/// A position, a move that may have led to it, and the random numbers for the player's move.
#[derive(Clone, Debug)]
pub struct TestPosition {
    pub position: Position,
    /// The opponent's last move; `None` on the empty board.
    pub last: Option<usize>,
    /// The random numbers of the player.
    pub source: RandomSource,
}

/// A position, and the columns of all moves that lead to it, one bit each.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    position: Position,
    lasts: u32,
}

impl Reached {
    /// Finds the moves that lead to a legal position.
    pub fn before(position: Position) -> Reached {
        let parents = position.parents().filter(|(_, parent)| notation::to_moves(parent).is_ok());
        let lasts = parents.fold(0, |lasts, (column, _)| lasts | 1 << column);
        Reached { position, lasts }
    }

    /// Draws one of the moves that lead to the position. Each position needs its own `stream`.
    pub fn drawn(&self, seed: u64, stream: u64) -> TestPosition {
        let mut source = random_source(seed, stream);
        let lasts = (0..32).filter(|column| self.lasts >> column & 1 == 1).collect::<Vec<usize>>();
        let last =
            if lasts.is_empty() { None } else { Some(lasts[source.random_range(0..lasts.len() as u32) as usize]) };
        TestPosition { position: self.position, last, source }
    }

    fn key(&self) -> [u64; 2] {
        self.position.bitboards()
    }
}

/// The legal positions of one ply, finished ones included.
pub struct LegalPositions(Vec<Reached>);

impl LegalPositions {
    /// Returns the empty board.
    pub fn start(board: Board) -> LegalPositions {
        LegalPositions(vec![Reached { position: Position::start(board), lasts: 0 }])
    }

    /// Returns the positions of the next ply, in a fixed order.
    pub fn next(&self) -> LegalPositions {
        let children = self.0.par_iter().flat_map_iter(|reached| {
            let position = reached.position;
            let child = move |column: usize| Reached { position: position.drop_piece(column), lasts: 1 << column };
            position.moves().map(child)
        });
        let mut children = children.collect::<Vec<_>>();
        children.par_sort_unstable_by_key(Reached::key);
        children.dedup_by(|later, kept| {
            let same = later.key() == kept.key();
            kept.lasts |= if same { later.lasts } else { 0 };
            same
        });
        LegalPositions(children)
    }

    /// Lists the positions.
    pub fn all(&self) -> &[Reached] {
        &self.0
    }

    /// Returns whether there are no positions, because no game is that long.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of positions.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_move_is_one_that_leads_to_the_position() {
        let mut positions = LegalPositions::start("4x4".parse().unwrap());
        for _ in 0..6 {
            positions = positions.next();
        }
        for (number, reached) in positions.all().iter().enumerate() {
            let test = reached.drawn(1, number as u64);
            let column = test.last.unwrap();
            let top = test.position.height(column) - 1;
            assert_eq!(test.position.piece(column, top), Some(test.position.to_move().other()));
            assert_eq!(Reached::before(test.position).lasts, reached.lasts);
        }
    }
}
