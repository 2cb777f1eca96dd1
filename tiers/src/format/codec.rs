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

#![allow(clippy::indexing_slicing, reason = "the writer reads what it has laid out itself, nothing from a file")]

use super::chunk::{self, Chunks};
use super::packing;
use crate::files::{FileError, frame, io_error};
use crate::index::Index;
use crate::kernel::{Coding, Symbols};
use crate::tier::{Rows, Store};

/// Symbols of a block.
pub(crate) const BLOCK_SYMBOLS: usize = 1 << 14;

/// zstd's level. On 5x5 with remoteness the packed symbols alone (without counts, directories and headers) take 0.0833
/// bits per legal position at 6, 0.0914 at 3, 0.0795 at 12 in six times the time of 6, 0.0751 at 17 in seventeen times.
pub(crate) const LEVEL: i32 = 6;

/// A compressed block.
pub(crate) struct Block {
    pub payload: Vec<u8>,
    pub chunks: u16,
}

/// Packs and compresses the blocks of one group of `cut`, reading the tier's values through `rows`.
///
/// # Errors
/// Where the tier cannot be read.
pub(crate) fn encode<T: Store<Content = Coding>>(
    index: &Index,
    tier: &T,
    rows: &mut Rows<T::Reader<'_>>,
    cut: &Chunks,
    group: u64,
) -> Result<Vec<Block>, FileError> {
    let coding = tier.content();
    let chunks = cut.of_group(group);
    let mut symbols = Symbols::new(coding.planes());
    let mut counts = vec![0u16; (chunks.end - chunks.start) as usize];
    let entries = cut.entries(chunks);
    let matrices = tier.located_from(index, entries.start);
    let (mut failed, mut at) = (None, None);
    chunk::walk(index, tier.ply(), matrices, cut.each, entries, |segment| {
        if at != Some(segment.located.first_entry) {
            at = Some(segment.located.first_entry);
            rows.seek(&segment.located.matrix);
        }
        let row = match rows.get(segment.row..segment.row + 1) {
            Ok(row) if failed.is_none() => row,
            Ok(_) => return,
            Err(error) => {
                failed.get_or_insert(error);
                return;
            }
        };
        let before = symbols.len();
        let words = segment.located.matrix.words();
        index.kernel().pack(&row[segment.column / 64..], words, segment.quiet, &mut symbols);
        counts[segment.chunk] += (symbols.len() - before) as u16;
    });
    if let Some(error) = failed {
        return Err(error);
    }
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
        packing::pack(coding, &symbols, done, held, &mut bytes);
        encoded.push(Block {
            payload: frame::compress(&bytes, LEVEL)
                .map_err(io_error("a block of the database".as_ref(), "compress"))?,
            chunks: (to - from) as u16,
        });
        done += held;
        from = to;
    }
    Ok(encoded)
}
