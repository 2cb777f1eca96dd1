//! Packing: the codes of quiet entries as dense streams of bits, one a plane, and back.

use super::bits::Bits;
use super::task::Task;

/// The codes of consecutive quiet entries: for every plane a stream of bits, the first in the lowest bit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbols {
    /// All of `⌈len / 64⌉` words; bits beyond `len` are 0.
    planes: Vec<Vec<u64>>,
    len: usize,
}

impl Symbols {
    /// Starts streams of `planes` planes.
    pub fn new(planes: usize) -> Symbols {
        Symbols { planes: vec![Vec::new(); planes], len: 0 }
    }

    /// Counts the symbols.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the stream of a plane.
    pub fn plane(&self, plane: usize) -> &[u64] {
        &self.planes[plane]
    }

    /// Appends the low `count` bits of `bits` (the others 0) to a plane; [`Symbols::advance`] follows the last plane.
    #[inline(always)]
    fn push(&mut self, plane: usize, bits: u64, count: u32) {
        let shift = (self.len % 64) as u32;
        let words = &mut self.planes[plane];
        match words.last_mut() {
            Some(last) if shift > 0 => {
                *last |= bits << shift;
                if shift + count > 64 {
                    words.push(bits >> (64 - shift));
                }
            }
            _ => words.push(bits),
        }
    }

    #[inline(always)]
    fn advance(&mut self, count: u32) {
        self.len += count as usize;
    }
}

/// See [`super::Kernel::pack`].
pub(super) struct Pack<'a> {
    pub row: &'a [u64],
    pub row_words: usize,
    pub quiet: &'a [u64],
    pub symbols: &'a mut Symbols,
}

impl Task for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        for (word, &quiet) in self.quiet.iter().enumerate().filter(|(_, quiet)| **quiet != 0) {
            let count = quiet.count_ones();
            let quiet = B::mask(quiet);
            for plane in 0..self.symbols.planes.len() {
                let bits = B::extract(self.row[plane * self.row_words + word], quiet);
                self.symbols.push(plane, bits, count);
            }
            self.symbols.advance(count);
        }
    }
}

/// See [`super::Kernel::unpack`].
pub(super) struct Unpack<'a> {
    pub stream: &'a [u64],
    pub quiet: &'a [u64],
    pub out: &'a mut [u64],
}

impl Task for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let mut at = 0;
        for (out, &quiet) in self.out.iter_mut().zip(self.quiet) {
            *out = B::deposit(bits_at(self.stream, at), B::mask(quiet));
            at += quiet.count_ones() as usize;
        }
    }
}

/// Returns 64 bits of a stream from bit `at` on; bits beyond its end are 0.
#[inline(always)]
fn bits_at(stream: &[u64], at: usize) -> u64 {
    let word_at = |word: usize| stream.get(word).copied().unwrap_or(0);
    let (word, shift) = (at / 64, at % 64);
    word_at(word) >> shift | word_at(word + 1) << 1 << (63 - shift)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;

    proptest! {
        #[test]
        fn unpacking_undoes_packing_with_every_kernel(
            rows in prop::collection::vec((prop::collection::vec(any::<u64>(), 6), any::<[u64; 3]>(), any::<[u64; 3]>()), 0..9),
        ) {
            let mut expected: Option<Symbols> = None;
            for kernel in Kernel::all() {
                let mut symbols = Symbols::new(2);
                let masks: Vec<[u64; 3]> =
                    rows.iter().map(|(_, quiet, sparse)| [quiet[0] & sparse[0], quiet[1], quiet[2] | sparse[2]]).collect();
                for ((row, ..), quiet) in rows.iter().zip(&masks) {
                    kernel.pack(row, 3, quiet, &mut symbols);
                }
                for plane in 0..2 {
                    let mut out = vec![0; 3 * rows.len()];
                    kernel.unpack(symbols.plane(plane), masks.as_flattened(), &mut out);
                    let packed = rows.iter().zip(&masks).flat_map(|((row, ..), quiet)| {
                        (0..3).map(move |word| row[plane * 3 + word] & quiet[word])
                    });
                    prop_assert!(packed.eq(out));
                }
                prop_assert_eq!(expected.get_or_insert_with(|| symbols.clone()), &symbols);
            }
        }
    }
}
