//! Writing the quiet positions of a solved tier.

use std::path::Path;

use rayon::prelude::*;

use super::chunk::Chunks;
use super::codec;
use super::container::{Content, Header, Reader, Writer, Written, io_error};
use super::folder::tier_path;
use super::storage::Storage;
use crate::error::DatabaseError;
use crate::index::Index;
use crate::kernel::Values;
use crate::solve::Tier;

/// Groups of chunks that are packed at a time: bounds what is held before it is written.
const BATCH_GROUPS: u64 = 64;

/// Tells whether the tier of `ply` pieces is stored. A probe of any other ply looks one ply ahead; odd plies were the
/// smaller half on every board tried.
pub(crate) fn is_stored(ply: u32) -> bool {
    !ply.is_multiple_of(2)
}

/// Returns what the file of a tier says about itself.
pub(crate) fn header(index: &Index, values: Values, content: Content, ply: u32, chunks: &Chunks) -> Header {
    let board = index.board().to_string();
    Header { board, values, content, ply, entries: chunks.tier_entries, chunk_entries: chunks.each }
}

/// Writes a tier's file, not yet durable nor under its name.
pub(crate) fn write_tier(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &Tier,
) -> Result<Option<Written>, DatabaseError> {
    let ply = tier.layout.ply();
    if !is_stored(ply) {
        return Ok(None);
    }
    let path = tier_path(folder, ply);
    let chunks = Chunks::of_tier(&tier.layout);
    let header = header(index, tier.coding.values(), Content::Quiet, ply, &chunks);
    let mut writer = Writer::create(storage, &path, &header)?;
    let groups = chunks.groups();
    let mut first = 0;
    while first < groups {
        let batch = first..groups.min(first + BATCH_GROUPS);
        first = batch.end;
        let encoded: Vec<_> = batch.into_par_iter().map(|group| codec::encode(index, tier, group)).collect();
        for blocks in encoded {
            for block in blocks.map_err(io_error(&path, "compress"))? {
                writer.block(&block.payload, block.chunks)?;
            }
        }
    }
    writer.finish().map(Some)
}

/// Opens a file of values, checks that it is what its name says (the tier of `ply` with `entries` entries), and returns
/// with it how it is cut into chunks.
pub(crate) fn open(
    storage: &dyn Storage,
    path: &Path,
    index: &Index,
    values: Values,
    content: Content,
    ply: u32,
    entries: u64,
) -> Result<(Reader, Chunks), DatabaseError> {
    let reader = Reader::open(storage, path)?;
    let found = reader.header();
    if let Some(chunks) = Chunks::new(found.chunk_entries, entries)
        && *found == header(index, values, content, ply, &chunks)
    {
        return Ok((reader, chunks));
    }
    Err(DatabaseError::Wrong {
        file: path.to_path_buf(),
        what: "the content",
        expected: format!("{} {values} ply {ply} ({content:?}) of {entries} entries", index.board()),
        found: found.to_string(),
    })
}
