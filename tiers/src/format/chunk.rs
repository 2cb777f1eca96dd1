//! Divides a tier into chunks. A chunk is a run of consecutive entries. The tier's file stores only the quiet entries
//! of each chunk (see [`crate::quiet`]), or the quiet and the forced entries.
//!
//! A cold probe (one that finds nothing in the cache) computes the quiet mask of one chunk, so the size of a chunk
//! bounds its cost. Making the mask takes time for every matrix and every row that the chunk touches, so a tier of tiny
//! matrices has small chunks. With chunks of 4,096 entries in every tier, one cold probe in ten took 300 us.
//!
//! A database that keeps only early plies is small, and most of its probes are cold, so its chunks are smaller still.
//! Cold probes of 7x6 then take 33 % to 60 % of the time, for 6 % more bytes. [`GROUP_CHUNKS`] chunks form a group, the
//! unit of the writer's parallel work.

#![allow(
    clippy::indexing_slicing,
    reason = "places come from the index and from masks made beside it, never from a file"
)]

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::index::{Index, Located, Matrix, OfShape, TierDirectory, low_bits, of_shape};
use crate::quiet::{MaskRows, QuietMatrix, QuietShape};

/// The maximum number of entries in a chunk. Each chunk takes about one byte of the file for the count of its stored
/// entries.
pub(crate) const MOST_ENTRIES: u32 = 4096;

/// The minimum number of entries in a chunk. The first number is for databases that keep all plies, the second for
/// databases that keep only early plies. The last chunk of a tier can have fewer entries.
const LEAST_ENTRIES: [u32; 2] = [256, 64];

/// The number of matrices that a chunk touches on average, before its size is limited and rounded up to a power of two.
/// The two numbers are for the two cases of [`LEAST_ENTRIES`].
const MATRICES: [u64; 2] = [24, 2];

pub(crate) const GROUP_CHUNKS: u32 = 256;

/// How a tier is cut into chunks, and which of its entries are stored. This is a part of the header of the tier's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Chunks {
    /// Entries of the tier.
    pub tier_entries: u64,
    /// Entries of a chunk; the last chunk can have fewer.
    pub each: u32,
    /// Whether forced entries are stored too, that is, all entries where the player to move has no win at once. The
    /// version in the file's envelope records this.
    #[serde(skip)]
    pub has_forced: bool,
}

impl Chunks {
    /// Chooses the size of a tier's chunks, a power of two. `is_early` is whether the database keeps only early plies.
    pub fn of_tier(tier: &TierDirectory, is_early: bool, has_forced: bool) -> Chunks {
        let (tier_entries, kind) = (tier.entries(), usize::from(is_early));
        let average = u128::from(tier_entries) * u128::from(MATRICES[kind]) / u128::from(tier.matrices.max(1));
        let each = average.clamp(LEAST_ENTRIES[kind].into(), MOST_ENTRIES.into());
        Chunks { each: (each as u32).next_power_of_two(), tier_entries, has_forced }
    }

    /// Lists the ways in which the writer may cut a tier of so many entries.
    pub fn likely(tier_entries: u64) -> impl Iterator<Item = Chunks> {
        let sizes = (LEAST_ENTRIES[1].ilog2()..=MOST_ENTRIES.ilog2()).map(|log| 1 << log);
        sizes.flat_map(move |each| [false, true].map(|has_forced| Chunks { tier_entries, each, has_forced }))
    }

    /// Returns whether the writer may choose chunks of this size.
    pub fn are_possible(&self) -> bool {
        self.each.is_power_of_two() && (LEAST_ENTRIES[1]..=MOST_ENTRIES).contains(&self.each)
    }

    /// Counts the chunks.
    pub fn count(&self) -> u64 {
        self.tier_entries.div_ceil(self.each.max(1).into())
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

    /// Returns the chunk of an entry and the entry's number in the chunk.
    pub fn place(&self, entry: u64) -> (u64, usize) {
        (entry / u64::from(self.each), (entry % u64::from(self.each)) as usize)
    }

    /// Returns the number of words that hold one bit for each entry of a chunk.
    pub fn words(&self) -> usize {
        self.each as usize / 64
    }
}

/// Lists the matrices that hold `entries`, each with the range of these entries that it holds. `matrices` are the
/// matrices of the tier, starting with the one that holds the first entry.
pub(crate) fn runs(
    matrices: impl Iterator<Item = Located>,
    entries: Range<u64>,
) -> impl Iterator<Item = (Located, Range<u64>)> {
    let end = entries.end;
    matrices.take_while(move |located| located.first_entry < end).filter_map(move |located| {
        let matrix_end = located.first_entry + located.matrix.entries();
        let held = entries.start.max(located.first_entry)..entries.end.min(matrix_end);
        (!held.is_empty()).then_some((located, held))
    })
}

/// Finds quiet entries, for one thread that works through consecutive matrices.
#[derive(Default)]
pub(crate) struct QuietRows<'i> {
    has_forced: bool,
    shape: OfShape<QuietShape>,
    matrix: Option<(u32, Matrix)>,
    quiet: QuietMatrix<'i>,
    masks: Vec<u64>,
}

/// Some consecutive rows of a matrix, with the masks of their quiet entries.
pub(crate) struct MaskedRows<'a> {
    pub rows: Range<usize>,
    /// The words of each row that the masks cover.
    pub words: Range<usize>,
    /// The number, in the tier, of the entry that belongs to the first bit of the masks.
    pub first_entry: u64,
    /// The masks of the quiet entries, one per row.
    pub masks: &'a [u64],
}

/// The maximum number of mask words that are made at a time. They stay in a processor's first-level cache.
const MASK_WORDS: usize = 2048;

impl<'i> QuietRows<'i> {
    /// Makes a finder that has no matrix yet, for a tier that is divided into `chunks`.
    pub fn new(chunks: &Chunks) -> QuietRows<'i> {
        QuietRows { has_forced: chunks.has_forced, ..QuietRows::default() }
    }

    /// Calls `show` with the masks of the quiet entries among `entries`, some rows at a time. All of `entries` lie in
    /// the matrix of `located`, which is in the tier with `ply` pieces. Skips rows that obviously have no quiet entry.
    ///
    /// # Errors
    /// The first error of `show`.
    pub fn each<E>(
        &mut self,
        index: &'i Index,
        ply: u32,
        located: &Located,
        entries: &Range<u64>,
        mut show: impl FnMut(MaskedRows) -> Result<(), E>,
    ) -> Result<(), E> {
        let QuietRows { has_forced, shape, matrix: last, quiet, masks } = self;
        let matrix = &located.matrix;
        // Consecutive groups can lie in the same large matrix. Prepare it only once.
        if *last != Some((ply, *matrix)) {
            let shape = of_shape(shape, matrix.shape(), || QuietShape::new(index, matrix.shape(), ply, *has_forced));
            quiet.prepare(index, shape, matrix);
            *last = Some((ply, *matrix));
        }
        let columns = u64::from(matrix.columns);
        let (from, to) = (entries.start - located.first_entry, entries.end - located.first_entry);
        let end_row = to.div_ceil(columns) as usize;
        let mut row = (from / columns) as usize;
        // If all entries are in one row, only some words of the row are needed.
        let words = if row + 1 == end_row {
            (from % columns / 64) as usize..((to - 1) % columns / 64 + 1) as usize
        } else {
            0..matrix.words()
        };
        let most_rows = (MASK_WORDS / words.len()).max(1);
        while row < end_row {
            let rows = row..end_row.min((row / 64 + 1) * 64).min(row + most_rows);
            row = rows.end;
            if !quiet.may_have(&rows) {
                continue;
            }
            masks.resize(rows.len() * words.len(), 0);
            let (rows_here, words_here) = (rows.clone(), words.clone());
            index.kernel.run(MaskRows { quiet, rows: rows_here, words: words_here, out: masks });
            let start = rows.start as u64 * columns;
            if start < from {
                keep(&mut masks[..words.len()], (from - start) as usize - words.start * 64..usize::MAX);
            }
            if row == end_row {
                let last = masks.len() - words.len();
                keep(&mut masks[last..], 0..(to - (end_row as u64 - 1) * columns) as usize - words.start * 64);
            }
            let first_entry = located.first_entry + start + 64 * words.start as u64;
            show(MaskedRows { rows, words: words.clone(), first_entry, masks })?;
        }
        Ok(())
    }
}

/// Returns the mask of the quiet entries of one chunk.
pub(crate) fn quiet(index: &Index, directory: &TierDirectory, chunks: &Chunks, chunk: u64) -> Vec<u64> {
    let mut mask = vec![0u64; chunks.words()];
    let entries = chunks.entries(chunk..chunk + 1);
    let mut quiet = QuietRows::new(chunks);
    for (located, held) in runs(directory.located_from(index, entries.start), entries.clone()) {
        let columns = u64::from(located.matrix.columns);
        let all = quiet.each(index, directory.ply, &located, &held, |shown| {
            for (row, bits) in shown.masks.chunks_exact(shown.words.len()).enumerate() {
                put(&mut mask, bits, (shown.first_entry + row as u64 * columns) as i64 - entries.start as i64);
            }
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = all;
    }
    mask
}

/// ORs a row's bits into a mask; the row's first bit becomes bit `first`. `first` can be negative if all bits that
/// would come before the mask are 0.
fn put(mask: &mut [u64], bits: &[u64], first: i64) {
    for (word, bits) in bits.iter().enumerate().filter(|(_, bits)| **bits != 0) {
        let place = first + 64 * word as i64;
        let (at, shift) = (place.div_euclid(64), place.rem_euclid(64));
        if let Some(low) = usize::try_from(at).ok().and_then(|at| mask.get_mut(at)) {
            *low |= bits << shift;
        }
        if let Some(high) = usize::try_from(at + 1).ok().and_then(|at| mask.get_mut(at)) {
            *high |= bits >> 1 >> (63 - shift);
        }
    }
}

/// Clears all bits outside the range `bits`.
fn keep(words: &mut [u64], bits: Range<usize>) {
    for (word, first) in words.iter_mut().zip((0..).step_by(64)) {
        let before = |bit: usize| low_bits(bit.saturating_sub(first).min(64) as u32);
        *word &= before(bits.end) & !before(bits.start);
    }
}
