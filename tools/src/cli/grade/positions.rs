//! The positions in which a player moves: all legal ones, ply by ply, or some at random.

use fourbase::players::{Source, random_position};
use fourbase::{Board, Player, Position};
use rand::RngExt;
use rayon::prelude::*;

/// The most draws for one position: on some boards the choice never matters.
const MOST_DRAWS: u32 = 1000;

/// A position, a move that may have led to it, and the random numbers for the player's move.
#[derive(Clone, Debug)]
pub struct TestPosition {
    pub position: Position,
    /// The opponent's last move; `None` on the empty board.
    pub last: Option<usize>,
    /// The random numbers of the player.
    pub source: Source,
}

/// A position, and the columns of all moves that lead to it, one bit each.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    position: Position,
    lasts: u32,
}

impl Reached {
    /// Draws one of the moves that lead to the position. Each position needs its own `stream`.
    pub fn drawn(&self, seed: u64, stream: u64) -> TestPosition {
        let mut source = Source::new(seed, stream);
        let lasts = (0..32).filter(|column| self.lasts >> column & 1 == 1).collect::<Vec<usize>>();
        let last =
            if lasts.is_empty() { None } else { Some(lasts[source.random_range(0..lasts.len() as u32) as usize]) };
        TestPosition { position: self.position, last, source }
    }

    fn key(&self) -> (u64, u64) {
        (self.position.pieces(Player::First), self.position.pieces(Player::Second))
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

    /// Returns whether there are none: no game is so long.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of positions.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Draws positions until `judge` returns a judgement: a random ply, random moves from the empty board up to it, and again
/// if the game ended early or `judge` returns `None`. Gives up after a thousand draws.
///
/// # Errors
///
/// Those of `judge`.
pub fn draw<T>(
    board: Board,
    seed: u64,
    stream: u64,
    mut judge: impl FnMut(&TestPosition) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    let mut source = Source::new(seed, stream);
    for _ in 0..MOST_DRAWS {
        if let Some((position, last)) = random_position(board, &mut source)
            && let Some(judged) = judge(&TestPosition { position, last, source: source.clone() })?
        {
            return Ok(Some(judged));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn legal(board: &str) -> u64 {
        let mut positions = LegalPositions::start(board.parse().unwrap());
        let mut count = 0;
        while !positions.is_empty() {
            count += positions.count();
            positions = positions.next();
        }
        count
    }

    #[test]
    fn the_numbers_of_legal_positions_are_the_published_ones() {
        assert_eq!([legal("4x4"), legal("4x4m"), legal("2x2c2"), legal("1x8")], [161_029, 161_029, 13, 9]);
    }

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
        }
    }

    #[test]
    fn positions_are_drawn_by_the_seed_from_every_ply() {
        let board = "4x4".parse().unwrap();
        let drawn = |seed, stream| draw(board, seed, stream, |test| Ok(Some(test.position))).unwrap().unwrap();
        assert_eq!(drawn(1, 5), drawn(1, 5));
        let plies = (0..2000).map(|stream| drawn(1, stream).ply()).collect::<BTreeSet<_>>();
        assert_eq!(plies, (0..16).collect());
        assert_eq!(draw::<()>(board, 1, 1, |_| Ok(None)).unwrap(), None);
    }
}
