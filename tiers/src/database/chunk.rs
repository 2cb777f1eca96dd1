//! Chunks: runs of consecutive entries of a tier, and which of them are quiet.
//!
//! A chunk is [`CHUNK_ENTRIES`] entries (the last of a tier has the rest), as bit planes without the padding of rows.
//! It is what a probe recomputes the quiet mask of, so it bounds the cost of a cold probe; [`GROUP_CHUNKS`] chunks are
//! a group, the unit of parallel work of the writer.

use std::ops::Range;

use crate::index::{Index, Located, Shape, TierDirectory, low_bits};
use crate::quiet::{MatrixSight, ShapeSight};

/// Entries of a chunk. Smaller chunks answer a cold probe sooner and cost a count (about a byte) each.
pub(crate) const CHUNK_ENTRIES: u32 = 4096;

/// Chunks of a group.
pub(crate) const GROUP_CHUNKS: u32 = 256;

/// Counts the chunks of a tier.
pub(crate) fn chunks(tier_entries: u64) -> u64 {
    tier_entries.div_ceil(u64::from(CHUNK_ENTRIES))
}

/// Returns the entries of some chunks of a tier.
pub(crate) fn entries(chunks: Range<u64>, tier_entries: u64) -> Range<u64> {
    let each = u64::from(CHUNK_ENTRIES);
    chunks.start * each..tier_entries.min(chunks.end * each)
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
/// quiet entry are passed over. `matrices` are those of the tier from the one that holds the first entry on.
pub(crate) fn walk(
    index: &Index,
    ply: u32,
    matrices: impl Iterator<Item = Located>,
    entries: Range<u64>,
    mut visit: impl FnMut(Segment),
) {
    let chunk = u64::from(CHUNK_ENTRIES);
    let (first, end) = (entries.start, entries.end);
    let mut sight = MatrixSight::default();
    let mut shape: Option<(Shape, ShapeSight)> = None;
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
        let shape = match &mut shape {
            Some((of, sight)) if *of == matrix.shape() => sight,
            shape => &mut shape.insert((matrix.shape(), ShapeSight::new(index, matrix.shape(), ply))).1,
        };
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
pub(crate) fn quiet(index: &Index, directory: &TierDirectory, chunk: u64) -> Vec<u64> {
    let mut mask = vec![0u64; CHUNK_ENTRIES as usize / 64];
    let entries = entries(chunk..chunk + 1, directory.entries());
    let chunk_first = entries.start;
    let matrices = directory.located_from(index, chunk_first);
    walk(index, directory.ply(), matrices, entries, |segment| {
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
