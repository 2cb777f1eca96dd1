//! Wrong values with valid checksums, for tests of what has to find them.

#![allow(clippy::indexing_slicing, reason = "for tests, in tiers that were just made")]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use fourbase::{Outcome, Player, Position, Value};

use crate::database::{Database, DatabaseError};
use crate::files::{Storage, publish};
use crate::format::{folder_of, write_tier};
use crate::index::Index;
use crate::kernel::Coding;
use crate::tier::MemoryTier;

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
/// Where a file cannot be read or written.
pub fn plant(storage: &Arc<dyn Storage>, root: &Path, of: &Database, planted: &[Planted]) -> Result<(), DatabaseError> {
    let folder = folder_of(root, of.board(), of.values());
    let mut manifest = of.manifest().clone();
    for record in manifest.tiers.iter_mut().filter(|record| planted.iter().any(|other| other.ply == record.ply)) {
        let coding = Coding::new(of.board(), of.values(), record.ply);
        let mut tier = MemoryTier::new(of.index(), coding, record.ply, Vec::new());
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
        if let ControlFlow::Continue(Some(file)) = written {
            (record.bytes, record.hash) = (file.written.bytes, Some(file.hash));
            publish(&**storage, &folder, vec![file.written])?;
        }
    }
    // Once more, for the hash.
    if let Some(root) = manifest.root() {
        manifest.complete(root);
    }
    manifest.write(&**storage, &folder)?;
    Ok(())
}

fn position_of(index: &Index, tier: &MemoryTier, entry: u64) -> Option<Position> {
    let [first, second] = index.split().bitboards(&index.unrank(tier.layout(), entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

fn set(tier: &mut MemoryTier, entry: u64, outcome: Outcome) {
    let ply = tier.layout().ply();
    let mover = Player::to_move(ply);
    let winner = match outcome.value {
        Value::Tie => None,
        Value::Win => Some(mover),
        Value::Lose => Some(mover.other()),
    };
    // Without remoteness only the winner is written.
    let code = tier.content().encode(winner, outcome.remoteness.map_or(0, |plies| ply + plies));
    let number = tier.layout().matrix_of_entry(entry);
    let columns = u64::from(tier.layout().matrices()[number].columns);
    let inside = entry - tier.layout().first_entry(number);
    let (row, column) = ((inside / columns) as usize, (inside % columns) as usize);
    for plane in 0..tier.content().planes() {
        tier.plane_mut(number, row, plane).set(column, code >> plane & 1 == 1);
    }
}
