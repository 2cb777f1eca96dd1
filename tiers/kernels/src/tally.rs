//! Counting marked positions by chunk and by code.

use std::ops::Range;

use super::bits::{Bits, Task};

/// Counts the set bits in each chunk, and adds their number to the counter of the chunk. The bits of the masks stand
/// for consecutive entries; all chunks have the same number of entries.
pub struct CountByChunk<'a> {
    /// The masks, one per row.
    pub masks: &'a [u64],
    /// Words of each mask.
    pub row_words: usize,
    /// Entries of a row: the first bits of two consecutive masks are this many entries apart.
    pub columns: u64,
    /// The entry of the first mask's first bit.
    pub first_entry: u64,
    /// The entries to count; the masks must have no bits set for others.
    pub entries: Range<u64>,
    /// Entries per chunk, a power of two.
    pub each: u32,
    /// The chunk of the first counter.
    pub first_chunk: u64,
    /// A counter for each chunk.
    pub counts: &'a mut [u16],
}

impl Task for CountByChunk<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let shift = self.each.trailing_zeros();
        let mut start = self.first_entry;
        for mask in self.masks.chunks_exact(self.row_words) {
            let (mut at, to) = (start.max(self.entries.start), (start + self.columns).min(self.entries.end));
            while at < to {
                let chunk = at >> shift;
                let end = to.min((chunk + 1) << shift);
                self.counts[(chunk - self.first_chunk) as usize] +=
                    count((at - start) as usize..(end - start) as usize, mask);
                at = end;
            }
            start += self.columns;
        }
    }
}

/// Counts the set bits of a mask at `places`, which must not be empty.
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

/// The number of codes in 6 planes. No tier that can be indexed has more planes.
pub const CODES: usize = 1 << 6;

/// Counts how many of a row's positions under a mask have each code. Each of the row's planes is as long as `mask`.
pub struct CountCodes<'a> {
    /// The positions to count.
    pub mask: &'a [u64],
    /// The planes, one after the other.
    pub row: &'a [u64],
    /// How many planes the row has, from 1 to 6.
    pub planes: usize,
    /// The counters to add to.
    pub counts: &'a mut [u64; CODES],
}

impl Task for CountCodes<'_> {
    type Output = ();

    /// Each plane splits every set of positions found so far in two. So each word costs `2^planes` vector operations
    /// and as many bit counts, whatever codes its positions have.
    #[inline(always)]
    fn run<B: Bits>(self) {
        let CountCodes { mask, row, planes, counts } = self;
        let mut sets = [0u64; CODES];
        for (word, marked) in mask.iter().enumerate().filter(|(_, marked)| **marked != 0) {
            sets[0] = *marked;
            for p in 0..planes {
                let plane = row[p * mask.len() + word];
                let (zeros, ones) = sets.split_at_mut(1 << p);
                for (zero, one) in zeros.iter_mut().zip(ones) {
                    *one = *zero & plane;
                    *zero &= !plane;
                }
            }
            for (count, set) in counts.iter_mut().zip(&sets).take(1 << planes) {
                *count += u64::from(set.count_ones());
            }
        }
    }
}

/// Returns the first position of `row` under `mask` whose code is `code`.
pub fn first(mask: &[u64], row: &[u64], planes: usize, code: usize) -> Option<usize> {
    mask.iter().enumerate().find_map(|(word, reached)| {
        let plane = |p: usize| row.get(p * mask.len() + word).copied().unwrap_or(0);
        let set = (0..planes).fold(*reached, |set, p| set & if code >> p & 1 == 1 { plane(p) } else { !plane(p) });
        (set != 0).then(|| 64 * word + set.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Kernel;

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
                kernel.run(CountByChunk {
                    masks: &masks, row_words, columns, first_entry, entries: entries.clone(), each: 16, first_chunk,
                    counts: &mut counts,
                });
                prop_assert_eq!(&counts, &expected);
            }
        }
    }
}
