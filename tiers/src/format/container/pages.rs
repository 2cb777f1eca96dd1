//! The directory of a file's blocks, in pages that are read when a block of theirs is first asked for.
//!
//! The widest tier of 7x6 has a directory of some megabytes: a probe reads two kilobytes of it, and the list of the pages.

use std::ops::Range;
use std::sync::OnceLock;

use super::{DIRECTORY_ENTRY, PAGE_BLOCKS};
use crate::files::envelope::{take_u16, take_u32, take_u64};
use crate::format::chunk::GROUP_CHUNKS;

/// The list of the pages, and those that have been read.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Offset and chunk at which each page begins, and those at which the last ends.
    starts: Vec<(u64, u64)>,
    checksums: Vec<u64>,
    read: Vec<OnceLock<Page>>,
    blocks: u64,
}

/// What the directory says of [`PAGE_BLOCKS`] blocks, or of fewer at the end of a file.
#[derive(Debug)]
pub(super) struct Page {
    /// Offset and chunk at which each block begins, and those at which the last ends.
    starts: Vec<(u64, u64)>,
    checksums: Vec<u32>,
}

/// Where a block is, and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub bytes: Range<u64>,
    pub chunks: Range<u64>,
    pub checksum: u32,
}

impl Pages {
    /// Takes the list of the pages of `blocks` blocks, which go from the first to the second of `ends` (offset and
    /// chunk); `None` where they do not.
    pub fn parse(mut list: &[u8], blocks: u64, ends: [(u64, u64); 2]) -> Option<Pages> {
        let count = blocks.div_ceil(PAGE_BLOCKS);
        let mut pages = Pages { blocks, ..Pages::default() };
        for _ in 0..count {
            pages.starts.push((take_u64(&mut list)?, take_u64(&mut list)?));
            pages.checksums.push(take_u64(&mut list)?);
        }
        let [first, last] = ends;
        pages.starts.push(last);
        pages.read = (0..count).map(|_| OnceLock::new()).collect();
        let in_order = pages.starts.is_sorted_by(|one, other| one.0 <= other.0 && one.1 < other.1);
        (list.is_empty() && in_order && pages.starts.first() == Some(&first)).then_some(pages)
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns the page that has a chunk, and the page that has a block.
    pub fn of_chunk(&self, chunk: u64) -> usize {
        self.starts.partition_point(|(_, first)| *first <= chunk).saturating_sub(1)
    }

    /// Returns where a page's entries are, counted from the start of the directory; `None` where there is no such page.
    pub fn range(&self, page: usize) -> Option<Range<u64>> {
        self.checksums.get(page)?;
        let first = page as u64 * PAGE_BLOCKS;
        let entries = first..self.blocks.min(first + PAGE_BLOCKS);
        Some(entries.start * DIRECTORY_ENTRY as u64..entries.end * DIRECTORY_ENTRY as u64)
    }

    /// Returns the checksum of a page's entries.
    pub fn checksum(&self, page: usize) -> Option<u64> {
        self.checksums.get(page).copied()
    }

    /// Returns a page that has been read.
    pub fn get(&self, page: usize) -> Option<&Page> {
        self.read.get(page)?.get()
    }

    /// Takes the entries of a page; `None` where they do not fit between this page and the next.
    pub fn take(&self, number: usize, entries: &[u8]) -> Option<&Page> {
        let page = Page::parse(entries, *self.starts.get(number)?)?;
        (page.starts.last() == self.starts.get(number + 1)).then_some(())?;
        Some(self.read.get(number)?.get_or_init(|| page))
    }
}

impl Page {
    /// Reads entries; `None` where one has no chunk or more than a group has.
    fn parse(mut entries: &[u8], first: (u64, u64)) -> Option<Page> {
        let mut page = Page { starts: vec![first], checksums: Vec::new() };
        let (mut start, mut chunk) = first;
        while !entries.is_empty() {
            start = start.checked_add(u64::from(take_u32(&mut entries)?))?;
            let chunks = u32::from(take_u16(&mut entries)?);
            chunk = chunk.checked_add((1..=GROUP_CHUNKS).contains(&chunks).then_some(u64::from(chunks))?)?;
            page.starts.push((start, chunk));
            page.checksums.push(take_u32(&mut entries)?);
        }
        Some(page)
    }

    /// Returns the block of the page that has a chunk.
    pub fn of_chunk(&self, chunk: u64) -> usize {
        self.starts.partition_point(|(_, first)| *first <= chunk).saturating_sub(1)
    }

    /// Returns a block of the page.
    pub fn block(&self, number: usize) -> Option<Block> {
        let (from, to) = (self.starts.get(number)?, self.starts.get(number + 1)?);
        Some(Block { bytes: from.0..to.0, chunks: from.1..to.1, checksum: *self.checksums.get(number)? })
    }
}
