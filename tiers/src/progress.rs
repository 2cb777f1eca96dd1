//! The progress of long work: what solving, counting, verifying and writing data sets report, and how to stop them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::files::FileError;
use crate::solve::Plan;

/// A stage of long work, and the unit of its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A resumed solve reads the files of the earlier one; a step is a byte.
    Resume,
    /// A count, or a list of positions, finds the legal positions, from the empty board up; a step is an entry of the
    /// index.
    Sweep,
    /// A solve, from the full board down; a step is an entry of the index.
    Solve,
    /// A verification checks checksums; a step is a tier.
    Files,
    /// A verification compares each stored value with the values after its moves, from the full board down; a step is
    /// an entry of the index, or a value of a sample.
    Values,
    /// A verification counts legal positions, from the empty board up; a step is an entry of the index.
    Legal,
    /// A verification searches forward, from the empty board up; a step is a position.
    Search,
    /// A data set of whole plies is being written; a step is an entry of the index.
    List,
    /// A data set of a sample is being written; a step is a position.
    Sample,
    /// The data set of the UCI repository is being written; a step is a ply.
    Unforced,
}

/// Receives the progress of long work and can stop it. The methods may be called from any thread and should be quick.
///
/// With several processes, each receives an estimate for all of them: its own steps times the number of processes.
pub trait Progress: Sync {
    /// Called when a solve fits into its memory limit, has locked its folder and begins; not called if nothing is left
    /// to do.
    fn planned(&self, _plan: &Plan) {}

    /// Called when a stage of `steps` steps begins. An earlier run has already done `done` of them.
    fn begin(&self, _stage: Stage, _steps: u64, _done: u64) {}

    /// Called when a tier begins, in [`Stage::Sweep`] and [`Stage::Solve`].
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// Called when `steps` more steps of the stage are done.
    fn done(&self, _stage: Stage, _steps: u64) {}

    /// Called when a tier is done. `count` is the number of its entries in [`Stage::Solve`]; in the stages of a
    /// verification, the number of its blocks, stored values, legal positions or finished searches. `bytes` is the
    /// length of the file that a solve has written.
    fn tier_done(&self, _stage: Stage, _ply: u32, _count: u64, _bytes: u64) {}

    /// Called when several ranks have solved a tier together. `shares` has the cost for each rank.
    fn tier_shared(&self, _shares: &[Share]) {}

    /// Called when the tier to resume from is damaged, so that the solve begins with the full board.
    fn starts_over(&self, _why: &FileError) {}

    /// Returns whether to stop. A solve checks this before each block of a tier, each batch of its file, and each
    /// portion of the files that it reads when it resumes; it keeps finished blocks. A verification does not check it.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops.
impl Progress for () {}

/// Ignores all progress, and stops when the function returns `true`.
pub struct StoppedBy<'a>(pub &'a (dyn Fn() -> bool + Sync));

impl Progress for StoppedBy<'_> {
    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}

/// The cost of a tier for one of several ranks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Share {
    /// Bytes of the messages that the rank sent.
    pub bytes: u64,
    /// Bytes of blocks that the rank wrote to its log.
    pub written: u64,
    /// How long the rank waited for the others.
    pub waited: Duration,
    /// How long the tier took in all.
    pub took: Duration,
}

/// Reports the progress of all ranks in one tier or stage, estimated: the progress of this rank, times the number of
/// ranks.
pub(crate) struct StageProgress<'a> {
    progress: &'a dyn Progress,
    stage: Stage,
    size: u64,
    /// Steps that have not been reported yet.
    left: AtomicU64,
}

impl<'a> StageProgress<'a> {
    /// Makes the reporter of a stage that has begun, has `steps` steps and is worked on by `size` processes.
    pub fn new(progress: &'a dyn Progress, stage: Stage, size: u32, steps: u64) -> StageProgress<'a> {
        StageProgress { progress, stage, size: size.into(), left: AtomicU64::new(steps) }
    }

    /// Makes a reporter that reports nothing and never stops the work.
    pub fn none() -> StageProgress<'static> {
        StageProgress::new(&(), Stage::Solve, 1, 0)
    }

    /// Returns whether to stop.
    pub fn is_stopped(&self) -> bool {
        self.progress.is_stopped()
    }

    /// Reports that this rank has done some steps, assuming that the other ranks are as fast.
    pub fn done(&self, steps: u64) {
        let steps = steps.saturating_mul(self.size);
        let rest = |left: u64| Some(left.saturating_sub(steps));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).unwrap_or(0);
        if steps.min(left) > 0 {
            self.progress.done(self.stage, steps.min(left));
        }
    }

    /// Reports all remaining steps.
    pub fn end(&self) {
        self.done(u64::MAX);
    }
}
