//! Fills a tier, and visits all blocks of a tier: threads take jobs from one queue, in order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::block::{PAD, ShapeBlocks};
use super::content::Content;
use super::memory::Kept;
use super::tier::{Buffers, Tier};
use crate::files::FileError;
use crate::index::{Index, Matrix};
use crate::progress::StageProgress;

/// The most blocks of a job: enough that laying out the shape and its neighbours costs little compared with the work on
/// the blocks.
const JOB_BLOCKS: usize = 16;

/// The jobs of one rank.
struct Queue {
    jobs: Vec<Job>,
    next: AtomicUsize,
    /// Set when no thread may take another job.
    is_ended: AtomicBool,
}

impl Queue {
    /// Returns the next job; `None` after the last one, or once the queue was ended.
    fn next(&self) -> Option<&Job> {
        if self.is_ended() {
            return None;
        }
        self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns whether the queue was ended before its last job was done.
    fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }
}

/// Consecutive blocks: some of one shape, or all of several consecutive shapes (some of which may have no blocks).
struct Job {
    shapes: Range<usize>,
    blocks: Range<usize>,
    words: usize,
}

impl<C: Content> Tier<'_, C> {
    /// Fills the missing blocks, on all threads of rayon's current pool. Each thread has its own state, made by
    /// `begin`. `work` fills some rows (from a multiple of 64) of a matrix and is called for all missing rows,
    /// including those of matrices without entries. Returns the threads' states, or `None` if `progress` stopped the
    /// work of any rank before its end. Waits for all ranks.
    pub(crate) fn fill<W: Send>(
        &mut self,
        index: &Index,
        progress: &StageProgress,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Matrix, Range<usize>, &mut [u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Option<Vec<W>>, FileError> {
        let (tier, queue) = (&*self, self.queue());
        tier.tiers.memory.begin_tier(tier.unfilled.load(Ordering::Relaxed));
        let begin = || (begin(), Buffers::default());
        let states = tier.work(index, &queue, begin, |(state, buffers), shape, blocks| {
            for block in blocks {
                // After a stop, take no more blocks: the work on a later block could evict child blocks that this block
                // needs.
                if queue.is_ended() || progress.is_stopped() {
                    queue.is_ended.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                if !tier.has(block) {
                    tier.add(shape, block, buffers, |mut rest| {
                        shape.rows(block).try_for_each(|(matrix, rows)| {
                            let words = rows.len() * matrix.words() * tier.planes;
                            work(state, matrix, rows, rest.split_off_mut(..words).unwrap_or_default())
                        })
                    })?;
                }
                let entries = |(matrix, rows): (&Matrix, Range<usize>)| u64::from(matrix.columns) * rows.len() as u64;
                progress.done(shape.rows(block).map(entries).sum());
            }
            // A shape without blocks has only matrices without words.
            let rest = if shape.cuts.len() == 1 { &shape.layout.matrices[..] } else { &[] };
            rest.iter().try_for_each(|matrix| work(state, matrix, 0..matrix.rows as usize, &mut []))
        })?;
        let close = |(state, mut buffers): (W, Buffers)| {
            buffers.slab.close().for_each(|closed| tier.show(closed));
            state
        };
        let states = states.into_iter().map(close).collect();
        let is_ended = tier.log.exchange(queue.is_ended(), |block, place| {
            let _ = tier.locations.get(block as usize).map(|location| location.set(place));
        })?;
        Ok((!is_ended).then_some(states))
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
        let states = self.work(index, &self.queue(), begin, |(state, bytes), shape, blocks| {
            for block in blocks {
                let length = shape.words(block).len();
                let expanded = self.block(block, length, bytes)?;
                let mut rest = &expanded[..length];
                for (matrix, rows) in shape.rows(block) {
                    let (own, after) = rest.split_at(rows.len() * matrix.words() * self.planes);
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

    /// Makes all filled blocks durable. Those that are not in the log are appended to it, on all threads of rayon's
    /// current pool.
    ///
    /// # Errors
    /// If a file can't be written.
    pub(crate) fn sync(&self, index: &Index) -> Result<(), FileError> {
        let (mut queue, is_new) = (self.queue(), |block: &usize| self.locations[*block].get().is_none());
        queue.jobs.retain(|job| job.blocks.clone().any(|block| is_new(&block)));
        self.work(index, &queue, Buffers::default, |buffers, shape, blocks| {
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

    /// Runs the jobs of the queue on the threads of rayon's current pool: calls `work` with each shape of a job and
    /// with the job's blocks of that shape. `begin` makes a state for each thread, or more than one if the pool is
    /// busy. After an error, no thread takes another job. Returns the states.
    ///
    /// # Errors
    /// An error that `work` returned.
    fn work<S: Send>(
        &self,
        index: &Index,
        queue: &Queue,
        begin: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &ShapeBlocks, Range<usize>) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<S>, FileError> {
        let take_jobs = || {
            let (mut state, mut shape) = (begin(), ShapeBlocks::default());
            while let Some(job) = queue.next() {
                for number in job.shapes.clone() {
                    self.lay_out(index, number, &mut shape);
                    let blocks = self.blocks_of(number);
                    let own = blocks.start.max(job.blocks.start)..blocks.end.min(job.blocks.end);
                    work(&mut state, &shape, own)?;
                }
            }
            Ok(state)
        };
        // Rayon's broadcast would wait for every thread. Inside another parallel loop, the waiting threads would start
        // more items of that loop, one nested in the other, until the stack overflows.
        let threads = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
        threads.map(|_| take_jobs().inspect_err(|_| queue.is_ended.store(true, Ordering::Relaxed))).collect()
    }

    /// Divides the tier into jobs, in order, and queues the jobs of this rank.
    fn queue(&self) -> Queue {
        let mut jobs: Vec<Job> = Vec::new();
        for shape in 0..self.directory.shapes.len() {
            let blocks = self.blocks_of(shape);
            let words = self.firsts[shape + 1].1 - self.firsts[shape].1;
            if blocks.len() > JOB_BLOCKS {
                jobs.extend(blocks.clone().step_by(JOB_BLOCKS).map(|first| {
                    let own = first..blocks.end.min(first + JOB_BLOCKS);
                    Job { shapes: shape..shape + 1, words: words * own.len() / blocks.len(), blocks: own }
                }));
                continue;
            }
            match jobs.last_mut() {
                Some(job) if job.blocks.len() + blocks.len() <= JOB_BLOCKS && job.shapes.end == shape => {
                    job.shapes.end += 1;
                    job.blocks.end = blocks.end;
                    job.words += words;
                }
                _ => jobs.push(Job { shapes: shape..shape + 1, blocks, words }),
            }
        }
        self.tiers.keep_own(&mut jobs, |job| job.words as u64);
        Queue { jobs, next: AtomicUsize::new(0), is_ended: AtomicBool::new(false) }
    }

    /// Returns the numbers of the blocks of the shape with the number `shape`.
    fn blocks_of(&self, shape: usize) -> Range<usize> {
        self.firsts[shape].0..self.firsts[shape + 1].0
    }
}
