//! The needs of a solve by several ranks: bytes of files and messages, tier by tier.

use super::plan::Plan;
use super::tier_plan::TierPlan;
use crate::kernel::Coding;
use crate::tier::BLOCK_WORDS;

impl Plan {
    /// Plans the tiers, from the empty board up, for `ranks` ranks with `threads` threads each. Every thread solves
    /// `entries_per_second` entries a second.
    ///
    /// Every block is written to a log once. The ranks that solve shapes with drops into it read it: at most as many
    /// ranks as the board has columns. Each rank keeps the blocks that it has read while there is room.
    ///
    /// ```
    /// use fourbase_tiers::{kernel::Values, solve::Solve};
    ///
    /// let plan = Solve::new("5x4".parse()?, Values::Wdl).plan();
    /// let ranks = plan.ranks(4, 8, 5e8);
    /// assert_eq!(ranks.len(), 21);
    /// // The full board has no tier after it, and no file in the database.
    /// assert_eq!(ranks[20].read_bytes, 0);
    /// assert!(ranks[10].read_bytes == 4 * plan.tiers[11].scratch_bytes);
    /// # Ok::<(), fourbase::BoardError>(())
    /// ```
    pub fn ranks(&self, ranks: u32, threads: u32, entries_per_second: f64) -> Vec<RankTier> {
        let together = entries_per_second * f64::from(ranks) * f64::from(threads);
        let entries_of_work = self.entries() as f64 / (self.work() as f64).max(1.0);
        let readers = u128::from(ranks).min(self.board.width() as u128);
        let of_tier = |(number, tier): (usize, &TierPlan)| {
            let planes = Coding::new(self.board, self.values, tier.ply).planes as u128;
            let blocks = tier.entries.saturating_mul(planes).div_ceil(64 * BLOCK_WORDS as u128);
            let of_child = self.tiers.get(number + 1).map_or(0, |child| child.scratch_bytes);
            RankTier {
                ply: tier.ply,
                written_bytes: tier.scratch_bytes.saturating_add(tier.database_bytes),
                read_bytes: of_child.saturating_mul(readers).saturating_add(tier.database_bytes),
                message_bytes: blocks.saturating_mul(LOCATION_BYTES),
                seconds: tier.work() as f64 * entries_of_work / together,
            }
        };
        self.tiers.iter().enumerate().map(of_tier).collect()
    }
}

/// Bytes of a message that announce the location of one block.
const LOCATION_BYTES: u128 = 12;

/// The needs of one tier of a solve by several ranks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankTier {
    /// Pieces on the board.
    pub ply: u32,
    /// Estimated bytes that all ranks write to files: to the logs and to the file of the database.
    pub written_bytes: u128,
    /// Estimated bytes that all ranks read from files.
    pub read_bytes: u128,
    /// Estimated bytes of messages that each rank receives.
    pub message_bytes: u128,
    /// Estimated seconds that the threads compute.
    pub seconds: f64,
}

impl RankTier {
    /// Returns the bytes per second that the file system must move so that no rank waits for it. Assumes at least a
    /// nanosecond per tier.
    pub fn bytes_per_second(&self) -> f64 {
        (self.written_bytes + self.read_bytes) as f64 / self.seconds.max(1e-9)
    }
}
