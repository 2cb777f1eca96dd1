//! Wrong values with valid checksums, for tests of what has to find them.

#![allow(clippy::indexing_slicing, reason = "for tests, in tiers that were just made")]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use fourbase::{Outcome, Player, Position, Value};

use crate::communicator::Alone;
use crate::database::{Database, DatabaseError};
use crate::files::{FileError, Storage, publish};
use crate::format::{folder_of, write_tier};
use crate::index::{Index, TierDirectory};
use crate::kernel::Coding;
use crate::tier::{Tier, Watch};

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
        let directory = TierDirectory::new(of.index(), record.ply);
        let codes: Vec<u8> = (0..record.entries)
            .map(|entry| {
                let other = planted.iter().find(|other| (other.ply, other.entry) == (record.ply, entry));
                let outcome = match other {
                    Some(other) => Some(other.outcome),
                    None => {
                        position_of(of.index(), &directory, entry).map(|position| of.probe(&position)).transpose()?
                    }
                };
                Ok(outcome.map_or(0, |outcome| code(of, record.ply, outcome)))
            })
            .collect::<Result<_, DatabaseError>>()?;
        let tier = tier_of(of, record.ply, &codes)?;
        let written = write_tier(&**storage, &folder, of.index(), &tier, &Alone, &|| false)?;
        if let ControlFlow::Continue(Some((written, hash))) = written {
            (record.bytes, record.hash) = (written.bytes, Some(hash));
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

fn position_of(index: &Index, directory: &TierDirectory, entry: u64) -> Option<Position> {
    let [first, second] = index.split.bitboards(&directory.unrank(index, entry)?);
    Position::from_bitboards(index.board(), first, second).ok()
}

/// Returns the code of an outcome for the player to move.
fn code(of: &Database, ply: u32, outcome: Outcome) -> u8 {
    let mover = Player::to_move(ply);
    let winner = match outcome.value {
        Value::Tie => None,
        Value::Win => Some(mover),
        Value::Lose => Some(mover.other()),
    };
    // Without remoteness only the winner is written.
    Coding::new(of.board(), of.values(), ply).encode(winner, outcome.remoteness.map_or(0, |plies| ply + plies))
}

/// Makes a tier in memory with these codes, one for each entry.
fn tier_of(of: &Database, ply: u32, codes: &[u8]) -> Result<Tier<'static>, FileError> {
    let directory = TierDirectory::new(of.index(), ply);
    let coding = Coding::new(of.board(), of.values(), ply);
    let mut tier = Tier::in_memory(of.index(), coding, ply, None);
    tier.fill(
        of.index(),
        &Watch::none(),
        || (),
        |(), matrix, rows, out| {
            let mut located = directory.located_from(of.index(), 0).filter(|located| located.matrix == *matrix);
            let first = located.next().map_or(0, |located| located.first_entry as usize);
            out.fill(0);
            let row_words = matrix.words();
            for (row, words) in rows.zip(out.chunks_exact_mut((row_words * coding.planes).max(1))) {
                for column in 0..matrix.columns as usize {
                    let code = codes[first + row * matrix.columns as usize + column];
                    for plane in 0..coding.planes {
                        words[plane * row_words + column / 64] |= u64::from(code >> plane & 1) << (column % 64);
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(tier)
}
