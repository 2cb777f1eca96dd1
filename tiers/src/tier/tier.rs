//! A tier: its blocks, the places of the blocks, and the operations that the drivers of solves and counts need. Also
//! opens tiers in a [`TierFolder`]. The module `fill` fills and visits all blocks; the module `reader` reads rows.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use fourbase::Board;
use serde::{Deserialize, Serialize};

use super::block::{BLOCK_WORDS, ShapeBlocks, cut};
use super::memory::{BlockMemory, Delta, Expanded, Kept, OpenSlab, expanded_bytes};
use super::segments::{Location, LogHeader, Segments, TierFolder};
use crate::communicator::Alone;
use crate::files::{FileError, Memory, frame, io_error};
use crate::index::{Index, TierDirectory, WingShape};
use crate::kernel::delta::{DeltaBuffers, MakeDelta, Stretch, UndoDelta, is_delta_of, most_bytes};
use crate::kernel::{Coding, Kernel, Values};

/// The zstd level for the deltas in the log. The level is low because only the speed of a log matters.
const LEVEL: i32 = 1;

/// What the planes of a tier store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// The code of every entry's outcome.
    Values(Values),
    /// One bit for each entry. The bit is set if play can reach the entry's position and the position has no line.
    Reached,
}

impl Kind {
    /// Returns the prefix of the names of files with this content. Both kinds of [`Values`] have the same prefix.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Values(_) => "frontier-",
            Kind::Reached => "reached-",
        }
    }

    /// Returns the coding of the tier with `ply` pieces. For [`Kind::Reached`], the coding has one plane, which encodes
    /// no outcomes.
    pub fn coding(self, board: Board, ply: u32) -> Coding {
        let Kind::Values(values) = self else {
            let mut coding = Coding::new(board, Values::Wdl, ply);
            coding.planes = 1;
            return coding;
        };
        Coding::new(board, values, ply)
    }
}

/// One tier, completely or partly filled. Threads share it.
#[derive(Debug)]
pub struct Tier<'s> {
    pub(crate) directory: TierDirectory,
    /// How the planes encode outcomes. If they store reached bits instead, only the number of planes has a meaning.
    pub coding: Coding,
    kernel: Kernel,
    /// For every shape, the number of its first block and the number of its first word. The last item has the total
    /// numbers of blocks and words.
    pub(super) firsts: Vec<(usize, usize)>,
    /// Whether all blocks can be in memory at the same time, expanded.
    pub(super) fits: bool,
    /// The bytes that all blocks which this run has not filled would take when expanded. Blocks that an earlier run
    /// logged are included.
    pub(super) unfilled: AtomicU64,
    kept: Vec<Mutex<Option<Kept>>>,
    /// All blocks with a number below this one have been evicted.
    evicted: AtomicUsize,
    /// The places of the blocks that are in the log.
    pub(super) locations: Vec<OnceLock<Location>>,
    pub(crate) log: Segments<'s>,
}

/// The buffers in which a thread compresses blocks.
#[derive(Default)]
pub(super) struct Buffers {
    pub frame: Vec<u8>,
    pub stretches: Vec<Stretch>,
    pub delta: DeltaBuffers,
    pub slab: OpenSlab,
}

impl Tier<'_> {
    /// Returns the number of pieces on the board.
    pub fn ply(&self) -> u32 {
        self.directory.ply
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> u64 {
        self.directory.entries()
    }

    /// Drops from memory the blocks of all shapes whose left wing is below `left`. These blocks must not be read again.
    /// Blocks that are not in the log are lost.
    pub(crate) fn evict_before(&self, left: WingShape) {
        let end = self.firsts[self.directory.first_of_left(left)].0;
        for block in self.evicted.fetch_max(end, Ordering::Relaxed)..end {
            *self.slot(block) = None;
            self.log.tiers.memory.forget(self.ply(), block);
        }
    }

    /// Locks and returns the slot of a block, which holds the block if it is kept in memory.
    pub(super) fn slot(&self, block: usize) -> MutexGuard<'_, Option<Kept>> {
        self.kept[block].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a delta of a closed slab visible to all threads.
    pub(super) fn show(&self, (block, delta): (usize, Delta)) {
        *self.slot(block) = Some(Kept::Delta(delta));
    }
}

impl Drop for Tier<'_> {
    fn drop(&mut self) {
        self.evict_before(WingShape(u32::MAX));
    }
}

/// The storage of tiers that stay in memory.
static NO_FILES: LazyLock<Memory> = LazyLock::new(Memory::default);

impl Tier<'static> {
    /// Makes an empty tier with `ply` pieces that stays in memory. It shares the memory of `beside`, the tier from
    /// which it will be filled.
    pub(crate) fn in_memory(index: &Index, kind: Kind, ply: u32, beside: Option<&Tier>) -> Tier<'static> {
        // More bytes than any machine has, but few enough that sums do not overflow.
        let unlimited = || Arc::new(BlockMemory::new(BLOCK_WORDS, usize::MAX, 1 << 50, 0));
        let memory = beside.map_or_else(unlimited, |beside| Arc::clone(&beside.log.tiers.memory));
        // No file is ever created in this storage.
        let tiers = TierFolder { storage: &*NO_FILES, folder: Path::new("tier"), memory, all: &Alone };
        Tier::new(&tiers, index, kind, ply)
    }
}

impl<'s> TierFolder<'s> {
    /// Opens a tier with the blocks of earlier runs. Reads the whole log of the tier.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn open(&self, index: &Index, kind: Kind, ply: u32) -> Result<Tier<'s>, FileError> {
        let mut tier = Tier::new(self, index, kind, ply);
        let locations = &tier.locations;
        tier.log.find(|number, place| {
            let _ = locations[number as usize].set(place);
        })?;
        Ok(tier)
    }
}

impl<'s> Tier<'s> {
    /// Makes a tier without any blocks.
    pub(crate) fn new(tiers: &TierFolder<'s>, index: &Index, kind: Kind, ply: u32) -> Tier<'s> {
        let coding = kind.coding(index.board(), ply);
        let directory = TierDirectory::new(index, ply);
        let (block_words, mut firsts, mut count, mut words) = (tiers.memory.block_words, vec![(0, 0)], 0, 0);
        for &shape in &directory.shapes {
            words += cut(shape.matrices(index, ply), coding.planes, block_words, |_| count += 1).word;
            firsts.push((count, words));
        }
        let tier_bytes = expanded_bytes(count, words);
        let header = LogHeader {
            board: index.board().to_string(),
            kind,
            ply,
            entries: directory.entries(),
            blocks: count as u64,
            block_words: block_words as u64,
        };
        Tier {
            directory,
            coding,
            kernel: index.kernel,
            firsts,
            fits: tiers.memory.fits(tier_bytes),
            unfilled: AtomicU64::new(tier_bytes),
            kept: (0..count).map(|_| Mutex::default()).collect(),
            evicted: AtomicUsize::new(0),
            locations: (0..count).map(|_| OnceLock::new()).collect(),
            log: Segments::new(tiers.clone(), header),
        }
    }

    /// Returns whether more than half of the blocks are in the log.
    pub(crate) fn is_mostly_in_log(&self) -> bool {
        2 * self.locations.iter().filter(|place| place.get().is_some()).count() > self.locations.len()
    }

    /// Returns whether a block is filled.
    pub(super) fn has(&self, block: usize) -> bool {
        self.locations[block].get().is_some() || self.slot(block).is_some()
    }

    /// Returns whether all blocks of the shapes whose left wing is at least `left` are filled.
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

    /// Computes the layout and the blocks of shape number `number`, and stores them in `out`.
    pub(super) fn lay_out(&self, index: &Index, number: usize, out: &mut ShapeBlocks) {
        let (ShapeBlocks { layout, cuts, first_block }, block_words) = (out, self.log.tiers.memory.block_words);
        layout.lay_out(index, self.ply(), self.directory.shapes[number]);
        cuts.clear();
        let end = cut(layout.matrices.iter().copied(), self.coding.planes, block_words, |cut| cuts.push(cut));
        cuts.push(end);
        *first_block = self.firsts[number].0;
    }

    /// Fills a block of a shape with `fill`, and keeps it in memory if there is room; else appends it to the log. With
    /// several ranks, always appends it to the log, where the other ranks read it.
    ///
    /// # Errors
    /// The errors of `fill`; an error if the log can't be written.
    pub(super) fn add(
        &self,
        shape: &ShapeBlocks,
        block: usize,
        buffers: &mut Buffers,
        fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let (memory, length) = (&self.log.tiers.memory, shape.words(block).len());
        let bytes = expanded_bytes(1, length);
        let unfilled = self.unfilled.fetch_sub(bytes, Ordering::Relaxed) - bytes;
        let reserved = self.fits.then(|| memory.reserve(bytes, unfilled)).flatten();
        let words = memory.expanded(length, fill)?;
        if reserved.is_none() || self.log.is_shared() {
            let Buffers { frame, stretches, delta, slab } = buffers;
            let delta = self.delta(shape, block, &words[..length], stretches, delta);
            let is_kept = reserved.is_none() && slab.add(memory, block, delta, |closed| self.show(closed));
            if !is_kept || self.log.is_shared() {
                self.append(block, delta, frame)?;
            }
        }
        if let Some(reserved) = reserved {
            *self.slot(block) = Some(Kept::Expanded { words, _reserved: Arc::new(reserved) });
        }
        Ok(())
    }

    /// Returns the delta of a block that has these `words`. `stretches` and `buffers` are working memory.
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
            let (row_words, words) = (matrix.words() as u32, (rows.len() * matrix.words() * self.coding.planes) as u32);
            match stretches.last_mut() {
                Some(last) if last.row_words == row_words => last.words += words,
                _ if words > 0 => stretches.push(Stretch { row_words, words }),
                _ => {}
            }
        }
        self.kernel.run(MakeDelta { words, planes: self.coding.planes, stretches, buffers })
    }

    /// Appends the delta of a block to the log, as a zstd frame; `buffer` is for the frame.
    pub(super) fn append(&self, block: usize, delta: &[u8], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload = frame::compress_into(delta, LEVEL, buffer)
            .map_err(io_error(self.log.tiers.folder, "compress a block of"))?;
        let place = self.log.append(block as u64, payload)?;
        let _ = self.locations[block].set(place);
        Ok(())
    }

    /// Returns a block of `length` words, expanded; `buffer` is a buffer for a compressed block.
    ///
    /// # Errors
    /// [`FileError::Wrong`] for a block that is not filled, [`FileError::Damaged`] if the log does not have the bytes
    /// that were written.
    pub(super) fn block(&self, block: usize, length: usize, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        let kept = self.slot(block).clone();
        if let Some(Kept::Expanded { words, .. }) = kept {
            return Ok(words);
        }
        let memory = &self.log.tiers.memory;
        memory.cached(self.ply(), block, || {
            if let Some(Kept::Delta(delta)) = kept {
                return memory.expanded(length, |out| {
                    self.kernel.run(UndoDelta { delta: delta.bytes(), planes: self.coding.planes, out });
                    Ok(())
                });
            }
            let Some(place) = self.locations[block].get() else {
                let wanted = format!("block {block} of ply {}", self.ply());
                return Err(FileError::wrong(self.log.tiers.folder, "a block of the log", wanted, "missing"));
            };
            let payload = self.log.read(block as u64, *place, buffer)?;
            memory.expanded(length, |words| {
                let is_whole = self.expand(payload, words);
                let damaged = || self.log.damaged(*place, "a block does not expand to its rows");
                is_whole.then_some(()).ok_or_else(damaged)
            })
        })
    }

    /// Expands a block from its payload in the log. Returns `false` if the payload does not fit the block.
    fn expand(&self, payload: &[u8], words: &mut [u64]) -> bool {
        let delta = frame::expand(payload, most_bytes(words.len()));
        let Some(delta) = delta.filter(|delta| is_delta_of(delta, self.coding.planes, words.len())) else {
            return false;
        };
        self.kernel.run(UndoDelta { delta: &delta, planes: self.coding.planes, out: words });
        true
    }
}
