//! Functions for fuzzing the parsers of external bytes, one function for each parser.
//!
//! A fuzzer can't guess checksums, so it would test little beyond the checksum's own check. Therefore each function
//! here takes the bytes that a parser reads, puts them into a file with valid checksums, and reads that file in the
//! usual way. It returns whether the bytes were accepted, and panics if accepted bytes turn out inconsistent.

mod log;

pub use log::log;

use std::path::Path;
use std::sync::LazyLock;

use fourbase::Position;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::database::{Cache, OpenTier};
use crate::files::envelope::{self, VERSION, VERSION_WITH_FORCED};
use crate::files::{FileError, Memory, Storage, frame};
use crate::format::chunk::Chunks;
use crate::format::codec::{EncodedBlock, Packer};
use crate::format::tier_file::{Header, Reader};
use crate::format::{MANIFEST as MANIFEST_NAME, Manifest, TierRecord, tier_path};
use crate::index::{Index, TierDirectory};
use crate::kernel::{Kernel, Values};
use crate::quiet::{StaticEvaluation, evaluate};
use crate::solve::in_memory;

/// The magics of a manifest and of a tier's file.
const MANIFEST: &[u8; 8] = b"fourmani";
const TIER: &[u8; 8] = b"fourtier";

/// The ply of the tier whose file these functions change: ply 7 of 4x4, which has 10,824 entries.
const PLY: u32 = 7;

/// How many blocks one page of the directory lists (`docs/reference/file-format.md`).
const PAGE_BLOCKS: usize = 1024;

/// Reads a manifest whose record is `record`. Returns whether it is accepted.
pub fn manifest(record: &[u8]) -> bool {
    let file = seal(MANIFEST, VERSION, record);
    let (folder, storage) = (Path::new("folder"), Memory::default());
    write(&storage, &folder.join(MANIFEST_NAME), &file);
    let Ok(Some(manifest)) = Manifest::read(&storage, folder) else { return false };
    assert_eq!(envelope::seal(VERSION, MANIFEST, &manifest), file, "one manifest has one form");
    assert!(manifest.tiers.len() <= manifest.board.cells() + 1);
    let _ = (manifest.root(), manifest.entries(), manifest.bytes(), manifest.next_ply());
    true
}

/// Opens the sample tier's file with `record` as the record of its header, and reads all blocks. Returns whether that
/// works. Then does the same with the header's version for forced positions. The blocks have no forced positions, so
/// there the only requirement is that nothing panics.
pub fn tier_header(record: &[u8]) -> bool {
    let [read, _] = [VERSION, VERSION_WITH_FORCED].map(|version| {
        let tier = open(&Parts::new(seal(TIER, version, record), &FIXED.blocks, FIXED.shapes.clone()));
        tier.is_ok_and(|tier| tier.check().is_ok())
    });
    read
}

/// Opens a tier's file with another list of the numbers of entries of its shapes, and probes the file. The list is
/// `data` without its first byte: if that byte is even, the list is used as a zstd frame, else it is compressed first.
pub fn shapes(data: &[u8]) -> bool {
    let Some(shapes) = framed(data) else { return false };
    let Ok(tier) = open(&Parts::new(sound_header(false), &FIXED.blocks, shapes)) else { return false };
    assert_eq!(tier.directory.entries(), FIXED.directory.entries());
    let cache = Cache::new(1 << 20);
    for position in stored(false) {
        // A lookup uses the list, so a wrong list may lead to a wrong value, but not to a panic.
        let _ = tier.locate(&FIXED.index, &cache, position).and_then(|place| tier.outcome(&FIXED.index, &cache, place));
    }
    tier.check().is_ok()
}

/// Opens a tier's file with the directory `directory` after the tier's own blocks, and reads all blocks. Returns
/// whether they match the directory.
pub fn block_index(directory: &[u8]) -> bool {
    let mut parts = Parts::new(sound_header(false), &FIXED.blocks, FIXED.shapes.clone());
    parts.directory = directory.to_vec();
    let checksum = page_checksum(&parts.header, directory, 0);
    let count = directory.len() as u64 / 10;
    parts.pages = if count == 0 { Vec::new() } else { page(parts.header.len(), 0, checksum) };
    let Ok(tier) = open(&parts) else { return false };
    let block_of = |entry| tier.reader.block_of(tier.reader.chunks.place(entry).0).map(|(block, _)| block);
    let last = FIXED.directory.entries() - 1;
    // Reading the first block reads the directory's only page.
    let is_read = block_of(0).is_ok();
    assert!(!is_read || [0, 1, last / 2, last].iter().all(|entry| block_of(*entry).is_ok_and(|block| block < count)));
    is_read && tier.check().is_ok()
}

/// Opens a tier's file that has a single block, and probes the file. The block is `data` without its first byte: if
/// that byte is even, the block is used unchanged, else it is compressed first. If the byte's second bit is set, the
/// file stores forced positions.
pub fn block(data: &[u8]) -> bool {
    let Some(payload) = framed(data) else { return false };
    let has_forced = data[0] & 2 > 0;
    let block = EncodedBlock { payload, chunks: chunks(has_forced).count() as u16 };
    let parts = Parts::new(sound_header(has_forced), &[block], FIXED.shapes.clone());
    let Ok(tier) = open(&parts) else { return false };
    let is_whole = tier.check().is_ok();
    let cache = Cache::new(1 << 20);
    for position in stored(has_forced) {
        let found =
            tier.locate(&FIXED.index, &cache, position).and_then(|place| tier.outcome(&FIXED.index, &cache, place));
        assert!(is_whole || found.is_err(), "a value from a block that does not hold together");
    }
    is_whole
}

/// Opens a file whose directory has up to three pages, and looks up chunks and blocks. `data` consists of:
///
/// - two bytes for the number of blocks;
/// - a byte that is even if the rest is added, byte by byte, to the right list of the pages, and odd if the rest
///   replaces that list;
/// - 16 bytes for the lengths and chunks of the blocks: each byte describes one block, and they are used in turn;
/// - the rest.
pub fn pages(data: &[u8]) -> bool {
    let Some((&[low, high, how], rest)) = data.split_first_chunk() else { return false };
    let Some((pattern, list)) = rest.split_first_chunk::<16>() else { return false };
    let count = usize::from(u16::from_le_bytes([low, high])) % (3 * PAGE_BLOCKS + 1);
    let block = |number: usize| {
        let byte = pattern[number % pattern.len()];
        EncodedBlock { payload: vec![number as u8; usize::from(byte >> 4)], chunks: u16::from(byte & 15) }
    };
    let blocks: Vec<EncodedBlock> = (0..count).map(block).collect();
    let entries = 256 * blocks.iter().map(|block| u64::from(block.chunks)).sum::<u64>();
    let board = FIXED.index.board();
    let chunks = Chunks { tier_entries: entries, each: 256, has_forced: false };
    let header = Header { board, values: Values::Wdl, ply: 9, chunks };
    let shapes = frame::compress(&[7; 8], 1).unwrap_or_default();
    let mut parts = Parts::new(header.seal(), &blocks, shapes);
    if how % 2 == 0 {
        parts.pages.iter_mut().zip(list).for_each(|(byte, over)| *byte = byte.wrapping_add(*over));
    } else {
        parts.pages = list.to_vec();
    }
    let (path, storage) = (Path::new("tier-09"), Memory::default());
    write(&storage, path, &parts.to_file());
    let Ok(reader) = Reader::open(&storage, path, 0, 1000, std::iter::empty(), |_, _| Ok(())) else { return false };
    let chunks = chunks.count();
    assert_eq!(reader.blocks, count as u64);
    let mut is_whole = true;
    for chunk in [0, 1, chunks / 3, chunks / 2, chunks.saturating_sub(1), chunks, u64::MAX] {
        let Ok((block, place)) = reader.block_of(chunk) else {
            is_whole &= chunk >= chunks;
            continue;
        };
        assert!(block < reader.blocks && chunk < chunks, "a chunk beyond the tier");
        assert!(reader.first_chunk(block).is_ok_and(|first| first + place as u64 == chunk), "a chunk in another block");
        is_whole &= reader.block(block).is_ok_and(|(_, held)| place < held);
    }
    let _ = (reader.block(0), reader.block(reader.blocks), reader.block(u64::MAX), reader.shape_entries(1000));
    is_whole
}

/// Returns the bytes after the first byte of `data`, as a frame: compressed if the first byte is odd, else unchanged.
fn framed(data: &[u8]) -> Option<Vec<u8>> {
    let (how, bytes) = data.split_first()?;
    if how % 2 == 0 { Some(bytes.to_vec()) } else { frame::compress(bytes, 1).ok() }
}

/// Returns an envelope that contains the bytes of a record: magic, version, length, the record and a checksum.
fn seal(magic: &[u8; 8], version: u32, record: &[u8]) -> Vec<u8> {
    let mut file = [magic, &version.to_le_bytes()[..], &(record.len() as u32).to_le_bytes(), record].concat();
    file.extend(xxh3_64(&file).to_le_bytes());
    file
}

/// Returns the entry for one page in the list of the pages.
fn page(offset: usize, first_chunk: u64, checksum: u64) -> Vec<u8> {
    [offset as u64, first_chunk, checksum].map(u64::to_le_bytes).concat()
}

fn page_checksum(header: &[u8], entries: &[u8], page: u64) -> u64 {
    xxh3_64_with_seed(entries, xxh3_64(header).wrapping_sub(2 + page))
}

fn write(storage: &Memory, path: &Path, bytes: &[u8]) {
    let written = storage.create(path).and_then(|file| file.write_all_at(bytes, 0));
    assert!(written.is_ok(), "memory takes any file");
}

/// The parts of a tier's file. The functions for fuzzing replace some of them. `to_file` adds the checksums of
/// `docs/reference/file-format.md`.
struct Parts {
    header: Vec<u8>,
    blocks: Vec<u8>,
    directory: Vec<u8>,
    shapes: Vec<u8>,
    pages: Vec<u8>,
}

impl Parts {
    fn new(header: Vec<u8>, blocks: &[EncodedBlock], shapes: Vec<u8>) -> Parts {
        let identity = xxh3_64(&header);
        let mut parts = Parts { header, shapes, blocks: Vec::new(), directory: Vec::new(), pages: Vec::new() };
        let (mut number, mut chunk) = (0u64, 0);
        for (at, blocks) in (0..).zip(blocks.chunks(PAGE_BLOCKS)) {
            let (offset, first_chunk, mut entries) = (parts.header.len() + parts.blocks.len(), chunk, Vec::<u8>::new());
            for EncodedBlock { payload, chunks } in blocks {
                let checksum = xxh3_64_with_seed(payload, identity.wrapping_add(number)) as u32;
                let length = (payload.len() as u32).to_le_bytes();
                entries.extend([&length[..], &chunks.to_le_bytes(), &checksum.to_le_bytes()].concat());
                parts.blocks.extend(payload);
                (number, chunk) = (number + 1, chunk + u64::from(*chunks));
            }
            parts.pages.extend(page(offset, first_chunk, page_checksum(&parts.header, &entries, at)));
            parts.directory.extend(entries);
        }
        parts
    }

    fn to_file(&self) -> Vec<u8> {
        let Parts { header, blocks, directory, shapes, pages } = self;
        let directory_at = (header.len() + blocks.len()) as u64;
        let count = directory.len() as u64 / 10;
        let end = [shapes, pages, &directory_at.to_le_bytes()[..], &count.to_le_bytes()].concat();
        let checksum = xxh3_64_with_seed(&end, xxh3_64(header).wrapping_sub(1));
        [header, blocks, directory, &end, &checksum.to_le_bytes()[..]].concat()
    }
}

/// The data that do not depend on the fuzzer's bytes.
struct Fixed {
    index: Index,
    directory: TierDirectory,
    /// The tier's blocks.
    blocks: Vec<EncodedBlock>,
    /// The numbers of entries of all shapes, compressed.
    shapes: Vec<u8>,
    /// Some quiet or forced positions ([`crate::quiet`]) of the tier, with their static evaluations.
    positions: Vec<(Position, StaticEvaluation)>,
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    let index = Index::new("4x4".parse().expect("a board"), Kernel::portable()).expect("a board that fits");
    let directory = TierDirectory::new(&index, PLY);
    let position = |entry| {
        let [first, second] = index.split.bitboards(&directory.unrank(&index, entry)?);
        let position = Position::from_bitboards(index.board(), first, second).ok()?;
        let evaluation = evaluate(&position);
        matches!(evaluation, StaticEvaluation::Quiet | StaticEvaluation::Forced(_)).then_some((position, evaluation))
    };
    let positions = (0..directory.entries()).step_by(97).filter_map(position).collect();
    let shapes: Vec<u8> = directory.shape_entries().iter().flat_map(|entries| entries.to_le_bytes()).collect();
    let shapes = frame::compress(&shapes, 1).expect("a frame");
    let mut blocks = Vec::new();
    let outcome = in_memory(&index, Values::Wdl, |tier| {
        if tier.ply() == PLY {
            let chunks = Chunks::of_tier(&tier.directory, false, false);
            let mut packer = Packer::new(&index, tier, &chunks);
            blocks.extend((0..chunks.groups()).flat_map(|group| packer.encode(group).expect("blocks")));
        }
    });
    outcome.expect("a solve");
    Fixed { blocks, shapes, positions, directory, index }
});

/// Returns some positions that a file of the tier stores.
fn stored(has_forced: bool) -> impl Iterator<Item = &'static Position> {
    let is_stored = move |evaluation: StaticEvaluation| has_forced || evaluation == StaticEvaluation::Quiet;
    FIXED.positions.iter().filter(move |of| is_stored(of.1)).map(|(position, _)| position)
}

/// Returns the chunks of a file. A file that stores forced positions belongs to a database that keeps only early plies.
fn chunks(has_forced: bool) -> Chunks {
    Chunks::of_tier(&FIXED.directory, has_forced, has_forced)
}

fn sound_header(has_forced: bool) -> Vec<u8> {
    Header { board: FIXED.index.board(), values: Values::Wdl, ply: PLY, chunks: chunks(has_forced) }.seal()
}

fn open(parts: &Parts) -> Result<OpenTier, FileError> {
    let (folder, file, storage) = (Path::new("folder"), parts.to_file(), Memory::default());
    write(&storage, &tier_path(folder, PLY), &file);
    let record = TierRecord { ply: PLY, entries: FIXED.directory.entries(), bytes: file.len() as u64, hash: None };
    OpenTier::open(&storage, folder, &FIXED.index, Values::Wdl, &record)
}
