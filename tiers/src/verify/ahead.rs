//! Looking up in the order of the files what the moves of many positions lead to, before it is asked for.
//!
//! The positions of a sample lie far apart, and what their moves lead to even further. In the order of the positions each of
//! some ten look-ups would expand a block and walk through a chunk. In the order of the files a block is expanded once.

use fourbase::Outcome;
use rayon::prelude::*;

use super::known::{Known, Place};
use super::lookup::Lookup;
use super::tier::StoredTier;

/// Looks values up, and tells on the way that `steps` steps are done. A value that cannot be looked up gives its error when it
/// is asked for again.
pub(super) fn find(lookup: &Lookup, mut places: Vec<Place>, steps: u64, done: &(dyn Fn(u64) + Sync)) -> Known {
    places.par_sort_unstable();
    places.dedup();
    let chunk = |(ply, entry): &Place| Some((*ply, lookup.tier(*ply)?.chunk_of(*entry).0));
    let of_chunks: Vec<&[Place]> = places.chunk_by(|one, other| chunk(one) == chunk(other)).collect();
    // A thread goes through neighbours, which share a block.
    let outcomes = of_chunks.par_iter().enumerate().flat_map_iter(|(number, of_chunk)| {
        let found = of_chunk.first().and_then(|(ply, _)| find_in_chunk(lookup, lookup.tier(*ply)?, of_chunk));
        let before = |chunks: usize| steps * chunks as u64 / of_chunks.len() as u64;
        done(before(number + 1) - before(number));
        found.unwrap_or_else(|| vec![None; of_chunk.len()])
    });
    let outcomes = outcomes.collect();
    if of_chunks.is_empty() {
        done(steps);
    }
    Known::new(places, outcomes)
}

/// Looks up values of one chunk; `None` if the chunk has not as many values as quiet entries, or cannot be read.
fn find_in_chunk(lookup: &Lookup, tier: &StoredTier, places: &[Place]) -> Option<Vec<Option<Outcome>>> {
    let (chunk, _) = tier.chunk_of(places.first()?.1);
    let (block, inside) = tier.block_of(chunk).ok()?;
    let codes = tier.codes(&*lookup.block(tier, block).ok()?, inside);
    let quiet = tier.quiet_entries(lookup.database().index(), chunk);
    let outcome = |(_, entry): &Place| tier.outcome(*codes.get(quiet.binary_search(entry).ok()?)?);
    (codes.len() == quiet.len()).then(|| places.iter().map(outcome).collect())
}
