//! Random numbers that are the same on every machine, positions drawn with them, and the player `random`, which chooses
//! any column with room with equal probability.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position};

/// A stream number is multiplied by this, which spreads the numbers over all seeds. As usual for such a factor, it is
/// 2^64 divided by the golden ratio.
pub(super) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers: Melissa O'Neill's PCG XSL RR 128/64, whose sequence is fixed by its definition.
pub type RandomSource = Pcg64;

/// Starts a random source from a seed. Give each game its own `stream`: the game is then the same in any order of
/// games.
///
/// ```
/// use fourbase::players::random_source;
/// use rand::Rng;
///
/// let numbers = |seed, stream| {
///     let mut source = random_source(seed, stream);
///     [source.next_u64(), source.next_u64()]
/// };
/// assert_eq!(numbers(1, 0), numbers(1, 0));
/// assert_ne!(numbers(1, 0), numbers(1, 1));
/// ```
pub fn random_source(seed: u64, stream: u64) -> RandomSource {
    Pcg64::seed_from_u64(seed ^ stream.wrapping_mul(GOLDEN))
}

/// Plays random moves up to `ply`; returns `None` if the game is over by then.
///
/// ```
/// use fourbase::Board;
/// use fourbase::players::{random_play, random_source};
///
/// let board: Board = "5x4".parse()?;
/// let mut source = random_source(1, 0);
/// let position = std::iter::repeat_with(|| random_play(board, 12, &mut source)).flatten().next().ok_or("none")?;
/// assert_eq!((position.ply(), position.primitive()), (12, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn random_play(board: Board, ply: usize, source: &mut RandomSource) -> Option<Position> {
    let last = (0..ply).try_fold(Position::start(board), |position, _| {
        let column = random_move(&position, source)?;
        Some(position.drop_piece(column))
    })?;
    last.primitive().is_none().then_some(last)
}

/// Draws one of the legal moves; returns `None` if the game is over.
pub(crate) fn random_move(position: &Position, random: &mut (impl Rng + ?Sized)) -> Option<usize> {
    let columns = position.moves().count();
    position.moves().nth(random.random_range(0..columns.max(1) as u32) as usize)
}

/// The player `random`.
pub(super) struct RandomPlayer;

impl Chooser for RandomPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        let column = random_move(position, random).ok_or(ChooseError::Over)?;
        Ok(Choice { column, reason: Reason::Chance { columns: position.moves().count() } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn drawn(board: &str, seed: u64, count: usize) -> Vec<Position> {
        let (board, mut source) = (board.parse::<Board>().unwrap(), random_source(seed, 0));
        let ply = |source: &mut RandomSource| source.random_range(0..board.cells() as u32) as usize;
        let draws = std::iter::repeat_with(|| random_play(board, ply(&mut source), &mut source)).flatten();
        draws.take(count).collect()
    }

    #[test]
    fn positions_are_unfinished_and_of_every_ply() {
        let positions = drawn("4x4", 1, 10_000);
        assert!(positions.iter().all(|position| position.primitive().is_none()));
        assert_eq!(positions.iter().map(Position::ply).collect::<BTreeSet<_>>(), (0..16).collect());
        // On a board of one cell, the only unfinished position is the empty board.
        assert_eq!(drawn("1x1c1", 1, 3), [Position::start("1x1c1".parse().unwrap()); 3]);
    }
}
