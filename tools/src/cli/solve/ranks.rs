//! Estimates what a solve by several processes needs, for people and as JSON.

use std::fmt;

use fourbase_tiers::files::{bytes, counted, grouped};
use fourbase_tiers::kernel::Coding;
use fourbase_tiers::solve::{Plan, TierPlan};
use fourbase_tiers::tier::BLOCK_WORDS;
use serde::Serialize;

use crate::output::duration;

/// What several processes need.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ranks {
    processes: u32,
    threads: u32,
    entries_per_second_and_thread: u64,
    /// Of the tables of the index, in each process, about.
    table_bytes: u128,
    /// Of the largest matrix; null for a board that is beyond the index.
    largest_matrix_bytes: Option<u128>,
    seconds: f64,
    core_hours: f64,
    written_bytes: u128,
    read_bytes: u128,
    bytes_per_second: f64,
    /// The ply at which the file system has to be fastest.
    busiest_ply: u32,
    busiest_bytes_per_second: f64,
    /// The most that a process is told of the blocks of one tier.
    told_bytes: u128,
    /// Each tier from the empty board up.
    pub plies: Vec<SharedTier>,
}

/// The bytes with which a message tells other processes where one block is.
const LOCATION_BYTES: u128 = 12;

/// What one tier needs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SharedTier {
    ply: u32,
    written_bytes: u128,
    read_bytes: u128,
    told_bytes: u128,
    seconds: f64,
    bytes_per_second: f64,
}

impl SharedTier {
    /// Returns the cells of the tier's row in the table: bytes read, time, and bytes per second.
    pub fn row(&self) -> [String; 3] {
        [bytes(self.read_bytes), duration(self.seconds), format!("{}/s", bytes(self.bytes_per_second as u128))]
    }
}

impl Ranks {
    /// Makes the estimate for `processes` processes of `threads` threads each. A thread solves `entries_per_second` entries per
    /// second.
    ///
    /// Every block of values is written to a log once. The processes that read a block are those that solve shapes (column heights)
    /// from which a move leads into it, so there are at most as many as the board has columns. Each process keeps the blocks that
    /// it has read while it has memory for them.
    pub fn new(plan: &Plan, processes: u32, threads: u32, entries_per_second: f64) -> Ranks {
        let together = entries_per_second * f64::from(processes) * f64::from(threads);
        let entries_of_work = plan.entries() as f64 / (plan.work() as f64).max(1.0);
        let readers = u128::from(processes).min(plan.board.width() as u128);
        let children = plan.tiers.iter().skip(1).map(|child| child.scratch_bytes).chain([0]);
        let shared = |(tier, child_bytes): (&TierPlan, u128)| {
            let planes = Coding::new(plan.board, plan.values, tier.ply).planes as u128;
            let blocks = tier.entries.saturating_mul(planes).div_ceil(64 * BLOCK_WORDS as u128);
            let written_bytes = tier.scratch_bytes.saturating_add(tier.database_bytes);
            let read_bytes = child_bytes.saturating_mul(readers).saturating_add(tier.database_bytes);
            let seconds = tier.work() as f64 * entries_of_work / together;
            let bytes_per_second = (written_bytes + read_bytes) as f64 / seconds.max(1e-9);
            let told_bytes = blocks.saturating_mul(LOCATION_BYTES);
            SharedTier { ply: tier.ply, written_bytes, read_bytes, told_bytes, seconds, bytes_per_second }
        };
        let plies: Vec<SharedTier> = plan.tiers.iter().zip(children).map(shared).collect();
        let sum = |of: fn(&SharedTier) -> u128| plies.iter().map(of).fold(0u128, u128::saturating_add);
        let (written_bytes, read_bytes) = (sum(|tier| tier.written_bytes), sum(|tier| tier.read_bytes));
        let seconds: f64 = plies.iter().map(|tier| tier.seconds).sum();
        // Leave out tiers that take less than 1 % of the time: their data can wait until the next tier.
        let long = plies.iter().filter(|tier| tier.seconds >= seconds / 100.0);
        let busiest = long.max_by(|one, other| one.bytes_per_second.total_cmp(&other.bytes_per_second));
        Ranks {
            processes,
            threads,
            entries_per_second_and_thread: entries_per_second as u64,
            table_bytes: plan.table_bytes(),
            largest_matrix_bytes: plan.largest_matrix_bytes(),
            seconds,
            core_hours: seconds * f64::from(processes) * f64::from(threads) / 3600.0,
            written_bytes,
            read_bytes,
            bytes_per_second: written_bytes.saturating_add(read_bytes) as f64 / seconds,
            busiest_ply: busiest.map_or(0, |tier| tier.ply),
            busiest_bytes_per_second: busiest.map_or(0.0, |tier| tier.bytes_per_second),
            told_bytes: plies.iter().map(|tier| tier.told_bytes).max().unwrap_or(0),
            plies,
        }
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |rate: f64| bytes(rate as u128);
        write!(f, "{} of {}", counted(self.processes, "process"), counted(self.threads, "thread"))?;
        match self.largest_matrix_bytes {
            Some(matrix) => write!(f, ", each with the memory above; largest matrix {}", bytes(matrix))?,
            None => write!(
                f,
                ": this board is beyond the index, whose tables would take about {} in each process",
                bytes(self.table_bytes)
            )?,
        }
        let cpu = match self.core_hours {
            few @ ..1.0 => format!("{} of CPU time", duration(few * 3600.0)),
            many => format!("{} core hours", grouped(many.ceil() as u128)),
        };
        write!(
            f,
            "; messages per tier up to {}\nabout {}, {cpu}, at {} entries a second and thread as measured here",
            bytes(self.told_bytes),
            duration(self.seconds),
            grouped(self.entries_per_second_and_thread.into()),
        )?;
        write!(
            f,
            "\nabout {} written and {} read: {}/s if nobody waits for files, {}/s at ply {}",
            bytes(self.written_bytes),
            bytes(self.read_bytes),
            rate(self.bytes_per_second),
            rate(self.busiest_bytes_per_second),
            self.busiest_ply,
        )
    }
}
