//! Writing a solved tier, and reading one back whole to go on from.

use std::path::Path;

use rayon::prelude::*;

use super::codec;
use super::container::{Header, Reader, Writer, io_error};
use super::folder::tier_path;
use super::manifest::TierRecord;
use super::storage::Storage;
use crate::error::DatabaseError;
use crate::index::Index;
use crate::kernel::Values;
use crate::solve::Tier;

/// Blocks that are compressed at a time: bounds what is held before it is written.
const BATCH_BLOCKS: usize = 256;

fn header(tier: &Tier, index: &Index) -> Header {
    Header {
        board: index.board().to_string(),
        values: tier.coding.values(),
        ply: tier.layout.ply(),
        entries: tier.layout.entries(),
        block_entries: codec::BLOCK_ENTRIES,
    }
}

/// Writes a tier's file durably.
pub(crate) fn write_tier(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &Tier,
) -> Result<TierRecord, DatabaseError> {
    let path = tier_path(folder, tier.layout.ply());
    let mut writer = Writer::create(storage, &path, &header(tier, index))?;
    let blocks = tier.layout.entries().div_ceil(u64::from(codec::BLOCK_ENTRIES)) as usize;
    for first in (0..blocks).step_by(BATCH_BLOCKS) {
        let batch = first..blocks.min(first + BATCH_BLOCKS);
        let payloads: Vec<_> = batch.into_par_iter().map(|block| codec::encode(tier, block)).collect();
        for payload in payloads {
            writer.block(&payload.map_err(io_error(&path, "compress"))?)?;
        }
    }
    let bytes = writer.finish()?;
    Ok(TierRecord { ply: tier.layout.ply(), entries: tier.layout.entries(), bytes })
}

/// Opens a tier's file and checks that it is the tier that its name says.
pub(crate) fn open_tier(
    storage: &dyn Storage,
    folder: &Path,
    expected: &Header,
) -> Result<Reader, DatabaseError> {
    let reader = Reader::open(storage, &tier_path(folder, expected.ply))?;
    if reader.header() != expected {
        return Err(DatabaseError::Wrong {
            file: reader.path().to_path_buf(),
            what: "the tier",
            expected: expected.to_string(),
            found: reader.header().to_string(),
        });
    }
    Ok(reader)
}

/// Reads a whole tier back.
pub(crate) fn load_tier(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    values: Values,
    ply: u32,
) -> Result<Tier, DatabaseError> {
    let mut tier = Tier::new(index, values, ply, Vec::new());
    let reader = open_tier(storage, folder, &header(&tier, index))?;
    for block in 0..reader.blocks() {
        let planes = codec::decode(&reader, &tier.coding, block)?;
        codec::restore(&mut tier, block, &planes);
    }
    Ok(tier)
}
