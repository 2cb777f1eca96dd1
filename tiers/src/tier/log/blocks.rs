//! The blocks of one tier: where each is in the log, how a shape is cut into them, and putting and getting one.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::cuts::{Cut, cut};
use super::segments::{Location, LogHeader, Segments};
use crate::files::{FileError, Storage, frame, io_error};
use crate::index::{Index, Matrix, Spine, TierDirectory, TierLayout, matrices};
use crate::kernel::Coding;
use crate::tier::content::Content;
use crate::tier::store::PAD;

/// zstd's level: speed is all that counts. On the widest tiers of 6x5, in bits an entry: lz4 0.43, level -1 0.29, **1
/// 0.27**, 3 0.26, at 840, 540, 670 and 570 MB/s.
const LEVEL: i32 = 1;

/// What the tiers of a run may take in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// About how many words a block has; [`BLOCK_WORDS`] except in tests.
    pub block_words: usize,
    /// For expanded blocks of the tier that is read and of the one that is filled.
    pub cache_bytes: u64,
    /// For one matrix that is read across, in each thread.
    pub slice_words: usize,
}

/// The blocks of one tier, as far as they are filled. Threads share them.
#[derive(Debug)]
pub(super) struct Blocks<'s, C = Coding> {
    folder: PathBuf,
    pub directory: TierDirectory,
    pub content: C,
    pub room: Room,
    /// The number of the first block of every shape; closed by the number of blocks.
    first_blocks: Vec<usize>,
    blocks: Vec<OnceLock<Location>>,
    segments: Segments<'s>,
    /// Expanded blocks: one is read by up to as many shapes as the board has columns, most of them close together.
    expanded: Cache<usize, Expanded, ByBytes>,
    /// How many bytes of them may be there before the tier is read: see [`Blocks::keep`].
    kept_bytes: u64,
    /// What all blocks of the tier would take.
    pub expanded_bytes: u64,
}

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<[u64]>;

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Expanded> for ByBytes {
    fn weight(&self, _: &usize, words: &Expanded) -> u64 {
        expanded_bytes(1, words.len())
    }
}

/// Returns what some blocks of so many words take together.
fn expanded_bytes(blocks: usize, words: usize) -> u64 {
    64 * blocks as u64 + 8 * words as u64
}

/// One shape of a tier: where its matrices and its blocks begin.
#[derive(Debug)]
pub(super) struct ShapeView {
    /// The shape as if it were a tier of its own.
    pub layout: TierLayout,
    /// Where its blocks begin; closed by the end.
    pub cuts: Vec<Cut>,
    /// The number of its first block in the tier.
    pub first_block: usize,
}

impl ShapeView {
    /// Returns the words of a block, given by its number in the tier, counted from the shape's first word.
    pub fn words(&self, block: usize) -> Range<usize> {
        let block = block - self.first_block;
        self.cuts[block].word..self.cuts[block + 1].word
    }

    /// Lists the rows of a block, given by its number in the tier, by matrix. Every matrix without words is in one
    /// block.
    pub fn rows(&self, block: usize) -> impl Iterator<Item = (&Matrix, Range<usize>)> {
        let block = block - self.first_block;
        let (from, to) = (self.cuts[block], self.cuts[block + 1]);
        let first = if block == 0 { 0 } else { from.matrix };
        let end = to.matrix + usize::from(to.row > 0);
        (first..end).map(move |number| {
            let matrix = &self.layout.matrices()[number];
            let first = if number == from.matrix { from.row } else { 0 };
            (matrix, first..if number == to.matrix { to.row } else { matrix.rows as usize })
        })
    }
}

impl<'s, C: Content> Blocks<'s, C> {
    /// Opens the tier of `ply` pieces in `folder`, with the blocks that earlier runs have left. Reads all of them through.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn open(
        storage: &'s dyn Storage,
        folder: &Path,
        index: &Index,
        content: C,
        ply: u32,
        room: Room,
    ) -> Result<Blocks<'s, C>, FileError> {
        let directory = TierDirectory::new(index, ply);
        let counts: Vec<(usize, usize)> = directory
            .shapes()
            .par_iter()
            .map(|&shape| {
                let mut count = 0;
                let matrices =
                    Spine::of_height(shape.spine_height).flat_map(|spine| matrices(index, ply, shape, spine));
                let end = cut(matrices, content.planes(), room.block_words, |_| count += 1);
                (count, end.word)
            })
            .collect();
        let mut first_blocks = vec![0];
        first_blocks.extend(counts.iter().scan(0, |sum, (count, _)| {
            *sum += count;
            Some(*sum)
        }));
        let count = first_blocks[counts.len()];
        let words: usize = counts.iter().map(|(_, words)| words).sum();
        let expanded_bytes = expanded_bytes(count, words + count * PAD);
        let blocks: Vec<OnceLock<Location>> = (0..count).map(|_| OnceLock::new()).collect();
        let header = LogHeader {
            board: index.board().to_string(),
            kind: content.kind(),
            ply,
            entries: directory.entries(),
            blocks: count as u64,
            block_words: room.block_words as u64,
        };
        let segments = Segments::open(storage, folder, header, |number, place| {
            let _ = blocks[number as usize].set(place);
        })?;
        let held = (room.cache_bytes / (8 * room.block_words as u64)).max(16) as usize;
        let expanded = Cache::with_weighter(held, room.cache_bytes, ByBytes);
        let folder = folder.to_path_buf();
        Ok(Blocks {
            folder,
            directory,
            content,
            room,
            first_blocks,
            blocks,
            segments,
            expanded,
            kept_bytes: 0,
            expanded_bytes,
        })
    }

    /// Keeps blocks expanded that are put from now on, as far as the room for expanded blocks allows beside those of another
    /// tier, which take `others_bytes`.
    pub fn keep(&mut self, others_bytes: u64) {
        self.kept_bytes = self.room.cache_bytes.saturating_sub(others_bytes);
    }

    /// Tells whether all blocks are filled.
    pub fn is_complete(&self) -> bool {
        self.blocks.iter().all(|block| block.get().is_some())
    }

    /// Tells whether there were files of the tier when it was opened, of whatever content.
    pub fn has_files(&self) -> bool {
        self.segments.has_files
    }

    /// Tells whether a block is filled.
    pub fn has(&self, block: usize) -> bool {
        self.blocks[block].get().is_some()
    }

    /// Drops all expanded blocks.
    pub fn forget(&self) {
        self.expanded.clear();
    }

    /// Makes all filled blocks durable.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn sync(&self) -> Result<(), FileError> {
        self.segments.sync()
    }

    /// Returns the numbers of the blocks of a shape, given by its number.
    pub fn blocks_of(&self, shape: usize) -> Range<usize> {
        self.first_blocks[shape]..self.first_blocks[shape + 1]
    }

    /// Lays out a shape, given by its number.
    pub fn view(&self, index: &Index, shape: usize) -> ShapeView {
        let layout = TierLayout::of_shape(index, self.directory.ply(), self.directory.shapes()[shape]);
        let mut cuts = Vec::with_capacity(self.blocks_of(shape).len() + 1);
        let planes = self.content.planes();
        let end = cut(layout.matrices().iter().copied(), planes, self.room.block_words, |cut| cuts.push(cut));
        cuts.push(end);
        ShapeView { layout, cuts, first_block: self.first_blocks[shape] }
    }

    /// Adds a block; `buffer` is for the compressed one.
    pub fn put(&self, block: usize, words: &[u64], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload = frame::compress_into(bytemuck::cast_slice(words), LEVEL, buffer)
            .map_err(io_error(&self.folder, "compress a block of"))?;
        let place = self.segments.append(block as u64, payload)?;
        let _ = self.blocks[block].set(place);
        if self.expanded.weight() + expanded_bytes(1, words.len() + PAD) <= self.kept_bytes {
            self.expanded.insert(block, words.iter().copied().chain([0; PAD]).collect());
        }
        Ok(())
    }

    /// Returns a block of `length` words, expanded; `buffer` is for the compressed one.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] for a block that is not filled, [`FileError::Damaged`] for bytes that were not put.
    pub fn get(&self, block: usize, length: usize, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        if let Some(expanded) = self.expanded.get(&block) {
            return Ok(expanded);
        }
        let Some(place) = self.blocks[block].get() else {
            return Err(FileError::NoBlock {
                folder: self.folder.clone(),
                ply: self.directory.ply(),
                block: block as u64,
            });
        };
        let payload = self.segments.read(block as u64, *place, buffer)?;
        let mut expanded = Expanded::from_iter(std::iter::repeat_n(0, length + PAD));
        let words = Arc::get_mut(&mut expanded).and_then(|words| words.get_mut(..length));
        if !words.is_some_and(|words| frame::expand_into(payload, bytemuck::cast_slice_mut(words))) {
            return Err(self.segments.damaged(*place, "a block does not expand to its rows"));
        }
        if self.room.cache_bytes > 0 {
            self.expanded.insert(block, Arc::clone(&expanded));
        }
        Ok(expanded)
    }

    /// Expands all blocks that earlier runs have left into `words`, where the shapes follow each other as in memory.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] where one is missing or does not expand; where a file cannot be read.
    pub fn expand_all(&self, index: &Index, words: &mut [u64]) -> Result<(), FileError> {
        let mut missing: Vec<Option<&mut [u64]>> = Vec::with_capacity(self.blocks.len());
        let mut rest = words;
        for shape in 0..self.directory.shapes().len() {
            let view = self.view(index, shape);
            for block in self.blocks_of(shape) {
                let (own, after) = std::mem::take(&mut rest).split_at_mut(view.words(block).len());
                missing.push(Some(own));
                rest = after;
            }
        }
        self.segments.each(|number, payload| {
            let place = &mut missing[number as usize];
            if place.as_mut().is_some_and(|words| frame::expand_into(payload, bytemuck::cast_slice_mut(words))) {
                *place = None;
            }
            Ok(())
        })?;
        match missing.iter().position(Option::is_some) {
            Some(block) => {
                Err(FileError::NoBlock { folder: self.folder.clone(), ply: self.directory.ply(), block: block as u64 })
            }
            None => Ok(()),
        }
    }
}
