//! Progress of a solve, and observers of its tiers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::communicator::Communicator;
use crate::files::FileError;
use crate::format::TierRecord;
use crate::index::Index;
use crate::solve::{Plan, SolveError};
use crate::tier::{Tier, Watch};

/// Receives the progress of a solve and can stop it. The methods may be called from any thread and should be quick. Every
/// rank calls its own; the entries are about those of all ranks together.
pub trait Progress: Sync {
    /// The solve fits into memory, holds its folder and begins. An earlier solve has done `entries_done` of the entries.
    /// Not called where nothing is left to do.
    fn planned(&self, _plan: &Plan, _entries_done: u64) {}

    /// A solve that resumes begins to read through the files of an earlier one, which have this many bytes. Called before
    /// [`Progress::planned`].
    fn checks(&self, _bytes: u64) {}

    /// More bytes of these files are read.
    fn checked(&self, _bytes: u64) {}

    /// A tier begins.
    fn tier(&self, _ply: u32, _entries: u64) {}

    /// More entries of the tier are solved.
    fn solved(&self, _entries: u64) {}

    /// A tier is solved and written.
    fn tier_done(&self, _tier: &TierRecord) {}

    /// A tier is done that several ranks have solved together. `shares` has what it took each of them.
    fn tier_shared(&self, _ply: u32, _shares: &[Share]) {}

    /// The tier that an earlier solve left to resume from is damaged, so this solve begins with the full board.
    fn starts_over(&self, _why: &FileError) {}

    /// Tells whether to stop. The solve asks before each block of a tier, each batch of its file, and each portion of the files
    /// that it reads through when it resumes. Finished blocks are kept.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops.
impl Progress for () {}

/// What a tier took one of several ranks.
#[derive(Clone, Copy, Debug)]
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

/// Sees every tier of a solve, at every rank. The database has nothing of the tier yet: a solve that is stopped before the tier is
/// durable solves it again, and shows it again. An error ends the solve.
pub(crate) type Observer<'a> = dyn FnMut(&Index, &Tier) -> Result<(), SolveError> + 'a;

/// The progress of all ranks in one tier, about: that of this rank, times the number of ranks.
pub(crate) struct RankProgress<'a> {
    progress: &'a dyn Progress,
    size: u64,
    /// Entries of the tier that are not shown yet.
    left: AtomicU64,
}

impl<'a> RankProgress<'a> {
    /// Begins a tier.
    pub fn begin(progress: &'a dyn Progress, all: &dyn Communicator, ply: u32, entries: u64) -> RankProgress<'a> {
        progress.tier(ply, entries);
        RankProgress { progress, size: all.size().into(), left: AtomicU64::new(entries) }
    }

    /// Lets `work` report what it has done, and ask whether to stop.
    pub fn watching<T>(&self, work: impl FnOnce(&Watch) -> T) -> T {
        work(&Watch { done: &|entries| self.done(entries), is_stopped: &|| self.progress.is_stopped() })
    }

    fn done(&self, entries: u64) {
        let entries = entries.saturating_mul(self.size);
        let rest = |left: u64| Some(left.saturating_sub(entries));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).unwrap_or(0);
        self.progress.solved(entries.min(left));
    }

    /// Shows what is left of the tier.
    pub fn end(&self) {
        let left = self.left.swap(0, Ordering::Relaxed);
        if left > 0 {
            self.progress.solved(left);
        }
    }
}
