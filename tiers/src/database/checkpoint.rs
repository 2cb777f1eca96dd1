//! Checkpoints: all values of the last finished tier, to go on from.
//!
//! Quiet positions of odd plies are not enough to solve the next tier from. A block is a group of chunks: for each
//! plane of the code one bit an entry, the lowest bit of a byte first, padded to whole bytes, as one zstd frame.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::chunk::Chunks;
use super::container::{Content, Reader, Writer, Written, io_error};
use super::folder::checkpoint_path;
use super::frame;
use super::storage::Storage;
use super::writer::{header, open};
use crate::error::DatabaseError;
use crate::index::{Index, low_bits};
use crate::kernel::Values;
use crate::solve::Tier;

/// zstd's level: speed is all that counts.
const LEVEL: i32 = 1;

/// Writes all values of a tier, not yet durable nor under its name.
pub(crate) fn write_checkpoint(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    tier: &Tier,
) -> Result<Written, DatabaseError> {
    let path = checkpoint_path(folder, tier.layout.ply());
    let chunks = Chunks::of_tier(&tier.layout);
    let header = header(index, tier.coding.values(), Content::All, tier.layout.ply(), &chunks);
    let mut writer = Writer::create(storage, &path, &header)?;
    let groups: Vec<u64> = (0..chunks.groups()).collect();
    for batch in groups.chunks(64) {
        let payloads: Vec<_> = batch.par_iter().map(|group| pack(tier, *group)).collect();
        for (payload, &group) in payloads.into_iter().zip(batch) {
            let payload = payload.map_err(io_error(&path, "compress"))?;
            let held = chunks.of_group(group);
            writer.block(&payload, (held.end - held.start) as u16)?;
        }
    }
    writer.finish()
}

/// Reads all values of a tier back.
pub(crate) fn read_checkpoint(
    storage: &dyn Storage,
    folder: &Path,
    index: &Index,
    values: Values,
    ply: u32,
) -> Result<Tier, DatabaseError> {
    let mut tier = Tier::new(index, values, ply, Vec::new());
    let path = checkpoint_path(folder, ply);
    let (reader, chunks) = open(storage, &path, index, values, Content::All, ply, tier.layout.entries())?;
    if chunks != Chunks::of_tier(&tier.layout) || reader.blocks() as u64 != chunks.groups() {
        return Err(DatabaseError::Damaged { file: path, offset: 0, what: "blocks that are cut otherwise" });
    }
    for block in 0..reader.blocks() {
        unpack(&reader, &mut tier, block)?;
    }
    Ok(tier)
}

/// Returns the entries of a group.
fn entries_of(group: u64, tier: &Tier) -> Range<u64> {
    let chunks = Chunks::of_tier(&tier.layout);
    chunks.entries(chunks.of_group(group))
}

fn pack(tier: &Tier, group: u64) -> std::io::Result<Vec<u8>> {
    let entries = entries_of(group, tier);
    let plane_bytes = ((entries.end - entries.start) as usize).div_ceil(8);
    let mut bytes = Vec::with_capacity(plane_bytes * tier.coding.planes());
    for plane in 0..tier.coding.planes() {
        let mut bits = Bits::default();
        for run in runs(tier, entries.clone()) {
            let words = tier.row(run.matrix, run.row, plane);
            for (at, count) in run.words() {
                bits.push(bits_of(words, at) & low_bits(count as u32), count);
            }
        }
        bytes.extend(bits.words.iter().flat_map(|word| word.to_le_bytes()).take(plane_bytes));
    }
    frame::compress(&bytes, LEVEL)
}

fn unpack(reader: &Reader, tier: &mut Tier, block: usize) -> Result<(), DatabaseError> {
    let entries = entries_of(block as u64, tier);
    let plane_bytes = ((entries.end - entries.start) as usize).div_ceil(8);
    let payload = reader.block(block)?;
    let expected = plane_bytes * tier.coding.planes();
    let bytes = frame::expand(&payload, expected)
        .filter(|bytes| bytes.len() == expected)
        .ok_or_else(|| reader.damaged(block, "a block does not expand to its entries"))?;
    let runs: Vec<Run> = runs(tier, entries).collect();
    for (plane, bytes) in bytes.chunks_exact(plane_bytes).enumerate() {
        let words: Vec<u64> = bytes
            .chunks(8)
            .map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
            .collect();
        let mut from = 0;
        for run in &runs {
            let row = tier.row_mut(run.matrix, run.row, plane);
            for (at, count) in run.words() {
                put_bits(row, at, count, bits_of(&words, from));
                from += count;
            }
        }
    }
    Ok(())
}

/// A run of entries in one row.
struct Run {
    matrix: usize,
    row: usize,
    column: usize,
    columns: usize,
}

impl Run {
    /// Cuts the run into parts of at most 64 columns: where each begins and how long it is.
    fn words(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let end = self.column + self.columns;
        (self.column..end).step_by(64).map(move |at| (at, (end - at).min(64)))
    }
}

/// Lists the runs of consecutive entries.
fn runs(tier: &Tier, entries: Range<u64>) -> impl Iterator<Item = Run> {
    let (mut at, mut number) = (entries.start, tier.layout.matrix_of_entry(entries.start));
    std::iter::from_fn(move || {
        while at < entries.end {
            let matrix = &tier.layout.matrices()[number];
            let inside = at - tier.layout.first_entry(number);
            if inside >= matrix.entries() {
                number += 1;
                continue;
            }
            let columns = u64::from(matrix.columns);
            let column = inside % columns;
            let length = (columns - column).min(entries.end - at);
            at += length;
            let row = (inside / columns) as usize;
            return Some(Run { matrix: number, row, column: column as usize, columns: length as usize });
        }
        None
    })
}

/// Returns 64 bits from bit `at` on; bits beyond the words are 0.
fn bits_of(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let next = words.get(word + 1).map_or(0, |next| next << 1 << (63 - shift));
    words[word] >> shift | next
}

/// Writes the low `count` bits of `bits` at bit `at`.
fn put_bits(words: &mut [u64], at: usize, count: usize, bits: u64) {
    let (word, shift) = (at / 64, at % 64);
    let mask = low_bits(count as u32);
    words[word] = words[word] & !(mask << shift) | (bits & mask) << shift;
    if shift + count > 64 {
        let mask = mask >> (64 - shift);
        words[word + 1] = words[word + 1] & !mask | bits >> (64 - shift) & mask;
    }
}

/// Bits appended one run after the other.
#[derive(Default)]
struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Appends the low `count` bits; the others are 0.
    fn push(&mut self, bits: u64, count: usize) {
        let shift = self.len % 64;
        match self.words.last_mut() {
            Some(last) if shift > 0 => {
                *last |= bits << shift;
                if shift + count > 64 {
                    self.words.push(bits >> (64 - shift));
                }
            }
            _ => self.words.push(bits),
        }
        self.len += count;
    }
}
