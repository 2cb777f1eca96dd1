//! A tier: its blocks, their places, and the operations of drivers; and the folder in which tiers are opened. `fill`
//! fills and visits all blocks, `reader` reads rows.

use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use super::block::{BLOCK_WORDS, DirtyBlock, Expanded, ShapeBlocks, Slab, cut, expanded, expanded_bytes};
use super::cache::{BlockCache, Form, MemoryBudget};
use super::content::{Content, Kind};
use super::segments::{Location, LogHeader, NewBlocks, Segments, TierFolder};
use crate::communicator::{Alone, gather};
use crate::files::{FileError, Memory, frame, io_error};
use crate::index::{Index, TierDirectory, WingShape};
use crate::kernel::delta::{DeltaBuffers, MakeDelta, Stretch, UndoDelta, is_delta_of, most_bytes};
use crate::kernel::{Coding, Kernel};

/// zstd's level for the deltas of the log: speed is all that counts.
const LEVEL: i32 = 1;

/// One tier, as far as it is filled. Threads share it.
#[derive(Debug)]
pub struct Tier<'s, C = Coding> {
    pub(crate) directory: TierDirectory,
    /// The content of the planes.
    pub content: C,
    pub(super) planes: usize,
    pub(super) tiers: TierFolder<'s>,
    kernel: Kernel,
    /// The number of the first block and the first word of every shape; then the ends.
    pub(super) firsts: Vec<(usize, usize)>,
    pub(super) cache: BlockCache,
    /// Where the blocks are that are in the log.
    pub(super) locations: Vec<OnceLock<Location>>,
    pub(super) log: Segments<'s>,
}

/// The buffers in which a thread compresses blocks.
#[derive(Default)]
pub(super) struct Buffers {
    pub frame: Vec<u8>,
    pub stretches: Vec<Stretch>,
    pub delta: DeltaBuffers,
    pub slab: Slab,
}

impl<C> Tier<'_, C> {
    /// Returns the number of pieces on the board.
    pub fn ply(&self) -> u32 {
        self.directory.ply
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> u64 {
        self.directory.entries()
    }
}

/// The storage of tiers that stay in memory; no file is ever made.
static NO_FILES: LazyLock<Memory> = LazyLock::new(Memory::default);

impl<C: Content> Tier<'static, C> {
    /// Makes the tier with `ply` pieces in memory, to be filled from `beside`.
    pub(crate) fn in_memory(index: &Index, content: C, ply: u32, beside: Option<&Tier<C>>) -> Tier<'static, C> {
        let (folder, budget) = (Path::new("tier"), MemoryBudget::unlimited(BLOCK_WORDS));
        let mut tier = Tier::new(TierFolder { storage: &*NO_FILES, folder, budget, all: &Alone }, index, content, ply);
        tier.cache.share_memory(beside.map(|beside| &beside.cache));
        tier
    }
}

impl<'s> TierFolder<'s> {
    /// Opens a tier with the blocks of earlier runs. Reads its whole log.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn open<C: Content>(&self, index: &Index, content: C, ply: u32) -> Result<Tier<'s, C>, FileError> {
        let mut tier = Tier::new(*self, index, content, ply);
        let locations = &tier.locations;
        tier.log.find(|number, place| {
            let _ = locations[number as usize].set(place);
        })?;
        Ok(tier)
    }

    /// Opens a tier that will be filled from `beside` (if any), which shares its memory. A tier of values has the
    /// blocks of earlier runs. A tier of reached positions begins empty, because the counts of those blocks are lost.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn begin<C: Content>(
        &self,
        index: &Index,
        content: C,
        ply: u32,
        beside: Option<&Tier<'_, C>>,
    ) -> Result<Tier<'s, C>, FileError> {
        let resumes = content.kind() != Kind::Reached;
        let mut tier = if resumes { self.open(index, content, ply)? } else { Tier::new(*self, index, content, ply) };
        tier.cache.share_memory(beside.map(|beside| &beside.cache));
        Ok(tier)
    }
}

impl<'s, C: Content> Tier<'s, C> {
    /// Makes a tier without any blocks.
    fn new(tiers: TierFolder<'s>, index: &Index, content: C, ply: u32) -> Tier<'s, C> {
        let planes = content.planes();
        let directory = TierDirectory::new(index, ply);
        let (mut firsts, mut count, mut words) = (vec![(0, 0)], 0, 0);
        for &shape in &directory.shapes {
            words += cut(shape.matrices(index, ply), planes, tiers.budget.block_words, |_| count += 1).word;
            firsts.push((count, words));
        }
        let tier_bytes = expanded_bytes(count, words);
        let header = LogHeader {
            board: index.board().to_string(),
            kind: content.kind(),
            ply,
            entries: directory.entries(),
            blocks: count as u64,
            block_words: tiers.budget.block_words as u64,
        };
        Tier {
            directory,
            content,
            planes,
            tiers,
            kernel: index.kernel,
            firsts,
            cache: BlockCache::new(tiers.budget.of_tier(tier_bytes), count, tier_bytes),
            locations: (0..count).map(|_| OnceLock::new()).collect(),
            log: Segments::new(tiers, header),
        }
    }

    /// Returns whether more than half of the tier, counted in expanded bytes, is only in the log.
    pub(crate) fn is_mostly_in_log(&self) -> bool {
        self.cache.is_mostly_clean()
    }

    /// Returns whether files of the tier existed when it was opened, whatever their content.
    pub(crate) fn has_files(&self) -> bool {
        self.log.has_files
    }

    /// Returns how many bytes of blocks this process has appended to the log.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.log.written_bytes()
    }

    /// Drops the blocks of all shapes whose left wing is below `left`, and gives their memory to the tier that is
    /// filled from this one. These blocks must not be read again; those that are not in the log are lost.
    pub(crate) fn evict_before(&self, left: WingShape) {
        let shapes = self.directory.first_of_left(left);
        let ((first, word), (end, words)) = (self.firsts[shapes], self.firsts[self.directory.shapes.len()]);
        self.cache.evict(first, expanded_bytes(end - first, words - word));
    }

    /// Returns whether a block is filled.
    pub(super) fn has(&self, block: usize) -> bool {
        self.locations[block].get().is_some() || self.cache.dirty(block).is_some()
    }

    /// Returns whether all blocks are filled of the shapes whose left wing is at least `left`.
    pub(crate) fn has_from(&self, left: WingShape) -> bool {
        (self.firsts[self.directory.first_of_left(left)].0..self.locations.len()).all(|block| self.has(block))
    }

    /// Returns whether all blocks are filled.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_from(WingShape(0))
    }

    /// Returns the smallest left wing of a shape with a missing block; `None` if all blocks are filled.
    pub(crate) fn first_missing_left(&self) -> Option<WingShape> {
        let missing = (0..self.locations.len()).find(|block| !self.has(*block))?;
        let shape = self.firsts.partition_point(|(first, _)| *first <= missing) - 1;
        Some(self.directory.shapes[shape].left)
    }

    /// Makes the blocks of this rank readable for all, and finds those of the others. Returns whether any rank has ended
    /// early.
    ///
    /// # Errors
    /// Where a file cannot be written or read.
    pub(super) fn exchange(&self, is_ended: bool) -> Result<bool, FileError> {
        if self.tiers.all.is_alone() {
            return Ok(is_ended);
        }
        if self.tiers.all.is_on_one_machine() {
            self.log.flush()?;
        } else {
            // Another machine may see only what has reached the disk.
            self.log.sync()?;
        }
        let malformed = |rank| FileError::Message { file: self.tiers.folder.to_path_buf(), rank };
        let mut any_ended = false;
        let records = gather::<(bool, NewBlocks)>(self.tiers.all, &(is_ended, self.log.take_new()));
        for (rank, (other_ended, new)) in (0..).zip(records.map_err(|error| malformed(error.rank()))?) {
            any_ended |= other_ended;
            let found = |number, place| {
                let _ = self.locations.get(number as usize).map(|block| block.set(place));
            };
            if rank != self.tiers.all.rank() && !self.log.add_new(new, found)? {
                return Err(malformed(rank));
            }
        }
        Ok(any_ended)
    }

    /// Lays out the shape with this number, replacing the shape in `out`.
    pub(super) fn lay_out(&self, index: &Index, number: usize, out: &mut ShapeBlocks) {
        let (ShapeBlocks { layout, cuts, first_block }, block_words) = (out, self.tiers.budget.block_words);
        layout.lay_out(index, self.ply(), self.directory.shapes[number]);
        cuts.clear();
        let end = cut(layout.matrices.iter().copied(), self.planes, block_words, |cut| cuts.push(cut));
        cuts.push(end);
        *first_block = self.firsts[number].0;
    }

    /// Fills a block of a shape with `fill`, and adds it: in memory where there is room, else to the log. One of several ranks
    /// adds it to the log in any case, where the others read it.
    ///
    /// # Errors
    /// Those of `fill`; where the log cannot be written.
    pub(super) fn add(
        &self,
        shape: &ShapeBlocks,
        block: usize,
        buffers: &mut Buffers,
        fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let length = shape.words(block).len();
        let form = self.cache.reserve(length, &buffers.slab);
        let words = expanded(&self.cache.pool, length, fill)?;
        let is_expanded = form == Some(Form::Expanded);
        if !is_expanded || !self.tiers.all.is_alone() {
            let Buffers { frame, stretches, delta, slab } = buffers;
            let delta = self.delta(shape, block, &words[..length], stretches, delta);
            let is_kept = form == Some(Form::Delta) && self.cache.keep_delta(block, length, delta, slab);
            if !is_kept || !self.tiers.all.is_alone() {
                self.append(block, delta, frame)?;
            }
        }
        if is_expanded {
            self.cache.keep(block, words);
        }
        Ok(())
    }

    /// Returns the delta of a block.
    pub(super) fn delta<'b>(
        &self,
        shape: &ShapeBlocks,
        block: usize,
        words: &'b [u64],
        stretches: &'b mut Vec<Stretch>,
        buffers: &'b mut DeltaBuffers,
    ) -> &'b [u8] {
        stretches.clear();
        for (matrix, rows) in shape.rows(block) {
            let (row_words, words) = (matrix.words() as u32, (rows.len() * matrix.words() * self.planes) as u32);
            match stretches.last_mut() {
                Some(last) if last.row_words == row_words => last.words += words,
                _ if words > 0 => stretches.push(Stretch { row_words, words }),
                _ => {}
            }
        }
        self.kernel.run(MakeDelta { words, planes: self.planes, stretches, buffers })
    }

    /// Appends the delta of a block to the log, as a zstd frame; `buffer` is for the frame.
    pub(super) fn append(&self, block: usize, delta: &[u8], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload =
            frame::compress_into(delta, LEVEL, buffer).map_err(io_error(self.tiers.folder, "compress a block of"))?;
        let place = self.log.append(block as u64, payload)?;
        let _ = self.locations[block].set(place);
        Ok(())
    }

    /// Returns a block of `length` words, expanded; `buffer` is a buffer for a compressed block.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] for a block that is not filled, [`FileError::Damaged`] for bytes that were not written.
    pub(super) fn block(&self, block: usize, length: usize, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        let dirty = self.cache.dirty(block);
        if let Some(DirtyBlock::Expanded(words)) = dirty {
            return Ok(words);
        }
        self.cache.cached(block, || {
            if let Some(delta) = dirty {
                return delta.expand(&self.cache.pool, self.kernel, self.planes);
            }
            let Some(place) = self.locations[block].get() else {
                return Err(FileError::NoBlock {
                    folder: self.tiers.folder.to_path_buf(),
                    ply: self.ply(),
                    block: block as u64,
                });
            };
            let payload = self.log.read(block as u64, *place, buffer)?;
            expanded(&self.cache.pool, length, |words| {
                let is_whole = self.expand(payload, words);
                let damaged = || self.log.damaged(*place, "a block does not expand to its rows");
                is_whole.then_some(()).ok_or_else(damaged)
            })
        })
    }

    /// Expands a block from its payload in the log. Returns `false` if the payload does not fit the block.
    fn expand(&self, payload: &[u8], words: &mut [u64]) -> bool {
        let delta = frame::expand(payload, most_bytes(words.len()));
        let Some(delta) = delta.filter(|delta| is_delta_of(delta, self.planes, words.len())) else { return false };
        self.kernel.run(UndoDelta { delta: &delta, planes: self.planes, out: words });
        true
    }
}
