//! Every byte of every file: checksums, hashes, sizes, and that every block decodes.

use rayon::prelude::*;

use super::collector::Collector;
use super::fault::Fault;
use super::report::{Progress, Report, Stage};
use super::tier::StoredTier;
use crate::database::Database;
use crate::index::TierDirectory;

/// Reads every file through, and compares the sizes of the tiers with the index. Returns the stored tiers.
///
/// The tiers that have no file come last, and only where the others are whole: nothing but the index says how many
/// entries they have, and for a large board that takes its tables.
pub(super) fn check(
    database: &Database,
    report: &mut Report,
    faults: &Collector,
    progress: &dyn Progress,
) -> Vec<StoredTier> {
    let tiers = &database.manifest().tiers;
    progress.begins(Stage::Files, tiers.len() as u64);
    report.bytes = database.manifest().bytes();
    report.files = 1 + tiers.iter().filter(|tier| tier.bytes > 0).count() as u64;
    if let Err(error) = database.check_manifest() {
        faults.push(Fault::File(error));
    }
    let mut stored = Vec::new();
    for tier in tiers.iter().filter(|tier| tier.bytes > 0) {
        match read(database, tier.ply) {
            Ok(read) => {
                let blocks = read.as_ref().map_or(0, |tier| tier.blocks.len() as u64);
                progress.tier_done(Stage::Files, tier.ply, blocks);
                stored.extend(read);
            }
            Err(fault) => faults.push(fault),
        }
        progress.done(1);
    }
    report.files -= faults.unread();
    for tier in tiers.iter().filter(|tier| tier.bytes == 0) {
        if faults.is_empty() {
            let expected = TierDirectory::new(database.index(), tier.ply).entries();
            if tier.entries != expected {
                faults.push(Fault::Entries { ply: tier.ply, found: tier.entries, expected });
            }
        }
        progress.done(1);
    }
    stored
}

/// Reads a tier's file through, or finds the first fault of it.
fn read(database: &Database, ply: u32) -> Result<Option<StoredTier>, Fault> {
    let Some(open) = database.open_stored(ply).map_err(Fault::File)? else { return Ok(None) };
    let mut tier = StoredTier::new(database, open);
    let blocks: Vec<_> = (0..tier.file().reader().blocks())
        .into_par_iter()
        .map(|number| tier.read_block(number).map(|block| block.len()))
        .collect();
    tier.blocks = blocks.into_iter().collect::<Result<_, Fault>>()?;
    database.check_shapes_and_hash(tier.file()).map_err(Fault::File)?;
    Ok(Some(tier))
}
