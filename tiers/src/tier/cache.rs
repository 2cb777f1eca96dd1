//! The blocks of one tier in memory, and how the tiers of a run share the memory budget.
//!
//! A **dirty** block was filled and is not in the log yet. It stays expanded if there is room for that, else in the
//! form of its **delta**, which takes a fourth of the memory or less and costs little time (`kernel/delta`). **Cached**
//! blocks are expanded copies of blocks that also exist as a delta or in the log; they use the rest of the budget.
//! Blocks that will not be read again are **evicted**.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use quick_cache::sync::Cache;

use super::block::{DirtyBlock, Expanded, PAD, Slab, expanded_bytes};
use crate::files::FileError;
use crate::kernel::{Pool, PoolLimits};

/// The memory that the tiers of a run may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryBudget {
    /// About how many words a block has; [`BLOCK_WORDS`](super::BLOCK_WORDS) except in tests.
    pub block_words: usize,
    /// Bytes for the blocks of the tier that is read and of the tier that is filled.
    pub cache_bytes: u64,
    /// Limits for these blocks together with the blocks that threads work on.
    pub pool: PoolLimits,
    /// Words for the slice of one matrix that is read across, per thread.
    pub slice_words: usize,
    /// For a tier whose expanded blocks do not fit: a larger number of words per slice, and the bytes that this costs
    /// of `cache_bytes`. Loading a slice expands all blocks of its matrix.
    pub wide: Option<(usize, u64)>,
}

impl MemoryBudget {
    /// Returns the budget for two tiers that stay in memory.
    pub fn unlimited(block_words: usize) -> MemoryBudget {
        MemoryBudget {
            block_words,
            cache_bytes: UNLIMITED,
            pool: PoolLimits { bytes: UNLIMITED, spare_bytes: LITTLE_BYTES },
            slice_words: usize::MAX,
            wide: None,
        }
    }

    /// Returns the budget for reading from front to back, with memory for one block only.
    pub fn sequential(block_words: usize) -> MemoryBudget {
        MemoryBudget { cache_bytes: 0, ..MemoryBudget::unlimited(block_words) }
    }

    /// Returns the budget of a tier that has `expanded_bytes` bytes when expanded.
    pub(super) fn of_tier(self, expanded_bytes: u64) -> MemoryBudget {
        match self.wide {
            Some((slice_words, bytes)) if !self.fits(expanded_bytes) => {
                let pool = PoolLimits { bytes: self.pool.bytes.saturating_sub(bytes), ..self.pool };
                let cache_bytes = self.cache_bytes.saturating_sub(bytes);
                MemoryBudget { slice_words, cache_bytes, pool, wide: None, ..self }
            }
            _ => MemoryBudget { wide: None, ..self },
        }
    }

    /// Returns whether a tier that has `expanded_bytes` bytes when expanded leaves room for some deltas.
    pub(super) fn fits(&self, expanded_bytes: u64) -> bool {
        expanded_bytes <= self.cache_bytes / 16 * 15
    }
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Expanded> for ByBytes {
    fn weight(&self, _: &usize, block: &Expanded) -> u64 {
        64 + block.bytes()
    }
}

/// Spare memory that is enough for filling blocks one after the other.
const LITTLE_BYTES: u64 = 16 << 20;

/// More bytes than any machine has, but few enough that sums do not overflow.
const UNLIMITED: u64 = 1 << 50;

/// The deltas of a tier take at most about one part in so many of its expanded blocks.
const DELTA_PART: u64 = 4;

/// The form in which a dirty block may stay in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Expanded; the memory for it is reserved.
    Expanded,
    /// As its delta, if there is room.
    Delta,
}

/// The blocks of one tier in memory, by number. Threads share them.
#[derive(Debug)]
pub(super) struct BlockCache {
    pub budget: MemoryBudget,
    /// Bytes of all blocks of the tier when expanded.
    tier_bytes: u64,
    /// Whether all blocks can be in memory at a time, expanded.
    pub fits: bool,
    dirty: Vec<Mutex<Option<DirtyBlock>>>,
    /// Bytes of the expanded dirty blocks, and of the deltas.
    expanded: AtomicU64,
    deltas: AtomicU64,
    /// Bytes that the blocks of the deltas would have when expanded.
    of_deltas: AtomicU64,
    /// Bytes that the blocks not filled yet would have when expanded.
    unfilled: AtomicU64,
    /// How many more bytes dirty blocks may use: see [`BlockCache::share_memory`].
    free_bytes: Arc<AtomicU64>,
    /// The memory of all blocks, of this tier and of the tiers beside it.
    pub pool: Arc<Pool>,
    /// The cached blocks. A block is read for up to as many shapes as the board has columns, most of them close
    /// together. Created for the first cached block, since most tiers that fit need no cache.
    cached: OnceLock<Cache<usize, Expanded, ByBytes>>,
    evicted: Mutex<Evicted>,
}

/// How much of the tier will not be read again.
#[derive(Debug)]
struct Evicted {
    /// All blocks before this number are evicted.
    end: usize,
    /// Bytes that cached blocks may use.
    most_cached_bytes: u64,
    /// Bytes that the tier filled from this one may use; grows as blocks are evicted.
    next_free_bytes: Option<Arc<AtomicU64>>,
}

impl BlockCache {
    /// Makes an empty cache for a tier of `count` blocks with `tier_bytes` bytes in all when expanded.
    pub fn new(budget: MemoryBudget, count: usize, tier_bytes: u64) -> BlockCache {
        BlockCache {
            budget,
            tier_bytes,
            fits: budget.fits(tier_bytes),
            dirty: (0..count).map(|_| Mutex::default()).collect(),
            expanded: AtomicU64::new(0),
            deltas: AtomicU64::new(0),
            of_deltas: AtomicU64::new(0),
            unfilled: AtomicU64::new(tier_bytes),
            free_bytes: Arc::default(),
            pool: Pool::new(budget.pool),
            cached: OnceLock::new(),
            evicted: Mutex::new(Evicted { end: 0, most_cached_bytes: budget.cache_bytes, next_free_bytes: None }),
        }
    }

    /// Returns whether less than half of the tier is dirty.
    pub fn is_mostly_clean(&self) -> bool {
        2 * (get(&self.expanded) + get(&self.of_deltas)) < self.tier_bytes
    }

    /// Splits the budget between `beside`, which will only be read from now on, and this tier, which is filled from it.
    /// Priority: dirty blocks of `beside`; then its cached blocks (all if they fit, else what the deltas of this tier
    /// leave); then dirty blocks of this tier, which get more as `beside` is evicted. Without `beside`, the dirty
    /// blocks of this tier get everything.
    pub fn share_memory(&mut self, beside: Option<&BlockCache>) {
        let Some(beside) = beside else {
            self.free_bytes = Arc::new(AtomicU64::new(self.budget.cache_bytes));
            return;
        };
        self.pool = Arc::clone(&beside.pool);
        let free = beside.budget.cache_bytes.saturating_sub(beside.dirty_bytes());
        let unexpanded = beside.tier_bytes - get(&beside.expanded);
        let kept = if beside.fits { 0 } else { (self.tier_bytes / DELTA_PART).min(free / 2) };
        let cached = unexpanded.min(free - kept);
        let mut evicted = beside.evicted();
        beside.limit_cached(&mut evicted, cached);
        self.free_bytes = Arc::new(AtomicU64::new(free - cached));
        evicted.next_free_bytes = Some(Arc::clone(&self.free_bytes));
    }

    /// Gives cached blocks all memory that dirty blocks leave. Call it when all blocks are filled.
    pub fn finish_filling(&self) {
        self.pool.limit(self.budget.pool);
        self.limit_cached(&mut self.evicted(), self.budget.cache_bytes.saturating_sub(self.dirty_bytes()));
    }

    fn limit_cached(&self, evicted: &mut Evicted, bytes: u64) {
        evicted.most_cached_bytes = bytes;
        if let Some(cached) = self.cached.get() {
            cached.set_capacity(self.capacity(bytes));
        }
    }

    /// Returns the limit for the cache. If all blocks fit it has none, because the cache divides a limit over its
    /// shards, and some shards would be full before others.
    fn capacity(&self, bytes: u64) -> u64 {
        if self.fits { UNLIMITED } else { bytes }
    }

    /// Drops the blocks before number `end`, which will not be read again, and gives their memory to the tier that is
    /// filled from this one. The remaining blocks have `rest_bytes` bytes when expanded.
    pub fn evict(&self, end: usize, rest_bytes: u64) {
        let mut evicted = self.evicted();
        if end <= evicted.end {
            return;
        }
        let before = self.dirty_bytes() + evicted.most_cached_bytes;
        for block in evicted.end..end {
            match self.slot(block).take() {
                Some(DirtyBlock::Expanded(words)) => {
                    self.expanded.fetch_sub(expanded_bytes(1, words.len() - PAD), Ordering::Relaxed);
                }
                Some(DirtyBlock::Delta(delta)) => {
                    self.of_deltas.fetch_sub(expanded_bytes(1, delta.words as usize), Ordering::Relaxed);
                    self.deltas.fetch_sub(delta.taken_bytes.into(), Ordering::Relaxed);
                }
                None => {}
            }
            if let Some(cached) = self.cached.get() {
                cached.remove(&block);
            }
        }
        evicted.end = end;
        let most = evicted.most_cached_bytes.min(rest_bytes);
        self.limit_cached(&mut evicted, most);
        if let Some(free_bytes) = &evicted.next_free_bytes {
            free_bytes.fetch_add(before - (self.dirty_bytes() + most), Ordering::Relaxed);
        }
    }

    fn evicted(&self) -> MutexGuard<'_, Evicted> {
        self.evicted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes of dirty blocks.
    fn dirty_bytes(&self) -> u64 {
        get(&self.expanded) + get(&self.deltas)
    }

    /// Reserves memory for the next block to be filled, of `length` words; `slab` is the thread's slab. Returns `None`
    /// if no memory is left.
    pub fn reserve(&self, length: usize, slab: &Slab) -> Option<Form> {
        let bytes = expanded_bytes(1, length);
        let unfilled = self.unfilled.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        // Leave room for the deltas of all other blocks.
        if self.fits && self.take(bytes, unfilled / DELTA_PART) {
            self.expanded.fetch_add(bytes, Ordering::Relaxed);
            return Some(Form::Expanded);
        }
        let likely = (bytes / DELTA_PART) as usize;
        let slab_bytes = Slab::bytes_for(likely);
        let has_more = || get(&self.free_bytes) >= slab_bytes && get(&self.deltas) + slab_bytes <= self.most_deltas();
        (slab.has_room(likely) || has_more()).then_some(Form::Delta)
    }

    /// Returns the bytes that deltas may use: when the tier is read, expanded blocks need room too.
    fn most_deltas(&self) -> u64 {
        if self.fits { self.budget.cache_bytes - self.tier_bytes } else { self.budget.cache_bytes / 4 * 3 }
    }

    /// Takes `bytes` of the free memory if at least `rest` bytes remain.
    fn take(&self, bytes: u64, rest: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes).filter(|left| *left >= rest);
        self.free_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Keeps an expanded block whose memory is reserved.
    pub fn keep(&self, block: usize, words: Expanded) {
        *self.slot(block) = Some(DirtyBlock::Expanded(words));
    }

    /// Keeps the delta of a block of `length` words in the thread's slab, or in a new slab if there is memory. Returns
    /// whether it did. Other threads see the delta after [`BlockCache::close`].
    pub fn keep_delta(&self, block: usize, length: usize, delta: &[u8], slab: &mut Slab) -> bool {
        if !slab.has_room(delta.len()) {
            self.close(slab);
            let taken = Slab::bytes_for(delta.len());
            let deltas = &self.deltas;
            let more = |deltas: u64| Some(deltas + taken).filter(|deltas| *deltas <= self.most_deltas());
            if deltas.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
                return false;
            }
            if !self.take(taken, 0) {
                deltas.fetch_sub(taken, Ordering::Relaxed);
                return false;
            }
            *slab = Slab::new(&self.pool, delta.len());
        }
        slab.push(block, length, delta);
        true
    }

    /// Makes the deltas of a slab visible to all threads.
    pub fn close(&self, slab: &mut Slab) {
        for (block, delta) in slab.take() {
            self.of_deltas.fetch_add(expanded_bytes(1, delta.words as usize), Ordering::Relaxed);
            *self.slot(block) = Some(DirtyBlock::Delta(delta));
        }
    }

    /// Returns a dirty block.
    pub fn dirty(&self, block: usize) -> Option<DirtyBlock> {
        self.slot(block).clone()
    }

    fn slot(&self, block: usize) -> MutexGuard<'_, Option<DirtyBlock>> {
        self.dirty[block].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a cached block, or expands it with `expand` and caches it if there is room. If several threads request
    /// one block, the first expands it and the others wait.
    ///
    /// # Errors
    /// The errors of `expand`.
    pub fn cached(
        &self,
        block: usize,
        expand: impl FnOnce() -> Result<Expanded, FileError>,
    ) -> Result<Expanded, FileError> {
        if self.budget.cache_bytes == 0 {
            return expand();
        }
        let cached = self.cached.get_or_init(|| {
            let most = self.budget.cache_bytes / (8 * self.budget.block_words as u64);
            let expected = most.clamp(16, self.dirty.len().max(16) as u64) as usize;
            Cache::with_weighter(expected, self.capacity(self.evicted().most_cached_bytes), ByBytes)
        });
        cached.get_or_insert_with(&block, || {
            let bytes = 8 * self.budget.block_words as u64;
            if self.pool.is_full(bytes) {
                // Blocks that threads work on, and allocations larger than their blocks, reduce the room of cached
                // blocks.
                cached.set_capacity(cached.weight().saturating_sub(2 * bytes));
            }
            expand()
        })
    }
}

fn get(bytes: &AtomicU64) -> u64 {
    bytes.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;
    use crate::kernel::delta::{DeltaBuffers, MakeDelta, Stretch};
    use crate::tier::block::expanded;

    const WORDS: usize = 3000;

    /// Fills a block as a tier does. Its delta is very small, or larger than the block.
    fn fill(cache: &BlockCache, block: usize, is_noise: bool, slab: &mut Slab) {
        let next = |noise: &u64| Some(noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let noise = std::iter::successors(Some(block as u64 + 1), next).take(WORDS);
        let words: Vec<u64> = if is_noise { noise.collect() } else { vec![7; WORDS] };
        let make = || {
            expanded(&cache.pool, WORDS, |out| {
                out.copy_from_slice(&words);
                Ok(())
            })
        };
        match cache.reserve(WORDS, slab) {
            Some(Form::Expanded) => cache.keep(block, make().unwrap()),
            Some(Form::Delta) => {
                let stretch = [Stretch { row_words: 5, words: WORDS as u32 }];
                let mut buffers = DeltaBuffers::default();
                let make = MakeDelta { words: &words, planes: 2, stretches: &stretch, buffers: &mut buffers };
                cache.keep_delta(block, WORDS, Kernel::portable().run(make), slab);
            }
            None => {}
        }
    }

    fn cache(budget_bytes: u64, count: usize) -> BlockCache {
        let pool = PoolLimits { bytes: budget_bytes, spare_bytes: budget_bytes };
        let budget = MemoryBudget { block_words: WORDS, cache_bytes: budget_bytes, pool, slice_words: 0, wide: None };
        BlockCache::new(budget, count, expanded_bytes(count, count * WORDS))
    }

    /// Reads all blocks from `first` on, as threads do when they need them expanded.
    fn read(cache: &BlockCache, first: usize) {
        for block in first..cache.dirty.len() {
            if !matches!(cache.dirty(block), Some(DirtyBlock::Expanded(_))) {
                cache.cached(block, || expanded(&cache.pool, WORDS, |_| Ok(()))).unwrap();
            }
        }
    }

    /// Returns the bytes of cached blocks if each has new memory.
    fn cached_bytes(cache: &BlockCache) -> u64 {
        let count = cache.cached.get().map_or(0, Cache::len);
        cache.cached.get().map_or(0, |cached| cached.weight()).min(count as u64 * (64 + 8 * 3072))
    }

    proptest! {
        #[test]
        fn two_tiers_never_take_more_than_their_budget(
            budget_bytes in 0..900_000u64,
            child in prop::collection::vec(any::<bool>(), 1..40),
            later in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 1..4),
        ) {
            let mut old = cache(budget_bytes, child.len());
            old.share_memory(None);
            let mut slab = Slab::default();
            child.iter().enumerate().for_each(|(block, is_noise)| fill(&old, block, *is_noise, &mut slab));
            old.close(&mut slab);
            old.finish_filling();
            read(&old, 0);
            for next in later {
                let mut new = cache(budget_bytes, next.len());
                new.share_memory(Some(&old));
                let count = old.dirty.len();
                for (block, is_noise) in next.iter().enumerate() {
                    let first = block * count / next.len();
                    let rest = count - first;
                    old.evict(first, expanded_bytes(rest, rest * WORDS));
                    read(&old, first);
                    fill(&new, block, *is_noise, &mut slab);
                    let taken = old.dirty_bytes() + cached_bytes(&old) + new.dirty_bytes();
                    prop_assert!(taken <= budget_bytes, "{taken} of {budget_bytes}");
                    let [used, spare] = new.pool.bytes();
                    prop_assert!(spare == 0 || used + spare <= budget_bytes, "{used} {spare} of {budget_bytes}");
                }
                new.close(&mut slab);
                new.finish_filling();
                old.evict(count, 0);
                prop_assert_eq!(old.dirty_bytes() + cached_bytes(&old), 0);
                prop_assert_eq!(get(&new.free_bytes) + new.dirty_bytes(), budget_bytes);
                read(&new, 0);
                old = new;
            }
        }

        #[test]
        fn threads_that_keep_deltas_at_once_never_take_more_than_their_budget(budget_bytes in 0..1_200_000u64) {
            let mut shared = cache(budget_bytes, 400);
            shared.share_memory(None);
            let fills = &|first: usize| {
                let mut slab = Slab::default();
                (first..400).step_by(4).for_each(|block| fill(&shared, block, block % 3 == 0, &mut slab));
                shared.close(&mut slab);
            };
            std::thread::scope(|scope| (0..4).for_each(|first| drop(scope.spawn(move || fills(first)))));
            prop_assert!(get(&shared.deltas) <= shared.most_deltas());
            prop_assert_eq!(get(&shared.free_bytes) + shared.dirty_bytes(), budget_bytes);
        }
    }

    #[test]
    fn blocks_are_kept_expanded_where_all_fit_and_as_deltas_where_they_do_not() {
        let forms = |budget_bytes| {
            let mut cache = cache(budget_bytes, 10);
            cache.share_memory(None);
            let mut slab = Slab::default();
            (0..10).for_each(|block| fill(&cache, block, false, &mut slab));
            cache.close(&mut slab);
            let kept = Vec::from_iter((0..10).filter_map(|block| cache.dirty(block)));
            let expanded = kept.iter().filter(|block| matches!(block, DirtyBlock::Expanded(_))).count();
            (expanded, kept.len() - expanded)
        };
        assert_eq!(forms(300_000), (10, 0));
        assert_eq!(forms(180_000), (0, 10));
        assert_eq!(forms(0), (0, 0));
        let (expanded, deltas) = forms(expanded_bytes(10, 10 * WORDS) / 15 * 16);
        assert_eq!(expanded + deltas, 10);
    }
}
