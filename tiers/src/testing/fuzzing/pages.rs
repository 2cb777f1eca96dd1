//! The pages of a directory, in a file of many blocks whose checksums hold.

use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::files::{TIER, one_file};
use crate::files::{FileError, envelope, frame};
use crate::format::container::{Header, Reader};
use crate::kernel::Values;

/// The most blocks of the file: three pages of 1024.
const MOST_BLOCKS: usize = 3072;

/// Blocks of a page, as `docs/format.md` says.
const PAGE_BLOCKS: usize = 1024;

/// Entries of a chunk.
const CHUNK_ENTRIES: u32 = 256;

/// Opens a file whose directory has some pages, and finds chunks and blocks. The first three bytes of `data` give the
/// number of blocks, and whether the list of the pages fits them; then come 16 bytes for lengths and chunks of the blocks,
/// which repeat; the rest is laid over the list of the pages.
pub fn pages(data: &[u8]) -> bool {
    let Some((&[low, high, how], rest)) = data.split_first_chunk() else { return false };
    let Some((pattern, list)) = rest.split_first_chunk::<16>() else { return false };
    let blocks = usize::from(u16::from_le_bytes([low, high])) % (MOST_BLOCKS + 1);
    let file = file(blocks, how % 2 == 0, pattern, list);
    let opened = Reader::open(&one_file(Path::new("tier-09"), &file), Path::new("tier-09"), 1000, |header, _| {
        Ok::<_, FileError>(header.entries.div_ceil(u64::from(CHUNK_ENTRIES)))
    });
    let Ok((reader, chunks)) = opened else { return false };
    assert_eq!(reader.blocks(), blocks as u64);
    let mut is_whole = true;
    for chunk in [0, 1, chunks / 3, chunks / 2, chunks.saturating_sub(1), chunks, u64::MAX] {
        let Ok((block, place)) = reader.block_of(chunk) else {
            is_whole &= chunk >= chunks;
            continue;
        };
        assert!(block < reader.blocks() && chunk < chunks, "a chunk beyond the tier");
        assert!(reader.first_chunk(block).is_ok_and(|first| first + place as u64 == chunk), "a chunk in another block");
        is_whole &= reader.block(block).is_ok_and(|(_, held)| place < held);
    }
    let _ = (reader.block(0), reader.block(reader.blocks()), reader.block(u64::MAX), reader.shape_entries(1000));
    is_whole
}

/// Puts the file together. The list of the pages is that of the blocks with `over` added to it byte by byte, or, unless
/// `fits`, `over` alone.
fn file(blocks: usize, fits: bool, pattern: &[u8; 16], over: &[u8]) -> Vec<u8> {
    let shape = |block: usize| {
        let byte = pattern.get(block % pattern.len()).copied().unwrap_or_default();
        (usize::from(byte >> 4), u16::from(byte & 15))
    };
    let chunks: u64 = (0..blocks).map(|block| u64::from(shape(block).1)).sum();
    let entries = chunks * u64::from(CHUNK_ENTRIES);
    let header = Header { board: "4x4".to_owned(), values: Values::Wdl, ply: 9, entries, chunk_entries: CHUNK_ENTRIES };
    let mut file = envelope::seal(TIER, &header);
    let identity = xxh3_64(&file);
    let (mut directory, mut list) = (Vec::new(), Vec::new());
    let (mut at, mut chunk) = (file.len() as u64, 0);
    for page in (0..blocks).step_by(PAGE_BLOCKS) {
        let (start, first) = (at, chunk);
        let mut entries = Vec::new();
        for block in page..blocks.min(page + PAGE_BLOCKS) {
            let (length, held) = shape(block);
            let payload = vec![block as u8; length];
            entries.extend((length as u32).to_le_bytes());
            entries.extend(held.to_le_bytes());
            entries.extend((xxh3_64_with_seed(&payload, identity.wrapping_add(block as u64)) as u32).to_le_bytes());
            file.extend(payload);
            at += length as u64;
            chunk += u64::from(held);
        }
        let number = (page / PAGE_BLOCKS) as u64;
        let checksum = xxh3_64_with_seed(&entries, identity.wrapping_sub(2 + number));
        list.extend([start, first, checksum].iter().flat_map(|number| number.to_le_bytes()));
        directory.extend(entries);
    }
    if fits {
        list.iter_mut().zip(over).for_each(|(byte, over)| *byte = byte.wrapping_add(*over));
    } else {
        list = over.to_vec();
    }
    let directory_at = file.len() as u64;
    file.extend(directory);
    let shapes = frame::compress(&[7; 8], 1).unwrap_or_default();
    let end = [&shapes[..], &list, &directory_at.to_le_bytes(), &(blocks as u64).to_le_bytes()].concat();
    let checksum = xxh3_64_with_seed(&end, identity.wrapping_sub(1));
    file.extend(end);
    file.extend(checksum.to_le_bytes());
    file
}
