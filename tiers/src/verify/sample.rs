//! A sample of the stored values.
//!
//! A sample is even: the values of each tier are cut into as many strata of one length as the tier has a share in the
//! sample, and one of each, which looks random but is always the same, is recomputed. So any two values are as likely but for
//! rounding, and the place of one in its stratum tells nothing of that of another.
//!
//! The values of a tier are recomputed in batches, because what they need is found in the order of the files ([`ahead`]).

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::ahead;
use super::collector::Collector;
use super::fault::Fault;
use super::known::Place;
use super::lookup::Lookup;
use super::report::Stage;
use super::tier::StoredTier;
use super::value::{Value, check_value, wrong_count};
use super::work::{Threads, Work};
use crate::crew::CrewError;
use crate::database::DatabaseError;

/// Values that are recomputed together. The moves of one lead to at most 50 or so others on 7x6, in the mean of all tiers of 7x5 to 12,
/// so that a batch takes at most some 200 MB. Larger batches expand fewer blocks twice.
const BATCH: u64 = if cfg!(test) { 100 } else { 1 << 16 };

/// Recomputes `sample` of `all` stored values; returns how many.
pub(super) fn check(lookup: &Lookup, all: u64, sample: u64, work: &Work) -> Result<u64, CrewError> {
    work.begin(Stage::Values, sample);
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
        let (each, place) = (batch(strata.count, work.size()), format!("the sampled values of ply {}", tier.ply));
        work.share(
            &place,
            strata.count.div_ceil(each),
            Threads::Together,
            || (),
            |(), number, faults| {
                let batch = number * each..strata.count.min((number + 1) * each);
                let chosen: Vec<Chosen> = batch.map(|stratum| strata.choose(stratum, &ends)).collect();
                check_batch(lookup, tier, &chosen, faults, work);
            },
        )?;
        work.tier_done(Stage::Values, tier.ply, strata.count);
        checked += strata.count;
    }
    Ok(checked)
}

/// Returns how many of a tier's values are recomputed together: with several processes so many that each gets some batches.
fn batch(values: u64, processes: u64) -> u64 {
    if processes == 1 { BATCH } else { values.div_ceil(4 * processes).clamp(BATCH.min(1000), BATCH) }
}

/// The values of a tier, cut into pieces of one length, but for one value.
struct Strata {
    ply: u32,
    values: u64,
    count: u64,
}

/// A value that is taken: its block, and its number in the block.
struct Chosen {
    block: u64,
    number: u32,
}

impl Strata {
    fn start(&self, stratum: u64) -> u64 {
        (u128::from(self.values) * u128::from(stratum) / u128::from(self.count)) as u64
    }

    /// Chooses the value of a stratum that is taken. `ends` are the values of the tier up to the end of each block.
    fn choose(&self, stratum: u64, ends: &[u64]) -> Chosen {
        let (start, end) = (self.start(stratum), self.start(stratum + 1));
        let value = start + xxh3_64_with_seed(&stratum.to_le_bytes(), self.ply.into()) % (end - start).max(1);
        let block = ends.partition_point(|end| *end <= value);
        let first = block.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        Chosen { block: block as u64, number: (value - first) as u32 }
    }
}

/// Recomputes some values of a tier, in order.
fn check_batch(lookup: &Lookup, tier: &StoredTier, chosen: &[Chosen], faults: &Collector, work: &Work) {
    let of_blocks: Vec<&[Chosen]> = chosen.chunk_by(|one, other| one.block == other.block).collect();
    let values = of_blocks.par_iter().flat_map_iter(|of_block| {
        read(lookup, tier, of_block, faults).unwrap_or_else(|error| {
            faults.push(Fault::File(error));
            Vec::new()
        })
    });
    let values: Vec<Value> = values.collect();
    let needed = values.par_iter().fold(Vec::new, |mut needed: Vec<Place>, value| {
        lookup.needed_by_moves(&value.position, &mut needed);
        needed
    });
    // Most of the time goes by here.
    let known = ahead::find(lookup, needed.flatten_iter().collect(), chosen.len() as u64, &|steps| work.done(steps));
    values.par_iter().for_each(|value| check_value(lookup, tier, value, &known, faults));
}

/// Reads values of one block, given by their numbers, and finds their positions.
fn read(
    lookup: &Lookup,
    tier: &StoredTier,
    chosen: &[Chosen],
    faults: &Collector,
) -> Result<Vec<Value>, DatabaseError> {
    let Some(Chosen { block, .. }) = chosen.first() else { return Ok(Vec::new()) };
    let index = lookup.database().index();
    let missing = || DatabaseError::from(tier.file().reader().damaged(*block, "a block has fewer values than it had"));
    let (decoded, first_chunk) = (lookup.block(tier, *block)?, tier.first_chunk(*block)?);
    let places = chosen.iter().map(|chosen| decoded.place_of(chosen.number).ok_or_else(missing));
    let places: Vec<(usize, u32)> = places.collect::<Result<_, _>>()?;
    let mut values = Vec::with_capacity(chosen.len());
    for of_chunk in places.chunk_by(|one, other| one.0 == other.0) {
        let Some((place, _)) = of_chunk.first() else { continue };
        let chunk = first_chunk + *place as u64;
        let codes = tier.codes(&decoded, *place);
        let quiet = tier.quiet_entries(index, chunk);
        if codes.len() != quiet.len() {
            faults.push(wrong_count(tier, *block, chunk, codes.len(), quiet.len()));
            continue;
        }
        for (_, number) in of_chunk {
            let number = *number as usize;
            let (entry, code) = quiet.get(number).zip(codes.get(number)).ok_or_else(missing)?;
            let position = tier.quiet_position(index, *entry).ok_or_else(missing)?;
            values.push(Value { block: *block, entry: *entry, position, code: *code });
        }
    }
    Ok(values)
}
