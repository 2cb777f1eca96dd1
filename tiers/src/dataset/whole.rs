//! Every legal position of some plies.

use rayon::prelude::*;

use fourbase::Position;

use super::error::DatasetError;
use super::progress::Progress;
use super::source::{Buffer, PORTION, Positions, representative};
use crate::counts::{CountError, PositionList};
use crate::index::Index;

/// Lists the positions of plies, one ply after the other, in the order of the index.
pub(super) struct Whole<'a> {
    index: &'a Index,
    progress: &'a dyn Progress,
    memory_bytes: u64,
    /// Only one of a position and its mirror image.
    is_distinct: bool,
    /// The plies that are left, the next one last.
    plies: Vec<u32>,
    /// The list of the ply, and its first part that was not read.
    list: Option<(PositionList, usize)>,
    buffer: Buffer,
}

impl<'a> Whole<'a> {
    pub fn new(
        index: &'a Index,
        plies: &[u32],
        is_distinct: bool,
        memory_bytes: u64,
        progress: &'a dyn Progress,
    ) -> Whole<'a> {
        let plies = plies.iter().rev().copied().collect();
        Whole { index, progress, memory_bytes, is_distinct, plies, list: None, buffer: Buffer::default() }
    }

    /// Reads parts until they are enough for a portion.
    fn read(&mut self, list: &PositionList, from: usize) -> Result<usize, DatasetError> {
        let (mut next, mut entries) = (from, 0);
        while next < list.parts() && entries < PORTION as u64 {
            entries += list.entries(next);
            next += 1;
        }
        let (index, is_distinct) = (self.index, self.is_distinct);
        let keeps = |position: &Position| !is_distinct || representative(position) == *position;
        let parts = (from..next).into_par_iter().map(|part| {
            let positions = list.positions(index, part).map_err(CountError::from)?;
            Ok::<Vec<Position>, DatasetError>(positions.into_iter().filter(keeps).collect())
        });
        for positions in parts.collect::<Result<Vec<_>, _>>()? {
            self.buffer.extend(positions);
        }
        self.progress.done(entries);
        Ok(next)
    }
}

impl Positions for Whole<'_> {
    fn next(&mut self) -> Result<Vec<Position>, DatasetError> {
        while self.buffer.len() < PORTION {
            if self.progress.is_stopped() {
                return Err(DatasetError::Stopped);
            }
            let (list, from) = match (self.list.take(), self.plies.pop()) {
                (Some((list, from)), next) => {
                    self.plies.extend(next);
                    (list, from)
                }
                (None, Some(ply)) => {
                    let stop = || self.progress.is_stopped();
                    let list = PositionList::legal(self.index, ply, self.memory_bytes, &stop)?;
                    (list.ok_or(DatasetError::Stopped)?, 0)
                }
                (None, None) => break,
            };
            let next = self.read(&list, from)?;
            self.list = (next < list.parts()).then_some((list, next));
        }
        Ok(self.buffer.take())
    }
}
