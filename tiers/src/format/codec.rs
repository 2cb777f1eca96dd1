//! Converts a tier's values to bytes and back.
//!
//! The quiet entries of a tier (see [`crate::quiet`]) are its symbols, in index order. A **block** of the file (not one
//! of [`crate::tier`]) has the symbols of some consecutive chunks, about [`MOST_SYMBOLS`] in all. It is one zstd frame
//! that contains
//!
//! ```text
//! counts    u16 for each chunk: the number of its quiet entries
//! symbols   their codes (see [`crate::kernel::pack`]): two bits each for wdl, a byte each with remoteness
//! ```
//!
//! To find the symbol of an entry, a probe adds up the counts of the chunks before the entry's chunk. The quiet mask of
//! the entry's chunk then gives the place of the symbol among those of the chunk.

#![allow(clippy::indexing_slicing, reason = "the writer reads what it has laid out itself, nothing from a file")]

use std::ops::Range;

use super::chunk::{self, Chunks, QuietRows};
use crate::files::{FileError, frame, io_error};
use crate::index::Index;
use crate::kernel::Coding;
use crate::kernel::pack::{self, Pack, Symbols};
use crate::kernel::tally::CountByChunk;
use crate::tier::{Rows, Tier};

/// The largest number of symbols per block; a block exceeds it only to complete its last chunk. Larger blocks make
/// probes slower, because the first probe of a block expands the whole block. At ply 13 of 7x6 the first probe takes 27
/// us for blocks of 4,096 symbols and 37 us for 16,384 (`docs/notebook/built-in-databases.md`).
const MOST_SYMBOLS: usize = 1 << 14;

/// Small chunks get smaller blocks: a block has about this number times the entries of a chunk, if that is fewer
/// symbols than [`MOST_SYMBOLS`].
const SYMBOLS_OF_ENTRY: usize = 64;

/// The zstd level for databases. On 5x5 with remoteness, the packed symbols (without counts, directories and headers)
/// take 0.0833 bits per legal position at level 6 and 0.0914 at level 3. They take 0.0795 at level 12, which needs six
/// times the time of level 6, and 0.0751 at level 17, which needs seventeen times the time of level 6.
pub(crate) const LEVEL: i32 = 6;

/// A compressed block.
pub(crate) struct EncodedBlock {
    pub payload: Vec<u8>,
    pub chunks: u16,
}

/// Packs and compresses a tier, for one thread.
///
/// A packer reuses its buffers for every group. Getting new buffers from the system for each group, with gigabytes of
/// small blocks in memory too, took a fifth of the time of the middle tiers of 7x6.
pub(crate) struct Packer<'a> {
    index: &'a Index,
    tier: &'a Tier<'a>,
    cut: &'a Chunks,
    rows: Rows<'a>,
    quiet: QuietRows<'a>,
    symbols: Symbols,
    /// The number of symbols of each chunk of the group.
    counts: Vec<u16>,
    /// The bytes of a block before compression.
    bytes: Vec<u8>,
    /// A buffer for the block's zstd frame.
    frame: Vec<u8>,
}

impl<'a> Packer<'a> {
    /// Prepares to read a tier that `cut` divides into chunks.
    pub fn new(index: &'a Index, tier: &'a Tier<'a>, cut: &'a Chunks) -> Packer<'a> {
        Packer {
            index,
            tier,
            cut,
            rows: Rows::of(index, tier),
            quiet: QuietRows::new(cut),
            symbols: Symbols::new(tier.coding.planes),
            counts: Vec::new(),
            bytes: Vec::new(),
            frame: Vec::new(),
        }
    }

    /// Packs and compresses the blocks of one group.
    ///
    /// # Errors
    /// If the tier can't be read.
    pub fn encode(&mut self, group: u64) -> Result<Vec<EncodedBlock>, FileError> {
        let Packer { index, tier, cut, rows, quiet, symbols, counts, .. } = self;
        let chunks = cut.of_group(group);
        symbols.clear();
        counts.clear();
        counts.resize((chunks.end - chunks.start) as usize, 0);
        let entries = cut.entries(chunks.clone());
        for (located, entries) in chunk::runs(tier.directory.located_from(index, entries.start), entries) {
            let matrix = &located.matrix;
            rows.seek(matrix);
            quiet.each(index, tier.ply(), &located, &entries, |shown| {
                let words = rows.get(shown.rows)?;
                index.kernel.run(Pack {
                    rows: words,
                    row_words: matrix.words(),
                    words: shown.words.clone(),
                    quiet: shown.masks,
                    symbols,
                });
                index.kernel.run(CountByChunk {
                    masks: shown.masks,
                    row_words: shown.words.len(),
                    columns: matrix.columns.into(),
                    first_entry: shown.first_entry,
                    entries: entries.clone(),
                    each: cut.each,
                    first_chunk: chunks.start,
                    counts,
                });
                Ok::<(), FileError>(())
            })?;
        }
        self.compress()
    }

    /// Compresses the symbols of a group into blocks of about equal size.
    fn compress(&mut self) -> Result<Vec<EncodedBlock>, FileError> {
        let Packer { tier, cut, symbols, counts, bytes, frame, .. } = self;
        let most = MOST_SYMBOLS.min(SYMBOLS_OF_ENTRY * cut.each as usize);
        let blocks = symbols.len.div_ceil(most).max(1);
        let each = symbols.len.div_ceil(blocks);
        let (mut done, mut from, mut encoded) = (0, 0, Vec::with_capacity(blocks));
        while from < counts.len() {
            let (mut to, mut held) = (from, 0);
            while to < counts.len() && (held == 0 || held < each) {
                held += usize::from(counts[to]);
                to += 1;
            }
            // Chunks without symbols at the end of the group belong to the last block.
            if done + held == symbols.len {
                to = counts.len();
            }
            bytes.clear();
            bytes.extend(counts[from..to].iter().flat_map(|count| count.to_le_bytes()));
            pack::to_bytes(&tier.coding, symbols, done, held, bytes);
            let payload = frame::compress_into(bytes, LEVEL, frame)
                .map_err(io_error("a block of the database".as_ref(), "compress"))?;
            encoded.push(EncodedBlock { payload: payload.to_vec(), chunks: (to - from) as u16 });
            done += held;
            from = to;
        }
        Ok(encoded)
    }
}

/// An expanded block, ready for probes.
#[derive(Debug)]
pub(crate) struct DecodedBlock {
    /// For each chunk of the block, the number of symbols before the chunk. The last item is the number of all symbols.
    starts: Vec<u32>,
    /// The counts, then the packed symbols.
    bytes: Vec<u8>,
}

impl DecodedBlock {
    /// Expands a block of `count` chunks. Returns `None` if `payload` is not a valid block of that many chunks.
    /// Allocates no more memory than a valid block can need.
    pub fn new(payload: &[u8], count: usize, chunks: &Chunks, coding: &Coding) -> Option<DecodedBlock> {
        let most_symbols = count * chunks.each as usize;
        let bytes = frame::expand(payload, 2 * count + pack::packed_bytes(coding, most_symbols))?;
        let (counts, symbols) = bytes.split_at_checked(2 * count)?;
        let mut starts = vec![0];
        let mut sum = 0u32;
        for count in counts.as_chunks().0.iter().map(|bytes| u32::from(u16::from_le_bytes(*bytes))) {
            if count > chunks.each {
                return None;
            }
            sum += count;
            starts.push(sum);
        }
        let whole = symbols.len() == pack::packed_bytes(coding, sum as usize);
        (whole && pack::are_symbols(coding, symbols)).then_some(DecodedBlock { starts, bytes })
    }

    /// Returns the range of a chunk's symbols, counted from the block's first symbol.
    fn symbols(&self, chunk: usize) -> Option<Range<usize>> {
        Some(*self.starts.get(chunk)? as usize..*self.starts.get(chunk + 1)? as usize)
    }

    /// Counts the symbols of a chunk of the block.
    pub fn count(&self, chunk: usize) -> usize {
        self.symbols(chunk).map_or(0, |symbols| symbols.len())
    }

    /// Returns the symbols of a chunk: one plane after the other, each of `⌈count / 64⌉` words.
    pub fn planes(&self, coding: &Coding, chunk: usize) -> Vec<u64> {
        let (_, packed) = self.bytes.split_at(2 * (self.starts.len() - 1));
        let symbols = self.symbols(chunk).unwrap_or_default();
        pack::from_bytes(coding, packed, symbols.start, symbols.len())
    }

    /// Returns the bytes of memory that the block occupies.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + self.bytes.len() + size_of::<DecodedBlock>()
    }
}
