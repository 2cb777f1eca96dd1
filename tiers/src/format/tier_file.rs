//! The file of a tier: written from a solved tier, opened for reading.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::chunk::Chunks;
use super::codec::Packer;
use super::container::{Header, Part, Reader, Together, Writer};
use super::folder::tier_path;
use super::hash::Hash;
use super::manifest::{check_length, is_stored};
use crate::crew::Crew;
use crate::files::{FileError, Storage, Written};
use crate::index::{Index, count_shapes};
use crate::kernel::{Coding, Values};
use crate::tier::{Queue, Store};

/// Groups of chunks that are packed at a time: bounds what is held before it is written.
const BATCH_GROUPS: u64 = 64;

/// Returns what the file of a tier records about itself.
pub(crate) fn header(index: &Index, values: Values, ply: u32, chunks: &Chunks) -> Header {
    let board = index.board().to_string();
    Header { board, values, ply, entries: chunks.tier_entries, chunk_entries: chunks.each }
}

/// A tier's file that is written, but neither durable nor under its name.
pub(crate) struct TierFile {
    pub written: Written,
    pub hash: Hash,
}

/// Writes the file of a solved tier; writes nothing for a tier that is not stored. Asks before each batch of blocks
/// whether to stop; then removes the file and breaks off.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn write_tier<T: Store<Content = Coding>>(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &T,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ControlFlow<(), Option<TierFile>>, FileError> {
    let ply = tier.ply();
    if !is_stored(ply) {
        return Ok(ControlFlow::Continue(None));
    }
    let chunks = Chunks::of_tier(tier.entries(), tier.matrices());
    let header = header(index, tier.content().values(), ply, &chunks);
    let mut writer = Writer::create(storage, &tier_path(folder, ply), &header)?;
    let groups = chunks.groups();
    let mut first = 0;
    while first < groups {
        if is_stopped() {
            writer.abandon(storage)?;
            return Ok(ControlFlow::Break(()));
        }
        let batch = first..groups.min(first + BATCH_GROUPS);
        first = batch.end;
        let begin = || Packer::new(index, tier, &chunks);
        let encoded: Vec<_> = batch.into_par_iter().map_init(begin, Packer::encode).collect();
        for blocks in encoded {
            for block in blocks? {
                writer.block(&block.payload, block.chunks)?;
            }
        }
    }
    let (written, hash) = writer.finish(&tier.shape_entries())?;
    Ok(ControlFlow::Continue(Some(TierFile { written, hash })))
}

/// Writes the file of a solved tier together with the other members of a crew; member 0 gets it. See [`write_tier`].
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn write_tier_together<T: Store<Content = Coding>>(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &T,
    crew: &dyn Crew,
) -> Result<Option<TierFile>, FileError> {
    let ply = tier.ply();
    if !is_stored(ply) {
        return Ok(None);
    }
    let chunks = Chunks::of_tier(tier.entries(), tier.matrices());
    let (header, path) = (header(index, tier.content().values(), ply, &chunks), tier_path(folder, ply));
    let part = Mutex::new(Part::create(storage, &path, crew)?);
    let queue = Queue::new(Some(crew), Vec::from_iter(0..chunks.groups()));
    queue.share_out(|| {
        let mut packer = Packer::new(index, tier, &chunks);
        while let Some(group) = queue.next() {
            let blocks = packer.encode(group)?;
            part.lock().unwrap_or_else(PoisonError::into_inner).add(group, &blocks)?;
        }
        Ok(())
    })?;
    let part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
    let together = Together { storage, path: &path, header: &header, crew };
    let file = together.join(part, chunks.groups(), &tier.shape_entries())?;
    Ok(file.map(|(written, hash)| TierFile { written, hash }))
}

/// What the file of a tier should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub values: Values,
    pub ply: u32,
    /// Entries of the tier.
    pub entries: u64,
    /// Length of the file.
    pub bytes: u64,
}

/// Opens the file of a tier, checks that it is what it should be, and returns with it how it is cut into chunks. Before
/// the check only the header is allocated.
///
/// # Errors
/// [`FileError::Wrong`] for another tier or another length; where the file cannot be read, or is damaged.
pub(crate) fn open(
    storage: &dyn Storage,
    path: &Path,
    index: &Index,
    expected: &Expected,
) -> Result<(Reader, Chunks), FileError> {
    let Expected { values, ply, entries, bytes } = *expected;
    Reader::open(storage, path, count_shapes(index.board(), ply), |found, size| {
        let chunks = Chunks::new(found.chunk_entries, entries)
            .filter(|chunks| *found == header(index, values, ply, chunks))
            .ok_or_else(|| FileError::Wrong {
                file: path.to_path_buf(),
                what: "the content",
                expected: format!("{} {values} ply {ply} of {entries} entries", index.board()),
                found: found.to_string(),
            })?;
        check_length(path, bytes, size)?;
        Ok(chunks)
    })
}
