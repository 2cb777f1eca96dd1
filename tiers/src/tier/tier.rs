//! A tier: its blocks, their places, and the operations of drivers; and the folder in which tiers are opened. `fill`
//! fills and visits all blocks, `reader` reads rows.

use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use rayon::prelude::*;

use super::block::{BLOCK_WORDS, DirtyBlock, Expanded, PAD, ShapeBlocks, Slab, cut, expanded, expanded_bytes};
use super::cache::{BlockCache, Form, MemoryBudget};
use super::content::{Content, Kind};
use super::segments::{Location, LogHeader, NewBlocks, Segments};
use crate::communicator::{Alone, Communicator, gather};
use crate::files::{FileError, Memory, Storage, frame, io_error};
use crate::index::{Index, TierDirectory, WingShape};
use crate::kernel::delta::{DeltaBuffers, MakeDelta, Stretch, UndoDelta, is_delta_of};
use crate::kernel::{Coding, Kernel};

/// zstd's level. Only speed counts here. On the widest tiers of 6x5, in bits per entry: lz4 0.43, level -1 0.29, **1
/// 0.27**, 3 0.26, at 840, 540, 670 and 570 MB/s.
const LEVEL: i32 = 1;

/// The folder with the logs of a run, and the memory budget for its tiers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TierFolder<'s> {
    pub storage: &'s dyn Storage,
    pub folder: &'s Path,
    pub budget: MemoryBudget,
    /// The processes that fill the tiers together.
    pub all: &'s dyn Communicator,
}

/// One tier, complete or partly filled. Threads share it.
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
    /// The places of the blocks that are in the log.
    locations: Vec<OnceLock<Location>>,
    log: Segments<'s>,
}

/// The buffers in which a thread compresses blocks.
#[derive(Default)]
pub(super) struct Buffers {
    bytes: Vec<u8>,
    stretches: Vec<Stretch>,
    delta: DeltaBuffers,
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

    /// Makes all filled blocks durable. Appends those that are not in the log, on all threads of rayon's current pool.
    pub(crate) fn sync(&self) -> Result<(), FileError> {
        (0..self.locations.len()).into_par_iter().try_for_each_init(Vec::new, |bytes, block| {
            let dirty = self.cache.dirty(block).filter(|_| self.locations[block].get().is_none());
            let words = dirty.map(|dirty| dirty.expand(&self.cache.pool, self.kernel, self.planes)).transpose()?;
            let Some(words) = words else { return Ok(()) };
            self.append(block, &words[..words.len() - PAD], bytes)
        })?;
        self.log.sync()
    }

    /// Makes the blocks of this rank readable for all ranks, and finds theirs. Returns whether any rank ended early.
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
        let what = "another process of the job sends malformed locations of its blocks";
        let malformed = || FileError::damaged(self.tiers.folder, 0, what);
        let mut any_ended = false;
        let records = gather::<(bool, NewBlocks)>(self.tiers.all, &(is_ended, self.log.take_new()));
        for (rank, (other_ended, new)) in (0..).zip(records.map_err(|_| malformed())?) {
            any_ended |= other_ended;
            let found = |number, place| {
                let _ = self.locations.get(number as usize).map(|block| block.set(place));
            };
            if rank != self.tiers.all.rank() && !self.log.add_new(new, found)? {
                return Err(malformed());
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

    /// Fills a block of a shape with `fill` and keeps it: in memory if there is room, else in the log. With several
    /// ranks it always goes to the log, where the others read it. Ranks on one machine log deltas: these have twice the
    /// bytes of a zstd frame, which stay in the machine's memory, but take a fifth of the time to make and to expand.
    /// Ranks on several machines read from a shared file system, where bytes count, so they log zstd frames.
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
        let own = &words[..length];
        let logs_delta = !self.tiers.all.is_alone() && self.tiers.all.is_on_one_machine();
        let mut is_kept = form == Some(Form::Expanded);
        if form == Some(Form::Delta) || logs_delta {
            let Buffers { stretches, delta, slab, .. } = &mut *buffers;
            let delta = self.delta(shape, block, own, stretches, delta);
            if logs_delta {
                self.append_payload(block, delta)?;
            }
            is_kept |= form == Some(Form::Delta) && self.cache.keep_delta(block, length, delta, slab);
        }
        if !(logs_delta || is_kept && self.tiers.all.is_alone()) {
            self.append(block, own, &mut buffers.bytes)?;
        }
        if form == Some(Form::Expanded) {
            self.cache.keep(block, words);
        }
        Ok(())
    }

    fn delta<'b>(
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

    /// Appends a block to the log as a zstd frame; `buffer` is a buffer for the frame.
    fn append(&self, block: usize, words: &[u64], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload = frame::compress_into(bytemuck::cast_slice(words), LEVEL, buffer)
            .map_err(io_error(self.tiers.folder, "compress a block of"))?;
        self.append_payload(block, payload)
    }

    /// Appends a payload to the log: the delta of a block, or a zstd frame of its words.
    fn append_payload(&self, block: usize, payload: &[u8]) -> Result<(), FileError> {
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
        if !is_delta_of(payload, self.planes, words.len()) {
            return frame::expand_into(payload, bytemuck::cast_slice_mut(words));
        }
        self.kernel.run(UndoDelta { delta: payload, planes: self.planes, out: words });
        true
    }
}
