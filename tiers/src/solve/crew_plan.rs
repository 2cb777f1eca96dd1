//! What a solve by several processes will need, before it starts.
//!
//! The figures of files follow from those of one process: every block is written to a log once, and read by the processes whose
//! shapes lead to it, no more than the board has columns. Each process keeps what it has read while there is room.

use super::expected_bytes::TierPlan;
use super::plan::Plan;
use crate::kernel::Coding;
use crate::tier::BLOCK_WORDS;

/// Bytes by which a process tells the others where a block is.
const TOLD_BYTES: u128 = 12;

/// What one tier of a solve by several processes takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CrewTier {
    /// Pieces on the board.
    pub ply: u32,
    /// Entries, after the mirror.
    pub entries: u128,
    /// Bytes that all processes write into files, about: the logs, and the file of the database twice.
    pub written_bytes: u128,
    /// Bytes that all processes read from files, about.
    pub read_bytes: u128,
    /// Bytes that each process is told of the blocks of all, about.
    pub told_bytes: u128,
    /// How long the threads compute, in seconds.
    pub seconds: f64,
}

impl CrewTier {
    /// Returns the bytes a second that the file system has to move if nobody shall wait for it.
    pub fn bytes_per_second(&self) -> f64 {
        (self.written_bytes + self.read_bytes) as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

impl Plan {
    /// Plans the tiers for so many processes, each with so many threads, which solve so many entries a second each. `tiers` go from
    /// the empty board up, and so does the result.
    ///
    /// ```
    /// use fourbase_tiers::{kernel::Values, solve::{Plan, Solve}};
    ///
    /// let (plan, tiers) = Solve::new("5x4".parse()?, Values::Wdl).plan_tiers();
    /// let shared = plan.shared(&tiers, 4, 8, 5e8);
    /// assert_eq!(shared.len(), 21);
    /// // The full board has no tier after it, and no file in the database.
    /// assert_eq!(shared[20].read_bytes, 0);
    /// assert!(shared[10].read_bytes == 4 * tiers[11].scratch_bytes);
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    #[must_use]
    pub fn shared(&self, tiers: &[TierPlan], processes: u32, threads: u32, entries_per_second: f64) -> Vec<CrewTier> {
        let together = entries_per_second * f64::from(processes) * f64::from(threads);
        let readers = u128::from(processes).min(self.board.width() as u128);
        let shared = |(number, tier): (usize, &TierPlan)| {
            let planes = Coding::new(self.board, self.values, tier.ply).planes() as u128;
            let blocks = tier.entries.saturating_mul(planes).div_ceil(64 * BLOCK_WORDS as u128);
            let of_child = tiers.get(number + 1).map_or(0, |child| child.scratch_bytes);
            CrewTier {
                ply: tier.ply,
                entries: tier.entries,
                written_bytes: tier.scratch_bytes.saturating_add(tier.database_bytes.saturating_mul(2)),
                read_bytes: of_child.saturating_mul(readers).saturating_add(tier.database_bytes),
                told_bytes: blocks.saturating_mul(TOLD_BYTES),
                seconds: tier.entries as f64 / together,
            }
        };
        tiers.iter().enumerate().map(shared).collect()
    }
}
