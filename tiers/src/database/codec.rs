//! The seam between a tier's values and bytes: which entries are stored, and how.
//!
//! The quiet entries of a tier (see [`crate::quiet`]) are its symbols, in index order. A **block** holds the symbols of
//! some consecutive chunks, about [`BLOCK_SYMBOLS`], as one zstd frame around
//!
//! ```text
//! counts    u16 for each chunk: its quiet entries
//! symbols   their codes (see [`super::packing`]): wdl two bits each, remoteness a byte each
//! ```
//!
//! so that a probe that knows its chunk finds the chunk's symbols by adding up counts, and its own by the quiet mask
//! of that one chunk.

use std::io;

use super::chunk::{self, Chunks, GROUP_CHUNKS, MOST_ENTRIES};
use super::{frame, packing};
use crate::index::Index;
use crate::kernel::{Coding, Symbols};
use crate::solve::Tier;

/// Symbols of a block.
pub(crate) const BLOCK_SYMBOLS: usize = 1 << 14;

/// zstd's level. On 5x5 with remoteness 6 gives 0.0833 bits per legal position, 3 0.0914, 12 0.0795 at six times the
/// time of 6, 17 0.0751 at seventeen times.
pub(crate) const LEVEL: i32 = 6;

/// A compressed block.
pub(crate) struct Block {
    pub payload: Vec<u8>,
    pub chunks: u16,
}

/// Packs and compresses the blocks of one group of chunks.
pub(crate) fn encode(index: &Index, tier: &Tier, group: u64) -> io::Result<Vec<Block>> {
    let cut = Chunks::of_tier(&tier.layout);
    let chunks = cut.of_group(group);
    let mut symbols = Symbols::new(tier.coding.planes());
    let mut counts = vec![0u16; (chunks.end - chunks.start) as usize];
    let entries = cut.entries(chunks);
    let matrices = tier.layout.located_from(entries.start);
    chunk::walk(index, tier.layout.ply(), matrices, cut.each, entries, |segment| {
        let words = segment.located.matrix.words();
        let row = &tier.matrix_words(segment.located.number)[segment.row * tier.coding.planes() * words..];
        let before = symbols.len();
        index.kernel().pack(&row[segment.column / 64..], words, segment.quiet, &mut symbols);
        counts[segment.chunk] += (symbols.len() - before) as u16;
    });
    let blocks = symbols.len().div_ceil(BLOCK_SYMBOLS).max(1);
    let each = symbols.len().div_ceil(blocks);
    let (mut done, mut from, mut encoded) = (0, 0, Vec::new());
    while from < counts.len() {
        let (mut to, mut held) = (from, 0);
        while to < counts.len() && (held == 0 || held < each) {
            held += usize::from(counts[to]);
            to += 1;
        }
        // What follows the last symbol belongs to the last block.
        if done + held == symbols.len() {
            to = counts.len();
        }
        let mut bytes: Vec<u8> = counts[from..to].iter().flat_map(|count| count.to_le_bytes()).collect();
        packing::pack(&tier.coding, &symbols, done, held, &mut bytes);
        encoded.push(Block { payload: frame::compress(&bytes, LEVEL)?, chunks: (to - from) as u16 });
        done += held;
        from = to;
    }
    Ok(encoded)
}

/// A block as it is probed.
#[derive(Debug)]
pub(crate) struct Expanded {
    /// Symbols before each chunk, and all of them.
    starts: Vec<u32>,
    /// The counts, then the packed symbols.
    bytes: Vec<u8>,
}

/// The most bytes that a block can expand to: all entries of a group quiet, a byte each.
const MOST_BYTES: usize = (GROUP_CHUNKS * (MOST_ENTRIES + 2)) as usize;

impl Expanded {
    /// Expands a block of `chunks` chunks; `None` where it does not hold what it should.
    pub fn new(payload: &[u8], chunks: usize, coding: &Coding) -> Option<Expanded> {
        let bytes = frame::expand(payload, MOST_BYTES)?;
        let (counts, symbols) = bytes.split_at_checked(2 * chunks)?;
        let mut starts = vec![0];
        let mut sum = 0u32;
        for count in counts.chunks_exact(2) {
            sum += u32::from(u16::from_le_bytes([count[0], count[1]]));
            starts.push(sum);
        }
        let whole = symbols.len() == packing::packed_bytes(coding, sum as usize);
        whole.then_some(Expanded { starts, bytes })
    }

    /// Counts the symbols of a chunk of the block.
    pub fn count(&self, chunk: usize) -> usize {
        (self.starts[chunk + 1] - self.starts[chunk]) as usize
    }

    /// Returns the symbols of a chunk, plane after plane, each of `⌈count / 64⌉` words.
    pub fn planes(&self, coding: &Coding, chunk: usize) -> Vec<u64> {
        let symbols = &self.bytes[2 * (self.starts.len() - 1)..];
        packing::unpack(coding, symbols, self.starts[chunk] as usize, self.count(chunk))
    }

    /// Returns the memory that the block takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + self.bytes.len() + size_of::<Expanded>()
    }
}
