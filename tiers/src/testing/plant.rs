//! Writes wrong values with valid checksums into a database, to test the checks that must find these values.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

use fourbase::{Outcome, Player, Position, Value};
use rayon::prelude::*;

use crate::context::Context;
use crate::database::{Database, DatabaseError};
use crate::files::{FileError, Storage, publish};
use crate::format::{Manifest, TierRecord, folder_of, write_tier};
use crate::index::{Index, Matrix, Parts, TierDirectory};
use crate::kernel::Coding;
use crate::progress::StageProgress;
use crate::tier::{Kind, Tier};

/// A stored entry and its new outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planted {
    /// The tier.
    pub ply: u32,
    /// The entry in the tier, from 0; it must be stored.
    pub entry: u64,
    /// The outcome for the player to move; the tier must have a code for it.
    pub outcome: Outcome,
}

/// Changes some entries of a complete database to the outcomes in `planted`. Writes the changed tiers of `of`, and a
/// manifest for them, into the database's folder below `root`. All checksums are valid.
///
/// # Errors
/// If a file can't be read or written.
pub fn plant(storage: &Arc<dyn Storage>, root: &Path, of: &Database, planted: &[Planted]) -> Result<(), DatabaseError> {
    let folder = folder_of(root, of.board(), of.values());
    let mut manifest = of.manifest.clone();
    let plies: std::collections::BTreeSet<u32> = planted.iter().map(|planted| planted.ply).collect();
    for ply in plies {
        let outcome = |entry, position: &Position| {
            let other = planted.iter().find(|planted| (planted.ply, planted.entry) == (ply, entry));
            other.map_or_else(|| of.probe(position), |planted| Ok(planted.outcome))
        };
        write_tier_again(&**storage, &folder, &mut manifest, of, ply, outcome)?;
    }
    manifest.write(&**storage, &folder)?;
    Ok(())
}

/// Rewrites the file of the tier of `ply` pieces with the outcomes that `outcome` returns for each entry and its
/// position, and records the file in `manifest`, which is complete.
fn write_tier_again(
    storage: &dyn Storage,
    folder: &Path,
    manifest: &mut Manifest,
    of: &Database,
    ply: u32,
    outcome: impl Fn(u64, &Position) -> Result<Outcome, DatabaseError> + Sync,
) -> Result<(), DatabaseError> {
    let index = of.index();
    let (directory, coding) = (TierDirectory::new(index, ply), Coding::new(of.board(), of.values(), ply));
    let code = |entry| {
        let boards = directory.unrank(index, entry).map(|parts| index.split.bitboards(&parts));
        let position = boards.and_then(|[first, second]| Position::from_bitboards(of.board(), first, second).ok());
        // Some entries are not valid positions; their code does not matter.
        position.map_or(Ok(0), |position| Ok(encode(&coding, ply, outcome(entry, &position)?)))
    };
    let codes: Vec<u8> = (0..directory.entries()).into_par_iter().map(code).collect::<Result<_, DatabaseError>>()?;
    let tier = tier_of(index, coding, &directory, &codes)?;
    let written =
        write_tier(&Context { storage, ..Context::default() }, folder, index, &tier, &manifest.chunks(&directory))?;
    if let ControlFlow::Continue(Some((written, hash))) = written {
        let (bytes, hash) = (written.bytes, Some(hash));
        let other = manifest.tiers.iter_mut().filter(|tier| tier.ply == ply);
        other.for_each(|tier| *tier = TierRecord { bytes, hash, ..*tier });
        publish(storage, folder, vec![written])?;
    }
    if let Some(root) = manifest.root() {
        // Complete the manifest again, to update its hash.
        manifest.complete(root);
    }
    Ok(())
}

/// Makes a tier in memory with these codes, one for each entry.
fn tier_of(index: &Index, coding: Coding, directory: &TierDirectory, codes: &[u8]) -> Result<Tier<'static>, FileError> {
    let mut tier = Tier::in_memory(index, Kind::Values(coding.values), directory.ply, None);
    let fill = |(): &mut (), matrix: &Matrix, rows: Range<usize>, out: &mut [u64]| {
        let [left, right] = [(matrix.left, matrix.left_firsts), (matrix.right, matrix.right_firsts)]
            .map(|(wing, firsts)| index.colourings(wing, matrix.spine, firsts));
        let first = left.get(rows.start).zip(right.first()).and_then(|(left_bits, right_bits)| {
            let Matrix { left, spine, right, .. } = *matrix;
            directory.rank(index, &Parts { left, left_bits: *left_bits, spine, right, right_bits: *right_bits })
        });
        let codes = first.and_then(|first| codes.get(first as usize..)).unwrap_or_default();
        out.fill(0);
        let (columns, row_words) = (matrix.columns as usize, matrix.words());
        let rows = out.chunks_exact_mut((row_words * coding.planes).max(1));
        for (codes, row) in codes.chunks(columns.max(1)).zip(rows) {
            for (plane, words) in row.chunks_exact_mut(row_words.max(1)).enumerate() {
                for (column, code) in codes.iter().enumerate() {
                    if let Some(word) = words.get_mut(column / 64) {
                        *word |= u64::from(code >> plane & 1) << (column % 64);
                    }
                }
            }
        }
        Ok(())
    };
    tier.fill(index, &StageProgress::none(), || (), fill)?;
    Ok(tier)
}

/// Returns the code of an outcome for the player to move.
fn encode(coding: &Coding, ply: u32, outcome: Outcome) -> u8 {
    let mover = Player::to_move(ply);
    let winner = match outcome.value {
        Value::Tie => None,
        Value::Win => Some(mover),
        Value::Lose => Some(mover.other()),
    };
    // Without remoteness only the winner is encoded, so any ply will do.
    coding.encode(winner, outcome.remoteness.map_or(0, |plies| ply + plies))
}
