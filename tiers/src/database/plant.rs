//! Wrong values with valid checksums, for tests of what has to find them.

#![allow(clippy::indexing_slicing, reason = "for tests, in tiers that were just made")]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use fourbase::{Outcome, Position, Value};

use super::folder::folder_of;
use super::open::Database;
use super::publish::publish;
use super::storage::Storage;
use super::writer::write_tier;
use crate::error::DatabaseError;
use crate::index::Index;
use crate::solve::Tier;

/// A stored entry and what is to stand there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planted {
    /// The tier.
    pub ply: u32,
    /// The entry in the tier, from 0; has to be a quiet position.
    pub entry: u64,
    /// For the player to move; has to be one that the tier can hold.
    pub outcome: Outcome,
}

/// Writes the tiers of a complete database again with other values in some entries. All checksums are valid.
///
/// # Errors
/// As for every file.
pub fn plant(storage: &Arc<dyn Storage>, root: &Path, of: &Database, planted: &[Planted]) -> Result<(), DatabaseError> {
    let folder = folder_of(root, of.board(), of.values());
    let mut manifest = of.manifest().clone();
    for record in manifest.tiers.iter_mut().filter(|record| planted.iter().any(|other| other.ply == record.ply)) {
        let mut tier = Tier::new(of.index(), of.values(), record.ply, Vec::new());
        for entry in 0..record.entries {
            let other = planted.iter().find(|other| (other.ply, other.entry) == (record.ply, entry));
            let outcome = match other {
                Some(other) => Some(other.outcome),
                None => position_of(of.index(), &tier, entry).map(|position| of.probe(&position)).transpose()?,
            };
            if let Some(outcome) = outcome {
                set(&mut tier, entry, outcome);
            }
        }
        let written = write_tier(&**storage, &folder, of.index(), &tier, &|| false)?;
        if let ControlFlow::Continue(Some(written)) = written {
            (record.bytes, record.hash) = (written.bytes, written.hash);
            publish(&**storage, &folder, vec![written])?;
        }
    }
    // Once more, for the hash.
    if let Some(root) = manifest.root() {
        manifest.complete(root);
    }
    manifest.write(&**storage, &folder)?;
    Ok(())
}

fn position_of(index: &Index, tier: &Tier, entry: u64) -> Option<Position> {
    let [first, second] = index.split().bitboards(&index.unrank(&tier.layout, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

fn set(tier: &mut Tier, entry: u64, outcome: Outcome) {
    let ply = tier.layout.ply();
    let mover = Index::mover(ply);
    let winner = match outcome.value {
        Value::Tie => None,
        Value::Win => Some(mover),
        Value::Lose => Some(mover.other()),
    };
    // Without remoteness only the winner is written.
    let code = tier.coding.encode(winner, outcome.remoteness.map_or(0, |plies| ply + plies));
    let number = tier.layout.matrix_of_entry(entry);
    let columns = u64::from(tier.layout.matrices()[number].columns);
    let inside = entry - tier.layout.first_entry(number);
    let (row, column) = ((inside / columns) as usize, (inside % columns) as usize);
    for plane in 0..tier.coding.planes() {
        let word = &mut tier.row_mut(number, row, plane)[column / 64];
        *word = *word & !(1 << (column % 64)) | u64::from(code >> plane & 1) << (column % 64);
    }
}
