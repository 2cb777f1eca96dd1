//! What probes have expanded, in bounded memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache as WeightedCache;

use super::codes::{Chunk, Codes};
use crate::format::expanded::Expanded;

/// Memory of the cache where the caller does not say.
pub(crate) const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// Expanded blocks in a quarter of the memory, and the codes of unpacked chunks in the rest. Threads share it.
pub(crate) struct Cache {
    /// By ply and number.
    blocks: WeightedCache<(u32, u64), Arc<Expanded>, ByBytes>,
    codes: Codes,
    bytes: u64,
    /// Chunks that were not there.
    unpacked: AtomicU64,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u32, u64), Arc<Expanded>> for ByBytes {
    fn weight(&self, _: &(u32, u64), block: &Arc<Expanded>) -> u64 {
        64 + block.bytes() as u64
    }
}

impl Cache {
    /// Makes a cache of at most this many bytes.
    pub fn new(bytes: u64) -> Cache {
        let block_bytes = bytes / 4;
        let blocks = WeightedCache::with_weighter((block_bytes / 4096) as usize, block_bytes, ByBytes);
        Cache { blocks, codes: Codes::new(bytes - block_bytes), bytes, unpacked: AtomicU64::new(0) }
    }

    /// Returns the memory that the cache may take.
    pub fn most_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how often a chunk was unpacked because it was not there.
    pub fn unpacked(&self) -> u64 {
        self.unpacked.load(Ordering::Relaxed)
    }

    /// Returns a block, made by `expand` where it is not there.
    pub fn block<E>(
        &self,
        ply: u32,
        number: u64,
        expand: impl FnOnce() -> Result<Expanded, E>,
    ) -> Result<Arc<Expanded>, E> {
        let key = (ply, number);
        if let Some(block) = self.blocks.get(&key) {
            return Ok(block);
        }
        let block = Arc::new(expand()?);
        self.blocks.insert(key, block.clone());
        Ok(block)
    }

    /// Returns the code of an entry of a chunk. `unpack` returns the words of all its codes, plane after plane, where they are
    /// not there.
    pub fn code<E>(&self, chunk: Chunk, entry: usize, unpack: impl FnOnce() -> Result<Vec<u64>, E>) -> Result<u8, E> {
        if let Some(code) = self.codes.get(chunk, entry) {
            return Ok(code);
        }
        let codes = unpack()?;
        self.unpacked.fetch_add(1, Ordering::Relaxed);
        self.codes.insert(chunk, &codes);
        Ok(chunk.code(&codes, entry))
    }
}
