//! Sharing out the blocks of a tier over threads.
//!
//! A **job** is some consecutive blocks of one shape, or several small shapes. Threads take jobs in order, one after
//! the other.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Content, Frontier};
use crate::database::DatabaseError;

/// Blocks of a job: enough to pay for laying out the shape and its neighbours.
const JOB_BLOCKS: usize = 16;

/// Consecutive blocks; of one shape, or all of consecutive shapes, among which some may have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub shapes: Range<usize>,
    pub blocks: Range<usize>,
}

impl Job {
    /// Returns the blocks of one of the job's shapes that belong to the job.
    pub fn blocks_of<C: Content>(&self, tier: &Frontier<C>, shape: usize) -> Range<usize> {
        let blocks = tier.blocks_of(shape);
        blocks.start.max(self.blocks.start)..blocks.end.min(self.blocks.end)
    }
}

/// Cuts a tier into jobs, in order.
fn jobs<C: Content>(tier: &Frontier<C>) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for shape in 0..tier.directory().shapes().len() {
        let blocks = tier.blocks_of(shape);
        if blocks.len() > JOB_BLOCKS {
            let cut = blocks.clone().step_by(JOB_BLOCKS);
            jobs.extend(
                cut.map(|first| Job { shapes: shape..shape + 1, blocks: first..blocks.end.min(first + JOB_BLOCKS) }),
            );
            continue;
        }
        match jobs.last_mut() {
            Some(job) if job.blocks.len() + blocks.len() <= JOB_BLOCKS && job.shapes.end == shape => {
                job.shapes.end += 1;
                job.blocks.end = blocks.end;
            }
            _ => jobs.push(Job { shapes: shape..shape + 1, blocks }),
        }
    }
    jobs
}

/// The jobs of one tier, of which every thread takes the next.
pub(crate) struct Queue {
    jobs: Vec<Job>,
    next: AtomicUsize,
    has_failed: AtomicBool,
}

impl Queue {
    /// Lists the jobs of a tier.
    pub fn new<C: Content>(tier: &Frontier<C>) -> Queue {
        Queue { jobs: jobs(tier), next: AtomicUsize::new(0), has_failed: AtomicBool::new(false) }
    }

    /// Returns the next job; `None` after the last, and where another thread has failed.
    pub fn next(&self) -> Option<&Job> {
        if self.has_failed.load(Ordering::Relaxed) {
            return None;
        }
        self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Lets every thread of rayon's current pool `work`, which takes jobs until there are none.
    ///
    /// # Errors
    /// The first that a thread returns.
    pub fn share_out<T: Send>(
        &self,
        work: impl Fn() -> Result<T, DatabaseError> + Sync,
    ) -> Result<Vec<T>, DatabaseError> {
        let work = |_: rayon::BroadcastContext| work().inspect_err(|_| self.has_failed.store(true, Ordering::Relaxed));
        rayon::broadcast(work).into_iter().collect()
    }
}
