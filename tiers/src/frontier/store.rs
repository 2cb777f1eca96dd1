//! One tier in the frontier: its blocks by number, compressed.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use quick_cache::sync::Cache;
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

use super::content::{Content, Kind, Reached};
use super::cuts::{Cut, cut};
use super::log::{self, Header, Log, Place};
use crate::database::{DatabaseError, Storage, io_error};
use crate::index::{Index, Spine, TierDirectory, TierLayout, matrices};
use crate::kernel::{Coding, Values};

/// zstd's level: speed is all that counts. On the widest tiers of 6x5, in bits an entry: lz4 0.43, level -1 0.29, **1
/// 0.27**, 3 0.26, at 840, 540, 670 and 570 MB/s.
const LEVEL: i32 = 1;

/// Compresses and expands blocks; each thread has its own. Making one takes as long as some blocks.
pub(crate) struct Codec {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    bytes: Vec<u8>,
}

thread_local! {
    static CODEC: RefCell<Option<Codec>> = const { RefCell::new(None) };
}

impl Codec {
    /// Makes the contexts, some megabytes.
    pub fn new() -> std::io::Result<Codec> {
        Ok(Codec { compressor: Compressor::new(LEVEL)?, decompressor: Decompressor::new()?, bytes: Vec::new() })
    }

    /// Runs `work` with a codec that the thread keeps.
    pub fn with<T>(work: impl FnOnce(&mut Codec) -> Result<T, DatabaseError>) -> Result<T, DatabaseError> {
        CODEC.with_borrow_mut(|slot| match slot {
            Some(codec) => work(codec),
            slot => {
                work(slot.insert(Codec::new().map_err(io_error(Path::new("a block of the frontier"), "compress"))?))
            }
        })
    }
}

/// All values (or other content) of one tier, as far as they are known, in compressed blocks. Threads share it.
#[derive(Debug)]
pub(crate) struct Frontier<'s, C = Coding> {
    directory: TierDirectory,
    content: C,
    block_words: usize,
    /// The number of the first block of every shape; closed by the number of blocks.
    first_blocks: Vec<usize>,
    blocks: Vec<OnceLock<Place>>,
    log: Log<'s>,
    /// Expanded blocks: one is read by up to as many shapes as the board has columns, most of them close together.
    expanded: Cache<usize, Arc<[u64]>, ByBytes>,
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Arc<[u64]>> for ByBytes {
    fn weight(&self, _: &usize, words: &Arc<[u64]>) -> u64 {
        64 + size_of_val(&**words) as u64
    }
}

/// One shape of a tier: where its matrices and its blocks begin.
#[derive(Debug)]
pub(crate) struct ShapeView {
    /// The shape as if it were a tier of its own.
    pub layout: TierLayout,
    /// Where its blocks begin; closed by the end.
    pub cuts: Vec<Cut>,
    /// The number of its first block in the tier.
    pub first_block: usize,
}

impl ShapeView {
    /// Returns the words of all rows.
    pub fn words(&self) -> usize {
        self.cuts.last().map_or(0, |end| end.word)
    }

    /// Lists the rows of a block, counted from the shape's first, by matrix, each with its number in the shape. Matrices
    /// without words are among them, each in one block.
    pub fn rows(&self, block: usize) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let (from, to) = (self.cuts[block], self.cuts[block + 1]);
        let first = if block == 0 { 0 } else { from.matrix };
        let end = to.matrix + usize::from(to.row > 0);
        let rows: Vec<u32> = self.layout.matrices()[first..end].iter().map(|matrix| matrix.rows).collect();
        (first..end).zip(rows).map(move |(number, rows)| {
            let first = if number == from.matrix { from.row } else { 0 };
            (number, first..if number == to.matrix { to.row } else { rows as usize })
        })
    }
}

impl<'s> Frontier<'s> {
    /// Opens the values of the tier of `ply` pieces in `folder`: as [`Frontier::open_content`].
    pub fn open(
        storage: &'s dyn Storage,
        folder: &Path,
        index: &Index,
        values: Values,
        ply: u32,
        block_words: usize,
        cache_bytes: u64,
    ) -> Result<Frontier<'s>, DatabaseError> {
        let coding = Coding::new(index.board(), values, ply);
        Frontier::open_content(storage, folder, index, coding, ply, block_words, cache_bytes)
    }

    /// Tells whether a folder has logs of any ply.
    pub fn has_any(storage: &dyn Storage, folder: &Path) -> Result<bool, DatabaseError> {
        log::has_any(storage, folder, Kind::Values(Values::Wdl))
    }

    /// Removes the values that are in a folder, but for those of the plies `keep`.
    pub fn remove_all(storage: &dyn Storage, folder: &Path, keep: &[u32]) -> Result<(), DatabaseError> {
        // All kinds of values have the same names.
        log::remove_all(storage, folder, Kind::Values(Values::Wdl), keep)
    }

    /// Returns how outcomes are written.
    pub fn code(&self) -> &Coding {
        &self.content
    }

    /// Returns the code of the first entry: on the tier of the empty board the only one.
    pub fn root(&self) -> Result<u8, DatabaseError> {
        let mut codec = Codec::new().map_err(io_error(Path::new("the frontier"), "expand"))?;
        let mut words = vec![0; self.planes()];
        self.get(0, &mut words, &mut codec)?;
        Ok(words.iter().enumerate().fold(0, |code, (plane, word)| code | ((word & 1) as u8) << plane))
    }
}

impl Frontier<'_, Reached> {
    /// Removes the reached bits that are in a folder, but for those of the plies `keep`.
    pub fn remove_reached(storage: &dyn Storage, folder: &Path, keep: &[u32]) -> Result<(), DatabaseError> {
        log::remove_all(storage, folder, Kind::Reached, keep)
    }
}

impl<'s, C: Content> Frontier<'s, C> {
    /// Opens the tier of `ply` pieces in `folder`, with the blocks that earlier runs have left there.
    ///
    /// Reads all of them through.
    pub fn open_content(
        storage: &'s dyn Storage,
        folder: &Path,
        index: &Index,
        content: C,
        ply: u32,
        block_words: usize,
        cache_bytes: u64,
    ) -> Result<Frontier<'s, C>, DatabaseError> {
        let directory = TierDirectory::new(index, ply);
        let counts: Vec<usize> = directory
            .shapes()
            .par_iter()
            .map(|&shape| {
                let mut count = 0;
                let matrices =
                    Spine::of_height(shape.spine_height).flat_map(|spine| matrices(index, ply, shape, spine));
                cut(matrices, content.planes(), block_words, |_| count += 1);
                count
            })
            .collect();
        let mut first_blocks = vec![0];
        first_blocks.extend(counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        let count = first_blocks[counts.len()];
        let blocks: Vec<OnceLock<Place>> = (0..count).map(|_| OnceLock::new()).collect();
        let header = Header {
            board: index.board().to_string(),
            kind: content.kind(),
            ply,
            entries: directory.entries(),
            blocks: count as u64,
            block_words: block_words as u64,
        };
        let log = Log::open(storage, folder, header, |number, place| {
            let _ = blocks[number as usize].set(place);
        })?;
        let held = (cache_bytes / (8 * block_words as u64)).max(16) as usize;
        let expanded = Cache::with_weighter(held, cache_bytes, ByBytes);
        Ok(Frontier { directory, content, block_words, first_blocks, blocks, log, expanded })
    }

    /// Returns the number of planes.
    pub fn planes(&self) -> usize {
        self.content.planes()
    }

    /// Returns the shapes of the tier.
    pub fn directory(&self) -> &TierDirectory {
        &self.directory
    }

    /// Returns the numbers of the blocks of a shape, given by its number.
    pub fn blocks_of(&self, shape: usize) -> Range<usize> {
        self.first_blocks[shape]..self.first_blocks[shape + 1]
    }

    /// Lays out a shape, given by its number.
    pub fn view(&self, index: &Index, shape: usize) -> ShapeView {
        let layout = TierLayout::of_shape(index, self.directory.ply(), self.directory.shapes()[shape]);
        let mut cuts = Vec::with_capacity(self.blocks_of(shape).len() + 1);
        let end = cut(layout.matrices().iter().copied(), self.planes(), self.block_words, |cut| cuts.push(cut));
        cuts.push(end);
        ShapeView { layout, cuts, first_block: self.first_blocks[shape] }
    }

    /// Tells whether a block is there.
    pub fn has(&self, block: usize) -> bool {
        self.blocks[block].get().is_some()
    }

    /// Tells whether all blocks are there.
    pub fn is_complete(&self) -> bool {
        self.blocks.iter().all(|block| block.get().is_some())
    }

    /// Tells whether there were files of the tier when it was opened, whatever was in them.
    pub fn has_files(&self) -> bool {
        self.log.has_files
    }

    /// Adds a block.
    pub fn put(&self, block: usize, words: &[u64], codec: &mut Codec) -> Result<(), DatabaseError> {
        let Codec { compressor, bytes, .. } = codec;
        let raw: &[u8] = bytemuck::cast_slice(words);
        bytes.resize(zstd::zstd_safe::compress_bound(raw.len()), 0);
        let length = compressor
            .compress_to_buffer(raw, &mut bytes[..])
            .map_err(io_error(Path::new("a block of the frontier"), "compress"))?;
        let place = self.log.append(block as u64, &bytes[..length])?;
        let _ = self.blocks[block].set(place);
        Ok(())
    }

    /// Expands a block into `words`, which has its length.
    ///
    /// # Errors
    /// [`DatabaseError::Damaged`] where the block is not there or not what was put.
    pub fn get(&self, block: usize, words: &mut [u64], codec: &mut Codec) -> Result<(), DatabaseError> {
        if let Some(expanded) = self.expanded.get(&block) {
            words.copy_from_slice(&expanded);
            return Ok(());
        }
        let Codec { decompressor, bytes, .. } = codec;
        let Some(place) = self.blocks[block].get() else {
            return Err(DatabaseError::Damaged {
                file: "the frontier".into(),
                offset: block as u64,
                what: "a block is missing",
            });
        };
        self.log.read(block as u64, *place, bytes)?;
        let raw: &mut [u8] = bytemuck::cast_slice_mut(&mut *words);
        match decompressor.decompress_to_buffer(bytes, raw) {
            Ok(length) if length == raw.len() => {
                self.expanded.insert(block, Arc::from(&*words));
                Ok(())
            }
            _ => Err(self.log.damaged(*place, "a block does not expand to its rows")),
        }
    }

    /// Expands all blocks that earlier runs have left, each into its place in `blocks`, and tells whether those were all.
    pub fn get_all(&self, blocks: &mut [&mut [u64]], codec: &mut Codec) -> Result<bool, DatabaseError> {
        let mut found = vec![false; blocks.len()];
        self.log.each(|number, payload| {
            let raw: &mut [u8] = bytemuck::cast_slice_mut(&mut *blocks[number as usize]);
            let expanded = codec.decompressor.decompress_to_buffer(payload, raw);
            found[number as usize] |= expanded.is_ok_and(|length| length == raw.len());
            Ok(())
        })?;
        Ok(found.iter().all(|found| *found))
    }

    /// Makes all blocks durable.
    pub fn sync(&self) -> Result<(), DatabaseError> {
        self.log.sync()
    }
}
