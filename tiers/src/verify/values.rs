//! Stored values against the values of their moves.

use std::ops::Range;

use fourbase::Position;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::collector::Collector;
use super::fault::Fault;
use super::lookup::Lookup;
use super::report::{Progress, Stage};
use super::tier::StoredTier;
use crate::database::DatabaseError;

/// Values of a sample that one thread takes in a row: neighbours share blocks.
const RUN: u64 = 1 << 12;

/// Recomputes the stored values, or `sample` of them; returns how many.
///
/// A sample is even: the values of each tier are cut into as many strata of one length as the tier has a share in the
/// sample, and one of each, which looks random but is always the same, is recomputed.
pub(super) fn check(lookup: &Lookup, sample: Option<u64>, faults: &Collector, progress: &dyn Progress) -> u64 {
    let all: u64 = lookup.tiers().map(StoredTier::count).sum();
    match sample.filter(|sample| *sample < all) {
        Some(sample) => check_sample(lookup, all, sample, faults, progress),
        None => check_all(lookup, faults, progress),
    }
}

fn check_all(lookup: &Lookup, faults: &Collector, progress: &dyn Progress) -> u64 {
    let entries = |tier: &StoredTier| tier.file().chunks().tier_entries;
    progress.begins(Stage::Values, lookup.tiers().map(entries).sum());
    let checked = lookup.tiers().map(|tier| {
        let chunks = (0..tier.chunks()).into_par_iter().map(|number| {
            let checked = check_chunk(lookup, tier, number, faults).unwrap_or_else(|error| {
                faults.push(Fault::File(error));
                0
            });
            let entries = tier.entries(number);
            progress.done(entries.end - entries.start);
            checked
        });
        chunks.sum::<u64>()
    });
    checked.sum()
}

/// Recomputes the values of a chunk; returns how many.
fn check_chunk(lookup: &Lookup, tier: &StoredTier, number: u64, faults: &Collector) -> Result<u64, DatabaseError> {
    let quiet = tier.quiet_positions(lookup.database().index(), number);
    let (block, place) = tier.block_of(number)?;
    let decoded = lookup.block(tier, block)?;
    let codes = decoded.chunk(place);
    if codes.len() != quiet.len() {
        faults.push(wrong_count(tier, block, number, codes.len() as u32, quiet.len() as u32));
        return Ok(0);
    }
    // A small tier has few chunks, and its values may be searched, which takes long: then threads share a chunk.
    quiet.par_iter().zip(codes).for_each(|((entry, position), code)| {
        check_value(lookup, tier, &Value { block, entry: *entry, position: *position, code: *code }, faults);
    });
    Ok(quiet.len() as u64)
}

fn wrong_count(tier: &StoredTier, block: u64, chunk: u64, found: u32, expected: u32) -> Fault {
    Fault::Count { ply: tier.ply, block, chunk, entry: tier.entries(chunk).start, found, expected }
}

/// Recomputes `sample` of `all` stored values.
fn check_sample(lookup: &Lookup, all: u64, sample: u64, faults: &Collector, progress: &dyn Progress) -> u64 {
    progress.begins(Stage::Values, sample);
    let (mut checked, mut before) = (0, 0);
    for tier in lookup.tiers() {
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
        runs(strata.count).for_each(|run| {
            for stratum in run.clone() {
                let value = strata.choose(stratum);
                let block = ends.partition_point(|end| *end <= value);
                let first = block.checked_sub(1).map_or(0, |before| ends[before]);
                check_sampled(lookup, tier, block as u64, (value - first) as u32, faults)
                    .unwrap_or_else(|error| faults.push(Fault::File(error)));
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

/// A stored value, and where it is.
#[derive(Clone, Copy)]
struct Value {
    block: u64,
    entry: u64,
    position: Position,
    code: u8,
}

/// Recomputes one value of a block, given by its number.
fn check_sampled(
    lookup: &Lookup,
    tier: &StoredTier,
    block: u64,
    number: u32,
    faults: &Collector,
) -> Result<(), DatabaseError> {
    let missing = || tier.file().reader().damaged(block, "a block has fewer values than it had");
    let (place, number) = lookup.block(tier, block)?.place_of(number).ok_or_else(missing)?;
    let chunk_number = tier.first_chunk(block)? + place as u64;
    let chunk = lookup.chunk(tier, chunk_number)?;
    if chunk.stored() != chunk.quiet_entries() {
        faults.push(wrong_count(tier, block, chunk_number, chunk.stored(), chunk.quiet_entries()));
        return Ok(());
    }
    let place = chunk.place_of(number).ok_or_else(missing)?;
    let entry = tier.entries(chunk_number).start + place as u64;
    let position = tier.quiet_position(lookup.database().index(), entry).ok_or_else(missing)?;
    let code = chunk.code(place).ok_or_else(missing)?;
    check_value(lookup, tier, &Value { block, entry, position, code }, faults);
    Ok(())
}

/// Compares a stored value with the best of its moves, and with what a probe answers.
fn check_value(lookup: &Lookup, tier: &StoredTier, value: &Value, faults: &Collector) {
    let (ply, Value { block, entry, position, code }) = (tier.ply, *value);
    let Some(stored) = tier.outcome(code) else {
        return faults.push(Fault::NoOutcome { ply, block, entry, position, code });
    };
    match lookup.best_of_moves(&position) {
        Ok(expected) if expected == stored => {}
        Ok(expected) => faults.push(Fault::Value { ply, block, entry, position, stored, expected }),
        Err(source) => faults.push(Fault::Unanswered { ply, entry, position, source }),
    }
    lookup.check_probe(&position, stored, faults);
}
