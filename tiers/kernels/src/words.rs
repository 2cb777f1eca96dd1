//! The words of a block, allocated from a pool, and views of its rows.
//!
//! A solve in files expands some hundred thousand blocks a minute, of a few dozen sizes. A pool keeps the memory of
//! dropped blocks and reuses it for blocks of about the same size, within a limit. It gets pages directly from the
//! system and returns them to it: with the general allocator, gaps between blocks took a third more memory. Without a
//! pool, a request to the system for every block took a tenth of the solve's time.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memmap2::{MmapMut, MmapOptions};

/// Shorter blocks use the general allocator.
const LEAST_WORDS: usize = 1 << 11;

/// Words in a page of the system's memory.
const PAGE_WORDS: usize = 1 << 9;

/// Requests for new memory are rounded up, so that there are few sizes: by at most one part in `SPARE_PART`, or a page.
pub const SPARE_PART: usize = 16;

/// Spare memory is reused if it is at most one part in `NEAR_PART` larger than new memory would be. On 6x6 in 4 GiB,
/// three quarters of requests find spare memory if it may be a half larger. Just as many do if it may be a fourth
/// larger, but then the solve takes 2 % longer. If it must not be larger, twice as much memory comes from the system.
const NEAR_PART: usize = 2;

/// Memory for blocks, shared by threads and tiers.
#[derive(Debug)]
pub struct Pool(Mutex<Maps>);

/// Blocks and spare memory together may take an eighth more than the peak of blocks alone so far, plus this many bytes.
const SPARE_BYTES: u64 = 16 << 20;

/// The memory of a pool, with its counts.
#[derive(Debug)]
struct Maps {
    limit_bytes: u64,
    used_bytes: u64,
    most_used_bytes: u64,
    spare_bytes: u64,
    /// Spare memory by its size in bytes.
    spare: BTreeMap<usize, Vec<MmapMut>>,
}

impl Pool {
    /// Makes an empty pool. It keeps spare memory only while blocks and spare memory together take at most
    /// `limit_bytes`; blocks alone may take more.
    pub fn new(limit_bytes: u64) -> Arc<Pool> {
        let ([used_bytes, most_used_bytes, spare_bytes], spare) = ([0; 3], BTreeMap::new());
        Arc::new(Pool(Mutex::new(Maps { limit_bytes, used_bytes, most_used_bytes, spare_bytes, spare })))
    }

    /// Returns how many more bytes blocks may take; negative if they take more than the limit.
    pub fn free_bytes(&self) -> i64 {
        let maps = self.maps();
        maps.limit_bytes as i64 - maps.used_bytes as i64
    }

    /// Allocates `length` words; their values are arbitrary.
    pub fn words(self: &Arc<Pool>, length: usize) -> Words {
        if length < LEAST_WORDS {
            return self.few(length);
        }
        let step = (length / SPARE_PART + 1).next_power_of_two() / 2;
        let bytes = 8 * length.next_multiple_of(step.max(PAGE_WORDS));
        let map = self.take(bytes).or_else(|| {
            self.trim();
            MmapOptions::new().len(bytes).populate().map_anon().ok()
        });
        let Some(map) = map else {
            self.maps().used_bytes -= bytes as u64;
            return self.few(length);
        };
        Words { few: Vec::new(), many: Some(map), pool: Arc::clone(self), length }
    }

    /// Allocates words from the general allocator.
    fn few(self: &Arc<Pool>, length: usize) -> Words {
        self.maps().used_bytes += 8 * length as u64;
        self.trim();
        Words { few: vec![0; length], many: None, pool: Arc::clone(self), length }
    }

    /// Returns spare memory of about `bytes` bytes and counts it as used. Returns `None` if there is none, and
    /// counts `bytes` as used for the new memory that the caller allocates.
    fn take(&self, bytes: usize) -> Option<MmapMut> {
        let mut maps = self.maps();
        let near = maps.spare.range_mut(bytes..=bytes + bytes / NEAR_PART);
        let map = near.map(|(_, spare)| spare).find_map(Vec::pop);
        let found = map.as_ref().map_or(0, |map| map.len() as u64);
        maps.spare_bytes -= found;
        maps.used_bytes += if found > 0 { found } else { bytes as u64 };
        maps.most_used_bytes = maps.most_used_bytes.max(maps.used_bytes);
        map
    }

    /// Makes memory of a dropped block spare.
    fn put(&self, map: MmapMut) {
        let bytes = map.len() as u64;
        let mut maps = self.maps();
        maps.used_bytes -= bytes;
        maps.spare_bytes += bytes;
        maps.spare.entry(map.len()).or_default().push(map);
        drop(maps);
        self.trim();
    }

    /// Returns spare memory to the system until the rest is within the limit. Each step takes from the size with the
    /// most bytes.
    fn trim(&self) {
        loop {
            let mut maps = self.maps();
            let most_bytes = maps.limit_bytes.min(maps.most_used_bytes / 8 * 9 + SPARE_BYTES);
            if maps.spare_bytes <= most_bytes.saturating_sub(maps.used_bytes) {
                return;
            }
            let most = maps.spare.iter_mut().max_by_key(|(bytes, spare)| **bytes * spare.len());
            let map = most.and_then(|(_, spare)| spare.pop());
            maps.spare_bytes -= map.as_ref().map_or(0, |map| map.len() as u64);
            // Release the lock first: dropping `map` is a system call.
            drop(maps);
        }
    }

    fn maps(&self) -> MutexGuard<'_, Maps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Words whose memory returns to its pool when they are dropped.
#[derive(Debug)]
pub struct Words {
    few: Vec<u64>,
    many: Option<MmapMut>,
    pool: Arc<Pool>,
    length: usize,
}

impl Words {
    /// Returns the bytes that the words occupy.
    pub fn bytes(&self) -> u64 {
        self.many.as_ref().map_or(8 * self.few.len(), |map| map.len()) as u64
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        match self.many.take() {
            Some(map) => self.pool.put(map),
            None => self.pool.maps().used_bytes -= 8 * self.few.len() as u64,
        }
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        let words = self.many.as_ref().map_or(&self.few[..], |map| bytemuck::cast_slice(map));
        &words[..self.length]
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        let words = self.many.as_mut().map_or(&mut self.few[..], |map| bytemuck::cast_slice_mut(map));
        &mut words[..self.length]
    }
}

/// The rows of a matrix that a band reads: in one piece, or in consecutive shared blocks.
#[derive(Clone, Copy, Debug)]
pub enum RowView<'a> {
    /// All rows, one after the other.
    Whole(&'a [u64]),
    /// Blocks with the same number of rows each; the last may have fewer.
    Blocks {
        /// The blocks, from the one with the first row on.
        blocks: &'a [Arc<Words>],
        /// Rows per block.
        each: usize,
    },
}

impl<'a> RowView<'a> {
    /// Returns the words of a row of `row_words` words (all planes), followed by whatever words come next.
    #[inline(always)]
    pub fn row(&self, row: usize, row_words: usize) -> &'a [u64] {
        match *self {
            RowView::Whole(words) => &words[row * row_words..],
            RowView::Blocks { blocks, each } => &blocks[row / each][row % each * row_words..],
        }
    }

    /// Returns several rows as [`RowView::row`] does; `None` if they lie in more than one block.
    pub fn piece(&self, rows: &Range<usize>, row_words: usize) -> Option<&'a [u64]> {
        let in_one = match *self {
            RowView::Whole(_) => true,
            RowView::Blocks { each, .. } => rows.is_empty() || rows.start / each == (rows.end - 1) / each,
        };
        in_one.then(|| self.row(rows.start, row_words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPED: usize = 10 * LEAST_WORDS;

    #[test]
    fn memory_is_used_again_for_about_as_many_words() {
        let pool = Pool::new(1 << 30);
        let first = pool.words(MAPPED);
        let place = first.as_ptr();
        drop(first);
        assert_ne!(pool.words(MAPPED + 1).as_ptr(), place);
        assert_ne!(pool.words(MAPPED / 2).as_ptr(), place);
        let again = pool.words(MAPPED * 3 / 4);
        assert_eq!((again.as_ptr(), again.len(), again.bytes()), (place, MAPPED * 3 / 4, 8 * MAPPED as u64));
    }

    #[test]
    fn words_take_little_more_memory_than_is_asked_for() {
        let pool = Pool::new(0);
        for length in (0..4 * LEAST_WORDS).step_by(7) {
            let words = pool.words(length);
            assert_eq!(words.len(), length);
            let most = 8 * (length + (length / SPARE_PART).max(PAGE_WORDS));
            assert!(words.bytes() as usize <= most, "{length}: {}", words.bytes());
        }
    }

    #[test]
    fn spare_memory_and_blocks_stay_below_the_limit() {
        let block = 8 * MAPPED as u64;
        let pool = Pool::new(3 * block);
        let bytes = || {
            let maps = pool.maps();
            [maps.used_bytes, maps.spare_bytes]
        };
        let mut words = Vec::from_iter((0..5).map(|_| pool.words(MAPPED)));
        assert_eq!(bytes(), [5 * block, 0]);
        words.truncate(1);
        assert_eq!(bytes(), [block, 2 * block]);
        words.push(pool.words(MAPPED * 2));
        assert_eq!(bytes(), [3 * block, 0]);
        assert_eq!(pool.free_bytes(), 0);
        words.clear();
        assert_eq!(bytes(), [0, 3 * block]);
    }
}
