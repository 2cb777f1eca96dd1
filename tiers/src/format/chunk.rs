//! Chunks: runs of consecutive entries of a tier, and which of them are quiet.
//!
//! A chunk is what a probe recomputes the quiet mask of, so it bounds the cost of a cold probe. Making the mask takes a
//! time for every matrix and every row that the chunk touches, so a tier of tiny matrices has small chunks: with 4,096
//! entries everywhere, one cold probe in ten took 300 us. [`GROUP_CHUNKS`] chunks are a group, the unit of parallel work
//! of the writer.

#![allow(
    clippy::indexing_slicing,
    reason = "places come from the index and from masks made beside it, never from a file"
)]

use std::ops::Range;

use crate::index::{Index, Located, OfShape, TierDirectory, low_bits};
use crate::quiet::{MatrixSight, ShapeSight};

/// The most entries of a chunk. Smaller ones cost a count (about a byte) each.
pub(crate) const MOST_ENTRIES: u32 = 4096;

/// The fewest entries of a chunk (the last of a tier may have fewer).
const LEAST_ENTRIES: u32 = 256;

/// Matrices that a chunk touches on average, before its size is rounded up to a power of two.
const MATRICES: u64 = 24;

/// Chunks of a group.
pub(crate) const GROUP_CHUNKS: u32 = 256;

/// How a tier is cut into chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chunks {
    /// Entries of a chunk; the last one may have fewer.
    pub each: u32,
    /// Entries of the tier.
    pub tier_entries: u64,
}

impl Chunks {
    /// Chooses the size of the chunks of a tier: a power of two.
    pub fn of_tier(tier_entries: u64, matrices: u64) -> Chunks {
        let average = u128::from(tier_entries) * u128::from(MATRICES) / u128::from(matrices.max(1));
        let each = average.clamp(LEAST_ENTRIES.into(), MOST_ENTRIES.into());
        Chunks { each: (each as u32).next_power_of_two(), tier_entries }
    }

    /// Takes the size that a file says; `None` for one that is never chosen.
    pub fn new(each: u32, tier_entries: u64) -> Option<Chunks> {
        let possible = each.is_power_of_two() && (LEAST_ENTRIES..=MOST_ENTRIES).contains(&each);
        possible.then_some(Chunks { each, tier_entries })
    }

    /// Counts the chunks.
    pub fn count(&self) -> u64 {
        self.tier_entries.div_ceil(self.each.into())
    }

    /// Counts the groups.
    pub fn groups(&self) -> u64 {
        self.count().div_ceil(GROUP_CHUNKS.into())
    }

    /// Returns the chunks of a group.
    pub fn of_group(&self, group: u64) -> Range<u64> {
        let each = u64::from(GROUP_CHUNKS);
        group * each..self.count().min((group + 1) * each)
    }

    /// Returns the entries of some chunks.
    pub fn entries(&self, chunks: Range<u64>) -> Range<u64> {
        let each = u64::from(self.each);
        chunks.start * each..self.tier_entries.min(chunks.end * each)
    }

    /// Returns the chunk of an entry and its place in it.
    pub fn place(&self, entry: u64) -> (u64, usize) {
        (entry / u64::from(self.each), (entry % u64::from(self.each)) as usize)
    }

    /// Returns the words of a plane of a chunk.
    pub fn words(&self) -> usize {
        self.each as usize / 64
    }
}

/// A part of a row, inside one chunk.
pub(crate) struct Segment<'a> {
    /// Number of the chunk, counted from the first of the walk.
    pub chunk: usize,
    /// Matrix and row.
    pub located: &'a Located,
    pub row: usize,
    /// First column.
    pub column: usize,
    /// The quiet columns, from the word that holds `column` on; other columns' bits are 0.
    pub quiet: &'a [u64],
}

/// Walks the entries of consecutive chunks row by row, with the mask of the quiet ones. Rows that can have no
/// quiet entry are passed over. A chunk has `each` entries. `matrices` are those of the tier from the one that holds the
/// first entry on.
pub(crate) fn walk(
    index: &Index,
    ply: u32,
    matrices: impl Iterator<Item = Located>,
    each: u32,
    entries: Range<u64>,
    mut visit: impl FnMut(Segment),
) {
    let chunk = u64::from(each);
    let (first, end) = (entries.start, entries.end);
    let mut sight = MatrixSight::default();
    let mut shapes = OfShape::default();
    let (mut quiet, mut segment) = (Vec::new(), Vec::new());
    let mut at = first;
    for located in matrices {
        let Located { matrix, first_entry, .. } = located;
        let matrix_end = end.min(first_entry + matrix.entries());
        if at >= end {
            break;
        }
        if at >= matrix_end {
            continue;
        }
        let shape = shapes.get(matrix.shape(), || ShapeSight::new(index, matrix.shape(), ply));
        sight.prepare(index, shape, &matrix);
        let columns = u64::from(matrix.columns);
        while at < matrix_end {
            let (row, column) = (((at - first_entry) / columns) as usize, ((at - first_entry) % columns) as usize);
            let row_end = (columns as usize).min(column + (matrix_end - at) as usize);
            let first_word = column / 64;
            quiet.resize(row_end.div_ceil(64) - first_word, 0);
            if !sight.row(row, first_word, &mut quiet) {
                at += (row_end - column) as u64;
                continue;
            }
            let mut column = column;
            while column < row_end {
                let left_in_chunk = (chunk - at % chunk) as usize;
                let segment_end = row_end.min(column + left_in_chunk);
                let words = column / 64 - first_word..segment_end.div_ceil(64) - first_word;
                segment.clear();
                segment.extend_from_slice(&quiet[words]);
                keep_columns(&mut segment, column % 64, segment_end - column / 64 * 64);
                visit(Segment {
                    chunk: ((at - first) / chunk) as usize,
                    located: &located,
                    row,
                    column,
                    quiet: &segment,
                });
                at += (segment_end - column) as u64;
                column = segment_end;
            }
        }
    }
}

/// Returns the mask of the quiet entries of one chunk.
pub(crate) fn quiet(index: &Index, directory: &TierDirectory, chunks: &Chunks, chunk: u64) -> Vec<u64> {
    let mut mask = vec![0u64; chunks.words()];
    let entries = chunks.entries(chunk..chunk + 1);
    let chunk_first = entries.start;
    let matrices = directory.located_from(index, chunk_first);
    walk(index, directory.ply(), matrices, chunks.each, entries, |segment| {
        let columns = u64::from(segment.located.matrix.columns);
        let entry = segment.located.first_entry + segment.row as u64 * columns + segment.column as u64;
        // Where the bits of the segment's first word go: its low bits may lie before the segment.
        let start = (entry - chunk_first) as usize;
        let lead = segment.column % 64;
        for (word, bits) in segment.quiet.iter().enumerate() {
            let bits = if word == 0 { bits >> lead } else { *bits };
            let at = if word == 0 { start } else { start + word * 64 - lead };
            if bits != 0 {
                mask[at / 64] |= bits << (at % 64);
                if at % 64 > 0 && bits >> (64 - at % 64) != 0 {
                    mask[at / 64 + 1] |= bits >> (64 - at % 64);
                }
            }
        }
    });
    mask
}

/// Clears the bits outside `from..to`; `from` is in the first word, `to` in the last.
fn keep_columns(words: &mut [u64], from: usize, to: usize) {
    if let Some(first) = words.first_mut() {
        *first &= !low_bits(from as u32);
    }
    let beyond = words.len() * 64 - to;
    if let (Some(last), true) = (words.last_mut(), beyond > 0) {
        *last &= low_bits(64 - beyond as u32);
    }
}
