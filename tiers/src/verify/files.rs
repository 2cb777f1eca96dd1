//! Every byte of every file: checksums, hashes, sizes, and that every block decodes.

use super::fault::Fault;
use super::report::{Report, Stage};
use super::tier::StoredTier;
use super::work::{Threads, Work};
use crate::crew::CrewError;
use crate::database::Database;
use crate::index::TierDirectory;

/// Reads every file through, and compares the sizes of the tiers with the index. Returns the stored tiers.
///
/// The tiers that have no file come last, and only where the others are whole: nothing but the index says how many
/// entries they have, and for a large board that takes its tables.
pub(super) fn check(database: &Database, report: &mut Report, work: &Work) -> Result<Vec<StoredTier>, CrewError> {
    let (tiers, faults) = (&database.manifest().tiers, work.faults);
    work.begin(Stage::Files, tiers.len() as u64);
    report.bytes = database.manifest().bytes();
    report.files = 1 + tiers.iter().filter(|tier| tier.bytes > 0).count() as u64;
    if let Err(error) = database.check_manifest() {
        faults.push(Fault::File(error));
    }
    let mut stored = Vec::new();
    for tier in tiers.iter().filter(|tier| tier.bytes > 0) {
        let before = faults.count();
        let read = read(database, tier.ply, work)?;
        if faults.count() == before {
            work.tier_done(Stage::Files, tier.ply, read.as_ref().map_or(0, |tier| tier.blocks.len() as u64));
            stored.extend(read);
        }
        work.done_by_all(1);
    }
    report.files -= faults.unread();
    for tier in tiers.iter().filter(|tier| tier.bytes == 0) {
        if faults.is_empty() {
            let expected = TierDirectory::new(database.index(), tier.ply).entries();
            if tier.entries != expected {
                faults.push(Fault::Entries { ply: tier.ply, found: tier.entries, expected });
            }
        }
        work.done_by_all(1);
    }
    work.agree("the files")?;
    Ok(stored)
}

/// Reads a tier's file through, or finds the first fault of it; `None` where it has no file.
fn read(database: &Database, ply: u32, work: &Work) -> Result<Option<StoredTier>, CrewError> {
    let (faults, place) = (work.faults, format!("the file of ply {ply}"));
    let opened = database.open_stored(ply).map_err(|error| faults.push(Fault::File(error)));
    work.agree(&place)?;
    let Ok(Some(open)) = opened else { return Ok(None) };
    let mut tier = StoredTier::new(database, open);
    let read =
        work.share(&place, tier.file().reader().blocks(), Threads::Each, Read::default, |read, number, _| match tier
            .read_block(number)
        {
            Ok(block) => read.values.push([number, block.len().into()]),
            Err(_) => read.faulty = read.faulty.min(number),
        })?;
    let faulty = read.iter().map(|read| read.faulty).min().unwrap_or(NONE);
    let faulty = work.exchange(&[faulty])?.into_iter().flatten().min().unwrap_or(NONE);
    if faulty != NONE {
        tier.read_block(faulty).err().into_iter().for_each(|fault| faults.push(fault));
        work.agree(&place)?;
        return Ok(None);
    }
    let own: Vec<u64> = read.iter().flat_map(|read| read.values.as_flattened()).copied().collect();
    tier.blocks = vec![0; tier.file().reader().blocks() as usize];
    for [number, values] in work.exchange(&own)?.iter().flat_map(|told| told.as_chunks().0) {
        if let Some(of_block) = tier.blocks.get_mut(*number as usize) {
            *of_block = *values as u32;
        }
    }
    work.share(
        &place,
        1,
        Threads::Together,
        || (),
        |(), _, faults| {
            if let Err(error) = database.check_shapes_and_hash(tier.file()) {
                faults.push(Fault::File(error));
            }
        },
    )?;
    Ok(Some(tier))
}

/// What a thread has read: blocks with their numbers of values, and the first that cannot be read.
struct Read {
    values: Vec<[u64; 2]>,
    faulty: u64,
}

/// Every block can be read.
const NONE: u64 = u64::MAX;

impl Default for Read {
    fn default() -> Read {
        Read { values: Vec::new(), faulty: NONE }
    }
}
