//! Masks of rows: made for some rows at a time, and counted by chunk.

use std::ops::Range;

use super::bits::Bits;
use super::task::Task;

/// Knows which entries of a matrix's rows have some property.
pub(crate) trait RowMasks {
    /// Writes the masks of `rows`, which are not empty and all in one run of 64 from a multiple of 64 on: of each the words
    /// `words`, row after row. Must be inlined, so that it is compiled for the processor.
    fn rows(&mut self, rows: Range<usize>, words: Range<usize>, out: &mut [u64]);
}

/// See [`super::Kernel::mask_rows`].
pub(super) struct MaskRows<'a, M> {
    pub masks: &'a mut M,
    pub rows: Range<usize>,
    pub words: Range<usize>,
    pub out: &'a mut [u64],
}

impl<M: RowMasks> Task for MaskRows<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        self.masks.rows(self.rows, self.words, self.out);
    }
}

/// Rows whose masks are counted by chunk: a chunk is a run of entries, each as long as the others.
pub(crate) struct Counted<'a> {
    /// Their masks, row after row.
    pub masks: &'a [u64],
    /// Words of each mask.
    pub row_words: usize,
    /// Entries of a row, so from the first bit of one mask to that of the next.
    pub columns: u64,
    /// The entry of the first bit.
    pub first_entry: u64,
    /// The entries that are counted; the others have no bit.
    pub entries: Range<u64>,
    /// Entries of a chunk, a power of two.
    pub each: u32,
    /// The chunk that `counts` begins with.
    pub first_chunk: u64,
}

/// See [`super::Kernel::count_by_chunk`].
pub(super) struct Count<'a> {
    pub rows: Counted<'a>,
    pub counts: &'a mut [u16],
}

impl Task for Count<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let Count { rows, counts } = self;
        let chunk_of = |entry: u64| entry >> rows.each.trailing_zeros();
        let mut start = rows.first_entry;
        for mask in rows.masks.chunks_exact(rows.row_words) {
            let (from, to) = (start.max(rows.entries.start), (start + rows.columns).min(rows.entries.end));
            let mut at = from;
            while at < to {
                let chunk = chunk_of(at);
                let end = to.min((chunk + 1) << rows.each.trailing_zeros());
                counts[(chunk - rows.first_chunk) as usize] +=
                    count((at - start) as usize..(end - start) as usize, mask);
                at = end;
            }
            start += rows.columns;
        }
    }
}

/// Counts the bits of a mask at some places, at least one.
#[inline(always)]
fn count(places: Range<usize>, mask: &[u64]) -> u16 {
    let words = &mask[places.start / 64..places.end.div_ceil(64)];
    let mut sum = 0;
    for word in words {
        sum += word.count_ones();
    }
    let before = words.first().map_or(0, |word| word & !(u64::MAX << (places.start % 64)));
    let behind = words.last().map_or(0, |word| word >> 1 >> ((places.end + 63) % 64));
    (sum - before.count_ones() - behind.count_ones()) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;

    proptest! {
        #[test]
        fn bits_are_counted_in_the_chunk_of_their_entry(
            words in prop::collection::vec(any::<u64>(), 1..60),
            columns in 1..200u64,
            first_chunk in 0..5u64,
            inside in 0..500u64,
            clip in (0.0..0.5, 0.5..1.0f64),
        ) {
            let row_words = columns.div_ceil(64) as usize;
            let rows = words.len() / row_words;
            prop_assume!(rows > 0);
            let first_entry = first_chunk * 16 + inside;
            let all = rows as f64 * columns as f64;
            let entries = first_entry + (all * clip.0) as u64..first_entry + (all * clip.1) as u64;
            let mut masks = words[..rows * row_words].to_vec();
            let mut expected = vec![0u16; 1 << 12];
            for row in 0..rows {
                for place in 0..row_words * 64 {
                    let entry = first_entry + row as u64 * columns + place as u64;
                    let word = &mut masks[row * row_words + place / 64];
                    if place as u64 >= columns || !entries.contains(&entry) {
                        *word &= !(1 << (place % 64));
                    }
                    expected[(entry / 16 - first_chunk) as usize] += (*word >> (place % 64) & 1) as u16;
                }
            }
            for kernel in Kernel::all() {
                let mut counts = vec![0; 1 << 12];
                let rows = Counted { masks: &masks, row_words, columns, first_entry, entries: entries.clone(), each: 16, first_chunk };
                kernel.count_by_chunk(rows, &mut counts);
                prop_assert_eq!(&counts, &expected);
            }
        }
    }
}
