//! What a solve reports to its caller.

use std::time::Duration;

use crate::files::FileError;
use crate::format::TierRecord;
use crate::solve::Plan;
use crate::tier::Watch;

/// Receives the progress of a solve and can stop it. The methods may be called from any thread and should be quick.
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

    /// A tier is done that several processes have solved together. `shares` has what it took each of them.
    fn tier_shared(&self, _ply: u32, _shares: &[Share]) {}

    /// The tier that an earlier solve left to resume from is damaged, so this solve begins with the full board.
    fn starts_over(&self, _why: &FileError) {}

    /// Tells whether to stop. The solve asks before each piece of a tier (about half a million entries in memory, a block
    /// in files), of its file, and of the files that it reads through when it resumes. An unfinished tier in memory is lost,
    /// and the tier after it is made durable to resume from; finished blocks in files are kept.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What a tier took a process that has solved it with others.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The bytes of its messages.
    pub bytes: u64,
    /// The bytes of blocks that it has written into its log.
    pub written: u64,
    /// How long it has waited for the others.
    pub waited: Duration,
    /// How long it took in all.
    pub took: Duration,
}

/// Ignores all progress and never stops.
impl Progress for () {}

/// Lets `work` watch a tier through `progress`.
pub(crate) fn watching<T>(progress: &dyn Progress, work: impl FnOnce(&Watch) -> T) -> T {
    work(&Watch { done: &|entries| progress.solved(entries), is_stopped: &|| progress.is_stopped() })
}
