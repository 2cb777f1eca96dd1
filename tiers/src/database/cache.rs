//! Keeps the expanded blocks and unpacked chunks of probes, in bounded memory. [`chunk`](crate::format::chunk) and
//! [`codec`](crate::format::codec) explain chunks and blocks.
//!
//! A probe whose chunk is cached mostly waits for memory. The children of a position are often probed one after
//! another. While the processor waits for the memory of one child, it can already read memory for the next child, but
//! not if the probe takes a lock or changes a reference count. So probes take no lock to read the codes of unpacked
//! chunks. (Bit *i* of an entry's code is in plane *i*.) The codes are stored in **slots** of a kilobyte, and
//! **buckets** record which slot has which codes: a probe reads a bucket and a slot, and writes nothing. Slots are
//! filled in turn, so the oldest codes are overwritten first.
//!
//! One thread writes at a time, while others read. Each slot has a version, which is odd during a write. If the version
//! has changed during a read, the read counts as a miss. Missing codes are unpacked again, which is slow but right.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::Weighter;

use crate::format::codec::DecodedBlock;
use crate::index::Slots;
use crate::kernel::MAX_PLANES;

/// The bytes of the cache unless the caller sets another number.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// The cache of probes. A quarter of its memory is for expanded blocks, the rest for the codes of unpacked chunks.
/// Threads and
/// databases can share a cache.
pub struct Cache {
    pub(super) blocks: Arc<BlockCache<DecodedBlock>>,
    pub(super) codes: Arc<ChunkCodes>,
    /// The most bytes of the cache.
    pub bytes: u64,
    /// Distinguishes the databases that share the cache.
    pub(super) database: u64,
    /// How many databases share the cache.
    databases: Arc<AtomicU64>,
}

/// A cache of blocks. The key is the database, the ply and the number of the block; the value is the number of bytes
/// that the block takes, and the block.
pub(crate) type BlockCache<B> = quick_cache::sync::Cache<(u64, u32, u64), (usize, Arc<B>), BlockWeighter>;

#[derive(Clone)]
pub(crate) struct BlockWeighter;

impl<B> Weighter<(u64, u32, u64), (usize, Arc<B>)> for BlockWeighter {
    fn weight(&self, _: &(u64, u32, u64), (bytes, _): &(usize, Arc<B>)) -> u64 {
        64 + *bytes as u64
    }
}

impl Cache {
    /// Makes a cache of at most `bytes` bytes.
    pub fn new(bytes: u64) -> Cache {
        let block_bytes = bytes / 4;
        let blocks = BlockCache::with_weighter((block_bytes / 4096) as usize, block_bytes, BlockWeighter);
        let codes = Arc::new(ChunkCodes::new(bytes - block_bytes));
        Cache { blocks: Arc::new(blocks), codes, bytes, database: 0, databases: Arc::default() }
    }

    /// Returns a cache for another database that uses the same memory.
    pub(super) fn share(&self) -> Cache {
        let Cache { blocks, codes, databases, .. } = self;
        let database = databases.fetch_add(1, Ordering::Relaxed) + 1;
        let (blocks, codes, databases) = (Arc::clone(blocks), Arc::clone(codes), Arc::clone(databases));
        Cache { blocks, codes, bytes: self.bytes, database, databases }
    }

    /// Returns a block. If the cache lacks the block, `expand` makes it.
    pub(super) fn block<E>(
        &self,
        ply: u32,
        number: u64,
        expand: impl FnOnce() -> Result<DecodedBlock, E>,
    ) -> Result<Arc<DecodedBlock>, E> {
        let insert = || expand().map(|block| (block.bytes(), Arc::new(block)));
        Ok(self.blocks.get_or_insert_with(&(self.database, ply, number), insert)?.1)
    }

    /// Returns the code of an entry of a chunk. If the cache lacks the code, `unpack` returns the words of all codes of
    /// the chunk, plane after plane.
    pub(super) fn code<E>(
        &self,
        chunk: Chunk,
        entry: usize,
        unpack: impl FnOnce() -> Result<Vec<u64>, E>,
    ) -> Result<u8, E> {
        if let Some(code) = self.codes.get(chunk, entry) {
            return Ok(code);
        }
        let codes = unpack()?;
        self.codes.insert(chunk, &codes);
        Ok(chunk.code(&codes, entry))
    }
}

/// The number of words in a slot. For two planes, they hold the codes of 4,096 entries.
const SLOT_WORDS: usize = 128;

/// [`SLOT_WORDS`] divided by each number of planes. This is a table because a division would take much of the time of a
/// look-up.
const WORDS_OF_SLOT: [usize; MAX_PLANES + 1] = [0, 128, 64, 42, 32, 25, 21, 18];

/// The number of slots that a bucket can record. There are half as many buckets as slots, so about one bucket in 4,000
/// would need more.
const WAYS: usize = 8;

/// The number of slots and buckets in a page. A page is allocated when it is first used; with large pages, the first
/// probes would allocate memory that they don't need.
const SLOTS_OF_PAGE: usize = 32;
const BUCKETS_OF_PAGE: usize = 16;

/// A chunk of the tier with `ply` pieces, and the number of the tier's planes.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub database: u64,
    pub ply: u32,
    pub number: u64,
    pub planes: usize,
}

impl Chunk {
    /// Returns the code of an entry from the words of all codes, plane after plane.
    fn code(&self, codes: &[u64], entry: usize) -> u8 {
        let words = codes.iter().skip(entry / 64).step_by((codes.len() / self.planes).max(1));
        words.enumerate().fold(0, |code, (plane, word)| code | bit(*word, entry) << plane)
    }

    /// Returns how many words of each plane fit into a slot.
    fn words_of_slot(&self) -> usize {
        WORDS_OF_SLOT.get(self.planes).copied().unwrap_or(0)
    }

    /// Returns the name of the part that has an entry, and the place of the entry's words in it.
    fn slot_of(&self, entry: usize) -> (Name, usize) {
        let (word, each) = (entry / 64, self.words_of_slot());
        let (part, place) = if word < each { (0, word) } else { (word / each, word % each) };
        (self.name(part), place)
    }

    /// Returns the name under which a slot stores a part of the chunk. A part has as many words of each plane as fit
    /// into a slot. A name is never 0, because the tier of ply 0 is not stored. Two parts of a database could share a
    /// name only in a file of 2^50 chunks, whose directory would have 2^42 blocks.
    fn name(&self, part: usize) -> Name {
        [self.number << 14 | (part as u64) << 7 | u64::from(self.ply), self.database]
    }
}

/// A chunk, and the number of an entry in it.
pub(crate) type Place = (Chunk, usize);

/// A part's name, unique in its database, and the number of the database.
type Name = [u64; 2];

/// Slots and buckets, shared by threads.
pub(super) struct ChunkCodes {
    slots: Slots<Slot, SLOTS_OF_PAGE>,
    buckets: Slots<Bucket, BUCKETS_OF_PAGE>,
    /// The slot to fill next.
    next: Mutex<usize>,
}

#[derive(Default)]
struct Slot {
    version: AtomicU64,
    name: [AtomicU64; 2],
    /// The words of the part: first the first word of every plane, then the second word of every plane, and so on. They
    /// are in arrays of 32, because longer arrays do not implement `Default`.
    words: [[AtomicU64; 32]; SLOT_WORDS / 32],
}

impl Slot {
    fn name(&self) -> Name {
        self.name.each_ref().map(|part| part.load(Ordering::Relaxed))
    }
}

/// Each item records one slot. Its low 32 bits are the slot's number, counted from 1; its high 32 bits are from the
/// hash of the slot's name. A free item is 0.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([AtomicU64; WAYS]);

/// Returns the bit of an entry in `word`, which has the bits of 64 entries.
fn bit(word: u64, entry: usize) -> u8 {
    (word >> (entry % 64) & 1) as u8
}

fn hash([name, database]: Name) -> u64 {
    let name = name ^ database.rotate_right(16);
    let hash = (name ^ name >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl ChunkCodes {
    /// Makes slots and buckets of at most `bytes` bytes in all, in whole pages. Each page is allocated when first used.
    fn new(bytes: u64) -> ChunkCodes {
        let together = SLOTS_OF_PAGE * size_of::<Slot>() + BUCKETS_OF_PAGE * size_of::<Bucket>();
        let pages = (bytes / together as u64).min(u64::from(u32::MAX) / SLOTS_OF_PAGE as u64) as usize;
        let (slots, buckets) = (Slots::new(pages * SLOTS_OF_PAGE), Slots::new(pages * BUCKETS_OF_PAGE));
        ChunkCodes { slots, buckets, next: Mutex::new(0) }
    }

    /// Returns the code of an entry of a chunk, if a slot has it.
    pub fn get(&self, chunk: Chunk, entry: usize) -> Option<u8> {
        let (name, place) = chunk.slot_of(entry);
        self.find(name, |words| {
            let planes = words.iter().skip(place * chunk.planes).take(chunk.planes).enumerate();
            planes.fold(0, |code, (plane, word)| code | bit(word.load(Ordering::Relaxed), entry) << plane)
        })
    }

    /// Reads the buckets of all entries, and then their slots: what look-ups of these entries will read. The reads do not
    /// depend on each other, so the processor begins one before another has ended. Without it, each look-up waits for
    /// memory alone, which is a third of its time.
    pub fn warm(&self, entries: impl Iterator<Item = Place> + Clone) {
        let hashes = entries.clone().map(|(chunk, entry)| hash(chunk.slot_of(entry).0));
        let buckets = hashes.filter_map(|hash| self.buckets.find(self.bucket_number(hash)));
        black_box(buckets.fold(0, |sum, Bucket(entries)| sum ^ entries[0].load(Ordering::Relaxed)));
        let codes = entries.filter_map(|(chunk, entry)| self.get(chunk, entry));
        black_box(codes.fold(0, |sum, code| sum ^ code));
    }

    /// Stores the codes of a chunk, given plane after plane.
    fn insert(&self, chunk: Chunk, codes: &[u64]) {
        let each = codes.len() / chunk.planes;
        for (part, first) in (0..each).step_by(chunk.words_of_slot()).enumerate() {
            let words = first..each.min(first + chunk.words_of_slot());
            let side_by_side = words.flat_map(|word| codes.iter().skip(word).step_by(each));
            self.write(chunk.name(part), side_by_side.copied());
        }
    }

    /// Calls `read` with the words of the slot with this name. Returns `None` if there is no such slot or a write
    /// interfered.
    #[inline]
    fn find<T>(&self, name: Name, read: impl Fn(&[AtomicU64]) -> T) -> Option<T> {
        let hash = hash(name);
        for entry in &self.buckets.find(self.bucket_number(hash))?.0 {
            let entry = entry.load(Ordering::Relaxed);
            if (entry >> 32) as u32 != hash as u32 {
                continue;
            }
            let Some(slot) = slot_number(entry).and_then(|slot| self.slots.find(slot)) else { continue };
            let version = slot.version.load(Ordering::Acquire);
            if version % 2 == 1 || slot.name() != name {
                continue;
            }
            let found = read(slot.words.as_flattened());
            fence(Ordering::Acquire);
            if slot.version.load(Ordering::Relaxed) == version {
                return Some(found);
            }
        }
        None
    }

    /// Writes words to the next slot, under a name.
    fn write(&self, name: Name, words: impl Iterator<Item = u64>) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have written these words already.
        if self.slots.count == 0 || self.find(name, |_| ()).is_some() {
            return;
        }
        let number = *next;
        *next = (number + 1) % self.slots.count;
        let slot = self.slots.get(number);
        self.forget(slot.name(), number);
        let version = slot.version.load(Ordering::Relaxed);
        slot.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        slot.name.iter().zip(name).for_each(|(part, name)| part.store(name, Ordering::Relaxed));
        for (slot, word) in slot.words.as_flattened().iter().zip(words) {
            slot.store(word, Ordering::Relaxed);
        }
        slot.version.store(version + 2, Ordering::Release);
        self.remember(name, number);
    }

    /// Removes a slot from the bucket of a name.
    fn forget(&self, name: Name, slot: usize) {
        for entry in self.bucket(name).0.iter().filter(|entry| slot_number(entry.load(Ordering::Relaxed)) == Some(slot))
        {
            entry.store(0, Ordering::Relaxed);
        }
    }

    /// Adds a slot to the bucket of a name. If the bucket is full, replaces another slot's item, so that the codes in
    /// that slot are no longer found.
    fn remember(&self, name: Name, slot: usize) {
        let bucket = self.bucket(name);
        let free = bucket.0.iter().find(|entry| entry.load(Ordering::Relaxed) == 0);
        if let Some(entry) = free.or_else(|| bucket.0.get(slot % WAYS)) {
            entry.store(hash(name) << 32 | (slot + 1) as u64, Ordering::Relaxed);
        }
    }

    /// Returns the bucket of a name; allocates it if necessary.
    fn bucket(&self, name: Name) -> &Bucket {
        self.buckets.get(self.bucket_number(hash(name)))
    }

    fn bucket_number(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets.count as u128) >> 64) as usize
    }
}

/// Returns the slot number in an item of a bucket; `None` if the item is free.
fn slot_number(entry: u64) -> Option<usize> {
    (entry as u32 as usize).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    /// Returns test codes for a chunk of 4,096 entries; they depend on the numbers of the chunk and the entry.
    fn codes(chunk: Chunk) -> Vec<u64> {
        (0..64 * chunk.planes as u64).map(|word| hash([chunk.number << 10 | word, 0])).collect()
    }

    fn code(chunk: Chunk, entry: usize) -> u8 {
        let plane = |plane: usize| bit(hash([chunk.number << 10 | (plane * 64 + entry / 64) as u64, 0]), entry);
        (0..chunk.planes).map(|of| plane(of) << of).sum()
    }

    #[test]
    fn what_is_found_is_what_was_inserted_while_other_threads_write() {
        let bytes = 100_000;
        let all = ChunkCodes::new(bytes);
        let found = AtomicU64::new(0);
        (0..100_000u64).into_par_iter().for_each(|step| {
            let number = hash([step, 0]) % 200;
            let chunk = Chunk {
                database: number % 7,
                ply: 2 * (number % 3) as u32 + 1,
                number,
                planes: 2 + number as usize % 6,
            };
            let entry = hash([step + 1, 0]) as usize % 4096;
            match all.get(chunk, entry) {
                Some(of) => {
                    assert_eq!(of, code(chunk, entry), "chunk {number}, entry {entry}");
                    assert_eq!(of, chunk.code(&codes(chunk), entry));
                    found.fetch_add(1, Ordering::Relaxed);
                }
                None => all.insert(chunk, &codes(chunk)),
            }
        });
        assert!(found.load(Ordering::Relaxed) > 1000, "{found:?}");
        assert!(all.slots.bytes() + all.buckets.bytes() <= bytes as usize);
    }

    #[test]
    fn all_is_found_while_there_is_room_and_nothing_without_memory() {
        let all = ChunkCodes::new(2 << 20);
        let chunks: Vec<Chunk> = (0..1500).map(|number| Chunk { database: 3, ply: 7, number, planes: 2 }).collect();
        chunks.iter().for_each(|chunk| all.insert(*chunk, &codes(*chunk)));
        for chunk in &chunks {
            for entry in (0..4096).step_by(61) {
                assert_eq!(all.get(*chunk, entry), Some(code(*chunk, entry)));
            }
        }
        assert_eq!(all.get(Chunk { ply: 5, ..chunks[0] }, 0), None);
        assert_eq!(all.get(Chunk { database: 2, ..chunks[0] }, 0), None);
        let none = ChunkCodes::new(0);
        none.insert(chunks[0], &codes(chunks[0]));
        assert_eq!(none.get(chunks[0], 0), None);
    }

    #[test]
    fn a_slot_is_shared_by_the_planes() {
        for planes in 1..=MAX_PLANES {
            assert_eq!(Chunk { database: 0, ply: 1, number: 0, planes }.words_of_slot(), SLOT_WORDS / planes);
        }
    }
}
