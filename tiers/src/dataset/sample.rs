//! Positions drawn at random, the same for the same seed.
//!
//! Every draw has random numbers of its own, a stream of the seed, so that nothing depends on the number of threads.

use std::collections::HashSet;
use std::ops::Range;

use fourbase::Position;
use fourbase::players::{Source, random_play};
use rand::RngExt;
use rayon::prelude::*;

use super::choice;
use super::error::DatasetError;
use super::kind::Kind;
use super::progress::Progress;
use super::source::{Buffer, PORTION, Positions, representative};
use crate::answer::{AnswerError, Answerer, Limits, Question};
use crate::counts::Draw;
use crate::database::Database;

/// The most tries for one position: on some boards the choice never matters, and some plies are never reached.
const MOST_TRIES: u32 = 10_000;

/// So many draws without a new position, and this many times the positions found, end the search for distinct ones.
const MOST_IN_VAIN: (u64, u64) = (10_000, 5);

/// The fewest draws that are made together where some bring nothing new: enough for all threads.
const FEWEST: u64 = 4096;

/// Draws unfinished positions of some plies.
///
/// ```
/// use fourbase_tiers::answer::Limits;
/// use fourbase_tiers::dataset::{Kind, Sampler};
/// use fourbase_tiers::database::Database;
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let sampler = Sampler::new(&database, Kind::RandomPlay, &[4, 5], 1)?;
/// let drawn = sampler.draw(0..100, &Limits::default(), &|| false)?;
/// assert_eq!(drawn.len(), 100);
/// assert_eq!(sampler.draw(50..60, &Limits::default(), &|| false)?, drawn[50..60]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sampler<'d> {
    database: &'d Database,
    kind: Kind,
    plies: Vec<u32>,
    seed: u64,
    draw: Option<Draw>,
}

impl<'d> Sampler<'d> {
    /// Prepares to draw. `plies` may have a ply several times, which makes it so much more likely.
    ///
    /// # Errors
    ///
    /// A ply that the board does not have, and no plies.
    pub fn new(database: &'d Database, kind: Kind, plies: &[u32], seed: u64) -> Result<Sampler<'d>, DatasetError> {
        choice::check(database.board(), plies)?;
        let draw = (kind == Kind::Uniform).then(|| Draw::new(database.index(), plies.iter().copied()));
        Ok(Sampler { database, kind, plies: plies.to_vec(), seed, draw })
    }

    /// Makes the draws with these numbers, on all threads of rayon's current pool. Positions may come up several times.
    ///
    /// # Errors
    ///
    /// [`DatasetError::NotDrawn`] where one draw finds no position in many tries; [`DatasetError::Stopped`];
    /// [`DatasetError::Answer`] where the choice has to matter and the moves have no answer.
    pub fn draw(
        &self,
        numbers: Range<u64>,
        limits: &Limits,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Position>, DatasetError> {
        numbers.into_par_iter().map(|number| self.one(number, limits, is_stopped)).collect()
    }

    /// Makes a draw.
    fn one(&self, number: u64, limits: &Limits, is_stopped: &dyn Fn() -> bool) -> Result<Position, DatasetError> {
        let board = self.database.board();
        let mut source = Source::new(self.seed, number);
        let not_drawn = |draws| DatasetError::NotDrawn { board, kind: self.kind, draws };
        if is_stopped() {
            return Err(DatasetError::Stopped);
        }
        if let Some(draw) = &self.draw {
            return draw.position(self.database.index(), &mut source).ok_or_else(|| not_drawn(Draw::MOST_DRAWS));
        }
        for _ in 0..MOST_TRIES {
            if is_stopped() {
                return Err(DatasetError::Stopped);
            }
            let place = source.random_range(0..self.plies.len().max(1) as u32) as usize;
            let Some(ply) = self.plies.get(place) else { break };
            let Some((position, _)) = random_play(board, *ply as usize, &mut source) else { continue };
            if self.kind == Kind::RandomPlay || self.choice_matters(&position, limits)? {
                return Ok(position);
            }
        }
        Err(not_drawn(MOST_TRIES))
    }

    /// Tells whether the moves of a position differ in value.
    fn choice_matters(&self, position: &Position, limits: &Limits) -> Result<bool, AnswerError> {
        let moves = Answerer::moves(self.database, position, &mut Question::new(limits.clone()))?;
        Ok(moves.first().map(|of| of.outcome.value) != moves.last().map(|of| of.outcome.value))
    }
}

/// Draws so many positions; each of them, or its mirror image, once if `found` is there.
pub(super) struct Sample<'a> {
    sampler: Sampler<'a>,
    limits: &'a Limits,
    progress: &'a dyn Progress,
    /// How many positions are asked for, and how many were handed on.
    count: u64,
    handed: u64,
    /// The number of the next draw.
    next: u64,
    found: Option<HashSet<Position>>,
    /// The draws since the last new position.
    in_vain: u64,
    buffer: Buffer,
}

impl<'a> Sample<'a> {
    pub fn new(
        sampler: Sampler<'a>,
        count: u64,
        is_distinct: bool,
        limits: &'a Limits,
        progress: &'a dyn Progress,
    ) -> Sample<'a> {
        let found = is_distinct.then(HashSet::new);
        Sample { sampler, limits, progress, count, handed: 0, next: 0, found, in_vain: 0, buffer: Buffer::default() }
    }

    /// Keeps those of drawn positions that are new.
    fn keep(&mut self, drawn: Vec<Position>) -> Result<(), DatasetError> {
        let Some(found) = &mut self.found else {
            self.buffer.extend(drawn);
            return Ok(());
        };
        for position in drawn {
            if found.len() as u64 == self.count {
                break;
            }
            if found.insert(representative(&position)) {
                self.in_vain = 0;
                self.buffer.extend([position]);
                continue;
            }
            self.in_vain += 1;
            if self.in_vain > MOST_IN_VAIN.0 + MOST_IN_VAIN.1 * found.len() as u64 {
                let board = self.sampler.database.board();
                return Err(DatasetError::Fewer { board, asked: self.count, found: found.len() as u64 });
            }
        }
        Ok(())
    }
}

impl Positions for Sample<'_> {
    fn next(&mut self) -> Result<Vec<Position>, DatasetError> {
        let wanted = (self.count - self.handed).min(PORTION as u64);
        while (self.buffer.len() as u64) < wanted {
            // Those that nobody needs are lost: what is drawn later does not depend on how many are drawn at once.
            let missing = (wanted - self.buffer.len() as u64).max(if self.found.is_some() { FEWEST } else { 1 });
            let numbers = self.next..self.next + missing;
            self.next = numbers.end;
            let drawn = self.sampler.draw(numbers, self.limits, &|| self.progress.is_stopped())?;
            self.keep(drawn)?;
        }
        let positions = self.buffer.take();
        self.handed += positions.len() as u64;
        self.progress.done(positions.len() as u64);
        Ok(positions)
    }
}
