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

/// Entries, or strata of them, that one thread takes in a row: neighbours share blocks.
const RUN: u64 = 1 << 12;

/// How far is looked for a stored entry in a stratum. Rarer than one in so many they are on no board.
const LOOK: u64 = 1 << 14;

/// Recomputes the stored values, or about `sample` of them; returns how many.
///
/// A sample is even: each tier's entries are cut into as many strata of one length as the tier has a share in the
/// sample, and the first stored entry after a place in each that looks random (but is always the same) is checked.
pub(super) fn check(database: &Database, sample: Option<u64>, faults: &Collector, progress: &dyn Progress) -> u64 {
    let stored: Vec<_> = database.manifest().tiers.iter().filter(|tier| tier.bytes > 0).copied().collect();
    let all: u64 = stored.iter().map(|tier| tier.entries).sum();
    progress.begins(Stage::Values, all);
    let (checked, mut before) = (AtomicU64::new(0), 0u64);
    for tier in stored {
        let share_before = |entries: u64| match sample {
            Some(sample) => (u128::from(sample) * u128::from(entries) / u128::from(all.max(1))) as u64,
            None => entries,
        };
        let strata = (share_before(before + tier.entries) - share_before(before)).min(tier.entries);
        before += tier.entries;
        let layout = TierLayout::new(database.index(), tier.ply);
        let tier_of = Strata { ply: tier.ply, entries: layout.entries(), count: strata };
        (0..strata.div_ceil(RUN)).into_par_iter().for_each(|run| {
            let run = run * RUN..strata.min((run + 1) * RUN);
            let mut checked_here = 0;
            for stratum in run.clone() {
                checked_here += u64::from(check_stratum(database, &layout, tier_of.range(stratum), faults));
            }
            checked.fetch_add(checked_here, Ordering::Relaxed);
            progress.done(tier_of.start(run.end) - tier_of.start(run.start));
        });
        if strata == 0 {
            progress.done(tier.entries);
        }
    }
    checked.into_inner()
}

/// The entries of a tier, cut into pieces of one length, but for one entry.
struct Strata {
    ply: u32,
    entries: u64,
    count: u64,
}

impl Strata {
    fn start(&self, stratum: u64) -> u64 {
        (u128::from(self.entries) * u128::from(stratum) / u128::from(self.count.max(1))) as u64
    }

    /// Returns where to look in a stratum: from a place in it to its end.
    fn range(&self, stratum: u64) -> Range<u64> {
        let (start, end) = (self.start(stratum), self.start(stratum + 1));
        let place = xxh3_64_with_seed(&stratum.to_le_bytes(), self.ply.into()) % (end - start).max(1);
        start + place..end.min(start + place + LOOK)
    }
}

/// Checks the first stored entry of `entries`; tells whether there is one.
fn check_stratum(database: &Database, layout: &TierLayout, entries: Range<u64>, faults: &Collector) -> bool {
    for entry in entries {
        let Some(position) = position_of(database.index(), layout, entry) else { continue };
        if sight(&position) != Sight::Quiet {
            continue;
        }
        check_entry(database, layout.ply(), entry, position, faults);
        return true;
    }
    false
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
