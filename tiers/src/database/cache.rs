//! What probes have expanded, in bounded memory.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache as WeightedCache;

use crate::format::expanded::Expanded;

/// Memory of the cache where the caller does not say.
pub(crate) const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// Expanded blocks and unpacked chunks, by ply and number. Threads share it.
pub(crate) struct Cache(WeightedCache<Key, Cached, ByBytes>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Block(u32, u64),
    Chunk(u32, u64),
}

#[derive(Clone)]
enum Cached {
    /// The symbols of a block.
    Block(Arc<Expanded>),
    /// The codes of a chunk's quiet entries in their places, plane after plane.
    Chunk(Arc<[u64]>),
}

/// The chunks that one thread looked into last. To find one here takes no lock and no hash, unlike in the cache, which
/// threads share. Positions in the order of their tier's file, and their children, are often in the same chunks.
#[derive(Clone, Default, Debug)]
pub(crate) struct Recent([Option<RecentChunk>; RECENT_CHUNKS]);

/// Ply, number and words of a chunk.
type RecentChunk = (u32, u64, Arc<[u64]>);

/// How many chunks a thread remembers: as many as a position of 16 columns has children.
const RECENT_CHUNKS: usize = 16;

impl Recent {
    /// Returns a chunk, found by `find` where it is not there.
    pub fn chunk<E>(
        &mut self,
        ply: u32,
        number: u64,
        find: impl FnOnce() -> Result<Arc<[u64]>, E>,
    ) -> Result<&[u64], E> {
        #[expect(clippy::indexing_slicing, reason = "a remainder is less than what it is divided by")]
        let slot = &mut self.0[number as usize % RECENT_CHUNKS];
        let chunk = match slot.take() {
            Some((of, same, chunk)) if (of, same) == (ply, number) => chunk,
            _ => find()?,
        };
        Ok(&slot.insert((ply, number, chunk)).2)
    }
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Cached> for ByBytes {
    fn weight(&self, _: &Key, cached: &Cached) -> u64 {
        64 + match cached {
            Cached::Block(block) => block.bytes() as u64,
            Cached::Chunk(words) => size_of_val(&**words) as u64,
        }
    }
}

impl Cache {
    /// Makes a cache of at most this many bytes.
    pub fn new(bytes: u64) -> Cache {
        Cache(WeightedCache::with_weighter((bytes / 1024) as usize, bytes, ByBytes))
    }

    /// Returns the memory that the cache may take.
    pub fn most_bytes(&self) -> u64 {
        self.0.capacity()
    }

    /// Returns a block, made by `expand` where it is not there.
    pub fn block<E>(
        &self,
        ply: u32,
        number: u64,
        expand: impl FnOnce() -> Result<Expanded, E>,
    ) -> Result<Arc<Expanded>, E> {
        let key = Key::Block(ply, number);
        if let Some(Cached::Block(block)) = self.0.get(&key) {
            return Ok(block);
        }
        let block = Arc::new(expand()?);
        self.0.insert(key, Cached::Block(block.clone()));
        Ok(block)
    }

    /// Returns a chunk, made by `unpack` where it is not there.
    pub fn chunk<E>(
        &self,
        ply: u32,
        number: u64,
        unpack: impl FnOnce() -> Result<Vec<u64>, E>,
    ) -> Result<Arc<[u64]>, E> {
        let key = Key::Chunk(ply, number);
        if let Some(Cached::Chunk(chunk)) = self.0.get(&key) {
            return Ok(chunk);
        }
        let chunk: Arc<[u64]> = unpack()?.into();
        self.0.insert(key, Cached::Chunk(chunk.clone()));
        Ok(chunk)
    }
}
