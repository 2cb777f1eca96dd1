//! The parsers of bytes from outside, one by one and behind their checksums, for fuzzing.
//!
//! A fuzzer that has to guess a checksum first learns nothing. Each function here takes the bytes that a parser sees,
//! puts them into a file whose checksums hold, and reads that file in the ordinary way. It returns whether the bytes
//! were accepted; it panics where what was accepted does not hold together.

#![allow(clippy::indexing_slicing, reason = "for fuzzing, on bytes that were just made")]

mod files;
mod log;
mod pages;

pub use log::log;
pub use pages::pages;

use std::path::Path;
use std::sync::LazyLock;

use fourbase::Position;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::database::{Cache, OpenTier};
use crate::files::{FileError, envelope, frame};
use crate::format::chunk::Chunks;
use crate::format::container::Header;
use crate::format::{MANIFEST as MANIFEST_NAME, Manifest, TierRecord, codec, header, tier_path};
use crate::index::{Index, TierLayout};
use crate::kernel::{Kernel, Values};
use crate::quiet::{Sight, sight};
use crate::solve::in_memory;
use crate::tier::Store;
use files::{MANIFEST, TIER, one_file, seal};

/// The tier of whose file parts are replaced: ply 7 of 4x4, 10,824 entries.
const PLY: u32 = 7;

/// Reads a manifest whose record is `record`.
pub fn manifest(record: &[u8]) -> bool {
    let file = seal(MANIFEST, record);
    let folder = Path::new("folder");
    let read = Manifest::read_any(&one_file(&folder.join(MANIFEST_NAME), &file), folder);
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
    let directory = sound_directory(identity);
    let blocks = sound_blocks();
    let end = start + blocks.len() as u64;
    let tier = open(crafted(header, &blocks, &directory, end, FIXED.blocks.len() as u64));
    tier.is_ok_and(|tier| tier.check().is_ok())
}

/// Opens a tier's file with other entries of its shapes, and probes it. They are `data` without its first byte: as a frame
/// if that byte is even, else compressed.
pub fn shapes(data: &[u8]) -> bool {
    let Some(shapes) = framed(data) else { return false };
    let header = envelope::seal(TIER, &sound_header());
    let (start, identity) = (header.len() as u64, xxh3_64(&header));
    let directory = sound_directory(identity);
    let blocks = sound_blocks();
    let end = start + blocks.len() as u64;
    let file = crafted_with(&shapes, header, &blocks, &directory, end, FIXED.blocks.len() as u64);
    let Ok(tier) = open(file) else { return false };
    assert_eq!(tier.directory().entries(), FIXED.layout.entries());
    let is_whole = tier.check().is_ok();
    let cache = Cache::new(1 << 20);
    for position in &FIXED.positions {
        // The entries of the shapes say where a position is looked up, so a wrong list may give a wrong value; it gives one.
        let _ = tier.outcome(&FIXED.index, &cache, position);
    }
    is_whole
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
    let Some(payload) = framed(data) else { return false };
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

/// Takes the frame that `data` stands for: the bytes after the first one, which are compressed if that one is odd.
fn framed(data: &[u8]) -> Option<Vec<u8>> {
    let (how, bytes) = data.split_first()?;
    if how % 2 == 0 { Some(bytes.to_vec()) } else { frame::compress(bytes, 1).ok() }
}

/// Writes the directory of the tier's own blocks.
fn sound_directory(identity: u64) -> Vec<u8> {
    let entries = (0..).zip(&FIXED.blocks);
    entries.flat_map(|(number, block)| entry(&block.payload, block.chunks, identity, number)).collect()
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
    let mut blocks = Vec::new();
    let _ = in_memory(index, Values::Wdl, |tier| {
        if tier.layout().ply() == PLY {
            let chunks = Chunks::of_tier(tier.entries(), tier.matrices());
            let mut packer = codec::Packer::new(index, tier, &chunks);
            blocks.extend((0..chunks.groups()).flat_map(|group| packer.encode(group).unwrap_or_default()));
        }
    });
    blocks
}

fn sound_header() -> Header {
    header(&FIXED.index, Values::Wdl, PLY, &FIXED.chunks)
}

fn open(file: Vec<u8>) -> Result<OpenTier, FileError> {
    let record = TierRecord { ply: PLY, entries: FIXED.layout.entries(), bytes: file.len() as u64, hash: None };
    let folder = Path::new("folder");
    OpenTier::open(&one_file(&tier_path(folder, PLY), &file), folder, &FIXED.index, Values::Wdl, &record)
}

/// Puts a tier's file together, with the shapes and the checksums that `docs/format.md` says. The directory has one page.
fn crafted(header: Vec<u8>, blocks: &[u8], directory: &[u8], directory_at: u64, count: u64) -> Vec<u8> {
    crafted_with(&FIXED.shapes, header, blocks, directory, directory_at, count)
}

/// Puts a tier's file together with the frame `shapes` in the place of the entries of its shapes.
fn crafted_with(
    shapes: &[u8],
    header: Vec<u8>,
    blocks: &[u8],
    directory: &[u8],
    directory_at: u64,
    count: u64,
) -> Vec<u8> {
    let identity = xxh3_64(&header);
    let page = [header.len() as u64, 0, xxh3_64_with_seed(directory, identity.wrapping_sub(2))];
    let page: Vec<u8> = page.iter().flat_map(|number| number.to_le_bytes()).collect();
    let pages = if count == 0 { &[] } else { &*page };
    let end = [shapes, pages, &directory_at.to_le_bytes(), &count.to_le_bytes()].concat();
    let checksum = xxh3_64_with_seed(&end, identity.wrapping_sub(1));
    [&header, blocks, directory, &end, &checksum.to_le_bytes()].concat()
}
