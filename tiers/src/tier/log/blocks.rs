//! The blocks of one tier: where each is, in memory (`stock`) or in the log (`segments`), and adding and getting one.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::cuts::cut;
use super::logs::Logs;
use super::room::{Room, expanded_bytes};
use super::segments::{Location, LogHeader, Segments};
use super::stock::{Expanded, Form, Held, Stock, made};
use super::view::ShapeView;
use crate::crew::Crew;
use crate::files::{FileError, frame, io_error};
use crate::index::{Index, Spine, TierDirectory, TierLayout, WingShape, matrices};
use crate::kernel::{Coding, Delta, DeltaBuffers, Kernel, Stretch};
use crate::tier::content::Content;
use crate::tier::store::PAD;

/// zstd's level: speed is all that counts. On the widest tiers of 6x5, in bits an entry: lz4 0.43, level -1 0.29, **1
/// 0.27**, 3 0.26, at 840, 540, 670 and 570 MB/s.
const LEVEL: i32 = 1;

/// What the payload of a block begins with that is its delta, and no zstd frame of its words. A crew puts every block into a log. On one
/// machine these are deltas: twice the bytes, which stay in the machine's memory, and a fifth of the time, also to expand. On several
/// machines all of them read from one file system, and bytes count.
const DELTA: &[u8; 4] = b"delt";

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
    /// The processes that share the tier out.
    pub crew: Option<&'s dyn Crew>,
    /// The blocks that are in memory.
    stock: Stock,
    kernel: Kernel,
}

/// What one thread works on: a block, expanded and compressed.
#[derive(Default)]
pub(super) struct Buffers {
    words: Vec<u64>,
    bytes: Vec<u8>,
    stretches: Vec<Stretch>,
    delta: DeltaBuffers,
}

/// How a block that is filled gets to the other members of a crew.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// There are none.
    Nothing,
    /// Through the log, as a zstd frame.
    Frame,
    /// Through the log, as its delta.
    Delta,
}

impl<'s, C: Content> Blocks<'s, C> {
    /// Makes the tier of `ply` pieces without any blocks. The ply of `content` is ignored.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn empty(logs: &Logs<'s>, content: C, ply: u32) -> Result<Blocks<'s, C>, FileError> {
        let Logs { storage, folder, index, room, crew } = *logs;
        let content = content.at(index.board(), ply);
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
        let all_bytes = expanded_bytes(count, words);
        let blocks: Vec<OnceLock<Location>> = (0..count).map(|_| OnceLock::new()).collect();
        let room = room.of_tier(all_bytes);
        let header = LogHeader {
            board: index.board().to_string(),
            kind: content.kind(),
            ply,
            entries: directory.entries(),
            blocks: count as u64,
            block_words: room.block_words as u64,
        };
        let segments = Segments::new(storage, folder, header, crew)?;
        let (folder, stock) = (folder.to_path_buf(), Stock::new(&room, count, all_bytes));
        let kernel = index.kernel();
        Ok(Blocks { folder, directory, content, room, firsts, blocks, segments, crew, stock, kernel })
    }

    /// Finds the blocks that earlier runs have left. Reads all of them through.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn find(&self) -> Result<(), FileError> {
        self.segments.find(|number, place| {
            let _ = self.blocks[number as usize].set(place);
        })
    }

    /// Shares out the memory for expanded blocks between this tier, which is read from now on, and `next`, which is filled
    /// from it: see [`Stock::share_room`].
    pub fn share_room(&self, next: &mut Blocks<'s, C>) {
        self.stock.share_room(&mut next.stock);
    }

    /// Takes all the memory: see [`Stock::take_room`].
    pub fn take_room(&mut self) {
        self.stock.take_room();
    }

    /// Tells whether all blocks can be in memory at a time, expanded.
    pub fn fits(&self) -> bool {
        self.stock.fits
    }

    /// Tells whether more than half of what the blocks take, expanded, is in the log and not held.
    pub fn is_mostly_in_log(&self) -> bool {
        self.stock.holds_little()
    }

    /// Leaves the room that is not taken by held blocks to those that are read, once all are filled.
    pub fn filled(&self) {
        self.stock.filled();
    }

    /// Drops the expanded blocks of all shapes with a smaller left wing than `left`, which are of no more use, and leaves
    /// their room to the tier that is filled from this one. Those that are held are lost.
    pub fn pass(&self, left: WingShape) {
        self.pass_shapes(self.directory.first_of_left(left));
    }

    /// Does [`Blocks::pass`] for all shapes.
    pub fn pass_all(&self) {
        self.pass_shapes(self.directory.shapes().len());
    }

    fn pass_shapes(&self, shapes: usize) {
        let ((first, word), (end, words)) = (self.firsts[shapes], self.firsts[self.directory.shapes().len()]);
        self.stock.pass(first, expanded_bytes(end - first, words - word));
    }

    /// Tells whether all blocks of the shapes with no smaller left wing than `left` are filled.
    pub fn has_from(&self, left: WingShape) -> bool {
        (self.firsts[self.directory.first_of_left(left)].0..self.blocks.len()).all(|block| self.has(block))
    }

    /// Tells whether all blocks are filled.
    pub fn is_complete(&self) -> bool {
        (0..self.blocks.len()).all(|block| self.has(block))
    }

    /// Tells whether there were files of the tier when it was opened, of whatever content.
    pub fn has_files(&self) -> bool {
        self.segments.has_files
    }

    /// Returns how many bytes of blocks this process has appended to the log.
    pub fn written_bytes(&self) -> u64 {
        self.segments.written_bytes()
    }

    /// Tells whether a block is filled.
    pub fn has(&self, block: usize) -> bool {
        self.blocks[block].get().is_some() || self.stock.held(block).is_some()
    }

    /// Makes all filled blocks durable. Those that are held go into the log, on all threads of rayon's current pool.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn sync(&self) -> Result<(), FileError> {
        (0..self.blocks.len()).into_par_iter().try_for_each_init(Buffers::default, |buffers, block| {
            match self.stock.held(block).filter(|_| self.blocks[block].get().is_none()) {
                Some(Held::Expanded(words)) => self.append(block, &words[..words.len() - PAD], &mut buffers.bytes),
                Some(Held::Delta(delta)) => {
                    buffers.words.resize(delta.length, 0);
                    delta.expand(self.kernel, &mut buffers.bytes, &mut buffers.words);
                    self.append(block, &buffers.words, &mut buffers.bytes)
                }
                None => Ok(()),
            }
        })?;
        self.segments.sync()
    }

    /// Makes what this process has filled readable for all members of a crew, and learns where theirs is. Returns whether any
    /// member has ended early.
    ///
    /// # Errors
    /// Where a file cannot be written or read.
    pub fn exchange(&self, crew: &dyn Crew, is_ended: bool) -> Result<bool, FileError> {
        if crew.is_on_one_machine() {
            self.segments.flush()?;
        } else {
            // Another machine may see only what is on the disk.
            self.segments.sync()?;
        }
        let mut own = vec![u8::from(is_ended)];
        self.segments.tell(&mut own);
        let all = crew.exchange(&own);
        for (member, told) in all.iter().enumerate().filter(|(member, _)| *member != crew.number() as usize) {
            let told = told.get(1..).unwrap_or_default();
            let is_told = self.segments.learn(told, |number, place| {
                if let Some(block) = self.blocks.get(number as usize) {
                    let _ = block.set(place);
                }
            })?;
            if !is_told {
                let what = "what a member of the crew tells about its blocks cannot be read";
                return Err(FileError::Damaged { file: self.folder.clone(), offset: member as u64, what });
            }
        }
        Ok(all.iter().any(|told| told.first() != Some(&0)))
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

    /// Fills a block of a shape with `fill`, and adds it: in memory where there is room, else in the log. A member of a crew adds it
    /// to the log in any case, since the others read it there.
    ///
    /// # Errors
    /// Those of `fill`; where the log cannot be written.
    pub fn add(
        &self,
        view: &ShapeView,
        block: usize,
        buffers: &mut Buffers,
        fill: impl FnOnce(&mut [u64]) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let length = view.words(block).len();
        let Buffers { words, bytes, stretches, delta: buffers } = buffers;
        let form = self.stock.reserve(length);
        if form == Some(Form::Expanded) {
            let words = made(length, fill)?;
            match self.told_as() {
                Told::Nothing => {}
                Told::Frame => self.append(block, &words[..length], bytes)?,
                Told::Delta => {
                    let (delta, differences) = self.delta(view, block, &words[..length], stretches, buffers);
                    self.append_delta(block, &delta, differences, bytes)?;
                }
            }
            self.stock.hold(block, words);
            return Ok(());
        }
        words.resize(length, 0);
        fill(words)?;
        let told_as = self.told_as();
        if form.is_some() || told_as == Told::Delta {
            let (delta, differences) = self.delta(view, block, words, stretches, buffers);
            if told_as == Told::Delta {
                self.append_delta(block, &delta, differences, bytes)?;
            }
            let is_held = form.is_some() && self.stock.hold_delta(block, length, delta, differences);
            if told_as == Told::Delta || is_held && told_as == Told::Nothing {
                return Ok(());
            }
        }
        self.append(block, words, bytes)
    }

    /// Tells how the other members of a crew get a block.
    fn told_as(&self) -> Told {
        self.crew.map_or(Told::Nothing, |crew| if crew.is_on_one_machine() { Told::Delta } else { Told::Frame })
    }

    /// Returns the delta of a block.
    fn delta<'b>(
        &self,
        view: &ShapeView,
        block: usize,
        words: &'b [u64],
        stretches: &'b mut Vec<Stretch>,
        buffers: &'b mut DeltaBuffers,
    ) -> (Delta, &'b [u8]) {
        let planes = self.content.planes();
        stretches.clear();
        for (matrix, rows) in view.rows(block) {
            let (row_words, words) = (matrix.words() as u32, (rows.len() * matrix.words() * planes) as u32);
            match stretches.last_mut() {
                Some(last) if last.row_words == row_words => last.words += words,
                _ if words > 0 => stretches.push(Stretch { row_words, words }),
                _ => {}
            }
        }
        self.kernel.delta(words, planes, stretches, buffers)
    }

    /// Appends a block to the log; `buffer` is for the compressed one.
    fn append(&self, block: usize, words: &[u64], buffer: &mut Vec<u8>) -> Result<(), FileError> {
        let payload = frame::compress_into(bytemuck::cast_slice(words), LEVEL, buffer)
            .map_err(io_error(&self.folder, "compress a block of"))?;
        self.append_payload(block, payload)
    }

    /// Appends a block to the log as its delta; `buffer` is for the record.
    fn append_delta(
        &self,
        block: usize,
        delta: &Delta,
        differences: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<(), FileError> {
        buffer.clear();
        buffer.extend_from_slice(DELTA);
        delta.put(differences, buffer);
        self.append_payload(block, buffer)
    }

    fn append_payload(&self, block: usize, payload: &[u8]) -> Result<(), FileError> {
        let place = self.segments.append(block as u64, payload)?;
        let _ = self.blocks[block].set(place);
        Ok(())
    }

    /// Returns a block of `length` words, expanded; `buffer` is for the compressed one.
    ///
    /// # Errors
    /// [`FileError::NoBlock`] for a block that is not filled, [`FileError::Damaged`] for bytes that were not put.
    pub fn get(&self, block: usize, length: usize, buffer: &mut Vec<u8>) -> Result<Expanded, FileError> {
        let held = self.stock.held(block);
        if let Some(Held::Expanded(expanded)) = held {
            return Ok(expanded);
        }
        self.stock.remembered(block, || {
            if let Some(Held::Delta(delta)) = held {
                return made(length, |words| {
                    delta.expand(self.kernel, buffer, words);
                    Ok(())
                });
            }
            let Some(place) = self.blocks[block].get() else {
                return Err(FileError::NoBlock {
                    folder: self.folder.clone(),
                    ply: self.directory.ply(),
                    block: block as u64,
                });
            };
            let payload = self.segments.read(block as u64, *place, buffer)?;
            made(length, |words| {
                let is_whole = self.expand(payload, words);
                let damaged = || self.segments.damaged(*place, "a block does not expand to its rows");
                is_whole.then_some(()).ok_or_else(damaged)
            })
        })
    }

    /// Writes the words of a block, of which the log has this payload. Returns `false` where it is that of another.
    fn expand(&self, payload: &[u8], words: &mut [u64]) -> bool {
        let Some(record) = payload.strip_prefix(DELTA) else {
            return frame::expand_into(payload, bytemuck::cast_slice_mut(words));
        };
        let delta = Delta::get(record, self.content.planes(), words.len());
        delta.map(|(delta, bytes)| self.kernel.undo_delta(&delta, bytes, words)).is_some()
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
            if place.as_mut().is_some_and(|words| self.expand(payload, words)) {
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
