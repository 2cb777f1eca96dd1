//! The parsers of bytes from outside, one by one and behind their checksums, for fuzzing.
//!
//! A fuzzer that has to guess a checksum first learns nothing. Each function here takes the bytes that a parser sees,
//! puts them into a file whose checksums hold, and reads that file in the ordinary way. It returns whether the bytes
//! were accepted; it panics where what was accepted does not hold together.

#![allow(clippy::indexing_slicing, reason = "for fuzzing, on bytes that were just made")]

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use fourbase::Position;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::cache::Cache;
use super::chunk::Chunks;
use super::container::Header;
use super::envelope::{self, VERSION};
use super::manifest::{Manifest, TierRecord};
use super::storage::{Lock, ReadFile, Storage, WriteFile};
use super::tier::OpenTier;
use super::values::TierValues;
use super::{codec, frame, writer};
use crate::index::{Index, TierLayout};
use crate::kernel::{Kernel, Values};
use crate::quiet::{Sight, sight};
use crate::solve::{Tier, solve_tier};

/// The tier of whose file parts are replaced: ply 7 of 4x4, 10,824 entries.
const PLY: u32 = 7;

/// How a manifest and a tier's file begin.
const MANIFEST: &[u8; 8] = b"fourmani";
const TIER: &[u8; 8] = b"fourtier";

/// Reads a manifest whose record is `record`.
pub fn manifest(record: &[u8]) -> bool {
    let file = seal(MANIFEST, record);
    let read = Manifest::read_any(&OneFile(Arc::new(file.clone())), Path::new("folder"));
    let Ok(Some((manifest, board))) = read else { return false };
    assert_eq!(envelope::seal(MANIFEST, &manifest), file, "one manifest has one form");
    assert!(manifest.tiers.len() <= board.cells() + 1);
    let _ = (manifest.root(), manifest.entries(), manifest.bytes(), manifest.next_ply(board));
    true
}

/// Opens a tier's file whose header has the record `record`, with the tier's own blocks, and reads them.
pub fn tier_header(record: &[u8]) -> bool {
    let header = seal(TIER, record);
    let (start, identity) = (header.len() as u64, xxh3_64(&header));
    let directory: Vec<u8> = (0..)
        .zip(&FIXED.blocks)
        .flat_map(|(number, block)| entry(&block.payload, block.chunks, identity, number))
        .collect();
    let blocks = sound_blocks();
    let end = start + blocks.len() as u64;
    let tier = open(crafted(header, &blocks, &directory, end, FIXED.blocks.len() as u64));
    tier.is_ok_and(|tier| tier.check().is_ok())
}

/// Opens a tier's file with the directory `directory` after the tier's own blocks, and reads all blocks. Returns whether
/// they are what the directory says.
pub fn block_index(directory: &[u8]) -> bool {
    let header = envelope::seal(TIER, &sound_header());
    let (start, count, blocks) = (header.len() as u64, directory.len() as u64 / 10, sound_blocks());
    let Ok(tier) = open(crafted(header, &blocks, directory, start + blocks.len() as u64, count)) else { return false };
    // The one page of the directory is read with the first block.
    if tier.block_of(0).is_err() {
        return false;
    }
    for entry in [0, 1, FIXED.layout.entries() / 2, FIXED.layout.entries() - 1] {
        assert!(tier.block_of(entry).is_ok_and(|block| block < count));
    }
    tier.check().is_ok()
}

/// Opens a tier's file with one block and probes it. The block is `data` without its first byte: as it is if that byte
/// is even, else compressed.
pub fn block(data: &[u8]) -> bool {
    let Some((how, bytes)) = data.split_first() else { return false };
    let payload = if how % 2 == 0 { bytes.to_vec() } else { frame::compress(bytes, 1).unwrap_or_default() };
    let header = envelope::seal(TIER, &sound_header());
    let (start, identity) = (header.len() as u64, xxh3_64(&header));
    let directory = entry(&payload, FIXED.chunks.count() as u16, identity, 0);
    let Ok(tier) = open(crafted(header, &payload, &directory, start + payload.len() as u64, 1)) else { return false };
    let is_whole = tier.check().is_ok();
    let cache = Cache::new(1 << 20);
    for position in &FIXED.positions {
        let found = tier.outcome(&FIXED.index, &cache, position);
        assert!(is_whole || found.is_err(), "a value from a block that does not hold together");
    }
    is_whole
}

/// Writes what the directory says of a block.
fn entry(payload: &[u8], chunks: u16, identity: u64, number: u64) -> Vec<u8> {
    let checksum = xxh3_64_with_seed(payload, identity.wrapping_add(number)) as u32;
    [&(payload.len() as u32).to_le_bytes()[..], &chunks.to_le_bytes(), &checksum.to_le_bytes()].concat()
}

fn sound_blocks() -> Vec<u8> {
    FIXED.blocks.iter().flat_map(|block| block.payload.clone()).collect()
}

/// What does not depend on the bytes.
struct Fixed {
    index: Index,
    layout: TierLayout,
    chunks: Chunks,
    /// The tier's blocks.
    blocks: Vec<codec::Block>,
    /// The entries of every shape, compressed.
    shapes: Vec<u8>,
    /// Some quiet positions of the tier.
    positions: Vec<Position>,
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    // A board that is on the list of boards that can be indexed.
    #[expect(clippy::expect_used, reason = "a constant, and fuzzing may panic")]
    let index = "4x4".parse().ok().and_then(|board| Index::new(board, Kernel::portable()).ok()).expect("4x4");
    let layout = TierLayout::new(&index, PLY);
    let position = |entry| {
        let [first, second] = index.split().bitboards(&index.unrank(&layout, entry)?);
        Position::from_bitboards(index.board(), first, second).ok().filter(|position| sight(position) == Sight::Quiet)
    };
    let positions = (0..layout.entries()).step_by(97).filter_map(position).collect();
    let shapes: Vec<u8> = layout.shape_entries().iter().flat_map(|entries| entries.to_le_bytes()).collect();
    let shapes = frame::compress(&shapes, 1).unwrap_or_default();
    Fixed {
        blocks: blocks(&index),
        shapes,
        chunks: Chunks::of_tier(layout.entries(), layout.matrices().len() as u64),
        positions,
        layout,
        index,
    }
});

/// Solves the tier and packs it.
fn blocks(index: &Index) -> Vec<codec::Block> {
    let mut child = None;
    for ply in (PLY..=index.board().cells() as u32).rev() {
        let mut tier = Tier::new(index, Values::Wdl, ply, Vec::new());
        let _ = solve_tier(index, &mut tier, child.as_ref(), &());
        child = Some(tier);
    }
    let groups = child.iter().flat_map(|tier| (0..tier.chunks().groups()).map(move |group| (tier, group)));
    groups.flat_map(|(tier, group)| codec::encode(index, tier, &mut &*tier, group).unwrap_or_default()).collect()
}

fn sound_header() -> Header {
    writer::header(&FIXED.index, Values::Wdl, PLY, &FIXED.chunks)
}

fn open(file: Vec<u8>) -> Result<OpenTier, crate::error::DatabaseError> {
    let record = TierRecord { ply: PLY, entries: FIXED.layout.entries(), bytes: file.len() as u64, hash: None };
    OpenTier::open(&OneFile(Arc::new(file)), Path::new("folder"), &FIXED.index, Values::Wdl, &record)
}

/// Writes an envelope around the bytes of a record.
fn seal(magic: &[u8; 8], record: &[u8]) -> Vec<u8> {
    let mut file = [magic, &VERSION.to_le_bytes()[..], &(record.len() as u32).to_le_bytes(), record].concat();
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// Puts a tier's file together, with the shapes and the checksums that `docs/format.md` says. The directory has one page.
fn crafted(header: Vec<u8>, blocks: &[u8], directory: &[u8], directory_at: u64, count: u64) -> Vec<u8> {
    let identity = xxh3_64(&header);
    let page = [header.len() as u64, 0, xxh3_64_with_seed(directory, identity.wrapping_sub(2))];
    let page: Vec<u8> = page.iter().flat_map(|number| number.to_le_bytes()).collect();
    let pages = if count == 0 { &[] } else { &*page };
    let end = [&FIXED.shapes, pages, &directory_at.to_le_bytes(), &count.to_le_bytes()].concat();
    let checksum = xxh3_64_with_seed(&end, identity.wrapping_sub(1));
    [&header, blocks, directory, &end, &checksum.to_le_bytes()].concat()
}

/// A storage that has these bytes under every name, and takes none.
struct OneFile(Arc<Vec<u8>>);

impl fmt::Debug for OneFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a file of {} bytes", self.0.len())
    }
}

fn refused<T>() -> io::Result<T> {
    Err(ErrorKind::Unsupported.into())
}

impl Storage for OneFile {
    fn create(&self, _: &Path) -> io::Result<Box<dyn WriteFile>> {
        refused()
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(OneFile(self.0.clone())))
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        refused()
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn create_folder(&self, _: &Path) -> io::Result<bool> {
        refused()
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        refused()
    }

    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        refused()
    }

    fn lock(&self, _: &Path) -> io::Result<Result<Lock, String>> {
        refused()
    }
}

impl ReadFile for OneFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }
}
