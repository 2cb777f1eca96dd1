//! Checks whether the contents of a file are possible for its board, before the tables of the board are made.
//!
//! Anybody can write a small file with valid checksums that names a huge board. These checks bound what opening such a
//! file can cost; [`crate::index`] bounds what any board can cost.

use std::path::Path;

use fourbase::Board;

use super::folder::MANIFEST;
use super::manifest::{Manifest, TierRecord};
use crate::files::FileError;
use crate::index::{count_shapes, tier_estimates};

/// If half of the board's columns have at most this many bits, the tables of the board are made in milliseconds. A
/// column has one bit more than it has cells.
const SMALL_HALF_BITS: usize = 24;

/// The estimate of a board's entries is at most 2 to this exponent times the true number. On the boards that could be
/// counted, an exponent of 6 was enough; the rest is a margin.
const ESTIMATE_SLACK_BITS: u32 = 17;

/// A tier with fewer shapes needs no minimum number of entries, because its tables take only a few megabytes.
const FEW_SHAPES: u128 = 1 << 17;

/// If a line has fewer than 3 cells, most shapes have no entry. So a genuine tier with fewer shapes than this can have
/// a tiny file.
const MANY_SHAPES: u128 = 1 << 22;

/// Even the shortest file is allowed to have this many shapes, because the tables for them take only some tens of
/// megabytes, 60 bytes per shape.
const MOST_FREE_SHAPES: u128 = 1 << 19;

/// Rejects the manifest of a complete database that records far fewer entries than its board has. Accepts all boards
/// with small tables.
pub(crate) fn check_manifest(manifest: &Manifest, folder: &Path) -> Result<(), FileError> {
    let board = manifest.board;
    let half_bits = (board.height() + 1) * board.width().div_ceil(2);
    let is_whole = manifest.is_complete() && manifest.keep_plies.is_none();
    // If a line has fewer than 4 cells, the estimate is much too high.
    if !is_whole || half_bits <= SMALL_HALF_BITS || board.connect() < 4 {
        return Ok(());
    }
    let estimate = tier_estimates(board).into_iter().fold(0, u128::saturating_add);
    let stored: u64 = manifest.stored_tiers().map(|tier| tier.entries).sum();
    if u128::from(stored) >= estimate >> ESTIMATE_SLACK_BITS {
        return Ok(());
    }
    let expected = format!("of the order of {estimate}");
    Err(FileError::wrong(&folder.join(MANIFEST), "the number of entries", expected, stored))
}

/// Rejects the file of a tier that has far too few entries or bytes for the number of the tier's shapes.
pub(crate) fn check_tier(path: &Path, board: Board, record: &TierRecord) -> Result<(), FileError> {
    let TierRecord { ply, entries, bytes, .. } = *record;
    let shapes = count_shapes(board, ply);
    let has_tiny_shapes = board.connect() < 3 && shapes < MANY_SHAPES;
    // Almost every shape has an entry, so every genuine tier has far more entries than this.
    let least = if has_tiny_shapes || shapes < FEW_SHAPES { 0 } else { shapes / 64 };
    if least > u128::from(entries) {
        return Err(FileError::wrong(path, "the number of entries", format!("at least {least}"), entries));
    }
    // A shape has many entries, and therefore more than a byte of the file.
    let most_shapes = if has_tiny_shapes { MANY_SHAPES } else { MOST_FREE_SHAPES + u128::from(bytes) };
    if shapes > most_shapes {
        let expected = format!("that of a tier of {shapes} shapes");
        return Err(FileError::wrong(path, "the length", expected, format!("{bytes} bytes")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, TierDirectory};
    use crate::kernel::Kernel;

    #[test]
    fn the_least_number_of_entries_is_a_bound_on_boards_of_many_shapes() {
        let is_accepted = |board: Board, ply, entries| {
            check_tier(Path::new("tier"), board, &TierRecord { ply, entries, bytes: u64::MAX, hash: None }).is_ok()
        };
        let board: Board = "14x2c3".parse().unwrap();
        let index = Index::new(board, Kernel::detect()).unwrap();
        let is_bounded = |ply: &u32| {
            assert!(is_accepted(board, *ply, TierDirectory::new(&index, *ply).entries()), "ply {ply}");
            !is_accepted(board, *ply, 0)
        };
        assert!((8..=20).filter(is_bounded).count() > 0);
        assert!(is_accepted("7x6".parse().unwrap(), 21, 0));
        assert!(["20x2", "20x2c2"].iter().all(|name| !is_accepted(name.parse().unwrap(), 21, 1 << 20)));
    }
}
