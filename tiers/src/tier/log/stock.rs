//! The blocks of one tier that are in memory, and how two tiers share the room for them.
//!
//! Some are **held**: they were filled and are not in the log yet. A block is held expanded where there is room for that, and
//! else as its **delta**, which takes a fourth or less and costs little (`kernel/delta.rs`). Beside them, expanded blocks of
//! which a delta or a record of the log exists are **remembered** as far as there is room (`room`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::Cache;

use super::pages::{Paged, Pages};
use super::room::{Room, expanded_bytes};
use crate::files::FileError;
use crate::kernel::{Delta, Kernel, Words};
use crate::tier::store::PAD;

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<Words>;

/// Makes a block of `length` words and lets `fill` write them.
///
/// # Errors
/// Those of `fill`.
pub(super) fn made(
    length: usize,
    fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
) -> Result<Expanded, FileError> {
    let mut words = Words::of_any_values(length + PAD);
    words.get_mut(..length).map_or(Ok(()), fill)?;
    Ok(Arc::new(words))
}

/// A block that is held.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Expanded(Expanded),
    Delta(Arc<HeldDelta>),
}

/// A block that is held as its delta.
#[derive(Debug)]
pub(super) struct HeldDelta {
    delta: Delta,
    bytes: Paged,
    /// Words of the block.
    pub length: usize,
}

impl HeldDelta {
    /// Writes the words of the block; `buffer` is for the bytes.
    pub fn expand(&self, kernel: Kernel, buffer: &mut Vec<u8>, words: &mut [u64]) {
        kernel.undo_delta(&self.delta, self.bytes.read(buffer), words);
    }

    /// Returns what it takes.
    fn bytes(&self) -> u64 {
        delta_bytes(&self.delta, self.bytes.len())
    }
}

/// Returns what a delta of so many bytes takes as it is held.
fn delta_bytes(delta: &Delta, bytes: usize) -> u64 {
    delta.taken() + Paged::taken_by(bytes) + 64
}

impl Held {
    /// Returns what it counts for.
    fn bytes(&self) -> u64 {
        match self {
            Held::Expanded(block) => expanded_bytes(1, block.len() - PAD),
            Held::Delta(delta) => delta.bytes(),
        }
    }
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Expanded> for ByBytes {
    fn weight(&self, _: &usize, block: &Expanded) -> u64 {
        64 + block.bytes()
    }
}

/// More bytes than any machine has.
const UNLIMITED: u64 = 1 << 50;

/// The deltas of a tier take about one part in so many of what its blocks take expanded, or less.
const DELTA_PART: u64 = 4;

/// How a block may be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Expanded. The room for it is taken.
    Expanded,
    /// As its delta, if there is room for it.
    Delta,
}

/// The blocks of one tier in memory, by number. Threads share it.
#[derive(Debug)]
pub(super) struct Stock {
    /// What they may take, and what all of the tier would, expanded.
    most_bytes: u64,
    all_bytes: u64,
    /// All blocks can be here at a time, expanded.
    pub fits: bool,
    held: Vec<Mutex<Option<Held>>>,
    amounts: Amounts,
    /// How much more may be held: see [`Stock::share_room`].
    room_left: Arc<AtomicU64>,
    /// For deltas.
    pages: Arc<Pages>,
    /// One is read by up to as many shapes as the board has columns, most of them close together.
    remembered: Cache<usize, Expanded, ByBytes>,
    passed: Mutex<Passed>,
}

/// Bytes of blocks that are held, or not.
#[derive(Debug)]
struct Amounts {
    /// What is taken by blocks that are held expanded, and by deltas.
    expanded: AtomicU64,
    deltas: AtomicU64,
    /// What the deltas' blocks would take, expanded.
    of_deltas: AtomicU64,
    /// What the blocks that are not filled yet would take, expanded.
    unfilled: AtomicU64,
}

/// How far the tier has been read for the last time.
#[derive(Debug)]
struct Passed {
    /// How many blocks are of no more use.
    blocks: usize,
    /// What may be remembered.
    most_remembered_bytes: u64,
    /// Who gets what this tier leaves.
    next: Option<Next>,
}

/// The tier that is filled from another one.
#[derive(Debug)]
struct Next {
    room_left: Arc<AtomicU64>,
    /// Its pages, if it holds deltas alone. Others would wait there while expanded blocks take their room.
    pages: Option<Arc<Pages>>,
}

impl Stock {
    /// Makes an empty stock for a tier of `count` blocks that take `all_bytes` together.
    pub fn new(room: &Room, count: usize, all_bytes: u64) -> Stock {
        let most_bytes = room.cache_bytes;
        let expected = (most_bytes / (8 * room.block_words as u64)).clamp(16, count.max(16) as u64) as usize;
        Stock {
            most_bytes,
            all_bytes,
            fits: room.fits(all_bytes),
            held: (0..count).map(|_| Mutex::default()).collect(),
            amounts: Amounts {
                expanded: AtomicU64::new(0),
                deltas: AtomicU64::new(0),
                of_deltas: AtomicU64::new(0),
                unfilled: AtomicU64::new(all_bytes),
            },
            room_left: Arc::default(),
            pages: Arc::default(),
            remembered: Cache::with_weighter(expected, most_bytes, ByBytes),
            passed: Mutex::new(Passed { blocks: 0, most_remembered_bytes: most_bytes, next: None }),
        }
    }

    /// Tells whether less than half of the tier is held.
    pub fn holds_little(&self) -> bool {
        2 * (get(&self.amounts.expanded) + get(&self.amounts.of_deltas)) < self.all_bytes
    }

    /// Shares out the memory between this tier, which is read from now on, and `next`, which is filled from it. First comes what
    /// this tier holds, then what is remembered of it: all if it fits, else what the deltas of `next` leave. Blocks of
    /// `next` are held in the rest, which grows with [`Stock::pass`].
    pub fn share_room(&self, next: &mut Stock) {
        let free = self.most_bytes.saturating_sub(self.held_bytes());
        let unexpanded = self.all_bytes - get(&self.amounts.expanded);
        let kept = if self.fits { 0 } else { (next.all_bytes / DELTA_PART).min(free / 2) };
        let remembered = unexpanded.min(free - kept);
        let mut passed = self.passed();
        self.remember_at_most(&mut passed, remembered);
        next.room_left = Arc::new(AtomicU64::new(free - remembered));
        let pages = (!next.fits).then(|| Arc::clone(&next.pages));
        passed.next = Some(Next { room_left: Arc::clone(&next.room_left), pages });
    }

    /// Takes all the room for blocks that are filled from no other tier.
    pub fn take_room(&mut self) {
        self.room_left = Arc::new(AtomicU64::new(self.most_bytes));
    }

    /// Leaves the room that is not taken by held blocks to the others, once all are filled.
    pub fn filled(&self) {
        self.pages.close();
        self.remember_at_most(&mut self.passed(), self.most_bytes.saturating_sub(self.held_bytes()));
    }

    fn remember_at_most(&self, passed: &mut Passed, bytes: u64) {
        passed.most_remembered_bytes = bytes;
        // The cache shares its limit out over its parts, some of which are full before others.
        self.remembered.set_capacity(if self.fits { UNLIMITED } else { bytes });
    }

    /// Drops the blocks before number `first`, which are of no more use, and leaves their room to the tier that is filled from
    /// this one. The blocks from there on would take `rest_bytes`, expanded.
    pub fn pass(&self, first: usize, rest_bytes: u64) {
        let mut passed = self.passed();
        if first <= passed.blocks {
            return;
        }
        let before = self.held_bytes() + passed.most_remembered_bytes;
        for block in passed.blocks..first {
            if let Some(held) = self.slot(block).take() {
                self.amounts.drop(&held);
                if let (Held::Delta(delta), Some(pages)) =
                    (held, passed.next.as_ref().and_then(|next| next.pages.as_ref()))
                {
                    // A thread that expands it just now drops it itself.
                    Arc::into_inner(delta).into_iter().for_each(|delta| pages.take_back(delta.bytes));
                }
            }
            self.remembered.remove(&block);
        }
        passed.blocks = first;
        let most = passed.most_remembered_bytes.min(rest_bytes);
        self.remember_at_most(&mut passed, most);
        if let Some(next) = &passed.next {
            next.room_left.fetch_add(before - (self.held_bytes() + most), Ordering::Relaxed);
        }
    }

    fn passed(&self) -> MutexGuard<'_, Passed> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the blocks that are held take.
    fn held_bytes(&self) -> u64 {
        get(&self.amounts.expanded) + get(&self.amounts.deltas)
    }

    /// Takes room for a block of `length` words that is filled next. `None` if there is none.
    pub fn reserve(&self, length: usize) -> Option<Form> {
        let bytes = expanded_bytes(1, length);
        let unfilled = self.amounts.unfilled.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        // Room for the deltas of all others is left.
        if self.fits && self.take(bytes, unfilled / DELTA_PART) {
            self.amounts.expanded.fetch_add(bytes, Ordering::Relaxed);
            return Some(Form::Expanded);
        }
        let likely = bytes / DELTA_PART;
        let has_room = get(&self.room_left) > likely && get(&self.amounts.deltas) + likely <= self.most_deltas();
        has_room.then_some(Form::Delta)
    }

    /// Returns what deltas may take: when the tier is read, expanded blocks need room as well.
    fn most_deltas(&self) -> u64 {
        if self.fits { self.most_bytes - self.all_bytes } else { self.most_bytes / 4 * 3 }
    }

    /// Takes room, if so much is left beside it.
    fn take(&self, bytes: u64, rest: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes).filter(|left| *left >= rest);
        self.room_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Holds a block for which room is taken.
    pub fn hold(&self, block: usize, words: Expanded) {
        *self.slot(block) = Some(Held::Expanded(words));
    }

    /// Holds the delta of a block of `length` words, if there is room. Returns whether there was.
    pub fn hold_delta(&self, block: usize, length: usize, delta: Delta, bytes: &[u8]) -> bool {
        let taken = delta_bytes(&delta, bytes.len());
        let deltas = &self.amounts.deltas;
        let more = |deltas: u64| Some(deltas + taken).filter(|deltas| *deltas <= self.most_deltas());
        if deltas.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            return false;
        }
        if !self.take(taken, 0) {
            deltas.fetch_sub(taken, Ordering::Relaxed);
            return false;
        }
        self.amounts.of_deltas.fetch_add(expanded_bytes(1, length), Ordering::Relaxed);
        // What the tier that is read has left may be taken by more deltas in fewer pages.
        let bytes = self.pages.put(bytes, get(&self.room_left));
        let held = Held::Delta(Arc::new(HeldDelta { delta, bytes, length }));
        *self.slot(block) = Some(held);
        true
    }

    /// Returns a block that is held.
    pub fn held(&self, block: usize) -> Option<Held> {
        self.slot(block).clone()
    }

    fn slot(&self, block: usize) -> MutexGuard<'_, Option<Held>> {
        self.held[block].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a remembered block, or remembers what `expand` makes of it, if there is room. Of several threads that ask for
    /// one, the first expands it and the others wait.
    ///
    /// # Errors
    /// Those of `expand`.
    pub fn remembered(
        &self,
        block: usize,
        expand: impl FnOnce() -> Result<Expanded, FileError>,
    ) -> Result<Expanded, FileError> {
        if self.most_bytes == 0 { expand() } else { self.remembered.get_or_insert_with(&block, expand) }
    }
}

impl Amounts {
    /// Takes a block off that is no longer held.
    fn drop(&self, held: &Held) {
        match held {
            Held::Expanded(_) => self.expanded.fetch_sub(held.bytes(), Ordering::Relaxed),
            Held::Delta(delta) => {
                self.of_deltas.fetch_sub(expanded_bytes(1, delta.length), Ordering::Relaxed);
                self.deltas.fetch_sub(held.bytes(), Ordering::Relaxed)
            }
        };
    }
}

fn get(bytes: &AtomicU64) -> u64 {
    bytes.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::{DeltaBuffers, Stretch};

    const WORDS: usize = 1000;

    /// Fills a block as `Blocks` does. Its delta takes nearly nothing, or more than the block.
    fn fill(stock: &Stock, block: usize, is_noise: bool) {
        let mut noise = block as u64 + 1;
        let words: Vec<u64> = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(is_noise));
            if is_noise { noise } else { 7 }
        })
        .take(WORDS)
        .collect();
        let make = || {
            made(WORDS, |out| {
                out.copy_from_slice(&words);
                Ok(())
            })
        };
        match stock.reserve(WORDS) {
            Some(Form::Expanded) => stock.hold(block, make().unwrap()),
            Some(Form::Delta) => {
                let stretch = [Stretch { row_words: 5, words: WORDS as u32 }];
                let mut buffers = DeltaBuffers::default();
                let (delta, bytes) = Kernel::portable().delta(&words, 2, &stretch, &mut buffers);
                stock.hold_delta(block, WORDS, delta, bytes);
            }
            None => {}
        }
    }

    fn stock(most_bytes: u64, count: usize) -> Stock {
        let room = Room { block_words: WORDS, cache_bytes: most_bytes, slice_words: 0, wide: None };
        Stock::new(&room, count, expanded_bytes(count, count * WORDS))
    }

    /// Reads all blocks from `first` on, as threads do that need them expanded.
    fn read(stock: &Stock, first: usize) {
        for block in first..stock.held.len() {
            if !matches!(stock.held(block), Some(Held::Expanded(_))) {
                stock.remembered(block, || made(WORDS, |_| Ok(()))).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn two_tiers_never_take_more_than_their_room(
            most_bytes in 0..300_000u64,
            child in prop::collection::vec(any::<bool>(), 1..40),
            later in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 1..4),
        ) {
            let mut old = stock(most_bytes, child.len());
            old.take_room();
            child.iter().enumerate().for_each(|(block, is_noise)| fill(&old, block, *is_noise));
            old.filled();
            read(&old, 0);
            for next in later {
                let mut new = stock(most_bytes, next.len());
                old.share_room(&mut new);
                let count = old.held.len();
                for (block, is_noise) in next.iter().enumerate() {
                    let first = block * count / next.len();
                    let rest = count - first;
                    old.pass(first, expanded_bytes(rest, rest * WORDS));
                    read(&old, first);
                    fill(&new, block, *is_noise);
                    let spare = old.pages.spare_bytes() + new.pages.spare_bytes();
                    let taken = old.held_bytes() + old.remembered.weight() + new.held_bytes() + spare;
                    prop_assert!(taken <= most_bytes, "{taken} of {most_bytes}");
                }
                new.filled();
                old.pass(count, 0);
                prop_assert_eq!(old.held_bytes() + old.remembered.weight(), 0);
                prop_assert_eq!(old.pages.spare_bytes() + new.pages.spare_bytes(), 0);
                prop_assert_eq!(get(&new.room_left) + new.held_bytes(), most_bytes);
                read(&new, 0);
                old = new;
            }
        }

        #[test]
        fn threads_that_hold_deltas_at_once_never_take_more_than_their_room(most_bytes in 0..400_000u64) {
            let mut shared = stock(most_bytes, 400);
            shared.take_room();
            let fills = |first: usize| (first..400).step_by(4).for_each(|block| fill(&shared, block, block % 3 == 0));
            std::thread::scope(|scope| {
                for first in 0..4 {
                    let fills = &fills;
                    scope.spawn(move || fills(first));
                }
            });
            prop_assert!(get(&shared.amounts.deltas) <= shared.most_deltas());
            prop_assert_eq!(get(&shared.room_left) + shared.held_bytes(), most_bytes);
        }
    }

    #[test]
    fn blocks_are_held_expanded_where_all_fit_and_as_deltas_where_they_do_not() {
        let forms = |most_bytes| {
            let mut stock = stock(most_bytes, 10);
            stock.take_room();
            (0..10).for_each(|block| fill(&stock, block, false));
            let count = |form: fn(&Option<Held>) -> bool| (0..10).filter(|block| form(&stock.held(*block))).count();
            (count(|held| matches!(held, Some(Held::Expanded(_)))), count(|held| matches!(held, Some(Held::Delta(..)))))
        };
        assert_eq!(forms(100_000), (10, 0));
        assert_eq!(forms(60_000), (0, 10));
        assert_eq!(forms(0), (0, 0));
        let (expanded, deltas) = forms(expanded_bytes(10, 10 * WORDS) / 15 * 16);
        assert_eq!(expanded + deltas, 10);
    }
}
