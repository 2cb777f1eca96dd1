//! Checks every byte of every file: compares checksums, hashes and sizes, and decodes every block.

use rayon::prelude::*;

use super::report::{Fault, FaultKind, VerifyReport};
use super::tier::StoredTier;
use super::work::Work;
use crate::database::{Database, DatabaseError};
use crate::files::{counted, grouped};
use crate::format::TierRecord;
use crate::index::TierDirectory;
use crate::progress::Stage;

/// Reads every file and compares the sizes of the tiers with the index. Returns the stored tiers.
///
/// Checks tiers without a file last, and only if all files are sound, because this check needs the tables of the index,
/// which are large for a large board.
pub(super) fn check(
    database: &Database,
    report: &mut VerifyReport,
    work: &Work,
) -> Result<Vec<StoredTier>, DatabaseError> {
    let tiers = &database.manifest.tiers;
    let (in_files, others): (Vec<_>, Vec<&TierRecord>) = tiers.iter().partition(|tier| tier.bytes > 0);
    let shown = work.begin(Stage::Files, tiers.len() as u64);
    database.check_manifest().unwrap_or_else(|error| work.push_file_error(&error));
    work.gather()?;
    let mut stored = Vec::new();
    for (number, tier) in (0..).zip(&in_files) {
        let read = read(database, tier, number, work)?;
        let found = work.gather()?;
        if let Some(tier) = read.filter(|_| found == 0) {
            work.context.progress.tier_done(Stage::Files, tier.ply, tier.open.reader.blocks, 0);
            stored.push(tier);
        }
        shown.done(u64::from(work.is_turn(number)));
    }
    report.files = 1 + in_files.len() as u64 - work.unread();
    for (number, tier) in (0..).zip(others) {
        let expected = || TierDirectory::new(database.index(), tier.ply).entries();
        if let Some(expected) = work.is_sound().then(expected).filter(|expected| *expected != tier.entries) {
            let (ply, found) = (tier.ply, tier.entries);
            let [words, index] = [counted(found, "entry"), grouped(expected.into())];
            let message = format!("ply {ply}: the manifest says {words}, the index has {index}");
            let fault = Fault::new(FaultKind::Entries, message).comparing(found, expected);
            work.push(Fault { ply: Some(ply), ..fault });
        }
        shown.done(u64::from(work.is_turn(number)));
    }
    shown.end();
    work.gather()?;
    Ok(stored)
}

/// Reads the file of a tier; each rank reads its share of the blocks. Returns `None` if the file does not open or a
/// block is faulty; only the first faulty block is reported. The ranks take turns at checking the hash of a whole file;
/// `number` counts the files.
fn read(
    database: &Database,
    record: &TierRecord,
    number: u64,
    work: &Work,
) -> Result<Option<StoredTier>, DatabaseError> {
    let opened = database.open_tier(record).map_err(|error| work.push_file_error(&error.into()));
    let tier = opened.ok().map(|open| StoredTier::new(database, open));
    let own: Vec<(u64, Option<u32>)> = tier.as_ref().map_or_else(Vec::new, |tier| {
        let values = |block| Some(tier.read_block(block).ok()?.ok()?.len());
        work.jobs(tier.open.reader.blocks).map(|block| (block, values(block))).collect()
    });
    let mut blocks = work.concat(&own)?;
    blocks.sort_unstable();
    let Some(mut tier) = tier else { return Ok(None) };
    let Some(&(block, _)) = blocks.iter().find(|(_, values)| values.is_none()) else {
        let mut end = 0;
        for (_, values) in blocks {
            end += u64::from(values.unwrap_or_default());
            tier.block_ends.push(end);
        }
        if work.is_turn(number) {
            let checked = database.check_shapes_and_hash(&tier.open, record);
            checked.unwrap_or_else(|error| work.push_file_error(&error.into()));
        }
        return Ok(Some(tier));
    };
    if own.contains(&(block, None)) {
        match tier.read_block(block) {
            Err(error) => work.push_file_error(&error),
            Ok(Err(what)) => {
                let ply = record.ply;
                let fault = Fault::new(FaultKind::Block, format!("ply {ply}, block {block}: {what}"));
                work.push(Fault { ply: Some(ply), block: Some(block), ..fault });
            }
            Ok(Ok(_)) => {}
        }
    }
    Ok(None)
}
