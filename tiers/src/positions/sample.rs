//! Draws unfinished positions at random, in portions, with repeats or without; the same seed gives the same positions.
//!
//! Every draw has its own stream of random numbers, so the result does not depend on the number of threads.

use std::collections::HashSet;
use std::ops::Range;

use fourbase::analysis::{Analyst, Budget, Judgement};
use fourbase::players::{RandomSource, random_play, random_source};
use fourbase::{Board, Position, notation};
use rand::RngExt;
use rayon::prelude::*;

use super::{PositionError, representative};
use crate::database::Database;
use crate::index::{Index, Shape, images, shapes, unrank_among};
use crate::progress::Progress;

/// A search for distinct positions gives up after too many draws in a row without a new position. The limit is the
/// first number, plus the second number for each position found so far.
const MOST_IN_VAIN: (u64, u64) = (10_000, 5);

/// Bounds for the least number of draws that are made at once for a distinct sample. Within these bounds, that number
/// equals the number of draws in a row without a new position. So when new positions become rare, enough draws are made
/// at once for all threads.
const FEWEST: (u64, u64) = (64, 4096);

/// A kind of sample. All kinds draw unfinished positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// Every unfinished legal position of the plies is equally likely, so most come from the plies with most positions.
    Uniform,
    /// One of the plies is drawn, and random moves are played from the empty board up to this ply.
    RandomPlay,
    /// Like [`RandomPlay`](SampleKind::RandomPlay), repeated until the moves of the reached position differ in value.
    ChoiceMatters,
}

impl SampleKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            SampleKind::Uniform => "uniform",
            SampleKind::RandomPlay => "random-play",
            SampleKind::ChoiceMatters => "choice-matters",
        }
    }
}

/// Draws unfinished positions of some plies.
///
/// ```
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::positions::{SampleKind, Sampler};
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let sampler = Sampler::new(&database, SampleKind::RandomPlay, &[4, 5], 1)?;
/// let drawn = sampler.draw(0..100, &())?;
/// assert_eq!(drawn.len(), 100);
/// assert_eq!(sampler.draw(50..60, &())?, drawn[50..60]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sampler<'d> {
    database: &'d Database,
    kind: SampleKind,
    plies: Vec<u32>,
    seed: u64,
    /// Limits the search for each move whose value the database does not store.
    pub budget: Budget,
    /// The shapes of the plies; empty unless the sample is uniform.
    shapes: Vec<CountedShape>,
}

impl<'d> Sampler<'d> {
    /// Prepares to draw. A ply that is listed twice is twice as likely.
    ///
    /// # Errors
    ///
    /// [`PositionError::NoPlies`] and [`PositionError::Ply`].
    pub fn new(
        database: &'d Database,
        kind: SampleKind,
        plies: &[u32],
        seed: u64,
    ) -> Result<Sampler<'d>, PositionError> {
        check_plies(database.board(), plies)?;
        let is_uniform = kind == SampleKind::Uniform;
        let shapes = if is_uniform { counted_shapes(database.index(), plies) } else { Vec::new() };
        Ok(Sampler { database, kind, plies: plies.to_vec(), seed, budget: Budget::default(), shapes })
    }

    /// Makes the draws with the given numbers, on all threads of rayon's current pool. Each number has its own stream
    /// of random numbers, so equal numbers give equal positions. Different numbers may give the same position.
    ///
    /// # Errors
    ///
    /// [`PositionError::NotDrawn`] if one draw finds no position in many tries; [`PositionError::Stopped`] if
    /// `progress` stops the work; [`PositionError::Database`] if the values of the moves are needed for
    /// [`SampleKind::ChoiceMatters`] and can't be found.
    pub fn draw(&self, numbers: Range<u64>, progress: &dyn Progress) -> Result<Vec<Position>, PositionError> {
        numbers.into_par_iter().map(|number| self.one(number, progress)).collect()
    }

    /// Makes one draw: tries positions until it accepts one. Gives up after many tries, because on some boards the
    /// choice never matters, and some plies can't be reached.
    fn one(&self, number: u64, progress: &dyn Progress) -> Result<Position, PositionError> {
        let (board, kind) = (self.database.board(), self.kind);
        let draws = if kind == SampleKind::Uniform { 1_000_000 } else { 10_000 };
        let mut source = random_source(self.seed, number);
        let analyst = Analyst::new(board, Some(self.database), None);
        for _ in 0..draws {
            if progress.is_stopped() {
                return Err(PositionError::Stopped);
            }
            let tried = if kind == SampleKind::Uniform {
                draw_entry(self.database.index(), &self.shapes, &mut source)
            } else {
                let number = source.random_range(0..self.plies.len().max(1) as u32) as usize;
                self.plies.get(number).and_then(|ply| random_play(board, *ply as usize, &mut source))
            };
            let Some(position) = tried else { continue };
            if kind != SampleKind::ChoiceMatters
                || Judgement::matters(&analyst.moves(&position, &mut self.budget.clone())?)
            {
                return Ok(position);
            }
        }
        Err(PositionError::NotDrawn { board, kind, draws })
    }
}

/// Checks that there are plies and that the board has them.
///
/// # Errors
///
/// [`PositionError::NoPlies`] and [`PositionError::Ply`].
pub fn check_plies(board: Board, plies: &[u32]) -> Result<(), PositionError> {
    match plies.iter().copied().find(|ply| *ply as usize > board.cells()) {
        Some(ply) => Err(PositionError::Ply { board, ply }),
        None if plies.is_empty() => Err(PositionError::NoPlies),
        None => Ok(()),
    }
}

/// Draws a given number of positions with a [`Sampler`], in portions. The size of the portions does not affect the
/// sample.
///
/// ```
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::positions::{Draws, SampleKind, Sampler};
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let draws = |is_distinct| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(Draws::new(Sampler::new(&database, SampleKind::RandomPlay, &[2], 1)?, 25, is_distinct))
/// };
/// assert_eq!(draws(false)?.next(20, &())?.map(|drawn| drawn.len()), Some(20));
/// // After two moves there are 49 positions, and 25 without mirror images.
/// let (mut distinct, mut found) = (draws(true)?, 0);
/// while let Some(drawn) = distinct.next(25, &())? {
///     found += drawn.len();
/// }
/// assert_eq!(found, 25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draws<'d> {
    sampler: Sampler<'d>,
    count: u64,
    left: u64,
    /// The number of the next draw.
    next: u64,
    /// The positions drawn so far (or their mirror images); `None` unless the sample is distinct.
    found: Option<HashSet<Position>>,
    /// How many draws in a row brought no new position.
    in_vain: u64,
}

impl<'d> Draws<'d> {
    /// Prepares to draw `count` positions. A distinct sample contains no position twice, and never both a position and
    /// its mirror image.
    pub fn new(sampler: Sampler<'d>, count: u64, is_distinct: bool) -> Draws<'d> {
        Draws { sampler, count, left: count, next: 0, found: is_distinct.then(HashSet::new), in_vain: 0 }
    }

    /// Returns the bytes of memory that `count` distinct positions take. The positions are in a hash table whose number
    /// of slots is a power of two. At most seven eighths of the slots are used. Every slot takes the bytes of a
    /// position and one more byte. While the table grows, the old table, which is half as large, exists too.
    pub fn distinct_bytes(count: u64) -> u64 {
        let places = (count.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(u64::MAX);
        places.saturating_mul(size_of::<Position>() as u64 + 1) / 2 * 3
    }

    /// Draws the next positions on all threads of rayon's current pool; returns `None` at the end. Returns at most
    /// `most` positions, but a distinct sample may return up to 4096 even if `most` is smaller. A distinct sample keeps
    /// all of its positions in memory.
    ///
    /// # Errors
    ///
    /// The errors of [`Sampler::draw`], and [`PositionError::Fewer`] if many draws in a row bring no new position.
    pub fn next(&mut self, most: u64, progress: &dyn Progress) -> Result<Option<Vec<Position>>, PositionError> {
        if self.left == 0 {
            return Ok(None);
        }
        // Draws beyond the requested number are discarded, so the sample does not depend on how many draws are made at
        // once.
        let draws =
            self.left.min(most).max(if self.found.is_some() { self.in_vain.clamp(FEWEST.0, FEWEST.1) } else { 1 });
        let mut drawn = self.sampler.draw(self.next..self.next + draws, progress)?;
        self.next += draws;
        if let Some(found) = &mut self.found {
            let is_vain = |in_vain: u64, found: &HashSet<Position>| {
                in_vain > MOST_IN_VAIN.0 + MOST_IN_VAIN.1 * found.len() as u64
            };
            drawn.retain(|position| {
                let is_wanted = (found.len() as u64) < self.count && !is_vain(self.in_vain, found);
                let is_new = is_wanted && found.insert(representative(position));
                self.in_vain = if is_new { 0 } else { self.in_vain + 1 };
                is_new
            });
            if drawn.len() as u64 != self.left && is_vain(self.in_vain, found) {
                let (asked, found) = (self.count, found.len() as u64);
                return Err(PositionError::Fewer { board: self.sampler.database.board(), asked, found });
            }
        }
        self.left -= drawn.len() as u64;
        Ok(Some(drawn))
    }
}

/// A shape of a tier, the ply of the tier, and the number of positions of all shapes up to and including this one in
/// the list.
type CountedShape = (Shape, u32, u64);

/// Lists the shapes of some plies with their numbers of positions, from which [`draw_entry`] draws.
fn counted_shapes(index: &Index, plies: &[u32]) -> Vec<CountedShape> {
    let (mut listed, mut end) = (Vec::new(), 0_u64);
    for ply in plies.iter().copied() {
        for shape in shapes(index, ply) {
            let positions = shape.matrices(index, ply).map(|matrix| matrix.entries().saturating_mul(images(&matrix)));
            end = positions.fold(end, u64::saturating_add);
            listed.push((shape, ply, end));
        }
    }
    listed
}

/// Draws an entry of the index that belongs to some shapes, and returns its position or the mirror image. Returns
/// `None` if both players have lines, if the game is over, or if no order of moves leads to the position. All other
/// positions are equally likely. On 5x4 every third draw gives a position, on 7x6 most draws do.
fn draw_entry(index: &Index, shapes: &[CountedShape], source: &mut RandomSource) -> Option<Position> {
    let end = shapes.last().map(|(_, _, end)| *end).filter(|end| *end > 0)?;
    let drawn = source.random_range(0..end);
    let place = shapes.partition_point(|(_, _, end)| *end <= drawn);
    let (shape, ply, _) = *shapes.get(place)?;
    let before = place.checked_sub(1).and_then(|place| shapes.get(place)).map_or(0, |(_, _, end)| *end);
    let (is_mirror, entry) = match drawn - before {
        inside if shape.left == shape.right => (false, inside),
        inside => (inside % 2 == 1, inside / 2),
    };
    let parts = unrank_among(shape.matrices(index, ply), index, entry)?;
    let parts = if is_mirror { parts.mirror() } else { parts };
    let [first, second] = index.split.bitboards(&parts);
    let position = Position::from_bitboards(index.board(), first, second).ok()?;
    (position.primitive().is_none() && notation::to_moves(&position).is_ok()).then_some(position)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::kernel::Kernel;
    use crate::long;
    use crate::progress::StoppedBy;
    use crate::testing::plies;

    #[test]
    fn every_unfinished_legal_position_is_drawn_equally_often() {
        let index = Index::new("4x4".parse().unwrap(), Kernel::detect()).unwrap();
        let (shapes, mut source) = (counted_shapes(&index, &[4, 5]), random_source(long::seed(1), 0));
        let mut drawn: HashMap<Position, u32> = HashMap::new();
        let count = 100_000;
        for position in std::iter::repeat_with(|| draw_entry(&index, &shapes, &mut source)).flatten().take(count) {
            *drawn.entry(position).or_default() += 1;
        }
        let legal = plies(index.board()).skip(4).take(2).flatten().filter(|position| position.primitive().is_none());
        let legal: HashSet<Position> = legal.collect();
        assert_eq!(drawn.keys().copied().collect::<HashSet<_>>(), legal);
        let legal = legal.len();
        let expected = count as f64 / legal as f64;
        // If all positions are equally likely, this sum of squared deviations (chi-squared) has mean `legal - 1` and
        // variance `2 * (legal - 1)`.
        let squares = drawn.values().map(|times| (f64::from(*times) - expected).powi(2) / expected).sum::<f64>();
        let most = legal as f64 + 6.0 * (2.0 * legal as f64).sqrt();
        assert!(squares < most, "{squares} of {legal}");
    }

    #[test]
    fn draws_are_streams_of_their_own() {
        let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        for kind in [SampleKind::Uniform, SampleKind::RandomPlay] {
            let sampler = Sampler::new(&database, kind, &[3, 7], 9).unwrap();
            let drawn = sampler.draw(0..50, &()).unwrap();
            assert!(drawn.iter().all(|position| [3, 7].contains(&position.ply()) && position.primitive().is_none()));
            assert_eq!(sampler.draw(20..30, &()).unwrap(), drawn[20..30]);
            assert!(matches!(sampler.draw(0..1, &StoppedBy(&|| true)), Err(PositionError::Stopped)));
        }
    }
}
