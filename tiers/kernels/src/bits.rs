//! The two bit moves from which all kernels are built, and their portable form for one word or for eight rows at a
//! time.
//!
//! *Extract* gathers, at the low end, the bits of a word that a mask marks; *deposit* spreads the low bits over the
//! places that a mask marks. Processors with BMI2 have an instruction for each (`PEXT`, `PDEP`); [`Portable`] does the
//! same in safe code, and tests compare the two.
//!
//! The portable form moves bits through a [`Network`] of six rounds. Making a network takes about 130 instructions, and
//! moving the bits of a word through it about 25, so drops that move bits between columns make each network once per
//! band. All rows of a band move their bits under the same masks, so such a drop works on eight rows together
//! ([`Lanes`]): one row is one lane, and the compiler turns the lanes into the vectors of the processor. Since the
//! masks are the same, the eight dense streams grow at the same rate, and all lanes are at the same place of their
//! streams.

use super::code::{Code, MAX_PLANES};
use super::words::RowView;

/// Lists the places of the set bits, lowest first.
#[inline(always)]
pub fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            place
        })
    })
}

/// Moves bits under a mask.
pub trait Bits: Copy {
    /// Whether each operation is one instruction and a mask needs no preparation.
    const FAST: bool;

    /// A mask, prepared for many words.
    type Mask: Copy;

    /// Prepares a mask.
    fn mask(mask: u64) -> Self::Mask;

    /// Gathers, at the low end and in order, the bits of `word` at the places of `mask`.
    fn extract(word: u64, mask: Self::Mask) -> u64;

    /// Spreads the low bits of `word` over the places of `mask`, in order; other places become 0.
    fn deposit(word: u64, mask: Self::Mask) -> u64;
}

/// A loop that is compiled for every form of the kernels. `run` must be inlined into its caller.
pub trait Task {
    /// The result of the loop.
    type Output;

    /// Runs the loop with one form of the bit moves.
    fn run<B: Bits>(self) -> Self::Output;
}

/// Extract and deposit in plain safe code, through a [`Network`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Bits for Portable {
    const FAST: bool = false;

    type Mask = Network;

    #[inline]
    fn mask(mask: u64) -> Network {
        Network::new(mask)
    }

    #[inline]
    fn extract(word: u64, mask: Network) -> u64 {
        let [word] = mask.extract([word]);
        word
    }

    #[inline]
    fn deposit(word: u64, mask: Network) -> u64 {
        let [word] = mask.deposit([word]);
        word
    }
}

/// A mask, prepared as six rounds that move bits by 1, 2, 4, 8, 16 and 32 places (Warren, *Hacker's Delight*, 2nd
/// edition, sections 7-4 and 7-5).
#[derive(Clone, Copy, Debug)]
pub(super) struct Network {
    pub mask: u64,
    /// For each round `r`, the bits that move in it. A bit moves if bit `r` is set in the number of gaps below it.
    moves: [u64; 6],
}

impl Network {
    /// Finds which bits move in each round.
    pub fn new(mask: u64) -> Network {
        let (mut places, mut gaps) = (mask, !mask << 1);
        let mut moves = [0; 6];
        for (round, moving) in moves.iter_mut().enumerate() {
            // Prefix parity: bit `i` is set if the number of gaps below it is odd.
            let mut parity = gaps;
            for shift in [1, 2, 4, 8, 16, 32] {
                parity ^= parity << shift;
            }
            *moving = parity & places;
            places = (places ^ *moving) | (*moving >> (1 << round));
            gaps &= !parity;
        }
        Network { mask, moves }
    }

    /// Gathers, at the low end and in order, the bits of each of `words` at the places of the mask.
    #[inline(always)]
    pub fn extract<const L: usize>(&self, mut words: [u64; L]) -> [u64; L] {
        for word in &mut words {
            *word &= self.mask;
        }
        for (round, moving) in self.moves.iter().enumerate() {
            for word in &mut words {
                let moved = *word & moving;
                *word = (*word ^ moved) | (moved >> (1 << round));
            }
        }
        words
    }

    /// Spreads the low bits of each of `words` over the places of the mask, in order; other places become 0.
    #[inline(always)]
    pub fn deposit<const L: usize>(&self, mut words: [u64; L]) -> [u64; L] {
        for (round, moving) in self.moves.iter().enumerate().rev() {
            for word in &mut words {
                let shifted = *word << (1 << round);
                *word ^= (*word ^ shifted) & moving;
            }
        }
        for word in &mut words {
            *word &= self.mask;
        }
        words
    }
}

/// How many rows are moved together.
const LANES: usize = 8;

/// The masks of a drop's columns as networks, and buffers for the streams of eight rows.
#[derive(Default)]
pub struct Lanes {
    /// Networks for the child's columns; empty if the columns are consecutive.
    take: Vec<Network>,
    /// Networks for the parent's columns.
    put: Vec<Network>,
    /// The first bit of the stream that is deposited.
    offset: usize,
    /// Words per plane in a row of the child.
    child_words: usize,
    /// The streams, one plane after the other, each of [`Lanes::stream_words`] items. An item has one word of every
    /// lane.
    stream: Vec<[u64; LANES]>,
    /// The rows to improve. An item has one word of every lane.
    best: Vec<[u64; LANES]>,
    /// The rows to work on, in order: each row of the band with the row of the child that it leads to.
    pub rows: Vec<(usize, usize)>,
}

/// Pairs colourings of a band with colourings of a neighbour: the first with the first, the second with the second, and
/// so on.
#[derive(Clone, Copy)]
pub struct Pairing<'a> {
    /// The band's colourings that are paired, as a mask.
    pub own: &'a [u64],
    /// A mask of the neighbour's colourings, and a word that is XORed into each word of the mask; `None` if the
    /// colourings are consecutive.
    pub other: Option<(&'a [u64], u64)>,
    /// How many of the neighbour's colourings to skip before the first pair.
    pub skip: usize,
}

/// A drop into one column, which connects a band with a matrix of the neighbouring tier. If the drop is turned, the
/// fields exchange rows and columns of the band.
pub struct BandDrop<'a> {
    /// The neighbour's matrix, from its first row or a later one.
    pub source: RowView<'a>,
    /// Words per plane in a row of `source`.
    pub source_words: usize,
    /// The word, in each plane of a row of `source`, at which the columns of the band begin.
    pub first_word: usize,
    /// For every row of the band, the row of `source` or [`NO_ROW`]. Empty if the rows are consecutive from `first_row`
    /// on.
    pub rows: &'a [u32],
    /// The row of `source` for the band's first row, if `rows` is empty.
    pub first_row: usize,
    /// Which columns of `source` move to which columns of the band; `None` if all columns keep their numbers.
    pub columns: Option<Pairing<'a>>,
}

/// Marks a row of the band for which the neighbour has no row. In a solve, this means that the drop completes a line.
pub const NO_ROW: u32 = u32::MAX;

impl BandDrop<'_> {
    /// Returns the row of `source` for a row of the band; `None` if there is none.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Option<usize> {
        match self.rows.get(row) {
            Some(&NO_ROW) => None,
            Some(&mapped) => Some(mapped as usize),
            None => Some(self.first_row + row),
        }
    }
}

/// Returns the most bytes that [`Lanes`] take for bands of `rows` rows. No row of parent or child may have more than
/// `row_words` words, all planes included; a row has at least two planes.
pub(super) fn lane_bytes(rows: usize, row_words: u128) -> u128 {
    let networks = 2 * (row_words / 2) * size_of::<Network>() as u128;
    let streams = (row_words + 2 * MAX_PLANES as u128) * size_of::<[u64; LANES]>() as u128;
    networks + 2 * streams + (rows * size_of::<(usize, usize)>()) as u128
}

impl Lanes {
    /// Makes the networks for the columns of a drop. A row of the child has `child_words` words per plane.
    fn prepare(&mut self, columns: &Pairing, child_words: usize) {
        self.take.clear();
        if let Some((mask, flip)) = columns.other {
            self.take.extend(mask.iter().map(|word| Network::new(word ^ flip)));
        }
        self.put.clear();
        self.put.extend(columns.own.iter().map(|word| Network::new(*word)));
        (self.offset, self.child_words) = (columns.skip, child_words);
    }

    /// Returns how many words a plane of a stream has: two more than a row of the child, because words are read in
    /// pairs.
    fn stream_words(&self) -> usize {
        self.child_words + 2
    }

    /// Improves each of [`Lanes::rows`] in `out`: where the drop gives a better outcome, it replaces the outcome there.
    pub fn take_rows<C: Code<P>, const P: usize>(
        &mut self,
        code: C,
        drop: &BandDrop,
        columns: &Pairing,
        out: &mut [u64],
    ) {
        self.prepare(columns, drop.source_words);
        let row_words = P * self.put.len();
        let child_row_words = code.child_planes() * self.child_words;
        let rows = std::mem::take(&mut self.rows);
        self.best.resize(row_words, [0; LANES]);
        self.stream.resize(code.child_planes() * self.stream_words(), [0; LANES]);
        for group in rows.chunks(LANES) {
            // Lanes without a row repeat the last row; their results are discarded.
            let lanes: [&[u64]; LANES] =
                std::array::from_fn(|lane| drop.source.row(group[lane.min(group.len() - 1)].1, child_row_words));
            for plane in 0..code.child_planes() {
                self.gather(lanes.map(|row| &row[plane * self.child_words..][..self.child_words]), plane);
            }
            for (lane, (row, _)) in group.iter().enumerate() {
                let own = &out[row * row_words..][..row_words];
                self.best.iter_mut().zip(own).for_each(|(best, own)| best[lane] = *own);
            }
            self.put(code);
            for (lane, (row, _)) in group.iter().enumerate() {
                let own = &mut out[row * row_words..][..row_words];
                own.iter_mut().zip(&self.best).for_each(|(own, best)| *own = best[lane]);
            }
        }
        self.rows = rows;
    }

    /// Writes one plane of the streams: from each lane's row, the bits at the child's columns.
    fn gather(&mut self, lanes: [&[u64]; LANES], plane: usize) {
        let (words, stream_words) = (self.child_words, self.stream_words());
        // With equal lengths, the compiler checks the index of a word once for all lanes.
        let lanes = lanes.map(|lane| &lane[..words]);
        let stream = &mut self.stream[plane * stream_words..][..stream_words];
        if self.take.is_empty() {
            for (word, to) in stream.iter_mut().enumerate().take(words).skip(self.offset / 64) {
                *to = lanes.map(|lane| lane[word]);
            }
            return;
        }
        let (mut held, mut fill, mut at) = ([0u64; LANES], 0u32, 0usize);
        for (word, network) in self.take[..words].iter().enumerate() {
            if network.mask == 0 {
                continue;
            }
            let bits = network.extract(lanes.map(|lane| lane[word]));
            for lane in 0..LANES {
                held[lane] |= bits[lane] << fill;
            }
            fill += network.mask.count_ones();
            if fill >= 64 {
                stream[at] = held;
                at += 1;
                fill -= 64;
                // The remaining bits begin the next word. One shift by 64 would overflow, so there are two.
                let rest = network.mask.count_ones() - fill;
                held = bits.map(|bits| bits >> (rest - 1) >> 1);
            }
        }
        stream[at] = held;
    }

    /// Moves the outcomes in the lanes' streams to the parent's columns, in order. There they replace worse outcomes of
    /// the rows.
    #[inline(never)]
    fn put<C: Code<P>, const P: usize>(&mut self, code: C) {
        let (words, stream_words) = (self.put.len(), self.stream_words());
        let best = &mut self.best[..P * words];
        let mut offset = self.offset;
        for (word, network) in self.put.iter().enumerate() {
            let mask = network.mask;
            if mask == 0 {
                continue;
            }
            let (at, shift) = (offset / 64, offset as u32 % 64);
            offset += mask.count_ones() as usize;
            let mut other = [[0u64; LANES]; P];
            for (plane, other) in other.iter_mut().enumerate().take(code.child_planes()) {
                let pair = &self.stream[plane * stream_words + at..][..2];
                let mut bits = [0; LANES];
                for lane in 0..LANES {
                    bits[lane] = pair[0][lane] >> shift | pair[1][lane] << 1 << (63 - shift);
                }
                *other = network.deposit(bits);
            }
            if code.narrow() {
                other[P - 1] = other[P - 2];
                other[P - 2] = other[P - 2].map(|bits| !bits & mask);
            }
            let mut planes: [[u64; LANES]; P] = std::array::from_fn(|plane| best[plane * words + word]);
            code.better(&mut planes, &other, &[mask; LANES]);
            planes.iter().enumerate().for_each(|(plane, planes)| best[plane * words + word] = *planes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowView;
    use crate::code::{Known, Ordered, Wdl};
    use crate::rows;
    use proptest::prelude::*;

    fn bit_by_bit(word: u64, mask: u64) -> (u64, u64) {
        let (mut extracted, mut deposited, mut next) = (0, 0, 0);
        for place in (0..64).filter(|place| mask >> place & 1 == 1) {
            extracted |= (word >> place & 1) << next;
            deposited |= (word >> next & 1) << place;
            next += 1;
        }
        (extracted, deposited)
    }

    /// A drop, rows of a child and rows of a band, all random.
    #[derive(Clone, Debug)]
    struct Case {
        plane: Vec<u64>,
        /// The first column, if the columns are contiguous.
        from: Option<usize>,
        keeps: Vec<u64>,
        rows: Vec<(usize, usize)>,
        /// Repeated to fill the rows.
        noise: Vec<u64>,
    }

    impl Case {
        fn noise(&self, words: usize) -> Vec<u64> {
            self.noise.iter().copied().cycle().take(words).collect()
        }

        /// Compares [`Lanes::take_rows`] with the functions for one row, and [`rows::take_word`] with `take_stream`.
        fn check<C: Code<P>, const P: usize>(&self, code: C) {
            let (own, words, child_words) = (code.child_planes(), self.keeps.len(), self.plane.len());
            let height = self.rows.last().map_or(0, |(row, _)| row + 1);
            // Streams are read in pairs of words.
            let child = self.noise(40 * own * child_words + 2);
            let mut expected: Vec<u64> = self.noise(height * P * words).into_iter().rev().collect();
            let mut found = expected.clone();

            let mut stream = vec![0; P * (child_words + 2)];
            for (row, child_row) in &self.rows {
                let best = &mut expected[row * P * words..][..P * words];
                let mut one_word = best.to_vec();
                let child = &child[child_row * own * child_words..];
                let (bits, bits_words, offset) = match self.from {
                    Some(offset) => (child, child_words, offset),
                    None => {
                        rows::gather::<C, Portable, P>(code, child, &self.plane, 0, &mut stream, child_words + 2);
                        (stream.as_slice(), child_words + 2, 0)
                    }
                };
                rows::take_stream::<C, Portable, P>(code, best, &self.keeps, bits, bits_words, offset);
                if (words, child_words) == (1, 1) {
                    let (from, skip) = self.from.map_or((self.plane[0], 0), |from| (u64::MAX, from));
                    rows::take_word::<C, Portable, P>(code, &mut one_word, child, from, skip, self.keeps[0]);
                    assert_eq!(one_word, best);
                }
            }

            let mut lanes = Lanes { rows: self.rows.clone(), ..Lanes::default() };
            let other: Option<(&[u64], u64)> = if self.from.is_none() { Some((&self.plane, 0)) } else { None };
            let columns = Pairing { own: &self.keeps, other, skip: self.from.unwrap_or(0) };
            let source = RowView::Whole(&child);
            let drop =
                BandDrop { source, source_words: child_words, first_word: 0, rows: &[], first_row: 0, columns: None };
            // A second run, with used buffers, must change nothing.
            for _ in 0..2 {
                lanes.take_rows(code, &drop, &columns, &mut found);
                assert_eq!(found, expected);
            }
            let most = lane_bytes(self.rows.len(), (P * words.max(child_words)) as u128);
            let Lanes { take, put, stream, best, rows, .. } = &lanes;
            let networks = size_of_val(take.as_slice()) + size_of_val(put.as_slice());
            let streams = size_of_val(stream.as_slice()) + size_of_val(best.as_slice());
            assert!((networks + streams + size_of_val(rows.as_slice())) as u128 <= most);
        }
    }

    /// Generates words with long runs of equal bits, as masks have them, and words without such runs.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            Just(0),
            Just(u64::MAX),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b),
            (any::<u64>(), 0u32..64).prop_map(|(word, shift)| word | u64::MAX << shift),
            (0u32..64, 0u32..64).prop_map(|(low, high)| u64::MAX << low & u64::MAX >> high),
        ]
    }

    fn case() -> impl Strategy<Value = Case> {
        let words = || prop::collection::vec(word(), 1..6);
        let rows = prop::collection::btree_map(0usize..50, 0usize..40, 0..20);
        let noise = prop::collection::vec(any::<u64>(), 1..67);
        (words(), words(), prop::option::of(0usize..=320), rows, noise).prop_map(
            |(plane, mut keeps, from, rows, noise)| {
                let ones = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                let from = from.map(|from| from % (64 * plane.len()));
                // A drop writes no more columns than it reads.
                let most = from.map_or(ones(&plane), |from| 64 * plane.len() - from);
                while ones(&keeps) > most {
                    let last = keeps.iter_mut().rev().find(|word| **word != 0).unwrap();
                    *last &= *last - 1;
                }
                Case { plane, from, keeps, rows: rows.into_iter().collect(), noise }
            },
        )
    }

    proptest! {
        #[test]
        fn portable_moves_agree_with_moving_bit_by_bit(word: u64, mask: u64, sparse: u64) {
            for mask in [mask, mask & sparse, mask | sparse, 0, u64::MAX, mask << 63, mask >> 63] {
                let (extracted, deposited) = bit_by_bit(word, mask);
                let network = Portable::mask(mask);
                prop_assert_eq!(network.mask, mask);
                prop_assert_eq!(Portable::extract(word, network), extracted);
                prop_assert_eq!(Portable::deposit(word, network), deposited);
            }
        }

        #[test]
        fn rows_side_by_side_take_what_they_take_one_by_one(case in case()) {
            case.check::<_, 2>(Wdl::<true>);
            case.check::<_, 2>(Wdl::<false>);
            case.check::<_, 2>(Ordered { maximise: Known::<true>, narrow: Known::<false> });
            case.check::<_, 3>(Ordered { maximise: Known::<false>, narrow: true });
            case.check::<_, 5>(Ordered { maximise: true, narrow: true });
            case.check::<_, 6>(Ordered { maximise: false, narrow: false });
        }
    }
}
