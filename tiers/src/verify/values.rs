//! Compares stored values with the best values of their moves, for all stored values or for a sample.
//!
//! A sample is spread evenly. Each tier gets a share of the sample in proportion to its number of values. The values of
//! a tier are divided into strata of equal length, as many as the tier's share. One pseudorandom value of each stratum
//! is recomputed. So, up to rounding, all values are equally likely to be chosen, and the choices in different strata
//! are independent.
//!
//! The values of a sample lie far apart, and their children even further. If each value were recomputed by itself, each
//! of its about ten look-ups would expand a block and search a chunk. So a sample is recomputed in batches: first the
//! children of a whole batch are looked up, in the order of the files, so that each block is expanded once.

use fourbase::{Outcome, Position, Value};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lookup::{FileLookup, Leaf};
use super::report::{Fault, FaultKind, words};
use super::tier::StoredTier;
use super::walk::each_quiet;
use super::work::{Work, share};
use crate::database::DatabaseError;
use crate::files::counted;
use crate::progress::{Stage, StageProgress};

/// The largest and the smallest limit for the number of values in a batch. A value of 7x6 needs at most some 50
/// look-ups (12 on average on 7x5), so the largest batch takes at most some 200 MB. A larger batch saves time, because
/// fewer blocks are expanded twice.
const BATCH: (u64, u64) = if cfg!(test) { (100, 10) } else { (1 << 16, 1 << 10) };

/// The most bytes needed to recompute a value.
const VALUE_BYTES: u64 = 3 << 10;

/// The ply and entry of a stored value.
type TierEntry = (u32, u64);

/// A stored value and its place.
struct StoredValue {
    block: u64,
    entry: u64,
    position: Position,
    code: u8,
}

/// A tier whose values are recomputed.
struct TierCheck<'a> {
    lookup: &'a FileLookup<'a>,
    tier: &'a StoredTier,
    work: &'a Work<'a>,
    shown: &'a StageProgress<'a>,
    /// The most values of a sample that are recomputed together.
    batch: u64,
}

/// Recomputes all stored values, or a sample in batches that use about a quarter of the memory limit or less. Returns
/// the number of recomputed values.
pub(super) fn check(lookup: &FileLookup, work: &Work) -> Result<u64, DatabaseError> {
    let all: u64 = lookup.tiers.values().map(StoredTier::count).sum();
    let sample = work.options.sample.filter(|sample| *sample < all);
    let batch = (work.options.memory_bytes / 4 / VALUE_BYTES).clamp(BATCH.1, BATCH.0);
    let entries = |tier: &StoredTier| tier.open.reader.chunks.tier_entries;
    let shown = &work.begin(Stage::Values, sample.unwrap_or_else(|| lookup.tiers.values().map(entries).sum()));
    let (mut checked, mut before) = (0, 0);
    for tier in lookup.tiers.values().rev() {
        let (check, after) = (TierCheck { lookup, tier, work, shown, batch }, before + tier.count());
        let of_tier = match sample {
            None => work.sum(work.jobs(tier.open.reader.blocks).map(|block| check.check_block(block)).sum())?,
            // The shares of all tiers add up to the sample, and no share exceeds its tier.
            Some(sample) => check.check_sample(share(sample, after, all) - share(sample, before, all)),
        };
        before = after;
        if of_tier > 0 || sample.is_none() {
            work.context.progress.tier_done(Stage::Values, tier.ply, of_tier, 0);
        }
        checked += of_tier;
    }
    shown.end();
    work.gather()?;
    Ok(checked)
}

impl TierCheck<'_> {
    /// Recomputes all values of a block. Returns how many.
    fn check_block(&self, block: u64) -> u64 {
        let values = self.read_block(block, None);
        // Threads share the values of a block, because a small tier has few blocks, whose values may need long
        // searches.
        values.par_iter().for_each(|value| self.check_value(value, &|leaf| self.lookup.read(&leaf)));
        values.len() as u64
    }

    /// Returns the values of a block, or only the `chosen` values, given by their blocks and their numbers in the
    /// block. Reports a fault if reading fails, and a fault for each chunk that has more or fewer values than quiet
    /// entries.
    fn read_block(&self, block: u64, chosen: Option<&[(u64, u32)]>) -> Vec<StoredValue> {
        let (ply, reader, mut values) = (self.tier.ply, &self.tier.open.reader, Vec::new());
        let read = || Ok::<_, DatabaseError>((self.lookup.block(self.tier, block)?, reader.first_chunk(block)?));
        let (decoded, first_chunk) = match read() {
            Ok(read) => read,
            Err(error) => {
                self.work.push_file_error(&error);
                return values;
            }
        };
        if chosen.and_then(<[_]>::last).is_some_and(|(_, number)| *number >= decoded.len()) {
            self.work.push_file_error(&reader.damaged(block, "a block has fewer values than it had").into());
        }
        for (place, chunk) in (0..decoded.chunks()).zip(first_chunk..) {
            let numbers = decoded.numbers(place);
            let is_chosen = |number: u32| chosen.is_none_or(|chosen| chosen.binary_search(&(block, number)).is_ok());
            if chosen.is_some() && !numbers.clone().any(is_chosen) {
                continue;
            }
            let entries = self.tier.entries(chunk);
            let (directory, chunks) = (&self.tier.open.directory, self.tier.open.reader.chunks);
            let (index, mut quiet) = (self.lookup.database.index(), Vec::new());
            each_quiet(index, directory, chunks.has_forced, entries.clone(), |entry, parts| {
                let [first, second] = index.split.bitboards(parts);
                // A quiet entry has no lines, so it is always a position. If it were not, the counts below would
                // differ.
                let position = Position::from_bitboards(index.board(), first, second);
                quiet.extend(position.ok().map(|position| (entry, position)));
            });
            if chosen.is_none() {
                self.shown.done(entries.end - entries.start);
            }
            let (found, expected) = (numbers.len() as u64, quiet.len() as u64);
            if found != expected {
                let [values, quiet] =
                    [(found, "value"), (expected, "quiet entry")].map(|(count, noun)| counted(count, noun));
                let place = format!("ply {ply}, block {block}, chunk {chunk} from entry {} on", entries.start);
                let fault = Fault::new(FaultKind::Count, format!("{place}: {values}, {quiet}"));
                let fault = fault.comparing(found, expected);
                self.work.push(Fault { ply: Some(ply), block: Some(block), entry: Some(entries.start), ..fault });
                continue;
            }
            let stored = numbers.zip(quiet).filter(|(number, _)| is_chosen(*number));
            values.extend(stored.filter_map(|(number, (entry, position))| {
                let code = self.tier.codes.unpack(decoded.packed(), number as usize)?;
                Some(StoredValue { block, entry, position, code })
            }));
        }
        values
    }

    /// Compares a stored value with the best of its moves and with a probe. `read` returns the outcome of a leaf.
    fn check_value(&self, value: &StoredValue, read: &dyn Fn(Leaf) -> Result<Outcome, DatabaseError>) {
        let StoredValue { block, entry, position, code } = value;
        let fault = |kind, what: String| {
            let place = format!(", block {block}, entry {entry}");
            Fault { block: Some(*block), entry: Some(*entry), ..Fault::at(kind, &place, position, what) }
        };
        let Some(stored) = self.tier.codes.outcome(*code) else {
            let fault = fault(FaultKind::NoOutcome, format!("code {code} stands for no outcome"));
            return self.work.push(Fault { found: Some(format!("code {code}")), ..fault });
        };
        match self.lookup.best_of_moves(position, &mut |leaf| read(leaf)) {
            Ok(expected) if expected == stored => {}
            Ok(expected) => {
                let [found, expected] = [stored, expected].map(words);
                let fault = fault(FaultKind::Value, format!("stored {found}, expected {expected}"));
                self.work.push(fault.comparing(found, expected));
            }
            Err(error) => {
                let fault = Fault::at(FaultKind::Unanswered, &format!(", entry {entry}"), position, &error);
                self.work.push_error(&error, Fault { entry: Some(*entry), ..fault });
            }
        }
        self.lookup.check_probe(position, stored, self.work);
    }

    /// Recomputes `count` values of the tier, in batches of about equal size; every rank has the same number of
    /// batches. Returns `count`.
    fn check_sample(&self, count: u64) -> u64 {
        for strata in self.work.batches(count, self.batch) {
            let chosen: Vec<(u64, u32)> = strata.map(|stratum| self.choose(stratum, count)).collect();
            self.check_batch(&chosen);
        }
        count
    }

    /// Chooses a value from one of the `count` strata of the tier. Returns the value's block and its number in the
    /// block.
    fn choose(&self, stratum: u64, count: u64) -> (u64, u32) {
        let block_ends = &self.tier.block_ends;
        let [start, end] = [stratum, stratum + 1].map(|stratum| share(self.tier.count(), stratum, count));
        let random = xxh3_64_with_seed(&stratum.to_le_bytes(), self.tier.ply.into());
        let value = start + random % (end - start).max(1);
        let block = block_ends.partition_point(|end| *end <= value);
        let first = block.checked_sub(1).and_then(|before| block_ends.get(before)).copied().unwrap_or(0);
        (block as u64, (value - first) as u32)
    }

    /// Recomputes the `chosen` values, sorted pairs of a block and a number in the block.
    fn check_batch(&self, chosen: &[(u64, u32)]) {
        let of_blocks: Vec<&[(u64, u32)]> = chosen.chunk_by(|one, other| one.0 == other.0).collect();
        let values =
            of_blocks.par_iter().filter_map(|of_block| Some(self.read_block(of_block.first()?.0, Some(of_block))));
        let values: Vec<StoredValue> = values.flatten_iter().collect();
        let needed = values.par_iter().flat_map_iter(|value| {
            let mut needed: Vec<TierEntry> = Vec::new();
            // Ignore a position without an entry: recomputing the value reports it.
            let _ = self.lookup.best_of_moves(&value.position, &mut |leaf| {
                needed.extend(tier_entry(&leaf));
                Ok(Outcome { value: Value::Tie, remoteness: None })
            });
            needed
        });
        // This takes most of the time.
        let outcomes = self.look_up(needed.collect(), chosen.len() as u64);
        let read = |leaf: Leaf| {
            let number = outcomes.binary_search_by_key(&tier_entry(&leaf), |(entry, _)| Some(*entry)).ok();
            let outcome = number.and_then(|number| outcomes.get(number)?.1);
            outcome.map_or_else(|| self.lookup.read(&leaf), Ok)
        };
        values.par_iter().for_each(|value| self.check_value(value, &read));
    }

    /// Looks up entries in the order of the files, and shows `steps` steps of progress. Returns each entry once, in
    /// ascending order, with its outcome. The outcome is `None` if the look-up fails: the caller reads the entry again
    /// to get the error.
    fn look_up(&self, mut entries: Vec<TierEntry>, steps: u64) -> Vec<(TierEntry, Option<Outcome>)> {
        entries.par_sort_unstable();
        entries.dedup();
        let all = entries.len() as u64;
        self.shown.done(if all == 0 { steps } else { 0 });
        // Each thread looks up neighbours, which share a block.
        let outcomes = entries.par_iter().enumerate().map(|(number, (ply, entry))| {
            self.shown.done(share(steps, number as u64 + 1, all) - share(steps, number as u64, all));
            let outcome =
                self.lookup.tiers.get(ply).and_then(|tier| self.lookup.read(&Leaf::Stored(tier, *entry)).ok());
            ((*ply, *entry), outcome)
        });
        outcomes.collect()
    }
}

/// Returns the ply and entry of a stored leaf; `None` for any other leaf.
fn tier_entry(leaf: &Leaf) -> Option<TierEntry> {
    if let Leaf::Stored(tier, entry) = leaf { Some((tier.ply, *entry)) } else { None }
}
