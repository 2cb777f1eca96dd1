//! Whether what a file records can be true of its board: checked before the tables of the board are made.
//!
//! Anybody can write a small file with valid checksums that names a huge board. These checks bound what such a file can
//! cost the process that opens it; [`crate::index`] bounds what any board can cost.

use std::path::Path;

use fourbase::Board;

use super::folder::MANIFEST;
use super::manifest::{Manifest, TierRecord};
use crate::files::FileError;
use crate::index::{count_shapes, least_entries, tier_estimates};

/// Tables of half a board with at most this many bits (a column has one more bit than cells) take milliseconds.
const SMALL_HALF_BITS: usize = 24;

/// The estimate of a board's entries is at most 2 to this power times the true number. On boards that can be counted a
/// power of 6 was enough.
const ESTIMATE_SLACK_BITS: u32 = 17;

/// With K below 3 most shapes have no entry, so a true tier of this many shapes may be tiny.
const MANY_SHAPES: u128 = 1 << 22;

/// The tables of this many shapes take some tens of megabytes, 60 bytes a shape: allowed for files of any length.
const MOST_FREE_SHAPES: u128 = 1 << 19;

/// Refuses the manifest of a complete database that records far fewer entries than its board has. Boards with small
/// tables pass.
///
/// # Errors
/// [`FileError::Wrong`].
pub(crate) fn check_manifest(manifest: &Manifest, folder: &Path, board: Board) -> Result<(), FileError> {
    let half_bits = (board.height() + 1) * board.width().div_ceil(2);
    let is_whole = manifest.is_complete() && manifest.keep_plies.is_none();
    // With K below 4 the estimate is too far above the truth.
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

/// Refuses the file of a tier that is far too small, in entries or bytes, for the number of the tier's shapes.
///
/// # Errors
/// [`FileError::Wrong`].
pub(crate) fn check_tier(path: &Path, board: Board, record: &TierRecord) -> Result<(), FileError> {
    let TierRecord { ply, entries, bytes, .. } = *record;
    let least = least_entries(board, ply);
    if least > u128::from(entries) {
        return Err(FileError::wrong(path, "the number of entries", format!("at least {least}"), entries));
    }
    // A shape has many entries, and so takes more than a byte of the file.
    let shapes = count_shapes(board, ply);
    let has_tiny_shapes = board.connect() < 3 && shapes < MANY_SHAPES;
    let most_shapes = if has_tiny_shapes { MANY_SHAPES } else { MOST_FREE_SHAPES + u128::from(bytes) };
    if shapes > most_shapes {
        let expected = format!("that of a tier of {shapes} shapes");
        return Err(FileError::wrong(path, "the length", expected, format!("{bytes} bytes")));
    }
    Ok(())
}
