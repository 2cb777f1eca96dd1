//! The memory for the blocks of all tiers of a run.
//!
//! A finished block is **kept** in memory while there is room. If the whole tier fits, its blocks are kept expanded.
//! Otherwise each block is kept as its delta ([`crate::kernel::delta`]), which takes a fourth of the memory or less and
//! costs little time. Deltas are stored one after the other in *slabs*, large buffers of equal length. The rest of the
//! memory holds **cached** blocks: expanded copies of blocks that are kept as deltas or are in the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::Cache;

use super::block::PAD;
use crate::files::FileError;
use crate::kernel::{Pool, SPARE_PART, Words};

/// The words of a block, followed by [`PAD`] spare words. Threads share them.
pub(super) type Expanded = Arc<Words>;

/// The memory for all blocks of a run, with one limit for all tiers.
#[derive(Debug)]
pub(crate) struct BlockMemory {
    /// The approximate number of words in a block; [`BLOCK_WORDS`](super::BLOCK_WORDS) except in tests.
    pub block_words: usize,
    /// The size of a slice, in words. A slice holds some columns of all rows of a matrix, for one thread (see
    /// `reader`).
    pub slice_words: usize,
    /// Counts the bytes of all blocks: kept, cached, and those that threads work on.
    pool: Arc<Pool>,
    /// The limit for kept and cached blocks together, in bytes.
    bytes: u64,
    /// The limit for kept blocks, in bytes.
    most_kept: u64,
    /// The bytes that are reserved for kept blocks now.
    kept: AtomicU64,
    /// The limit for cached blocks, in bytes.
    most_cached: AtomicU64,
    /// The cached blocks by ply and number. A block is read for at most as many shapes as the board has columns, and
    /// most of those shapes follow closely on one another.
    cached: Cache<(u32, usize), Expanded, ByBytes>,
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<(u32, usize), Expanded> for ByBytes {
    fn weight(&self, _: &(u32, usize), block: &Expanded) -> u64 {
        64 + block.bytes()
    }
}

/// An estimate: the deltas of a tier take no more than the bytes of its expanded blocks divided by this number.
const DELTA_PART: u64 = 4;

impl BlockMemory {
    /// Makes the memory of a run: `bytes` for kept and cached blocks, and `working_bytes` for the blocks that threads
    /// work on.
    pub fn new(block_words: usize, slice_words: usize, bytes: u64, working_bytes: u64) -> BlockMemory {
        let expected = (bytes / (8 * block_words as u64)).clamp(16, 1 << 12) as usize;
        BlockMemory {
            block_words,
            slice_words,
            pool: Pool::new(bytes + working_bytes),
            bytes,
            // At least a fifth is for cached blocks, because blocks that are kept as deltas must be expanded to be
            // read.
            most_kept: bytes / 5 * 4,
            kept: AtomicU64::new(0),
            most_cached: AtomicU64::new(bytes),
            cached: Cache::with_weighter(expected, bytes, ByBytes),
        }
    }

    /// Returns whether a tier that has `bytes` bytes when expanded can be kept expanded, with room for some deltas.
    pub fn fits(&self, bytes: u64) -> bool {
        bytes <= self.most_kept / 16 * 15
    }

    /// Sets aside memory for the deltas of the tier that is filled next, which has `bytes` bytes when expanded. Cached
    /// blocks get the memory that these deltas and the kept blocks leave. If the cache took the deltas' memory first
    /// and freed it later, that would cost time: cached blocks do not have the size of slabs, so their memory would go
    /// back to the system.
    pub fn begin_tier(&self, bytes: u64) {
        let kept = (self.kept.load(Ordering::Relaxed) + bytes / DELTA_PART).min(self.most_kept);
        self.most_cached.store(self.bytes - kept, Ordering::Relaxed);
        self.cached.set_capacity(self.bytes - kept);
    }

    /// Reserves `bytes` for kept blocks; `None` if there is too little memory. Leaves room for the deltas of all blocks
    /// that are not filled yet, which have `unfilled` bytes when expanded.
    pub(super) fn reserve(self: &Arc<Self>, bytes: u64, unfilled: u64) -> Option<Reserved> {
        let more = |kept: u64| Some(kept + bytes).filter(|kept| kept + unfilled / DELTA_PART <= self.most_kept);
        self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Reserved { memory: Arc::clone(self), bytes })
    }

    /// Allocates a block of `length` words, and lets `fill` write them.
    pub fn expanded(
        &self,
        length: usize,
        fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
    ) -> Result<Expanded, FileError> {
        let mut words = self.words(length + PAD);
        words.get_mut(..length).map_or(Ok(()), fill)?;
        Ok(Arc::new(words))
    }

    /// Allocates words. If threads work on more blocks than planned, drops cached blocks to make room.
    fn words(&self, length: usize) -> Words {
        // Count 12 bytes per word instead of 8: a buffer that is reused can be half as large again as requested.
        let lacking = 12 * length as i64 - self.pool.free_bytes();
        if lacking > 0 {
            let less = lacking as u64 + 32 * length as u64;
            self.cached.set_capacity(self.cached.weight().saturating_sub(less));
            self.cached.set_capacity(self.most_cached.load(Ordering::Relaxed));
        }
        self.pool.words(length)
    }

    /// Returns a cached block, or expands it with `expand` and caches it. If several threads request one block, the
    /// first expands it and the others wait. If the run has no memory for blocks, expands the block every time and
    /// caches nothing.
    ///
    /// # Errors
    /// The errors of `expand`.
    pub fn cached(
        &self,
        ply: u32,
        block: usize,
        expand: impl FnOnce() -> Result<Expanded, FileError>,
    ) -> Result<Expanded, FileError> {
        if self.most_kept == 0 { expand() } else { self.cached.get_or_insert_with(&(ply, block), expand) }
    }

    /// Drops a cached block.
    pub fn forget(&self, ply: u32, block: usize) {
        self.cached.remove(&(ply, block));
    }
}

/// A reservation of memory for kept blocks. Dropping it releases the memory.
#[derive(Debug)]
pub(super) struct Reserved {
    memory: Arc<BlockMemory>,
    bytes: u64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.memory.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A block that stays in memory until it is evicted.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    Expanded { words: Expanded, _reserved: Arc<Reserved> },
    Delta(Delta),
}

/// The delta of a block, in a slab.
#[derive(Clone, Debug)]
pub(super) struct Delta {
    slab: Arc<Slab>,
    first: u32,
    length: u32,
}

impl Delta {
    /// Returns the bytes of the delta.
    pub fn bytes(&self) -> &[u8] {
        let bytes = bytemuck::cast_slice::<u64, u8>(&self.slab.words).get(self.first as usize..);
        bytes.and_then(|bytes| bytes.get(..self.length as usize)).unwrap_or_default()
    }
}

/// A buffer that holds deltas one after the other. Deltas differ in length but slabs do not, so the memory of a freed
/// slab fits the next slab. Blocks are evicted roughly in the order in which they were filled, so slabs are freed in
/// that order too.
#[derive(Debug)]
struct Slab {
    words: Words,
    _reserved: Reserved,
}

/// The length of a slab in bytes. A longer delta gets a slab of its own, which has the length of the delta.
const SLAB_BYTES: usize = if cfg!(test) { 1 << 12 } else { 1 << 19 };

/// The slab that a thread fills with deltas. Other threads see the deltas once the slab is closed.
#[derive(Default, Debug)]
pub(super) struct OpenSlab {
    slab: Option<Slab>,
    /// For each delta, the number of its block and the byte of the slab at which the delta ends.
    deltas: Vec<(usize, usize)>,
}

impl OpenSlab {
    /// Adds the delta of a block. If the slab has no room for it, closes the slab, calls `show` for each of its blocks,
    /// and begins another slab. Returns `false` if there is no memory for another slab.
    pub fn add(
        &mut self,
        memory: &Arc<BlockMemory>,
        block: usize,
        delta: &[u8],
        show: impl FnMut((usize, Delta)),
    ) -> bool {
        self.push(block, delta) || {
            self.close().for_each(show);
            let words = delta.len().max(SLAB_BYTES).div_ceil(8);
            let reserved = memory.reserve(expanded_bytes(1, words), 0);
            self.slab = reserved.map(|reserved| Slab { words: memory.words(words), _reserved: reserved });
            self.push(block, delta)
        }
    }

    /// Adds the delta of a block. Returns whether the slab has room for it.
    fn push(&mut self, block: usize, delta: &[u8]) -> bool {
        let first = self.deltas.last().map_or(0, |(_, end)| *end);
        let end = first + delta.len();
        let bytes = self.slab.as_mut().map(|slab| bytemuck::cast_slice_mut::<u64, u8>(&mut slab.words));
        let Some(place) = bytes.and_then(|bytes| bytes.get_mut(first..end)) else { return false };
        place.copy_from_slice(delta);
        self.deltas.push((block, end));
        true
    }

    /// Closes the slab and lists its blocks, each with its delta.
    pub fn close(&mut self) -> impl Iterator<Item = (usize, Delta)> {
        let OpenSlab { slab, deltas, .. } = std::mem::take(self);
        let (slab, mut first) = (slab.map(Arc::new), 0);
        deltas.into_iter().filter_map(move |(block, end)| {
            let slab = Arc::clone(slab.as_ref()?);
            let delta = Delta { slab, first: first as u32, length: (end - first) as u32 };
            first = end;
            Some((block, delta))
        })
    }
}

/// Returns how many bytes of memory to count for `blocks` expanded blocks that have `words` words in all.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    let words = (words + blocks * PAD) as u64;
    64 * blocks as u64 + 8 * (words + words / SPARE_PART as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: usize = 3000;

    /// Fills a tier as a solve does: keeps the blocks expanded if the tier fits, else as deltas. Some deltas are very
    /// small, others larger than their blocks.
    fn fill(memory: &Arc<BlockMemory>, blocks: &[bool], mut each: impl FnMut(usize, Option<Kept>)) {
        let all = expanded_bytes(blocks.len(), blocks.len() * WORDS);
        let (mut slab, mut unfilled) = (OpenSlab::default(), all);
        for (block, is_noise) in blocks.iter().enumerate() {
            unfilled -= all / blocks.len() as u64;
            let reserved = memory.fits(all).then(|| memory.reserve(expanded_bytes(1, WORDS), unfilled)).flatten();
            let words = memory.expanded(WORDS, |_| Ok(())).unwrap();
            match reserved {
                Some(reserved) => each(block, Some(Kept::Expanded { words, _reserved: Arc::new(reserved) })),
                None => {
                    let delta = vec![block as u8; if *is_noise { 9 * WORDS } else { 30 }];
                    slab.add(memory, block, &delta, |(block, delta)| each(block, Some(Kept::Delta(delta))));
                    each(block, None);
                }
            }
        }
        slab.close().for_each(|(block, delta)| each(block, Some(Kept::Delta(delta))));
    }

    #[test]
    fn blocks_are_kept_expanded_where_all_fit_and_as_deltas_where_they_do_not() {
        let forms = |bytes| {
            let (memory, mut kept) = (Arc::new(BlockMemory::new(WORDS, 0, bytes, 0)), Vec::new());
            fill(&memory, &[false; 10], |_, block| kept.extend(block));
            let expanded = kept.iter().filter(|block| matches!(block, Kept::Expanded { .. })).count();
            (expanded, kept.len() - expanded)
        };
        assert_eq!([forms(400_000), forms(200_000), forms(0)], [(10, 0), (0, 10), (0, 0)]);
        let (expanded, deltas) = forms(expanded_bytes(10, 10 * WORDS) * 4 / 3);
        assert_eq!(expanded + deltas, 10);
    }

    proptest! {
        #[test]
        fn threads_that_fill_at_once_never_keep_more_than_their_memory(bytes in 1..1_200_000u64) {
            let memory = &Arc::new(BlockMemory::new(WORDS, 0, bytes, 8 * expanded_bytes(1, WORDS)));
            let fills = |first: usize| {
                let blocks = Vec::from_iter((first..first + 100).map(|block| block % 3 == 0));
                let mut kept = Vec::new();
                fill(memory, &blocks, |_, block| {
                    kept.extend(block);
                    assert!(memory.kept.load(Ordering::Relaxed) <= memory.most_kept);
                });
            };
            std::thread::scope(|scope| (0..4).for_each(|first| drop(scope.spawn(move || fills(first)))));
            prop_assert_eq!(memory.kept.load(Ordering::Relaxed), 0);
        }

        #[test]
        fn two_tiers_never_take_more_than_their_memory(
            bytes in 1..900_000u64,
            tiers in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 2..5),
        ) {
            let block = expanded_bytes(1, WORDS);
            let memory = Arc::new(BlockMemory::new(WORDS, 0, bytes, 2 * block));
            let read = |ply: u32, number: usize| memory.cached(ply, number, || memory.expanded(WORDS, |_| Ok(()))).unwrap();
            let mut old: Vec<Option<Kept>> = Vec::new();
            for (ply, tier) in (0..).zip(&tiers) {
                let mut new = vec![None; tier.len()];
                fill(&memory, tier, |number, kept| {
                    if kept.is_some() {
                        new[number] = kept;
                    }
                    let first = number * old.len() / tier.len();
                    old[..first].fill(None);
                    (first..old.len()).for_each(|number| drop(read(ply, number)));
                    assert!(memory.pool.free_bytes() >= 0, "{number}: {}", memory.pool.free_bytes());
                });
                for delta in new.iter().flatten() {
                    if let Kept::Delta(delta) = delta {
                        prop_assert!(delta.bytes().iter().all(|byte| *byte == delta.bytes()[0]));
                    }
                }
                (0..old.len()).for_each(|number| memory.forget(ply, number));
                old = new;
            }
            drop(old);
            prop_assert_eq!(memory.kept.load(Ordering::Relaxed), 0);
            prop_assert_eq!(memory.cached.len(), 0);
        }
    }
}
