//! How many bits a database takes for each legal position.

use std::fs;

use anyhow::Context;
use fourbase_tiers::communicator::Alone;
use fourbase_tiers::counts::count_by_ply;
use fourbase_tiers::database::Database;
use fourbase_tiers::files::Disk;
use fourbase_tiers::solve::Solve;
use serde::Serialize;

use crate::number::short;
use crate::wording;

/// The size of a database.
#[derive(Serialize)]
pub struct Space {
    /// All files of its folder: tiers with their headers and directories, and the manifest.
    pub bytes: u64,
    /// Legal positions of the board, mirror images counted apart, finished ones included.
    pub legal: u64,
    /// Bits of all files for each of them.
    pub bits_per_legal: f64,
    /// From the empty board on.
    pub plies: Vec<TierSpace>,
}

/// The size of a tier.
#[derive(Serialize)]
pub struct TierSpace {
    pub ply: u32,
    /// Entries of the index, after the mirror.
    pub entries: u64,
    /// Legal positions of this ply.
    pub legal: u64,
    /// Length of its file; 0 for a tier without a file, where a probe looks one ply ahead.
    pub bytes: u64,
    /// Bits of the file for each legal position of this ply.
    pub bits_per_legal: f64,
}

/// Counts the bytes and the legal positions of a complete database.
///
/// # Errors
///
/// Files whose length cannot be read.
pub fn weigh(database: &Database) -> anyhow::Result<Space> {
    let bytes = folder_bytes(database)?;
    let plies = count_by_ply(&Solve::new(database.board(), database.values()), &Alone, &Disk, &())?;
    let tiers = &database.manifest().tiers;
    let rows = plies.iter().zip(tiers.iter().rev()).map(|(ply, tier)| TierSpace {
        ply: ply.ply,
        entries: tier.entries,
        legal: ply.legal,
        bytes: tier.bytes,
        bits_per_legal: bits(tier.bytes, ply.legal),
    });
    let legal = plies.iter().map(|ply| ply.legal).sum();
    Ok(Space { bytes, legal, bits_per_legal: bits(bytes, legal), plies: rows.collect() })
}

/// Sums the lengths of all files in the folder.
fn folder_bytes(database: &Database) -> anyhow::Result<u64> {
    let folder = database.folder();
    let lengths = fs::read_dir(folder).and_then(|files| files.map(|file| Ok(file?.metadata()?.len())).sum());
    lengths.with_context(|| format!("cannot read the lengths of the files in {}", wording::path(folder)))
}

fn bits(bytes: u64, legal: u64) -> f64 {
    if legal == 0 { 0.0 } else { short(8.0 * bytes as f64 / legal as f64) }
}
