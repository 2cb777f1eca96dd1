//! Deltas: blocks that wait in memory, each stored as differences from its own earlier rows.
//!
//! Neighbouring colourings differ in a few low cells, so their rows are nearly alike. First, every plane but the first
//! is replaced by its difference from the plane before. Then every chunk of 64 words is compared with the words one to
//! eight rows before it, and the difference from the closest is stored: a bit per word that tells whether the word is
//! 0, for each non-zero word a bit per byte that tells whether the byte is 0, and all non-zero bytes. Every difference
//! is an exclusive or.
//!
//! For the blocks of 6x6, deltas take 15 % of the bytes that the words take. zstd at level 1 needs only 6.4 %, but
//! takes at least four times as long to compress and to expand.

use std::ops::Range;

use super::bits::{Bits, Task, ones};

/// How many words are compared together.
const CHUNK: usize = 64;

/// With how many earlier rows a chunk is compared.
const ROWS_BACK: usize = 8;

/// A run of matrices whose rows are equally wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Words of one plane of a row.
    pub row_words: u32,
    /// Words of all rows, all planes included.
    pub words: u32,
}

/// The first bytes of a delta; no zstd frame begins with them.
const MAGIC: &[u8; 4] = b"delt";

/// Bytes are read eight at a time, so a delta ends with eight spare bytes.
const PAD: usize = 8;

/// The parts of a delta:
///
/// ```text
/// 4 bytes  "delt"
/// u32      number of stretches
/// u32      words that differ
/// for each stretch: u32 words of each plane of a row, u32 words of all rows
/// for each chunk: u64, a bit for each of its words that differs from the reference
/// for each chunk: a byte, how many rows back the reference is, 0 for none
/// for each word that differs: a byte, a bit for each of its bytes that is not 0
/// those bytes, and 8 more
/// ```
struct Parts<'a> {
    stretches: &'a [[u8; 8]],
    changed: &'a [[u8; 8]],
    references: &'a [u8],
    masks: &'a [u8],
    bytes: &'a [u8],
}

impl Parts<'_> {
    /// Splits a delta into its parts; `None` if it is too short.
    fn of(delta: &[u8]) -> Option<Parts<'_>> {
        let (head, rest) = delta.strip_prefix(MAGIC)?.split_first_chunk()?;
        let [stretches, differing] = pair(head);
        let (stretches, rest) = rest.split_at_checked(stretches.checked_mul(8)?)?;
        let (stretches, _) = stretches.as_chunks();
        // A damaged number of words may be more than a machine of 32 bits can count in bytes.
        let chunks: u64 = stretches.iter().map(|stretch| pair(stretch)[1].div_ceil(CHUNK) as u64).sum();
        let chunks = usize::try_from(chunks).ok()?;
        let (changed, rest) = rest.split_at_checked(chunks.checked_mul(8)?)?;
        let (references, rest) = rest.split_at_checked(chunks)?;
        let (masks, bytes) = rest.split_at_checked(differing)?;
        Some(Parts { stretches, changed: changed.as_chunks().0, references, masks, bytes })
    }

    /// Lists, for every stretch, how many words one plane of a row has, and how many all rows have.
    fn stretches(&self) -> impl Iterator<Item = [usize; 2]> {
        self.stretches.iter().map(pair)
    }

    /// Lists, for every chunk, the mask of its changed words and how many rows back its reference is.
    fn chunks(&self) -> impl Iterator<Item = (u64, usize)> {
        self.changed
            .iter()
            .map(|mask| u64::from_le_bytes(*mask))
            .zip(self.references.iter().map(|rows| usize::from(*rows)))
    }
}

fn pair(bytes: &[u8; 8]) -> [usize; 2] {
    let pair = u64::from_le_bytes(*bytes);
    [(pair as u32) as usize, (pair >> 32) as usize]
}

/// Returns an upper bound on the bytes of a delta whose block has `words` words.
pub fn most_bytes(words: usize) -> usize {
    // In the worst case each word has its own stretch, its own chunk, a mask and eight bytes.
    12 + words * (8 + 9 + 1 + 8) + PAD
}

/// Returns whether `bytes` is a delta that can be undone into a block of `words` words with `planes` planes per row.
pub fn is_delta_of(bytes: &[u8], planes: usize, words: usize) -> bool {
    let Some(parts) = Parts::of(bytes) else { return false };
    let is_rows = |[row_words, words]: [usize; 2]| {
        row_words.checked_mul(planes).is_some_and(|row_words| row_words > 0 && words.is_multiple_of(row_words))
    };
    let sum = parts.stretches().try_fold(0usize, |sum, [_, words]| sum.checked_add(words));
    if sum != Some(words) || !parts.stretches().all(is_rows) {
        return false;
    }
    let mut chunks = parts.chunks();
    let is_inside = parts.stretches().all(|[row_words, words]| {
        (0..words).step_by(CHUNK).zip(chunks.by_ref()).all(|(at, (changed, rows_back))| {
            rows_back <= at / (row_words * planes) && (words - at >= CHUNK || changed >> (words - at) == 0)
        })
    });
    let set = |masks: &[u8]| masks.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
    is_inside && set(parts.changed.as_flattened()) == parts.masks.len() && set(parts.masks) + PAD <= parts.bytes.len()
}

/// The buffers in which a thread makes deltas.
#[derive(Default, Debug)]
pub struct DeltaBuffers {
    words: Vec<u64>,
    masks: Vec<u8>,
    bytes: Vec<u8>,
    delta: Vec<u8>,
}

/// Makes the delta of a block.
pub struct MakeDelta<'a> {
    /// The block: the words of its stretches, one stretch after the other.
    pub words: &'a [u64],
    /// Planes of each row, from 1 to 6.
    pub planes: usize,
    /// The stretches of rows of equal width.
    pub stretches: &'a [Stretch],
    /// Receives the delta.
    pub buffers: &'a mut DeltaBuffers,
}

impl<'a> Task for MakeDelta<'a> {
    type Output = &'a [u8];

    #[inline(always)]
    fn run<B: Bits>(self) -> &'a [u8] {
        let MakeDelta { words, planes, stretches, buffers } = self;
        let DeltaBuffers { words: copy, masks, bytes, delta } = buffers;
        copy.clear();
        copy.extend_from_slice(words);
        masks.resize(masks.len().max(words.len()), 0);
        bytes.resize(bytes.len().max(8 * words.len() + PAD), 0);
        let chunks = stretches.iter().map(|stretch| (stretch.words as usize).div_ceil(CHUNK)).sum::<usize>();
        delta.clear();
        delta.extend_from_slice(MAGIC);
        delta.extend_from_slice(&(stretches.len() as u32).to_le_bytes());
        delta.extend_from_slice(&[0; 4]);
        delta.extend(stretches.iter().flat_map(|of| [of.row_words, of.words]).flat_map(u32::to_le_bytes));
        let (changed, references) = (delta.len(), delta.len() + 8 * chunks);
        delta.resize(references + chunks, 0);
        let (mut chunk, mut masks_len, mut bytes_len, mut rest) = (0, 0, 0, &mut copy[..]);
        for stretch in stretches {
            let own = rest.split_off_mut(..stretch.words as usize).unwrap_or_default();
            differ_planes(own, stretch.row_words as usize, planes);
            let row_words = stretch.row_words as usize * planes;
            for at in (0..own.len()).step_by(CHUNK) {
                let end = own.len().min(at + CHUNK);
                let reference = closest(own, at..end, row_words);
                let difference = difference(own, at..end, reference * row_words);
                let mask = changed_words(&difference);
                delta[changed + 8 * chunk..][..8].copy_from_slice(&mask.to_le_bytes());
                delta[references + chunk] = reference as u8;
                chunk += 1;
                for word in ones(mask) {
                    let (mask, length) = put_bytes::<B>(difference[word], &mut bytes[bytes_len..]);
                    masks[masks_len] = mask;
                    masks_len += 1;
                    bytes_len += length;
                }
            }
        }
        delta[8..12].copy_from_slice(&(masks_len as u32).to_le_bytes());
        delta.extend_from_slice(&masks[..masks_len]);
        delta.extend_from_slice(&bytes[..bytes_len]);
        delta.extend_from_slice(&[0; PAD]);
        delta
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

/// Adds the previous plane to a plane of a row, by exclusive or.
#[inline(always)]
fn add_plane_before(row: &mut [u64], row_words: usize, plane: usize) {
    let (before, own) = row.split_at_mut(plane * row_words);
    own.iter_mut().zip(&before[(plane - 1) * row_words..]).for_each(|(own, before)| *own ^= before);
}

/// Calls `work` with every row, its words per plane and its number of planes. For short rows both numbers are
/// constants.
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

/// Finds the earlier words that differ least from `chunk`, and returns how many rows before it they lie. Returns 0 if
/// even these differ in at least as many words as the chunk has non-zero words.
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

/// Returns the difference of a chunk from the words `back` words before it, or the chunk itself if `back` is 0.
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

/// The lowest and the highest bit of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// Writes the non-zero bytes of a word to the start of `out`, and may overwrite up to eight bytes there. Returns a mask
/// of the non-zero bytes, and their number.
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

/// Undoes [`put_bytes`]: makes a word from the first bytes of `bytes`, put at the places of `mask`. Returns the word
/// and the number of bytes that it used.
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

/// Writes the words of a block from its delta. Check the delta with [`is_delta_of`] first.
pub struct UndoDelta<'a> {
    /// The delta, made by [`MakeDelta`].
    pub delta: &'a [u8],
    /// Planes of each row, from 1 to 6.
    pub planes: usize,
    /// Receives the block; as long as the original.
    pub out: &'a mut [u64],
}

impl Task for UndoDelta<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self) {
        let UndoDelta { delta, planes, out } = self;
        let Some(parts) = Parts::of(delta) else { return };
        let (mut masks, mut bytes, mut rest) = (parts.masks.iter(), parts.bytes, out);
        let mut chunks = parts.chunks();
        for [row_words, words] in parts.stretches() {
            let own = rest.split_off_mut(..words).unwrap_or_default();
            for at in (0..own.len()).step_by(CHUNK) {
                let Some((changed, rows_back)) = chunks.next() else { return };
                let back = rows_back * row_words * planes;
                let chunk = begin(own, at, back);
                for (word, mask) in ones(changed).zip(masks.by_ref()) {
                    let (value, length) = get_bytes::<B>(*mask, bytes);
                    chunk[word] ^= value;
                    bytes = &bytes[length..];
                }
                end(own, at, back);
            }
            join_planes(own, row_words, planes);
        }
    }
}

/// Prepares the chunk at word `at`, to which differences will be added, and returns it. Copies the words `back` words
/// before it; if these overlap the chunk or `back` is 0, fills it with zeros.
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

/// Adds the earlier words to a chunk, by exclusive or, if [`begin`] could not copy them because they overlap the chunk.
#[inline(always)]
fn end(words: &mut [u64], at: usize, back: usize) {
    let end = words.len().min(at + CHUNK);
    if back > 0 && back < end - at {
        for word in at..end {
            words[word] ^= words[word - back];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Kernel;

    fn stretches() -> impl Strategy<Value = Vec<(u32, Vec<u64>)>> {
        let word = prop_oneof![Just(0), Just(u64::MAX), any::<u64>(), (0..64u32).prop_map(|bit| 1 << bit), 0..3u64];
        prop::collection::vec((1..40u32, prop::collection::vec(word, 0..400)), 0..5)
    }

    /// Cuts stretches to whole rows of `planes` planes. Returns the words of the block and its stretches.
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
        fn every_kernel_undoes_a_delta_and_damage_never_panics(
            stretches in stretches(),
            planes in 1..7usize,
            at in any::<prop::sample::Index>(),
            byte in 1..=u8::MAX,
        ) {
            let (words, lengths) = laid_out(stretches, planes);
            let mut buffers = DeltaBuffers::default();
            let mut found = vec![7; words.len()];
            let mut deltas = Vec::new();
            for kernel in Kernel::all() {
                let delta = kernel.run(MakeDelta { words: &words, planes, stretches: &lengths, buffers: &mut buffers });
                prop_assert!(is_delta_of(delta, planes, words.len()));
                found.fill(7);
                kernel.run(UndoDelta { delta, planes, out: &mut found });
                prop_assert_eq!(&found, &words);
                deltas.push(delta.to_vec());
            }
            let mut delta = deltas.swap_remove(0);
            prop_assert!(deltas.iter().all(|other| *other == delta));
            prop_assert!(!is_delta_of(&delta, planes, words.len() + 1));
            let at = at.index(delta.len());
            prop_assert!(!is_delta_of(&delta[..at], planes, words.len()));
            delta[at] ^= byte;
            if is_delta_of(&delta, planes, words.len()) {
                let mut undo = |kernel: &Kernel| kernel.run(UndoDelta { delta: &delta, planes, out: &mut found });
                Kernel::all().iter().for_each(&mut undo);
            }
        }
    }

    #[test]
    fn damage_that_a_machine_of_32_bits_cannot_count_never_panics() {
        // 65 stretches have more than 2^32 chunks, two 2^32 words, and a row of six planes more than 2^32.
        for (row_words, words, count) in [(1, u32::MAX, 65), (1, 1 << 31, 2), (u32::MAX, 0, 1), (1 << 31, 0, 1)] {
            let mut delta = [&MAGIC[..], &[count, 0, 0, 0], &[0; 4]].concat();
            delta.extend([row_words, words].map(u32::to_le_bytes).concat().repeat(count.into()));
            delta.extend([0; 64]);
            if is_delta_of(&delta, 6, 0) {
                assert_eq!(words, 0);
                Kernel::portable().run(UndoDelta { delta: &delta, planes: 6, out: &mut [] });
            }
        }
    }

    #[test]
    fn rows_that_repeat_take_little() {
        let stretch = [Stretch { row_words: 10, words: 20_000 }];
        let row: Vec<u64> = (0..20u64).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let words = row.repeat(1000);
        let mut buffers = DeltaBuffers::default();
        let make = MakeDelta { words: &words, planes: 2, stretches: &stretch, buffers: &mut buffers };
        let delta = Kernel::portable().run(make);
        assert!(delta.len() < 4000, "{}", delta.len());
    }
}
