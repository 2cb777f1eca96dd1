//! Blocks: how a shape is divided into them, and their forms in memory.
//!
//! A block is a run of rows; all blocks have about the same size. The layout alone determines where blocks begin, so
//! every run of the program divides a shape alike. In memory a block is expanded, or it is its delta. Deltas vary in
//! length, so each thread stores its deltas one after the other in *slabs* of one size. Blocks are evicted in the order
//! in which they were made, and so are slabs.

use std::ops::Range;
use std::sync::Arc;

use crate::files::FileError;
use crate::index::{Matrix, ShapeLayout};
use crate::kernel::delta::UndoDelta;
use crate::kernel::{Kernel, Pool, SPARE_PART, Words};

/// About how many words a block has before compression: 256 KiB, so that a window on each child fits into a processor's
/// cache.
pub const BLOCK_WORDS: usize = 1 << 15;

/// Blocks of a divided matrix begin at multiples of this many rows, as bands must.
const ROWS: usize = 64;

/// The start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// Number of the matrix in its shape.
    pub matrix: usize,
    /// First row.
    pub row: usize,
    /// First word of the shape.
    pub word: usize,
}

/// Divides the matrices of a shape, whose rows have `planes` planes, into blocks of about `block_words` words: small
/// matrices together, large ones in runs of rows. Calls `cut` with the start of each block, in order, and returns the
/// end.
pub(super) fn cut(
    matrices: impl Iterator<Item = Matrix>,
    planes: usize,
    block_words: usize,
    mut cut: impl FnMut(Cut),
) -> Cut {
    let (mut word, mut number, mut open) = (0, 0, None);
    for matrix in matrices {
        let (row_words, rows) = (matrix.words() * planes, matrix.rows as usize);
        let words = row_words * rows;
        if words > block_words {
            let step = (block_words / row_words / ROWS).max(1) * ROWS;
            (0..rows).step_by(step).for_each(|row| cut(Cut { matrix: number, row, word: word + row * row_words }));
            open = None;
        } else if words > 0 {
            match open {
                Some(start) if word + words <= start + block_words => {}
                _ => {
                    cut(Cut { matrix: number, row: 0, word });
                    open = Some(word);
                }
            }
        }
        word += words;
        number += 1;
    }
    Cut { matrix: number, row: 0, word }
}

/// One shape of a tier: where its matrices and its blocks begin. Computing it again for each shape is quicker than
/// reading a stored layout that is not in the processor's cache.
#[derive(Default, Debug)]
pub(super) struct ShapeBlocks {
    pub layout: ShapeLayout,
    /// The start of each block; then the end.
    pub cuts: Vec<Cut>,
    /// The number of the shape's first block in the tier.
    pub first_block: usize,
}

impl ShapeBlocks {
    /// Returns the words of a block, counted from the shape's first word. The block is given by its number in the tier.
    pub fn words(&self, block: usize) -> Range<usize> {
        let block = block - self.first_block;
        self.cuts[block].word..self.cuts[block + 1].word
    }

    /// Returns the block that holds a word, both counted from the shape's first.
    pub fn block_of(&self, word: usize) -> usize {
        self.cuts.partition_point(|cut| cut.word <= word) - 1
    }

    /// Lists the rows of a block by matrix. The block is given by its number in the tier. A matrix without words
    /// belongs to one block.
    pub fn rows(&self, block: usize) -> impl Iterator<Item = (&Matrix, Range<usize>)> {
        let block = block - self.first_block;
        let (from, to) = (self.cuts[block], self.cuts[block + 1]);
        let first = if block == 0 { 0 } else { from.matrix };
        let end = to.matrix + usize::from(to.row > 0);
        (first..end).map(move |number| {
            let matrix = &self.layout.matrices[number];
            let first = if number == from.matrix { from.row } else { 0 };
            (matrix, first..if number == to.matrix { to.row } else { matrix.rows as usize })
        })
    }
}

/// Words after the last row that a kernel may read (without using them): a stream is read two words at a time.
pub(super) const PAD: usize = 2;

/// The words of a block, and [`PAD`] more. Threads share them.
pub(super) type Expanded = Arc<Words>;

/// Allocates a block of `length` words from `pool`, and lets `fill` write them.
pub(super) fn expanded(
    pool: &Arc<Pool>,
    length: usize,
    fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
) -> Result<Expanded, FileError> {
    let mut words = pool.words(length + PAD);
    words.get_mut(..length).map_or(Ok(()), fill)?;
    Ok(Arc::new(words))
}

/// Returns the bytes of `blocks` expanded blocks with `words` words in all.
pub(super) fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    let words = (words + blocks * PAD) as u64;
    64 * blocks as u64 + 8 * (words + words / SPARE_PART as u64)
}

/// A block that is not in the log yet.
#[derive(Clone, Debug)]
pub(super) enum DirtyBlock {
    Expanded(Expanded),
    Delta(DeltaBlock),
}

/// A block in memory, in the form of its delta.
#[derive(Clone, Debug)]
pub(super) struct DeltaBlock {
    slab: Arc<Words>,
    /// The first byte of the delta in the slab.
    first: u32,
    bytes: u32,
    /// Words of the block.
    pub words: u32,
    /// Its share of the slab's memory, in bytes.
    pub taken_bytes: u32,
}

impl DirtyBlock {
    /// Returns the words of the block, allocated from `pool`.
    pub fn expand(self, pool: &Arc<Pool>, kernel: Kernel, planes: usize) -> Result<Expanded, FileError> {
        match self {
            DirtyBlock::Expanded(words) => Ok(words),
            DirtyBlock::Delta(block) => expanded(pool, block.words as usize, |out| {
                kernel.run(UndoDelta { delta: block.bytes(), planes, out });
                Ok(())
            }),
        }
    }
}

impl DeltaBlock {
    /// Returns the delta.
    pub fn bytes(&self) -> &[u8] {
        let bytes = bytemuck::cast_slice::<u64, u8>(&self.slab).get(self.first as usize..);
        bytes.and_then(|bytes| bytes.get(..self.bytes as usize)).unwrap_or_default()
    }
}

/// Bytes of a slab, or more where a single delta takes more.
const SLAB_BYTES: usize = if cfg!(test) { 1 << 12 } else { 1 << 19 };

/// A slab that one thread fills with deltas. Other threads see them once it is closed.
#[derive(Default)]
pub(super) struct Slab {
    words: Option<Words>,
    used_bytes: usize,
    /// For each delta, the block, the words of the block, and the end of the delta.
    deltas: Vec<(usize, usize, usize)>,
}

impl Slab {
    /// Returns the bytes of a slab for a delta of `delta_bytes` bytes.
    pub fn bytes_for(delta_bytes: usize) -> u64 {
        expanded_bytes(1, delta_bytes.max(SLAB_BYTES).div_ceil(8))
    }

    /// Allocates a slab for a delta of `delta_bytes` bytes.
    pub fn new(pool: &Arc<Pool>, delta_bytes: usize) -> Slab {
        Slab { words: Some(pool.words(delta_bytes.max(SLAB_BYTES).div_ceil(8))), ..Slab::default() }
    }

    /// Returns whether the slab has room for a delta of `delta_bytes` bytes.
    pub fn has_room(&self, delta_bytes: usize) -> bool {
        self.words.as_ref().is_some_and(|words| self.used_bytes + delta_bytes <= 8 * words.len())
    }

    /// Adds the delta of a block of `words` words. The slab must have room for it.
    pub fn push(&mut self, block: usize, words: usize, delta: &[u8]) {
        let end = self.used_bytes + delta.len();
        let slab = self.words.as_deref_mut().map(bytemuck::cast_slice_mut::<u64, u8>).unwrap_or_default();
        if let Some(place) = slab.get_mut(self.used_bytes..end) {
            place.copy_from_slice(delta);
        }
        self.used_bytes = end;
        self.deltas.push((block, words, end));
    }

    /// Empties the slab and lists its blocks. The last block's share includes the unused rest.
    pub fn take(&mut self) -> impl Iterator<Item = (usize, DeltaBlock)> {
        let Slab { words, deltas, .. } = std::mem::take(self);
        let slab = words.map(Arc::new);
        let mut rest = slab.as_ref().map_or(0, |slab| Slab::bytes_for(8 * slab.len())) as u32;
        let (mut first, count) = (0, deltas.len());
        (1..).zip(deltas).filter_map(move |(number, (block, words, end))| {
            let bytes = end as u32 - first;
            let taken_bytes = if number == count { rest } else { bytes };
            let delta = DeltaBlock { slab: Arc::clone(slab.as_ref()?), first, bytes, words: words as u32, taken_bytes };
            (first, rest) = (end as u32, rest - taken_bytes);
            Some((block, delta))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, shapes};
    use crate::kernel::PoolLimits;
    use crate::kernel::delta::{DeltaBuffers, MakeDelta, Stretch};

    #[test]
    fn blocks_cover_every_row_once_and_are_as_large_as_asked_for() {
        for (name, block_words) in [("5x4", 64), ("5x4", 1 << 15), ("6x4", 700), ("3x6", 1)] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                for shape in shapes(&index, ply) {
                    let mut layout = ShapeLayout::default();
                    layout.lay_out(&index, ply, shape);
                    let mut cuts = Vec::new();
                    let end = cut(layout.matrices.iter().copied(), 2, block_words, |cut| cuts.push(cut));
                    assert_eq!(end.word, layout.first_word(layout.matrices.len(), 2));
                    assert_eq!(end.matrix, layout.matrices.len());
                    cuts.push(end);
                    assert_eq!(cuts[0].word, 0);
                    for (from, to) in cuts.iter().zip(&cuts[1..]) {
                        let row_words = 2 * layout.matrices[from.matrix].words();
                        assert_eq!(from.word, layout.first_word(from.matrix, 2) + from.row * row_words);
                        let words = to.word - from.word;
                        assert!(words > 0 && words <= block_words.max(ROWS * row_words), "{name} {words}");
                        assert!(from.row.is_multiple_of(ROWS));
                    }
                }
            }
        }
    }

    #[test]
    fn deltas_share_the_memory_of_their_slab() {
        let limits = PoolLimits { bytes: 0, spare_bytes: 0 };
        let (pool, kernel) = (Pool::new(limits), Kernel::portable());
        let mut slab = Slab::new(&pool, 0);
        for block in 0..3 {
            let words = vec![block as u64; 40];
            let (stretch, mut buffers) = ([Stretch { row_words: 5, words: 40 }], DeltaBuffers::default());
            let make = MakeDelta { words: &words, planes: 2, stretches: &stretch, buffers: &mut buffers };
            let delta = kernel.run(make);
            assert!(slab.has_room(delta.len()));
            slab.push(block, words.len(), delta);
        }
        let blocks = Vec::from_iter(slab.take());
        let taken: u64 = blocks.iter().map(|(_, delta)| u64::from(delta.taken_bytes)).sum();
        assert_eq!(taken, Slab::bytes_for(0));
        for (block, delta) in blocks {
            let words = DirtyBlock::Delta(delta).expand(&pool, kernel, 2).unwrap();
            assert_eq!(words[..40], [block as u64; 40]);
        }
        assert!(!slab.has_room(0) && slab.take().next().is_none());
        assert_eq!(pool.bytes(), [0, 0]);
    }
}
