//! A line for each finished tier on standard error: the record of a long solve or verification (`--log`).

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fourbase::Board;
use fourbase_tiers::files::bytes;
use fourbase_tiers::progress::{Share, Stage};

use crate::number::grouped;
use crate::{failure, memory};

/// Writes the lines, with the time since the start.
pub struct Log {
    start: Instant,
    board: Board,
    steps: Mutex<Steps>,
}

/// The steps of a stage.
#[derive(Default)]
struct Steps {
    all: u64,
    /// Those that an earlier run has done.
    before: u64,
    done: u64,
}

impl Log {
    /// Starts the clock.
    pub fn begin(board: Board) -> Log {
        Log { start: Instant::now(), board, steps: Mutex::default() }
    }

    /// Notes how many steps a stage has and how many of them are done.
    pub fn stage(&self, stage: Stage, all: u64, done: u64) {
        if stage == Stage::Sweep {
            failure::print_note(&format!("{}: finding the legal positions first", self.board));
        }
        *self.steps.lock().unwrap_or_else(PoisonError::into_inner) = Steps { all, before: done, done };
    }

    /// Writes the line of a tier that is done in a stage.
    pub fn tier_done(&self, stage: Stage, ply: u32, count: u64, file_bytes: u64) {
        let what = match stage {
            Stage::Solve => self.solved(count, file_bytes),
            Stage::Files => "blocks read".to_owned(),
            Stage::Values => "values recomputed".to_owned(),
            Stage::Legal => "legal positions counted".to_owned(),
            Stage::Search => "positions searched".to_owned(),
            _ => return,
        };
        failure::print_note(&format!(
            "{:9.1} s  ply {ply:2}  {:>19} {what}, peak memory {}",
            self.start.elapsed().as_secs_f64(),
            grouped(count.into()),
            memory::peak_bytes().map_or_else(|| "?".to_string(), |peak| bytes(peak.into())),
        ));
    }

    /// Counts the entries of a solved tier; says how far the solve has come.
    fn solved(&self, entries: u64, file_bytes: u64) -> String {
        let Steps { all, before, done } = &mut *self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        *done += entries;
        let left =
            self.start.elapsed().as_secs_f64() * all.saturating_sub(*done) as f64 / (*done - *before).max(1) as f64;
        let percent = 100.0 * *done as f64 / (*all).max(1) as f64;
        format!("entries  file {:>10}  {percent:5.1} % done, {left:.0} s left", bytes(file_bytes.into()))
    }

    /// Writes what it took several processes to solve a tier.
    pub fn tier_shared(&self, shares: &[Share]) {
        let sum = |of: fn(&Share) -> f64| shares.iter().map(of).sum::<f64>();
        let waited = sum(|share| share.waited.as_secs_f64()) / sum(|share| share.took.as_secs_f64()).max(1e-9);
        let messages: u64 = shares.iter().map(|share| share.bytes).sum();
        let written: u64 = shares.iter().map(|share| share.written).sum();
        let count = shares.len();
        failure::print_note(&format!(
            "{:22}{count} processes waited {:.1} % of their time, {} of messages, {} written",
            "",
            100.0 * waited,
            bytes(messages.into()),
            bytes(written.into())
        ));
    }
}
