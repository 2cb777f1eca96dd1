//! What a solve by several ranks needs: bytes of files and messages, tier by tier.

use super::plan::Plan;
use super::tier_plan::TierPlan;
use crate::kernel::Coding;
use crate::tier::BLOCK_WORDS;

impl Plan {
    /// Plans the tiers for so many ranks, each with so many threads, which solve so many entries a second each; from the empty
    /// board up.
    ///
    /// Every block is written to a log once, and read by the ranks whose shapes lead to it, no more than the board has columns.
    /// Each rank keeps what it has read while there is room.
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

/// Bytes by which a rank sends the others the location of a block.
const LOCATION_BYTES: u128 = 12;

/// What one tier of a solve by several ranks takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankTier {
    /// Pieces on the board.
    pub ply: u32,
    /// Bytes that all ranks write into files, about: the logs, and the file of the database.
    pub written_bytes: u128,
    /// Bytes that all ranks read from files, about.
    pub read_bytes: u128,
    /// Bytes of the messages that each rank receives, about.
    pub message_bytes: u128,
    /// How long the threads compute, in seconds.
    pub seconds: f64,
}

impl RankTier {
    /// Returns the bytes a second that the file system has to move if no rank is to wait for it. A tier takes a nanosecond or more.
    pub fn bytes_per_second(&self) -> f64 {
        (self.written_bytes + self.read_bytes) as f64 / self.seconds.max(1e-9)
    }
}
