//! The progress of long work: what a solve, a count, a verification or the writing of a data set reports, and how the
//! caller stops it.

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
    /// A count, or work that lists legal positions, finds the legal positions, from the empty board up; a step is an
    /// entry of the index.
    Sweep,
    /// A solve computes values, from the full board down; a step is an entry of the index.
    Solve,
    /// A verification checks checksums; a step is a tier.
    Files,
    /// A verification compares each stored value with the values after its moves, from the full board down; a step is
    /// an entry of the index; if only a sample is verified, a step is a value.
    Values,
    /// A verification counts legal positions, from the empty board up; a step is an entry of the index.
    Legal,
    /// A verification searches forward, from the empty board up; a step is a position.
    Search,
    /// A data set of whole plies is being written; a step is an entry of the index.
    List,
    /// A data set of a sample is being written; a step is a position.
    Sample,
    /// The data set `connect-4` of the UCI repository ([`crate::positions::unforced()`]) is being written; a step is a
    /// ply.
    Unforced,
}

/// Receives the progress of long work and can stop it. The methods are called from any thread and should return
/// quickly.
///
/// With several processes, each process receives an estimate of the steps of all: its own steps times the number of
/// processes.
pub trait Progress: Sync {
    /// Called when a solve begins, after it has checked its memory limit and locked its folder. Not called if nothing
    /// is left to do.
    fn planned(&self, _plan: &Plan) {}

    /// Called when a stage of `steps` steps begins. An earlier run has already done `done` of them.
    fn begin(&self, _stage: Stage, _steps: u64, _done: u64) {}

    /// Called when a tier begins, in [`Stage::Sweep`] and [`Stage::Solve`].
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// Called when `steps` more steps of the stage are done.
    fn done(&self, _stage: Stage, _steps: u64) {}

    /// Called when a tier is done. `bytes` is the length of the file that a solve has written, else 0. `count` depends
    /// on the stage:
    ///
    /// - [`Stage::Solve`]: the entries of the tier;
    /// - [`Stage::Files`]: its blocks;
    /// - [`Stage::Values`]: its stored values;
    /// - [`Stage::Legal`]: its legal positions;
    /// - [`Stage::Search`]: the finished searches.
    fn tier_done(&self, _stage: Stage, _ply: u32, _count: u64, _bytes: u64) {}

    /// Called when several ranks have solved a tier together. `shares` has the cost for each rank.
    fn tier_shared(&self, _shares: &[Share]) {}

    /// Called when the tier to resume from is damaged, so that the solve begins with the full board.
    fn starts_over(&self, _why: &FileError) {}

    /// Returns whether to stop. A solve checks this before each block of a tier, each batch of its file, and each
    /// portion of the files that it reads when it resumes. A stopped solve keeps finished blocks. A verification never
    /// checks whether to stop.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops.
impl Progress for () {}

/// Ignores all progress, and stops the work when the function returns `true`.
pub struct StoppedBy<'a>(pub &'a (dyn Fn() -> bool + Sync));

impl Progress for StoppedBy<'_> {
    fn is_stopped(&self) -> bool {
        (self.0)()
    }
}

/// What a tier has cost one of several ranks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Share {
    /// Bytes of the messages that the rank sent.
    pub bytes: u64,
    /// Bytes of blocks that the rank wrote to its log.
    pub written: u64,
    /// How long the rank waited for the others.
    pub waited: Duration,
    /// How long this rank took for the tier, waiting included.
    pub took: Duration,
}

/// Reports the progress of one tier or stage. The report estimates the progress of all ranks: it is that of this rank,
/// times the number of ranks.
pub(crate) struct StageProgress<'a> {
    progress: &'a dyn Progress,
    stage: Stage,
    size: u64,
    /// Steps that have not been reported yet.
    left: AtomicU64,
}

impl<'a> StageProgress<'a> {
    /// Makes a reporter for `steps` steps of a stage on which `size` processes work. The stage must have begun
    /// ([`Progress::begin`]).
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
