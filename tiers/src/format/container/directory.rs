//! The directory of a file of values, and what follows it, as they are written.

use std::io;

use super::{DIRECTORY_ENTRY, PAGE_BLOCKS, end_checksum, page_checksum};
use crate::files::frame;
use crate::format::codec;

/// The blocks of a file, in their order.
pub(super) struct Directory {
    /// The hash of the sealed header.
    pub identity: u64,
    /// Where the next block begins.
    pub offset: u64,
    entries: Vec<u8>,
    /// Offset and first chunk of each page of the directory.
    pages: Vec<(u64, u64)>,
    chunks: u64,
}

impl Directory {
    /// Begins a file after its header, which ends at `offset`.
    pub fn new(identity: u64, offset: u64) -> Directory {
        Directory { identity, offset, entries: Vec::new(), pages: Vec::new(), chunks: 0 }
    }

    /// Returns the number of blocks so far.
    pub fn blocks(&self) -> u64 {
        (self.entries.len() / DIRECTORY_ENTRY) as u64
    }

    /// Adds the next block.
    pub fn add(&mut self, length: u32, chunks: u16, checksum: u32) {
        if self.blocks().is_multiple_of(PAGE_BLOCKS) {
            self.pages.push((self.offset, self.chunks));
        }
        self.chunks += u64::from(chunks);
        self.offset += u64::from(length);
        self.entries.extend_from_slice(&length.to_le_bytes());
        self.entries.extend_from_slice(&chunks.to_le_bytes());
        self.entries.extend_from_slice(&checksum.to_le_bytes());
    }

    /// Returns all that follows the blocks: the directory, and the entries of every shape of the tier.
    ///
    /// # Errors
    /// Where zstd fails.
    pub fn finish(self, shape_entries: &[u64]) -> io::Result<Vec<u8>> {
        let (directory_at, blocks) = (self.offset, self.blocks());
        let mut bytes = self.entries;
        let shapes: Vec<u8> = shape_entries.iter().flat_map(|entries| entries.to_le_bytes()).collect();
        let mut end = frame::compress(&shapes, codec::LEVEL)?;
        let pages = bytes.chunks(DIRECTORY_ENTRY * PAGE_BLOCKS as usize);
        for ((page, entries), (offset, chunk)) in pages.enumerate().zip(&self.pages) {
            end.extend_from_slice(&offset.to_le_bytes());
            end.extend_from_slice(&chunk.to_le_bytes());
            end.extend_from_slice(&page_checksum(entries, self.identity, page as u64).to_le_bytes());
        }
        end.extend_from_slice(&directory_at.to_le_bytes());
        end.extend_from_slice(&blocks.to_le_bytes());
        let checksum = end_checksum(&end, self.identity);
        end.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&end);
        Ok(bytes)
    }
}
