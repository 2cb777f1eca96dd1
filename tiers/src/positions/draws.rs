//! Draws a sample in portions, with repeats or with distinct positions.

use std::collections::HashSet;

use fourbase::Position;
use fourbase::analysis::Budget;

use super::{PositionError, Sampler};

/// A search for distinct positions gives up after so many draws in a row without a new one, plus this many for each
/// position found.
const MOST_IN_VAIN: (u64, u64) = (10_000, 5);

/// How many draws are made at once if some bring nothing new: first few, then, the more of them are in vain, enough for
/// all threads.
const FEWEST: (u64, u64) = (64, 4096);

/// A number of draws of a [`Sampler`], in portions. The size of the portions does not affect the sample.
///
/// ```
/// use fourbase::analysis::Budget;
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::positions::{Draws, SampleKind, Sampler};
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let draws = |is_distinct| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(Draws::new(Sampler::new(&database, SampleKind::RandomPlay, &[2], 1)?, 25, is_distinct))
/// };
/// assert_eq!(draws(false)?.next(20, &Budget::default(), &|| false)?.map(|drawn| drawn.len()), Some(20));
/// // After two moves there are 49 positions, and 25 without mirror images.
/// let (mut distinct, mut found) = (draws(true)?, 0);
/// while let Some(drawn) = distinct.next(25, &Budget::default(), &|| false)? {
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
    /// Prepares to draw `count` positions. In a distinct sample no position comes up twice, nor do mirror images.
    pub fn new(sampler: Sampler<'d>, count: u64, is_distinct: bool) -> Draws<'d> {
        Draws { sampler, count, left: count, next: 0, found: is_distinct.then(HashSet::new), in_vain: 0 }
    }

    /// Returns the bytes that `count` distinct positions take. They are in a hash table with a power of two of slots.
    /// At most seven eighths of the slots are used, and each has a byte beside the position. While the
    /// table grows, one of half the size exists too.
    pub fn distinct_bytes(count: u64) -> u64 {
        let places = (count.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(u64::MAX);
        places.saturating_mul(size_of::<Position>() as u64 + 1) / 2 * 3
    }

    /// Draws the next positions, at most `most` or some thousands, on all threads of rayon's current pool; `None` at
    /// the end. A distinct sample keeps all of its positions in memory.
    ///
    /// # Errors
    ///
    /// The errors of [`Sampler::draw`], and [`PositionError::Fewer`] if many draws in a row bring no new position.
    pub fn next(
        &mut self,
        most: u64,
        budget: &Budget,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<Position>>, PositionError> {
        if self.left == 0 {
            return Ok(None);
        }
        // Surplus draws are discarded, so later draws do not depend on how many are made at once.
        let draws =
            self.left.min(most).max(if self.found.is_some() { self.in_vain.clamp(FEWEST.0, FEWEST.1) } else { 1 });
        let mut drawn = self.sampler.draw(self.next..self.next + draws, budget, is_stopped)?;
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
                return Err(PositionError::Fewer { board: self.sampler.board(), asked, found });
            }
        }
        self.left -= drawn.len() as u64;
        Ok(Some(drawn))
    }
}

/// Returns the one of a position and its mirror image that stands for both: the one whose bitboards are the smaller numbers.
pub(crate) fn representative(position: &Position) -> Position {
    let mirror = position.mirror();
    if mirror.bitboards() < position.bitboards() { mirror } else { *position }
}
