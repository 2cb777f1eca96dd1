//! Deltas: a block of rows as differences from its own earlier rows, for blocks that wait in memory.
//!
//! Colourings that follow each other differ in a few low cells, so their rows are nearly alike. Every plane but the first is
//! replaced by its difference from the plane before; then every 64 words are compared with those of each of the eight rows
//! before, and the difference from the closest is kept: a bit for each word that is not 0, a bit for each byte of it that is
//! not 0, and those bytes. A difference is an exclusive or.
//!
//! On the blocks of 6x6 that takes 0.15 of the words' bytes, where zstd at level 1 takes 0.064 and at least four times as long, both
//! ways.

use std::ops::Range;

use super::bits::{Bits, Task};

/// Words that are compared at a time.
const CHUNK: usize = 64;

/// How many rows before are compared.
const ROWS_BACK: usize = 8;

/// Neighbouring matrices whose rows are equally wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    /// Words of each plane of a row.
    pub row_words: u32,
    /// Words of all rows, with all planes.
    pub words: u32,
}

/// What the bytes of a delta mean. They are, one after the other:
///
/// - for each chunk a word: its words that differ from the reference;
/// - for each chunk a byte: how many rows back the reference is, 0 for none;
/// - for each word that differs a byte: its bytes that are not 0;
/// - those bytes, and [`PAD`] more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Delta {
    planes: usize,
    stretches: Box<[Stretch]>,
    /// How many words differ.
    changed: usize,
}

/// Eight bytes are read wherever one begins.
const PAD: usize = 8;

impl Delta {
    /// Returns about how much memory it takes without the bytes.
    pub fn taken(&self) -> u64 {
        (size_of_val(&*self.stretches) + size_of::<Delta>()) as u64
    }
}

/// What a thread makes deltas in.
#[derive(Default, Debug)]
pub(crate) struct DeltaBuffers {
    words: Vec<u64>,
    changed: Vec<u64>,
    references: Vec<u8>,
    masks: Vec<u8>,
    bytes: Vec<u8>,
    stream: Vec<u8>,
}

/// See [`super::Kernel::delta`].
pub(super) struct MakeDelta<'a> {
    pub words: &'a [u64],
    pub planes: usize,
    pub stretches: &'a [Stretch],
    pub buffers: &'a mut DeltaBuffers,
}

impl<'a> Task for MakeDelta<'a> {
    type Output = (Delta, &'a [u8]);

    #[inline(always)]
    fn run<B: Bits>(self) -> (Delta, &'a [u8]) {
        let MakeDelta { words, planes, stretches, buffers } = self;
        let DeltaBuffers { words: copy, changed, references, masks, bytes, stream } = buffers;
        copy.clear();
        copy.extend_from_slice(words);
        changed.clear();
        references.clear();
        masks.resize(masks.len().max(words.len()), 0);
        bytes.resize(bytes.len().max(8 * words.len() + PAD), 0);
        let (mut masks_len, mut bytes_len, mut rest) = (0, 0, &mut copy[..]);
        for stretch in stretches {
            let own = rest.split_off_mut(..stretch.words as usize).unwrap_or_default();
            differ_planes(own, stretch.row_words as usize, planes);
            let row_words = stretch.row_words as usize * planes;
            for at in (0..own.len()).step_by(CHUNK) {
                let end = own.len().min(at + CHUNK);
                let reference = closest(own, at..end, row_words);
                let difference = difference(own, at..end, reference * row_words);
                let mask = changed_words(&difference);
                changed.push(mask);
                references.push(reference as u8);
                for word in ones(mask) {
                    let (mask, length) = put_bytes::<B>(difference[word], &mut bytes[bytes_len..]);
                    masks[masks_len] = mask;
                    masks_len += 1;
                    bytes_len += length;
                }
            }
        }
        stream.clear();
        changed.iter().for_each(|mask| stream.extend_from_slice(&mask.to_le_bytes()));
        stream.extend_from_slice(references);
        stream.extend_from_slice(&masks[..masks_len]);
        stream.extend_from_slice(&bytes[..bytes_len]);
        stream.extend_from_slice(&[0; PAD]);
        (Delta { planes, stretches: stretches.into(), changed: masks_len }, stream)
    }
}

/// Replaces every plane but the first by its difference from the plane before.
#[inline(always)]
fn differ_planes(rows: &mut [u64], row_words: usize, planes: usize) {
    each_row(rows, row_words, planes, |row, row_words, planes| {
        (1..planes).rev().for_each(|plane| add_plane_before(row, row_words, plane));
    });
}

/// Undoes [`differ_planes`].
#[inline(always)]
fn join_planes(rows: &mut [u64], row_words: usize, planes: usize) {
    each_row(rows, row_words, planes, |row, row_words, planes| {
        (1..planes).for_each(|plane| add_plane_before(row, row_words, plane));
    });
}

/// Adds to a plane of a row the one before, by exclusive or.
#[inline(always)]
fn add_plane_before(row: &mut [u64], row_words: usize, plane: usize) {
    let (before, own) = row.split_at_mut(plane * row_words);
    own.iter_mut().zip(&before[(plane - 1) * row_words..]).for_each(|(own, before)| *own ^= before);
}

/// Calls `work` with every row, its words a plane and its planes, which are constants where rows are short.
#[inline(always)]
fn each_row(rows: &mut [u64], row_words: usize, planes: usize, work: impl Fn(&mut [u64], usize, usize)) {
    match (row_words, planes) {
        (1, 2) => rows.as_chunks_mut::<2>().0.iter_mut().for_each(|row| work(row, 1, 2)),
        (2, 2) => rows.as_chunks_mut::<4>().0.iter_mut().for_each(|row| work(row, 2, 2)),
        (3, 2) => rows.as_chunks_mut::<6>().0.iter_mut().for_each(|row| work(row, 3, 2)),
        (4, 2) => rows.as_chunks_mut::<8>().0.iter_mut().for_each(|row| work(row, 4, 2)),
        _ => rows.chunks_exact_mut(row_words * planes).for_each(|row| work(row, row_words, planes)),
    }
}

/// Returns how many rows back the words are that those of `chunk` differ from in the fewest; 0 where fewer differ from 0.
#[inline(always)]
fn closest(words: &[u64], chunk: Range<usize>, row_words: usize) -> usize {
    let own = &words[chunk.clone()];
    let (mut closest, mut fewest) = (0, own.iter().map(|word| u64::from(*word != 0)).sum::<u64>());
    for rows in 1..=ROWS_BACK.min(chunk.start / row_words) {
        if fewest == 0 {
            break;
        }
        let other = &words[chunk.start - rows * row_words..];
        let differing = own.iter().zip(other).map(|(own, other)| u64::from(own != other)).sum();
        if differing < fewest {
            (closest, fewest) = (rows, differing);
        }
    }
    closest
}

/// Returns the difference of a chunk from the words so many before, or from nothing.
#[inline(always)]
fn difference(words: &[u64], chunk: Range<usize>, back: usize) -> [u64; CHUNK] {
    let mut difference = [0; CHUNK];
    difference[..chunk.len()].copy_from_slice(&words[chunk.clone()]);
    if back > 0 {
        difference.iter_mut().zip(&words[chunk.start - back..chunk.end - back]).for_each(|(own, other)| *own ^= other);
    }
    difference
}

/// Returns a mask of the words that are not 0.
#[inline(always)]
fn changed_words(words: &[u64; CHUNK]) -> u64 {
    words.iter().enumerate().map(|(number, word)| u64::from(*word != 0) << number).sum()
}

/// Lists the places of the bits that are set.
#[inline(always)]
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            place
        })
    })
}

/// The lowest and the highest bit of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// Writes the bytes of a word that are not 0, and maybe a few more. Returns a mask of them, and how many they are.
#[inline(always)]
fn put_bytes<B: Bits>(word: u64, out: &mut [u8]) -> (u8, usize) {
    if !B::FAST {
        let (mut mask, mut length) = (0, 0);
        for (number, byte) in word.to_le_bytes().into_iter().enumerate() {
            out[length] = byte;
            mask |= u8::from(byte != 0) << number;
            length += usize::from(byte != 0);
        }
        return (mask, length);
    }
    let high = (((word & !HIGH) + !HIGH) | word) & HIGH;
    let bytes = B::extract(word, B::mask((high >> 7) * 0xff));
    out[..8].copy_from_slice(&bytes.to_le_bytes());
    (B::extract(high, B::mask(HIGH)) as u8, high.count_ones() as usize)
}

/// Returns the word whose bytes at the places of a mask are those that `bytes` begins with, and how many they are.
#[inline(always)]
fn get_bytes<B: Bits>(mask: u8, bytes: &[u8]) -> (u64, usize) {
    let Some(first) = bytes.first_chunk::<8>() else { return (0, 0) };
    if !B::FAST {
        let (mut word, mut length) = ([0; 8], 0);
        for (number, byte) in word.iter_mut().enumerate() {
            let is_set = mask >> number & 1 == 1;
            *byte = if is_set { first[length] } else { 0 };
            length += usize::from(is_set);
        }
        return (u64::from_le_bytes(word), length);
    }
    let places = B::deposit(mask.into(), B::mask(LOW)) * 0xff;
    (B::deposit(u64::from_le_bytes(*first), B::mask(places)), mask.count_ones() as usize)
}

/// See [`super::Kernel::undo_delta`].
pub(super) struct UndoDelta<'a> {
    pub delta: &'a Delta,
    pub bytes: &'a [u8],
    pub out: &'a mut [u64],
}

impl Task for UndoDelta<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let UndoDelta { delta, bytes, out } = self;
        let chunks = delta.stretches.iter().map(|stretch| (stretch.words as usize).div_ceil(CHUNK)).sum::<usize>();
        let (changed, rest) = bytes.split_at(8 * chunks);
        let (references, rest) = rest.split_at(chunks);
        let (masks, mut bytes) = rest.split_at(delta.changed);
        let (mut masks, mut rest) = (masks.iter(), out);
        let mut heads = changed.as_chunks::<8>().0.iter().zip(references);
        for stretch in &delta.stretches {
            let own = rest.split_off_mut(..stretch.words as usize).unwrap_or_default();
            let row_words = stretch.row_words as usize * delta.planes;
            for at in (0..own.len()).step_by(CHUNK) {
                let Some((changed, reference)) = heads.next() else { return };
                let back = usize::from(*reference) * row_words;
                let chunk = begin(own, at, back);
                for (word, mask) in ones(u64::from_le_bytes(*changed)).zip(masks.by_ref()) {
                    let (value, length) = get_bytes::<B>(*mask, bytes);
                    chunk[word] ^= value;
                    bytes = &bytes[length..];
                }
                end(own, at, back);
            }
            join_planes(own, stretch.row_words as usize, delta.planes);
        }
    }
}

/// Returns the chunk from word `at` on, which differences are added to next: the words so many before, or nothing.
#[inline(always)]
fn begin(words: &mut [u64], at: usize, back: usize) -> &mut [u64] {
    let (before, own) = words.split_at_mut(at);
    let length = own.len().min(CHUNK);
    let own = &mut own[..length];
    if back >= length {
        own.copy_from_slice(&before[at - back..][..length]);
    } else {
        own.fill(0);
    }
    own
}

/// Adds the words so many before a chunk where some of them are in it.
#[inline(always)]
fn end(words: &mut [u64], at: usize, back: usize) {
    let end = words.len().min(at + CHUNK);
    if back > 0 && back < end - at {
        for word in at..end {
            words[word] ^= words[word - back];
        }
    }
}

/// A delta in one piece of bytes, for a file:
///
/// ```text
/// u32   number of stretches
/// u32   words that differ
/// for each stretch: u32 words of each plane of a row, u32 words of all rows
/// the bytes of the delta
/// ```
impl Delta {
    /// Appends the delta, whose bytes are given, to `out`.
    pub fn put(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut number = |number: usize| out.extend_from_slice(&(number as u32).to_le_bytes());
        number(self.stretches.len());
        number(self.changed);
        for stretch in &self.stretches {
            number(stretch.row_words as usize);
            number(stretch.words as usize);
        }
        out.extend_from_slice(bytes);
    }

    /// Reads what [`Delta::put`] has written: the delta, and its bytes. `None` where it is not that of a block of so many words with
    /// so many planes.
    pub fn get(record: &[u8], planes: usize, words: usize) -> Option<(Delta, &[u8])> {
        let (head, rest) = record.split_first_chunk::<8>()?;
        let [count, changed] = pair(head);
        let (stretches, bytes) = rest.split_at_checked(count.checked_mul(8)?)?;
        let stretches: Box<[Stretch]> = stretches
            .as_chunks()
            .0
            .iter()
            .map(|stretch| pair(stretch).map(|number| number as u32))
            .map(|[row_words, words]| Stretch { row_words, words })
            .collect();
        let delta = Delta { planes, stretches, changed };
        delta.is_of(bytes, words).then_some((delta, bytes))
    }

    /// Returns whether the delta can be undone with these bytes, into so many words.
    fn is_of(&self, bytes: &[u8], words: usize) -> bool {
        let is_rows = |stretch: &Stretch| {
            let row = u64::from(stretch.row_words) * self.planes as u64;
            row > 0 && u64::from(stretch.words).is_multiple_of(row)
        };
        let all: u64 = self.stretches.iter().map(|stretch| u64::from(stretch.words)).sum();
        if all != words as u64 || !self.stretches.iter().all(is_rows) {
            return false;
        }
        let chunks = self.stretches.iter().map(|stretch| (stretch.words as usize).div_ceil(CHUNK)).sum::<usize>();
        let Some((changed, rest)) = bytes.split_at_checked(8 * chunks) else { return false };
        let Some((references, rest)) = rest.split_at_checked(chunks) else { return false };
        let Some((masks, rest)) = rest.split_at_checked(self.changed) else { return false };
        let mut heads = changed.as_chunks().0.iter().map(|mask| u64::from_le_bytes(*mask)).zip(references);
        let is_inside = self.stretches.iter().all(|stretch| {
            let (row, words) = (stretch.row_words as usize * self.planes, stretch.words as usize);
            (0..words).step_by(CHUNK).zip(heads.by_ref()).all(|(at, (mask, reference))| {
                usize::from(*reference) * row <= at && (words - at >= CHUNK || mask >> (words - at) == 0)
            })
        });
        let set = |masks: &[u8]| masks.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
        is_inside && set(changed) == self.changed && set(masks) + PAD <= rest.len()
    }
}

fn pair(bytes: &[u8; 8]) -> [usize; 2] {
    let pair = u64::from_le_bytes(*bytes);
    [(pair as u32) as usize, (pair >> 32) as usize]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel::Kernel;

    fn stretches() -> impl Strategy<Value = Vec<(u32, Vec<u64>)>> {
        let word = prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit), 0..3u64];
        prop::collection::vec((1..40u32, prop::collection::vec(word, 0..400)), 0..5)
    }

    /// Cuts stretches to whole rows of so many planes: the words of a block, and its stretches.
    fn laid_out(stretches: Vec<(u32, Vec<u64>)>, planes: usize) -> (Vec<u64>, Vec<Stretch>) {
        let mut words = Vec::new();
        let mut lengths = Vec::new();
        for (row_words, mut rows) in stretches {
            rows.truncate(rows.len() / (row_words as usize * planes) * (row_words as usize * planes));
            lengths.push(Stretch { row_words, words: rows.len() as u32 });
            words.extend(rows);
        }
        (words, lengths)
    }

    proptest! {
        #[test]
        fn every_kernel_undoes_a_delta_and_its_record_and_damage_never_panics(
            stretches in stretches(),
            planes in 1..7usize,
            at in any::<prop::sample::Index>(),
            byte in 1..=u8::MAX,
        ) {
            let (words, lengths) = laid_out(stretches, planes);
            let mut buffers = DeltaBuffers::default();
            let mut found = vec![7; words.len()];
            let mut records = Vec::new();
            for kernel in Kernel::all() {
                let (delta, bytes) = kernel.delta(&words, planes, &lengths, &mut buffers);
                found.fill(7);
                kernel.undo_delta(&delta, bytes, &mut found);
                prop_assert_eq!(&found, &words);
                let mut record = Vec::new();
                delta.put(bytes, &mut record);
                prop_assert_eq!(Delta::get(&record, planes, words.len()), Some((delta, bytes)));
                records.push(record);
            }
            let mut record = records.swap_remove(0);
            prop_assert!(records.iter().all(|other| *other == record));
            prop_assert!(Delta::get(&record, planes, words.len() + 1).is_none());
            let at = at.index(record.len());
            prop_assert!(Delta::get(&record[..at], planes, words.len()).is_none());
            record[at] ^= byte;
            if let Some((delta, bytes)) = Delta::get(&record, planes, words.len()) {
                Kernel::all().iter().for_each(|kernel| kernel.undo_delta(&delta, bytes, &mut found));
            }
        }
    }

    #[test]
    fn rows_that_repeat_take_little() {
        let stretch = [Stretch { row_words: 10, words: 20_000 }];
        let row: Vec<u64> = (0..20u64).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let words = row.repeat(1000);
        let mut buffers = DeltaBuffers::default();
        let (_, bytes) = Kernel::portable().delta(&words, 2, &stretch, &mut buffers);
        assert!(bytes.len() < 4000, "{}", bytes.len());
    }
}
