//! The progress of long work: what solving, counting, verifying and writing data sets report, and how they are stopped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::communicator::Communicator;
use crate::files::FileError;
use crate::solve::Plan;
use crate::tier::Watch;

/// A stage of long work, with what its steps count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A solve that resumes reads through the files of an earlier one; a step is a byte.
    Resume,
    /// A count, or a list of positions, finds the legal ones, from the empty board on; a step is an entry of the index.
    Sweep,
    /// A solve, from the full board down; a step is an entry of the index.
    Solve,
    /// A verification checks checksums; a step is a tier.
    Files,
    /// A verification compares stored values with their moves, from the full board down; a step is an entry of the index, or
    /// a value of a sample.
    Values,
    /// A verification counts legal positions, from the empty board on; a step is an entry of the index.
    Legal,
    /// A verification searches forward, from the empty board on; a step is a position.
    Search,
    /// A data set of whole plies is written; a step is an entry of the index.
    List,
    /// A data set of a sample is written; a step is a position.
    Sample,
    /// The data set of UCI is written; a step is a ply.
    Unforced,
}

/// Receives the progress of long work and can stop it. The methods may be called from any thread and should be quick.
///
/// With several processes each receives an estimate for all of them: its own steps times the number of processes.
pub trait Progress: Sync {
    /// A solve fits into memory, holds its folder and begins. Not called where nothing is left to do.
    fn planned(&self, _plan: &Plan) {}

    /// A stage of so many steps begins. An earlier run has done `done` of them.
    fn begin(&self, _stage: Stage, _steps: u64, _done: u64) {}

    /// A tier begins, in [`Stage::Sweep`] and [`Stage::Solve`].
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// More steps of the stage are done.
    fn done(&self, _stage: Stage, _steps: u64) {}

    /// A tier is done. `count` is the number of its entries in [`Stage::Solve`], and of its blocks, stored values, legal
    /// positions and searches that ended in the stages of a verification. `bytes` is the length of the file that a solve has
    /// written.
    fn tier_done(&self, _stage: Stage, _ply: u32, _count: u64, _bytes: u64) {}

    /// A tier is done that several ranks have solved together. `shares` has what it took each of them.
    fn tier_shared(&self, _shares: &[Share]) {}

    /// The tier that an earlier solve left to resume from is damaged, so this solve begins with the full board.
    fn starts_over(&self, _why: &FileError) {}

    /// Tells whether to stop. A solve asks before each block of a tier, each batch of its file, and each portion of the files
    /// that it reads through when it resumes, and keeps finished blocks. A verification does not ask.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops.
impl Progress for () {}

/// Ignores all progress, and stops when the function says so.
pub struct StoppedBy<'a>(pub &'a (dyn Fn() -> bool + Sync));

impl Progress for StoppedBy<'_> {
    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}

/// What a tier took one of several ranks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Share {
    /// Bytes of its messages.
    pub bytes: u64,
    /// Bytes of blocks that it has written into its log.
    pub written: u64,
    /// How long it has waited for the others.
    pub waited: Duration,
    /// How long it took in all.
    pub took: Duration,
}

/// The progress of all ranks in one tier or stage, about: that of this rank, times the number of ranks.
pub(crate) struct RankProgress<'a> {
    progress: &'a dyn Progress,
    stage: Stage,
    size: u64,
    /// Steps that are not shown yet.
    left: AtomicU64,
}

impl<'a> RankProgress<'a> {
    /// Shows steps of a stage that has begun.
    pub fn new(progress: &'a dyn Progress, stage: Stage, all: &dyn Communicator, steps: u64) -> RankProgress<'a> {
        RankProgress { progress, stage, size: all.size().into(), left: AtomicU64::new(steps) }
    }

    /// Lets `work` report what it has done, and ask whether to stop.
    pub fn watching<T>(&self, work: impl FnOnce(&Watch) -> T) -> T {
        work(&Watch { done: &|steps| self.done(steps), is_stopped: &|| self.progress.is_stopped() })
    }

    /// Notes that this rank has done some steps. The other ranks are taken to be as fast.
    pub fn done(&self, steps: u64) {
        let steps = steps.saturating_mul(self.size);
        let rest = |left: u64| Some(left.saturating_sub(steps));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).unwrap_or(0);
        if steps.min(left) > 0 {
            self.progress.done(self.stage, steps.min(left));
        }
    }

    /// Shows the rest of the steps.
    pub fn end(&self) {
        self.done(u64::MAX);
    }
}
