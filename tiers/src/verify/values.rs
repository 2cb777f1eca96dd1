//! Stored values against the values of their moves.

use rayon::prelude::*;

use super::collector::Collector;
use super::fault::Fault;
use super::known::Known;
use super::lookup::Lookup;
use super::report::Stage;
use super::sample;
use super::tier::StoredTier;
use super::value::{Value, check_value, wrong_count};
use super::work::{Threads, Work};
use crate::crew::CrewError;
use crate::database::DatabaseError;

/// Recomputes the stored values, or `sample` of them (see [`sample`]); returns how many.
pub(super) fn check(lookup: &Lookup, sample: Option<u64>, work: &Work) -> Result<u64, CrewError> {
    let all: u64 = lookup.tiers().map(StoredTier::count).sum();
    match sample.filter(|sample| *sample < all) {
        Some(sample) => sample::check(lookup, all, sample, work),
        None => check_all(lookup, work),
    }
}

fn check_all(lookup: &Lookup, work: &Work) -> Result<u64, CrewError> {
    let entries = |tier: &StoredTier| tier.file().chunks().tier_entries;
    work.begin(Stage::Values, lookup.tiers().map(entries).sum());
    let mut checked = 0;
    for tier in lookup.tiers() {
        let place = format!("the values of ply {}", tier.ply);
        let of_threads = work.share(
            &place,
            tier.chunks(),
            Threads::Each,
            || 0,
            |checked: &mut u64, number, faults| {
                match check_chunk(lookup, tier, number, faults) {
                    Ok(values) => *checked += values,
                    Err(error) => faults.push(Fault::File(error)),
                }
                let entries = tier.entries(number);
                work.done(entries.end - entries.start);
            },
        )?;
        let of_tier = work.sum(of_threads.iter().sum())?;
        work.tier_done(Stage::Values, tier.ply, of_tier);
        checked += of_tier;
    }
    Ok(checked)
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
