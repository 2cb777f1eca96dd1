//! The expanded blocks of one tier that are in memory, and how two tiers share the room for them.
//!
//! Some are **held**: they were filled and are not in the log yet. The others are in the log and are remembered as far as there
//! is room.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::Cache;

use crate::files::FileError;
use crate::tier::store::PAD;

/// What the tiers of a run may take in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// About how many words a block has; [`BLOCK_WORDS`] except in tests.
    pub block_words: usize,
    /// For expanded blocks of the tier that is read and of the one that is filled.
    pub cache_bytes: u64,
    /// For one matrix that is read across, in each thread.
    pub slice_words: usize,
    /// For a tier whose expanded blocks do not fit: more words of such a matrix, and the bytes that this takes off
    /// `cache_bytes`. Every slice costs the expansion of its matrix.
    pub wide: Option<(usize, u64)>,
}

impl Room {
    /// Returns the room of a tier that takes so many bytes if it is expanded.
    pub(super) fn of_tier(self, expanded_bytes: u64) -> Room {
        match self.wide {
            Some((slice_words, bytes)) if expanded_bytes > self.cache_bytes => {
                Room { slice_words, cache_bytes: self.cache_bytes.saturating_sub(bytes), wide: None, ..self }
            }
            _ => Room { wide: None, ..self },
        }
    }
}

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<[u64]>;

/// Makes a block of `length` words and lets `fill` write them.
///
/// # Errors
/// Those of `fill`.
pub(super) fn made(
    length: usize,
    fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
) -> Result<Expanded, FileError> {
    let mut expanded = Expanded::from_iter(std::iter::repeat_n(0, length + PAD));
    // Nobody else has it yet.
    Arc::get_mut(&mut expanded).and_then(|words| words.get_mut(..length)).map_or(Ok(()), fill)?;
    Ok(expanded)
}

/// Returns what some blocks of so many words in all take together, expanded.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    64 * blocks as u64 + 8 * (words + blocks * PAD) as u64
}

/// Returns what one block takes.
fn bytes_of(block: &Expanded) -> u64 {
    expanded_bytes(1, block.len() - PAD)
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Expanded> for ByBytes {
    fn weight(&self, _: &usize, block: &Expanded) -> u64 {
        bytes_of(block)
    }
}

/// More bytes than any machine has.
const UNLIMITED: u64 = 1 << 50;

/// The expanded blocks of one tier, by number. Threads share it.
#[derive(Debug)]
pub(super) struct Stock {
    /// What they may take, and what all of the tier would.
    most_bytes: u64,
    all_bytes: u64,
    held: Vec<Mutex<Option<Expanded>>>,
    held_bytes: AtomicU64,
    /// How much that may become, and how much more of it there is room for: see [`Stock::share_room`].
    most_held_bytes: u64,
    room_left: Arc<AtomicU64>,
    /// One is read by up to as many shapes as the board has columns, most of them close together.
    remembered: Cache<usize, Expanded, ByBytes>,
    passed: Mutex<Passed>,
}

/// How far the tier has been read for the last time.
#[derive(Debug)]
struct Passed {
    /// How many blocks are of no more use, and what the others would take.
    blocks: usize,
    rest_bytes: u64,
    /// The room of the tier that is filled from this one.
    room_of_next: Option<Arc<AtomicU64>>,
}

impl Stock {
    /// Makes an empty stock for a tier of `count` blocks that take `all_bytes` together.
    pub fn new(room: &Room, count: usize, all_bytes: u64) -> Stock {
        let most_bytes = room.cache_bytes;
        let expected = (most_bytes / (8 * room.block_words as u64)).clamp(16, count.max(16) as u64) as usize;
        Stock {
            most_bytes,
            all_bytes,
            held: (0..count).map(|_| Mutex::default()).collect(),
            held_bytes: AtomicU64::new(0),
            most_held_bytes: 0,
            room_left: Arc::default(),
            remembered: Cache::with_weighter(expected, most_bytes, ByBytes),
            passed: Mutex::new(Passed { blocks: 0, rest_bytes: all_bytes, room_of_next: None }),
        }
    }

    /// Tells whether all blocks can be here at a time.
    pub fn fits(&self) -> bool {
        self.all_bytes <= self.most_bytes
    }

    /// Tells whether less than half of the tier is held.
    pub fn holds_little(&self) -> bool {
        2 * self.held_bytes.load(Ordering::Relaxed) < self.all_bytes
    }

    /// Shares out the memory between this tier, which is read from now on, and `next`, which is filled from it. This tier
    /// takes as much as it can use; the rest is for blocks of `next` that are held, and grows with [`Stock::pass`].
    pub fn share_room(&self, next: &mut Stock) {
        let own = self.most_bytes.min(self.all_bytes);
        self.limit(own);
        next.room_left = Arc::new(AtomicU64::new(self.most_bytes - own));
        // Of a tier that does not fit, the blocks that are not held need room to be expanded.
        next.most_held_bytes = next.most_bytes / if next.fits() { 1 } else { 2 };
        self.passed().room_of_next = Some(Arc::clone(&next.room_left));
    }

    /// Leaves the room that is not taken by held blocks to the others, once all are filled.
    pub fn filled(&self) {
        self.limit(self.most_bytes);
    }

    /// Limits what the blocks take to `most_bytes`, if they do not all fit.
    fn limit(&self, most_bytes: u64) {
        let rest = most_bytes.saturating_sub(self.held_bytes.load(Ordering::Relaxed));
        // The cache shares its limit out over its parts, some of which are full before others.
        self.remembered.set_capacity(if self.fits() { UNLIMITED } else { rest });
    }

    /// Drops the blocks before number `first`, which are of no more use, and leaves their room to the tier that is filled from
    /// this one. The blocks from there on would take `rest_bytes`.
    pub fn pass(&self, first: usize, rest_bytes: u64) {
        let mut passed = self.passed();
        if first <= passed.blocks {
            return;
        }
        for block in passed.blocks..first {
            if let Some(block) = self.slot(block).take() {
                self.held_bytes.fetch_sub(bytes_of(&block), Ordering::Relaxed);
            }
            self.remembered.remove(&block);
        }
        let [before, now] = [passed.rest_bytes, rest_bytes].map(|bytes| bytes.min(self.most_bytes));
        (passed.blocks, passed.rest_bytes) = (first, rest_bytes);
        self.limit(now);
        if let Some(room) = &passed.room_of_next {
            room.fetch_add(before - now, Ordering::Relaxed);
        }
    }

    fn passed(&self) -> MutexGuard<'_, Passed> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes room for a block of `length` words to be held, if there is any.
    pub fn reserve(&self, length: usize) -> bool {
        let bytes = expanded_bytes(1, length);
        let less = |left: u64| left.checked_sub(bytes);
        if self.held_bytes.load(Ordering::Relaxed) + bytes > self.most_held_bytes
            || self.room_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
        {
            return false;
        }
        self.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Holds a block for which there is room.
    pub fn hold(&self, block: usize, words: Expanded) {
        *self.slot(block) = Some(words);
    }

    /// Returns a block that is held.
    pub fn held(&self, block: usize) -> Option<Expanded> {
        self.slot(block).clone()
    }

    fn slot(&self, block: usize) -> MutexGuard<'_, Option<Expanded>> {
        self.held[block].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a block that is in the log, if there is room.
    pub fn remember(&self, block: usize, words: &Expanded) {
        if self.most_bytes > 0 {
            self.remembered.insert(block, Expanded::clone(words));
        }
    }

    /// Returns a block that is here.
    pub fn get(&self, block: usize) -> Option<Expanded> {
        self.held(block).or_else(|| self.remembered.get(&block))
    }
}
