//! The blocks of one tier: where each is in the log, how a shape is cut into them, and putting and getting one.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::cuts::{Cut, cut};
use super::segments::{Location, LogHeader, Segments};
use crate::files::{FileError, Storage, frame, io_error};
use crate::index::{Index, Matrix, Spine, TierDirectory, TierLayout, WingShape, matrices};
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
    /// For a tier whose expanded blocks do not fit: more words of such a matrix, and the bytes that this takes off
    /// `cache_bytes`. Every slice costs the expansion of its matrix.
    pub wide: Option<(usize, u64)>,
}

impl Room {
    /// Returns the room of a tier that takes so many bytes if it is expanded.
    fn of_tier(self, expanded_bytes: u64) -> Room {
        match self.wide {
            Some((slice_words, bytes)) if expanded_bytes > self.cache_bytes => {
                Room { slice_words, cache_bytes: self.cache_bytes.saturating_sub(bytes), wide: None, ..self }
            }
            _ => Room { wide: None, ..self },
        }
    }
}

/// The blocks of one tier, as far as they are filled. Threads share them.
#[derive(Debug)]
pub(super) struct Blocks<'s, C = Coding> {
    folder: PathBuf,
    pub directory: TierDirectory,
    pub content: C,
    pub room: Room,
    /// The number of the first block of every shape, and its first word; closed by the ends.
    firsts: Vec<(usize, usize)>,
    /// The blocks that are in the log.
    blocks: Vec<OnceLock<Location>>,
    segments: Segments<'s>,
    /// The blocks that were filled while there was room for them. They are not in the log before [`Blocks::sync`].
    held: Vec<Mutex<Option<Expanded>>>,
    held_bytes: AtomicU64,
    /// How much that may become, and how much more of it there is room for: see [`Blocks::share_room`].
    most_held_bytes: u64,
    room_left: Arc<AtomicU64>,
    /// How many of the blocks are of no more use, and the room of the tier that is filled from this one.
    passed: Mutex<(usize, Option<Arc<AtomicU64>>)>,
    /// Expanded blocks of the others: one is read by up to as many shapes as the board has columns, most of them close
    /// together.
    expanded: Cache<usize, Expanded, ByBytes>,
    /// What all blocks of the tier would take.
    expanded_bytes: u64,
}

/// The words of a block, and [`PAD`] more. Threads share it.
pub(super) type Expanded = Arc<[u64]>;

/// Makes room for a block.
fn zeros(words: usize) -> Expanded {
    Expanded::from_iter(std::iter::repeat_n(0, words))
}

/// What one thread works on: a block, expanded and compressed.
#[derive(Default)]
pub(super) struct Buffers {
    words: Vec<u64>,
    bytes: Vec<u8>,
}

#[derive(Clone)]
struct ByBytes;

impl quick_cache::Weighter<usize, Expanded> for ByBytes {
    fn weight(&self, _: &usize, words: &Expanded) -> u64 {
        expanded_bytes(1, words.len())
    }
}

/// More bytes than any machine has.
const UNLIMITED: u64 = 1 << 50;

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

    /// Returns the number of the block with a word of the shape, counted from the shape's first.
    pub fn block_of(&self, word: usize) -> usize {
        self.cuts.partition_point(|cut| cut.word <= word) - 1
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
        let mut firsts = vec![(0, 0)];
        firsts.extend(counts.iter().scan((0, 0), |sums, (count, words)| {
            *sums = (sums.0 + count, sums.1 + words);
            Some(*sums)
        }));
        let (count, words) = firsts[counts.len()];
        let expanded_bytes = expanded_bytes(count, words + count * PAD);
        let blocks: Vec<OnceLock<Location>> = (0..count).map(|_| OnceLock::new()).collect();
        let room = room.of_tier(expanded_bytes);
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
        let expected = (room.cache_bytes / (8 * room.block_words as u64)).clamp(16, count.max(16) as u64) as usize;
        let expanded = Cache::with_weighter(expected, room.cache_bytes, ByBytes);
        let folder = folder.to_path_buf();
        Ok(Blocks {
            folder,
            directory,
            content,
            room,
            firsts,
            blocks,
            segments,
            held: (0..count).map(|_| Mutex::default()).collect(),
            held_bytes: AtomicU64::new(0),
            most_held_bytes: 0,
            room_left: Arc::default(),
            passed: Mutex::default(),
            expanded,
            expanded_bytes,
        })
    }

    /// Shares out the memory for expanded blocks between this tier, which is read from now on, and `next`, which is filled
    /// from it. This tier takes as much as it can use; the rest is for blocks of `next`, which stay in memory as they are
    /// filled and go into the log no sooner than [`Blocks::sync`]. The rest grows with [`Blocks::pass`].
    pub fn share_room(&self, next: &mut Blocks<'s, C>) {
        let own = self.room.cache_bytes.min(self.expanded_bytes);
        self.limit(own);
        next.room_left = Arc::new(AtomicU64::new(self.room.cache_bytes - own));
        // Of a tier that does not fit, the blocks that are not held need room to be expanded.
        next.most_held_bytes = next.room.cache_bytes / if next.fits() { 1 } else { 2 };
        self.passed().1 = Some(Arc::clone(&next.room_left));
    }

    /// Tells whether all blocks can be in memory at a time, expanded.
    pub fn fits(&self) -> bool {
        self.expanded_bytes <= self.room.cache_bytes
    }

    /// Leaves the room that is not taken by held blocks to expanded ones, once all are filled.
    pub fn filled(&self) {
        self.limit(self.room.cache_bytes);
    }

    /// Limits what the blocks take in memory to `most_bytes`, if they do not all fit.
    fn limit(&self, most_bytes: u64) {
        let rest = most_bytes.saturating_sub(self.held_bytes.load(Ordering::Relaxed));
        // The cache shares its limit out over its parts, some of which are full before others.
        self.expanded.set_capacity(if self.fits() { UNLIMITED } else { rest });
    }

    /// Tells whether more than half of what the blocks take, expanded, is in the log and not held.
    pub fn is_mostly_in_log(&self) -> bool {
        2 * self.held_bytes.load(Ordering::Relaxed) < self.expanded_bytes
    }

    /// Drops the expanded blocks of all shapes with a smaller left wing than `left`, which are of no more use, and leaves
    /// their room to the tier that is filled from this one. Those that are held are lost.
    pub fn pass(&self, left: WingShape) {
        self.pass_shapes(self.directory.first_of_left(left));
    }

    /// Does [`Blocks::pass`] for all shapes.
    pub fn pass_all(&self) {
        self.pass_shapes(self.firsts.len() - 1);
    }

    fn pass_shapes(&self, shapes: usize) {
        let mut passed = self.passed();
        let (blocks, others_room) = &mut *passed;
        let end = self.firsts[shapes].0;
        if end <= *blocks {
            return;
        }
        // Shapes were passed as a whole.
        let used = |first: usize| {
            let shape = self.firsts.partition_point(|(of, _)| *of < first);
            let (count, words) =
                (self.blocks.len() - first, self.firsts[self.firsts.len() - 1].1 - self.firsts[shape].1);
            expanded_bytes(count, words + count * PAD).min(self.room.cache_bytes)
        };
        let freed = used(*blocks) - used(end);
        for block in *blocks..end {
            if let Some(held) = self.held(block).take() {
                self.held_bytes.fetch_sub(expanded_bytes(1, held.len()), Ordering::Relaxed);
            }
            self.expanded.remove(&block);
        }
        *blocks = end;
        self.limit(used(end));
        if let Some(room) = others_room {
            room.fetch_add(freed, Ordering::Relaxed);
        }
    }

    fn passed(&self) -> MutexGuard<'_, (usize, Option<Arc<AtomicU64>>)> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self, block: usize) -> MutexGuard<'_, Option<Expanded>> {
        self.held[block].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether all blocks are filled.
    pub fn is_complete(&self) -> bool {
        (0..self.blocks.len()).all(|block| self.has(block))
    }

    /// Tells whether there were files of the tier when it was opened, of whatever content.
    pub fn has_files(&self) -> bool {
        self.segments.has_files
    }

    /// Tells whether a block is filled.
    pub fn has(&self, block: usize) -> bool {
        self.blocks[block].get().is_some() || self.held(block).is_some()
    }

    /// Makes all filled blocks durable. Those that are held go into the log, on all threads of rayon's current pool.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn sync(&self) -> Result<(), FileError> {
        (0..self.blocks.len()).into_par_iter().try_for_each_init(Vec::new, |buffer, block| {
            let held = self.held(block).clone().filter(|_| self.blocks[block].get().is_none());
            held.map_or(Ok(()), |words| self.append(block, &words[..words.len() - PAD], buffer))
        })?;
        self.segments.sync()
    }

    /// Returns the numbers of the blocks of a shape, given by its number.
    pub fn blocks_of(&self, shape: usize) -> Range<usize> {
        self.firsts[shape].0..self.firsts[shape + 1].0
    }

    /// Lays out a shape, given by its number.
    pub fn view(&self, index: &Index, shape: usize) -> ShapeView {
        let layout = TierLayout::of_shape(index, self.directory.ply(), self.directory.shapes()[shape]);
        let mut cuts = Vec::with_capacity(self.blocks_of(shape).len() + 1);
        let planes = self.content.planes();
        let end = cut(layout.matrices().iter().copied(), planes, self.room.block_words, |cut| cuts.push(cut));
        cuts.push(end);
        ShapeView { layout, cuts, first_block: self.firsts[shape].0 }
    }

    /// Fills a block of `length` words with `fill`, and adds it: in memory where there is room, else in the log.
    ///
    /// # Errors
    /// Those of `fill`; where the log cannot be written.
    pub fn add(
        &self,
        block: usize,
        length: usize,
        buffers: &mut Buffers,
        fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        if !self.reserve(expanded_bytes(1, length + PAD)) {
            buffers.words.resize(length, 0);
            fill(&mut buffers.words)?;
            return self.append(block, &buffers.words, &mut buffers.bytes);
        }
        let mut words = zeros(length + PAD);
        if let Some(words) = Arc::get_mut(&mut words).and_then(|words| words.get_mut(..length)) {
            fill(words)?;
        }
        *self.held(block) = Some(words);
        Ok(())
    }

    /// Takes room for a block that is held, if there is any.
    fn reserve(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        if self.held_bytes.load(Ordering::Relaxed) + bytes > self.most_held_bytes
            || self.room_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
        {
            return false;
        }
        self.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Appends a block to the log; `buffer` is for the compressed one.
    fn append(&self, block: usize, words: &[u64], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload = frame::compress_into(bytemuck::cast_slice(words), LEVEL, buffer)
            .map_err(io_error(&self.folder, "compress a block of"))?;
        let place = self.segments.append(block as u64, payload)?;
        let _ = self.blocks[block].set(place);
        Ok(())
    }

    /// Returns a block of `length` words, expanded; `buffer` is for the compressed one.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] for a block that is not filled, [`FileError::Damaged`] for bytes that were not put.
    pub fn get(&self, block: usize, length: usize, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        if let Some(expanded) = &*self.held(block) {
            return Ok(Expanded::clone(expanded));
        }
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
        let mut expanded = zeros(length + PAD);
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
