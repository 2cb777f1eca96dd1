//! The seam between planes and bytes: which entries a block holds, and how.
//!
//! A block holds [`BLOCK_ENTRIES`] consecutive entries of a tier (the last block the rest): plane after plane, one bit
//! an entry, the lowest bit of a byte first, each plane padded to whole bytes; then compressed as one zstd frame.

use crate::error::DatabaseError;
use crate::index::Matrix;
use crate::kernel::Coding;
use crate::solve::Tier;

use super::container::Reader;

/// Entries of a block.
pub(crate) const BLOCK_ENTRIES: u32 = 1 << 14;

/// zstd's level: 3 is within 2 % of 19 on these planes at ten times the speed.
const LEVEL: i32 = 3;

/// Counts the entries of one block of a tier.
pub(crate) fn entries_of(block: usize, tier_entries: u64) -> usize {
    let first = block as u64 * u64::from(BLOCK_ENTRIES);
    u64::from(BLOCK_ENTRIES).min(tier_entries - first) as usize
}

/// Packs and compresses one block of a tier.
pub(crate) fn encode(tier: &Tier, block: usize) -> std::io::Result<Vec<u8>> {
    let first = block as u64 * u64::from(BLOCK_ENTRIES);
    let entries = entries_of(block, tier.layout.entries());
    let mut bytes = Vec::new();
    for plane in 0..tier.coding.planes() {
        let mut bits = BitWriter::default();
        runs(tier, first, entries, |matrix, row, column, length| {
            bits.append(tier.row(matrix, row, plane), column, length);
        });
        bits.finish(entries.div_ceil(8), &mut bytes);
    }
    zstd::bulk::compress(&bytes, LEVEL)
}

/// Expands a block to its planes.
pub(crate) fn decode(reader: &Reader, coding: &Coding, block: usize) -> Result<Vec<u8>, DatabaseError> {
    let payload = reader.block(block)?;
    let entries = entries_of(block, reader.header().entries);
    let expected = entries.div_ceil(8) * coding.planes();
    match zstd::bulk::decompress(&payload, expected) {
        Ok(planes) if planes.len() == expected => Ok(planes),
        _ => Err(reader.damaged(block, "a block does not expand to its entries")),
    }
}

/// Reads the code of one entry of an expanded block.
pub(crate) fn code(planes: &[u8], coding: &Coding, entry: usize) -> u8 {
    let bytes = planes.len() / coding.planes();
    (0..coding.planes()).fold(0, |code, plane| {
        code | (planes[plane * bytes + entry / 8] >> (entry % 8) & 1) << plane
    })
}

/// Puts an expanded block back into the planes of a tier.
pub(crate) fn restore(tier: &mut Tier, block: usize, bytes: &[u8]) {
    let first = block as u64 * u64::from(BLOCK_ENTRIES);
    let entries = entries_of(block, tier.layout.entries());
    for plane in 0..tier.coding.planes() {
        let mut at = plane * entries.div_ceil(8) * 8;
        let mut moves = Vec::new();
        runs(tier, first, entries, |matrix, row, column, length| moves.push((matrix, row, column, length)));
        for (matrix, row, column, length) in moves {
            let words = tier.row_mut(matrix, row, plane);
            for bit in 0..length {
                let (from, to) = (at + bit, column + bit);
                let value = u64::from(bytes[from / 8] >> (from % 8) & 1);
                words[to / 64] = words[to / 64] & !(1 << (to % 64)) | value << (to % 64);
            }
            at += length;
        }
    }
}

/// Walks a run of entries row by row: matrix, row, first column, number of columns.
fn runs(tier: &Tier, first: u64, entries: usize, mut run: impl FnMut(usize, usize, usize, usize)) {
    let mut number = tier.layout.matrix_of_entry(first);
    let mut inside = first - tier.layout.first_entry(number);
    let mut left = entries;
    while left > 0 {
        let matrix: &Matrix = &tier.layout.matrices()[number];
        let columns = u64::from(matrix.columns);
        if inside >= matrix.entries() {
            number += 1;
            inside = 0;
            continue;
        }
        let (row, column) = ((inside / columns) as usize, (inside % columns) as usize);
        let length = left.min(matrix.columns as usize - column);
        run(number, row, column, length);
        inside += length as u64;
        left -= length;
    }
}

/// Bits appended one run after the other.
#[derive(Default)]
pub(crate) struct BitWriter {
    words: Vec<u64>,
    bits: usize,
}

impl BitWriter {
    /// Appends `length` bits of `words` from bit `start` on.
    pub fn append(&mut self, words: &[u64], start: usize, length: usize) {
        let mut done = 0;
        while done < length {
            let (word, shift) = ((start + done) / 64, (start + done) % 64);
            let take = (length - done).min(64);
            let mut bits = words[word] >> shift;
            if shift > 0 && 64 - shift < take {
                bits |= words[word + 1] << (64 - shift);
            }
            self.push(bits & crate::index::low_bits(take as u32), take);
            done += take;
        }
    }

    /// Appends the low `count` bits; the others are 0.
    fn push(&mut self, bits: u64, count: usize) {
        let shift = self.bits % 64;
        match self.words.last_mut() {
            Some(last) if shift > 0 => {
                *last |= bits << shift;
                if shift + count > 64 {
                    self.words.push(bits >> (64 - shift));
                }
            }
            _ => self.words.push(bits),
        }
        self.bits += count;
    }

    /// Appends the first `count` bytes to `bytes`.
    fn finish(self, count: usize, bytes: &mut Vec<u8>) {
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()).take(count));
    }
}
