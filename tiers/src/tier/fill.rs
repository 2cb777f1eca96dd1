//! Fills the blocks of a tier, or visits them all. Threads take jobs (runs of blocks) from one queue, in order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::block::{PAD, ShapeBlocks};
use super::memory::Kept;
use super::tier::{Buffers, Tier};
use crate::communicator::assign;
use crate::files::FileError;
use crate::index::{Index, Matrix};
use crate::progress::StageProgress;

/// The maximum number of blocks in a job. It is large enough that the work on the blocks takes far longer than laying
/// out the shape and its neighbours.
const JOB_BLOCKS: usize = 16;

/// Consecutive blocks, and the consecutive shapes that contain these blocks. Some of the shapes can have no blocks.
struct Job {
    shapes: Range<usize>,
    blocks: Range<usize>,
    words: u64,
}

impl Tier<'_> {
    /// Fills the missing blocks, on all threads of rayon's current pool. Each thread has its own state, made by
    /// `begin`. Calls `work` to fill the missing rows, some rows of one matrix at a time, starting at a multiple of 64.
    /// Matrices without entries are included. Returns the threads' states, or `None` if `progress` stopped the work of
    /// any rank before its end. Waits for all ranks.
    pub(crate) fn fill<W: Send>(
        &mut self,
        index: &Index,
        progress: &StageProgress,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Matrix, Range<usize>, &mut [u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Option<Vec<W>>, FileError> {
        let (tier, is_stopped) = (&*self, AtomicBool::new(false));
        tier.log.tiers.memory.begin_tier(tier.unfilled.load(Ordering::Relaxed));
        let begin = || (begin(), Buffers::default());
        // After a stop, take no more jobs: work on a later block could evict blocks of the child that a skipped block
        // needs.
        let jobs = tier.jobs().into_iter().take_while(|_| !is_stopped.load(Ordering::Relaxed));
        let states = tier.work(index, jobs, begin, |(state, buffers), shape, blocks| {
            for block in blocks {
                if is_stopped.load(Ordering::Relaxed) || progress.is_stopped() {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                if !tier.has(block) {
                    tier.add(shape, block, buffers, |mut rest| {
                        shape.rows(block).try_for_each(|(matrix, rows)| {
                            let words = rows.len() * matrix.words() * tier.coding.planes;
                            work(state, matrix, rows, rest.split_off_mut(..words).unwrap_or_default())
                        })
                    })?;
                }
                let entries = |(matrix, rows): (&Matrix, Range<usize>)| u64::from(matrix.columns) * rows.len() as u64;
                progress.done(shape.rows(block).map(entries).sum());
            }
            // A shape without blocks has only matrices without words, and no block lists them. Call `work` for them
            // here.
            let rest = if shape.cuts.len() == 1 { &shape.layout.matrices[..] } else { &[] };
            rest.iter().try_for_each(|matrix| work(state, matrix, 0..matrix.rows as usize, &mut []))
        })?;
        let close = |(state, mut buffers): (W, Buffers)| {
            buffers.slab.close().for_each(|closed| tier.show(closed));
            state
        };
        let states = states.into_iter().map(close).collect();
        let is_stopped = tier.log.exchange(is_stopped.into_inner(), |block, place| {
            let _ = tier.locations.get(block as usize).map(|location| location.set(place));
        })?;
        Ok((!is_stopped).then_some(states))
    }

    /// Calls `show` with all rows that have words, in the same portions as [`Tier::fill`]. Each row is shown on exactly
    /// one rank.
    pub(crate) fn visit<V: Send>(
        &self,
        index: &Index,
        begin: impl Fn() -> V + Sync,
        show: impl Fn(&mut V, &Matrix, Range<usize>, &[u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<V>, FileError> {
        let begin = || (begin(), Vec::new());
        let states = self.work(index, self.jobs().into_iter(), begin, |(state, bytes), shape, blocks| {
            for block in blocks {
                let length = shape.words(block).len();
                let expanded = self.block(block, length, bytes)?;
                let mut rest = &expanded[..length];
                for (matrix, rows) in shape.rows(block) {
                    let (own, after) = rest.split_at(rows.len() * matrix.words() * self.coding.planes);
                    rest = after;
                    if !own.is_empty() {
                        show(state, matrix, rows, own)?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(states.into_iter().map(|(state, _)| state).collect())
    }

    /// Makes all filled blocks durable. Appends the filled blocks that the log lacks, on all threads of rayon's current
    /// pool.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn sync(&self, index: &Index) -> Result<(), FileError> {
        let is_new = |block: &usize| self.locations[*block].get().is_none();
        let jobs = self.jobs().into_iter().filter(|job| job.blocks.clone().any(|block| is_new(&block)));
        self.work(index, jobs, Buffers::default, |buffers, shape, blocks| {
            let Buffers { frame, stretches, delta, .. } = buffers;
            for block in blocks.filter(is_new) {
                let kept = self.slot(block).clone();
                match kept {
                    None => {}
                    Some(Kept::Delta(delta)) => self.append(block, delta.bytes(), frame)?,
                    Some(Kept::Expanded { words, .. }) => {
                        let words = &words[..words.len() - PAD];
                        self.append(block, self.delta(shape, block, words, stretches, delta), frame)?;
                    }
                }
            }
            Ok(())
        })?;
        self.log.sync()
    }

    /// Runs jobs, in order, on the threads of rayon's current pool: calls `work` with each shape of a job and with the
    /// job's blocks of that shape. `begin` makes a state for each thread, or more than one if the pool is busy. After
    /// an error, no thread takes another job. Returns the states.
    ///
    /// # Errors
    /// An error that `work` returned.
    fn work<S: Send>(
        &self,
        index: &Index,
        jobs: impl Iterator<Item = Job> + Send,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &ShapeBlocks, Range<usize>) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<S>, FileError> {
        let begin = || (begin(), ShapeBlocks::default());
        let states = jobs.par_bridge().try_fold(begin, |(mut state, mut shape), job| {
            for number in job.shapes {
                self.lay_out(index, number, &mut shape);
                let blocks = self.blocks_of(number);
                work(&mut state, &shape, blocks.start.max(job.blocks.start)..blocks.end.min(job.blocks.end))?;
            }
            Ok((state, shape))
        });
        Ok(states.collect::<Result<Vec<_>, _>>()?.into_iter().map(|(state, _)| state).collect())
    }

    /// Divides the tier into jobs and returns the jobs of this rank, in order.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs: Vec<Job> = Vec::new();
        for shape in 0..self.directory.shapes.len() {
            let all = self.blocks_of(shape);
            let words = self.firsts[shape + 1].1 - self.firsts[shape].1;
            // A shape without blocks belongs to a job too, because [`Tier::fill`] calls `work` for its matrices.
            for first in (all.start..all.end.max(all.start + 1)).step_by(JOB_BLOCKS) {
                let blocks = first..all.end.min(first + JOB_BLOCKS);
                let words = (words * blocks.len()).checked_div(all.len()).unwrap_or(0) as u64;
                match jobs.last_mut() {
                    Some(job) if job.blocks.len() + blocks.len() <= JOB_BLOCKS => {
                        job.shapes.end = shape + 1;
                        job.blocks.end = blocks.end;
                        job.words += words;
                    }
                    _ => jobs.push(Job { shapes: shape..shape + 1, blocks, words }),
                }
            }
        }
        let all = self.log.tiers.all;
        let mut ranks = assign(&Vec::from_iter(jobs.iter().map(|job| job.words)), all.size()).into_iter();
        jobs.retain(|_| ranks.next() == Some(all.rank()));
        jobs
    }

    /// Returns the numbers of the blocks of the shape with the number `shape`.
    fn blocks_of(&self, shape: usize) -> Range<usize> {
        self.firsts[shape].0..self.firsts[shape + 1].0
    }
}
