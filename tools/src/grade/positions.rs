//! The positions that a player is asked about: all legal ones, tier by tier, or some at random.

use fourbase::players::Source;
use fourbase::{Board, Player, Position};
use rand::RngExt;
use rayon::prelude::*;

/// How often a position is drawn anew before it is given up: there are boards without a single choice that matters.
const MOST_DRAWS: u32 = 1000;

/// A position, with a move that may have led to it and the chance for the player's answer.
#[derive(Clone, Debug)]
pub struct Asked {
    pub position: Position,
    /// The opponent's last move; `None` on the empty board.
    pub last: Option<usize>,
    /// For whatever the player leaves to chance.
    pub source: Source,
}

/// A position of a tier, and the columns of all moves that lead to it, a bit each.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    position: Position,
    lasts: u32,
}

impl Reached {
    /// Draws one of the moves that lead to the position; `stream` is a number that no other position has.
    pub fn drawn(&self, seed: u64, stream: u64) -> Asked {
        let mut source = Source::new(seed, stream);
        let lasts = (0..32).filter(|column| self.lasts >> column & 1 == 1).collect::<Vec<usize>>();
        let last =
            if lasts.is_empty() { None } else { Some(lasts[source.random_range(0..lasts.len() as u32) as usize]) };
        Asked { position: self.position, last, source }
    }

    fn key(&self) -> (u64, u64) {
        (self.position.pieces(Player::First), self.position.pieces(Player::Second))
    }
}

/// All positions of one ply that play reaches if it stops at the first line, finished ones included.
pub struct Tier(Vec<Reached>);

impl Tier {
    /// Returns the tier of the empty board.
    pub fn start(board: Board) -> Tier {
        Tier(vec![Reached { position: Position::start(board), lasts: 0 }])
    }

    /// Returns the tier after it, in a fixed order.
    pub fn next(&self) -> Tier {
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
        Tier(children)
    }

    /// Lists the positions.
    pub fn positions(&self) -> &[Reached] {
        &self.0
    }

    /// Returns whether there are none: the board was full before.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Draws positions until `judge` says something: a ply at random, then random moves from the empty board up to it, anew
/// where the game ends before or the choice does not matter. Returns nothing after a thousand draws.
///
/// # Errors
///
/// Those of `judge`.
pub fn draw<T>(
    board: Board,
    seed: u64,
    stream: u64,
    mut judge: impl FnMut(&Asked) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<Option<T>> {
    let mut source = Source::new(seed, stream);
    for _ in 0..MOST_DRAWS {
        let ply = source.random_range(0..board.cells() as u32);
        if let Some((position, last)) = random_position(board, ply, &mut source)
            && let Some(judged) = judge(&Asked { position, last, source: source.clone() })?
        {
            return Ok(Some(judged));
        }
    }
    Ok(None)
}

/// Plays at random up to a ply; `None` where the game ends before or then.
fn random_position(board: Board, ply: u32, source: &mut Source) -> Option<(Position, Option<usize>)> {
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

    fn legal(board: &str) -> u64 {
        let mut tier = Tier::start(board.parse().unwrap());
        let mut count = 0;
        while !tier.is_empty() {
            count += tier.count();
            tier = tier.next();
        }
        count
    }

    #[test]
    fn legal_positions_are_as_many_as_published() {
        assert_eq!([legal("4x4"), legal("4x4m"), legal("2x2c2"), legal("1x8")], [161_029, 161_029, 13, 9]);
    }

    #[test]
    fn the_last_move_is_one_that_leads_to_the_position() {
        let mut tier = Tier::start("4x4".parse().unwrap());
        for _ in 0..6 {
            tier = tier.next();
        }
        for (number, reached) in tier.positions().iter().enumerate() {
            let asked = reached.drawn(1, number as u64);
            let column = asked.last.unwrap();
            let top = asked.position.height(column) - 1;
            assert_eq!(asked.position.piece(column, top), Some(asked.position.to_move().other()));
        }
    }

    #[test]
    fn positions_are_drawn_by_the_seed_from_every_ply() {
        let board = "4x4".parse().unwrap();
        let drawn = |seed, stream| draw(board, seed, stream, |asked| Ok(Some(asked.position))).unwrap().unwrap();
        assert_eq!(drawn(1, 5), drawn(1, 5));
        let plies = (0..2000).map(|stream| drawn(1, stream).ply()).collect::<BTreeSet<_>>();
        assert_eq!(plies, (0..16).collect());
        assert_eq!(draw::<()>(board, 1, 1, |_| Ok(None)).unwrap(), None);
    }
}
