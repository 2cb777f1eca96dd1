//! Writing the quiet positions of a solved tier.

use std::ops::ControlFlow;
use std::path::Path;

use rayon::prelude::*;

use super::chunk::Chunks;
use super::codec;
use super::container::{Header, Reader, Writer};
use super::folder::tier_path;
use super::manifest::check_length;
use super::publish::Written;
use super::storage::Storage;
use super::values::TierValues;
use crate::error::DatabaseError;
use crate::index::{Index, count_shapes};
use crate::kernel::Values;

/// Groups of chunks that are packed at a time: bounds what is held before it is written.
const BATCH_GROUPS: u64 = 64;

/// Tells whether the tier of `ply` pieces is stored. A probe of any other ply looks one ply ahead; odd plies were the
/// smaller half on every board tried.
pub(crate) fn is_stored(ply: u32) -> bool {
    !ply.is_multiple_of(2)
}

/// Returns what the file of a tier says about itself.
pub(crate) fn header(index: &Index, values: Values, ply: u32, chunks: &Chunks) -> Header {
    let board = index.board().to_string();
    Header { board, values, ply, entries: chunks.tier_entries, chunk_entries: chunks.each }
}

/// Writes a tier's file, not yet durable nor under its name; `None` for a tier that is not stored. Asks before each batch
/// of blocks whether to stop, and where it does takes the file away and breaks off.
pub(crate) fn write_tier<T: TierValues>(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &T,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ControlFlow<(), Option<Written>>, DatabaseError> {
    let ply = tier.ply();
    if !is_stored(ply) {
        return Ok(ControlFlow::Continue(None));
    }
    let path = tier_path(folder, ply);
    let chunks = tier.chunks();
    let header = header(index, tier.coding().values(), ply, &chunks);
    let mut writer = Writer::create(storage, &path, &header)?;
    let groups = chunks.groups();
    let mut first = 0;
    while first < groups {
        if is_stopped() {
            writer.abandon(storage)?;
            return Ok(ControlFlow::Break(()));
        }
        let batch = first..groups.min(first + BATCH_GROUPS);
        first = batch.end;
        let encoded: Vec<_> = batch
            .into_par_iter()
            .map_init(|| tier.rows(index).ok(), |rows, group| encode(index, tier, rows.as_mut(), group))
            .collect();
        for blocks in encoded {
            for block in blocks? {
                writer.block(&block.payload, block.chunks)?;
            }
        }
    }
    let written = writer.finish(&tier.shape_entries())?;
    Ok(ControlFlow::Continue(Some(written)))
}

/// Packs one group of chunks, with rows of its own where there are none to share.
fn encode<T: TierValues>(
    index: &Index,
    tier: &T,
    rows: Option<&mut T::Rows<'_>>,
    group: u64,
) -> Result<Vec<codec::Block>, DatabaseError> {
    match rows {
        Some(rows) => codec::encode(index, tier, rows, group),
        None => codec::encode(index, tier, &mut tier.rows(index)?, group),
    }
}

/// What a file of values should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub values: Values,
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Length of the file, where that is known.
    pub bytes: Option<u64>,
}

/// Opens a file of values, checks that it is what it should be, and returns with it how it is cut into chunks. Before
/// that is checked nothing is allocated but the header.
pub(crate) fn open(
    storage: &dyn Storage,
    path: &Path,
    index: &Index,
    expected: &Expected,
) -> Result<(Reader, Chunks), DatabaseError> {
    let Expected { values, ply, entries, bytes } = *expected;
    Reader::open(storage, path, count_shapes(index.board(), ply), |found, size| {
        let chunks = Chunks::new(found.chunk_entries, entries)
            .filter(|chunks| *found == header(index, values, ply, chunks))
            .ok_or_else(|| DatabaseError::Wrong {
                file: path.to_path_buf(),
                what: "the content",
                expected: format!("{} {values} ply {ply} of {entries} entries", index.board()),
                found: found.to_string(),
            })?;
        check_length(path, bytes.unwrap_or(size), size)?;
        Ok(chunks)
    })
}
