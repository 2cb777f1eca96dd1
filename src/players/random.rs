//! Random numbers that are the same on every machine, positions drawn with them, and the player `random`, who chooses
//! any column with room, all equally likely.

use std::convert::Infallible;

use rand::rand_core::TryRng;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position};

/// Spreads the numbers of streams over the seeds: 2^64 over the golden ratio, as usual.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers: Melissa O'Neill's PCG XSL RR 128/64, whose sequence is fixed by its definition.
///
/// ```
/// use fourbase::players::Source;
/// use rand::Rng;
///
/// let numbers = |seed, stream| {
///     let mut source = Source::new(seed, stream);
///     [source.next_u64(), source.next_u64()]
/// };
/// assert_eq!(numbers(1, 0), numbers(1, 0));
/// assert_ne!(numbers(1, 0), numbers(1, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Source(Pcg64);

impl Source {
    /// Starts a stream of a seed. Give each game its own stream, so that the result does not depend on the order of
    /// games.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Source {
        Source(Pcg64::seed_from_u64(seed ^ stream.wrapping_mul(GOLDEN)))
    }
}

impl TryRng for Source {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

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

/// Plays random moves up to a ply. Returns the position and the last move (`None` on the empty board); `None` if the
/// game ends at the ply or before.
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

/// The player `random`.
#[derive(Clone, Copy, Debug)]
pub struct RandomPlayer;

impl Chooser for RandomPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        let columns = position.moves().count();
        if columns == 0 {
            return Err(ChooseError::Over);
        }
        let number = random.random_range(0..columns as u32) as usize;
        let column = position.moves().nth(number).ok_or(ChooseError::Over)?;
        Ok(Choice { column, reason: Reason::Chance { columns } })
    }
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
        // A board of one cell has only its empty board.
        assert_eq!(drawn("1x1c1", 1, 3), [Position::start("1x1c1".parse().unwrap()); 3]);
    }
}
