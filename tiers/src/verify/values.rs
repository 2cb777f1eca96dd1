//! Stored values against the values of their moves.

use rayon::prelude::*;

use super::collector::Collector;
use super::fault::Fault;
use super::known::Known;
use super::lookup::Lookup;
use super::report::{Progress, Stage};
use super::sample;
use super::tier::StoredTier;
use super::value::{Value, check_value, wrong_count};
use crate::database::DatabaseError;

/// Recomputes the stored values, or `sample` of them (see [`sample`]); returns how many.
pub(super) fn check(lookup: &Lookup, sample: Option<u64>, faults: &Collector, progress: &dyn Progress) -> u64 {
    let all: u64 = lookup.tiers().map(StoredTier::count).sum();
    match sample.filter(|sample| *sample < all) {
        Some(sample) => sample::check(lookup, all, sample, faults, progress),
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
        let checked = chunks.sum::<u64>();
        progress.tier_done(Stage::Values, tier.ply, checked);
        checked
    });
    checked.sum()
}

/// Recomputes the values of a chunk; returns how many.
fn check_chunk(lookup: &Lookup, tier: &StoredTier, number: u64, faults: &Collector) -> Result<u64, DatabaseError> {
    let quiet = tier.quiet_positions(lookup.database().index(), number);
    let (block, place) = tier.block_of(number)?;
    let decoded = lookup.block(tier, block)?;
    let codes = tier.codes(&decoded, place);
    if codes.len() != quiet.len() {
        faults.push(wrong_count(tier, block, number, codes.len(), quiet.len()));
        return Ok(0);
    }
    // A small tier has few chunks, and its values may be searched, which takes long: then threads share a chunk.
    quiet.par_iter().zip(codes).for_each(|((entry, position), code)| {
        let value = Value { block, entry: *entry, position: *position, code };
        check_value(lookup, tier, &value, &Known::default(), faults);
    });
    Ok(quiet.len() as u64)
}
