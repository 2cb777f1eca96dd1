//! Stored values against the values of their moves.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use fourbase::{Outcome, Position};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::collector::Collector;
use super::fault::Fault;
use super::{Progress, Stage};
use crate::database::{Database, DatabaseError};
use crate::index::{Index, TierLayout};
use crate::quiet::{Sight, sight};

/// Entries, or values of a sample, that one thread takes in a row: neighbours share blocks.
const RUN: u64 = 1 << 12;

/// How many values each block of a stored tier holds.
pub(super) struct Stored {
    pub ply: u32,
    pub blocks: Vec<u32>,
}

impl Stored {
    pub fn count(&self) -> u64 {
        self.blocks.iter().map(|values| u64::from(*values)).sum()
    }
}

/// Recomputes the stored values, or `sample` of them; returns how many.
///
/// A sample is even: the values of each tier are cut into as many strata of one length as the tier has a share in the
/// sample, and one of each, which looks random but is always the same, is recomputed.
pub(super) fn check(
    database: &Database,
    stored: &[Stored],
    sample: Option<u64>,
    faults: &Collector,
    progress: &dyn Progress,
) -> u64 {
    let all: u64 = stored.iter().map(Stored::count).sum();
    match sample.filter(|sample| *sample < all) {
        Some(sample) => check_sample(database, stored, all, sample, faults, progress),
        None => check_all(database, stored, faults, progress),
    }
}

fn check_all(database: &Database, stored: &[Stored], faults: &Collector, progress: &dyn Progress) -> u64 {
    let entries = |ply: u32| database.manifest().tier(ply).map_or(0, |tier| tier.entries);
    progress.begins(Stage::Values, stored.iter().map(|tier| entries(tier.ply)).sum());
    let checked = AtomicU64::new(0);
    for tier in stored {
        let layout = TierLayout::new(database.index(), tier.ply);
        runs(layout.entries()).for_each(|run| {
            let mut checked_here = 0;
            for entry in run.clone() {
                let position = position_of(database.index(), &layout, entry);
                let Some(position) = position.filter(|position| sight(position) == Sight::Quiet) else { continue };
                check_entry(database, tier.ply, entry, position, faults);
                checked_here += 1;
            }
            checked.fetch_add(checked_here, Ordering::Relaxed);
            progress.done(run.end - run.start);
        });
    }
    checked.into_inner()
}

/// Recomputes `sample` of `all` stored values.
fn check_sample(
    database: &Database,
    stored: &[Stored],
    all: u64,
    sample: u64,
    faults: &Collector,
    progress: &dyn Progress,
) -> u64 {
    progress.begins(Stage::Values, sample);
    let (mut checked, mut before) = (0, 0);
    for tier in stored {
        // The shares of all tiers sum to the sample, and none is more than the tier has.
        let share_before = |values: u64| (u128::from(sample) * u128::from(values) / u128::from(all)) as u64;
        let count = tier.count();
        let strata =
            Strata { ply: tier.ply, values: count, count: share_before(before + count) - share_before(before) };
        before += count;
        if strata.count == 0 {
            continue;
        }
        let mut ends: Vec<u64> = Vec::with_capacity(tier.blocks.len());
        tier.blocks.iter().for_each(|values| ends.push(ends.last().unwrap_or(&0) + u64::from(*values)));
        let layout = TierLayout::new(database.index(), tier.ply);
        runs(strata.count).for_each(|run| {
            for stratum in run.clone() {
                let value = strata.choose(stratum);
                let block = ends.partition_point(|end| *end <= value);
                let first = block.checked_sub(1).map_or(0, |before| ends[before]);
                check_value(database, &layout, block as u64, (value - first) as u32, faults);
            }
            progress.done(run.end - run.start);
        });
        checked += strata.count;
    }
    checked
}

/// Cuts numbers from 0 on into runs, for all threads.
fn runs(count: u64) -> impl ParallelIterator<Item = Range<u64>> {
    (0..count.div_ceil(RUN)).into_par_iter().map(move |run| run * RUN..count.min((run + 1) * RUN))
}

/// The values of a tier, cut into pieces of one length, but for one value.
struct Strata {
    ply: u32,
    values: u64,
    count: u64,
}

impl Strata {
    fn start(&self, stratum: u64) -> u64 {
        (u128::from(self.values) * u128::from(stratum) / u128::from(self.count)) as u64
    }

    /// Returns the value of a stratum that is taken.
    fn choose(&self, stratum: u64) -> u64 {
        let (start, end) = (self.start(stratum), self.start(stratum + 1));
        start + xxh3_64_with_seed(&stratum.to_le_bytes(), self.ply.into()) % (end - start).max(1)
    }
}

/// Recomputes one value of a block.
fn check_value(database: &Database, layout: &TierLayout, block: u64, value: u32, faults: &Collector) {
    let ply = layout.ply();
    let entry = match database.entry_of(ply, block, value) {
        Ok(entry) => entry,
        Err(error) => return faults.push(Fault::File(error)),
    };
    match position_of(database.index(), layout, entry).filter(|position| sight(position) == Sight::Quiet) {
        Some(position) => check_entry(database, ply, entry, position, faults),
        None => faults.push(Fault::NotQuiet { ply, block, entry }),
    }
}

/// Returns the position of an entry; `None` for an entry that is none, because both players have lines in it, or the
/// one to move.
pub(super) fn position_of(index: &Index, layout: &TierLayout, entry: u64) -> Option<Position> {
    let [first, second] = index.split().bitboards(&index.unrank(layout, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

fn check_entry(database: &Database, ply: u32, entry: u64, position: Position, faults: &Collector) {
    let fault = match (database.probe(&position), best_of_moves(database, &position)) {
        (Ok(stored), Ok(Some(expected))) if stored == expected => return,
        (Ok(stored), Ok(Some(expected))) => {
            let block = database.block_of(ply, entry).unwrap_or(0);
            Fault::Value { ply, block, entry, position, stored, expected }
        }
        (Ok(_), Ok(None)) => Fault::NoEntry { ply, position },
        (Err(source), _) | (_, Err(source)) => Fault::Unanswered { ply, entry, position, source },
    };
    faults.push(fault);
}

/// Finds the best of what the moves of a position lead to; `None` where there are none.
fn best_of_moves(database: &Database, position: &Position) -> Result<Option<Outcome>, DatabaseError> {
    let mut best: Option<Outcome> = None;
    for column in position.moves() {
        let outcome = database.probe(&position.drop_piece(column))?.parent();
        best = Some(best.map_or(outcome, |best| best.min(outcome)));
    }
    Ok(best)
}
