//! Reading the rows of a tier: through a window, or a slice, on each open shape.
//!
//! A band first requests what it needs, drop by drop ([`RowRequest`]), and then borrows it all: words can be borrowed only
//! between two loads.
//!
//! A shape that is stored as its mirror image is read across: a band of rows needs the same number of columns of all
//! rows, a [`Slice`]. A matrix that fits into the thread's memory is expanded whole, once. Of a larger one as many columns are
//! expanded as fit, from the first that is needed on. Every slice costs the expansion of all blocks of the matrix.

use std::ops::Range;

use fourbase::Outcome;

use super::block::{Expanded, PAD, ShapeBlocks};
use super::content::Content;
use super::tier::Tier;
use crate::files::FileError;
use crate::index::{Index, Matrix, OfShape, Spine, WingShape, of_shape};
use crate::kernel::matrix::NO_ROW;
use crate::kernel::{Coding, RowView};

/// What one thread reads a tier through: some shapes at a time, opened together and numbered in that order.
pub(crate) struct TierReader<'a, C = Coding> {
    index: &'a Index,
    /// The last tier has no children: without a tier there are no shapes.
    tier: Option<&'a Tier<'a, C>>,
    /// The open shapes, and others whose memory is reused.
    shapes: Vec<OpenShape>,
    open: usize,
    /// For a compressed block.
    bytes: Vec<u8>,
}

/// A shape that is read.
#[derive(Default)]
struct OpenShape {
    shape: ShapeBlocks,
    window: Window,
    /// For matrices that are too large for a window.
    slice: Slice,
}

/// The number of an open shape, and of a matrix of it.
pub(crate) type Origin = (usize, usize);

/// Rows that a reader has loaded.
pub(crate) struct LoadedRows {
    shape: usize,
    place: Place,
    /// The number of the first row that is borrowed. It may come before the first that was requested.
    pub first: usize,
    /// How many words of each plane of a row are loaded.
    pub row_words: usize,
    /// The first of them.
    pub first_word: usize,
}

/// Where a reader has loaded rows.
enum Place {
    /// In one block, from this word on.
    Block(usize),
    /// In blocks of as many rows.
    Blocks(usize),
    /// In a slice.
    Slice,
}

impl<'a, C: Content> TierReader<'a, C> {
    /// Begins to read without an open shape.
    pub fn new(index: &'a Index, tier: Option<&'a Tier<'a, C>>) -> TierReader<'a, C> {
        TierReader { index, tier, shapes: Vec::new(), open: 0, bytes: Vec::new() }
    }

    /// Closes all shapes.
    pub fn close(&mut self) {
        for open in &mut self.shapes {
            open.window.blocks.clear();
            open.slice.clear();
        }
        self.open = 0;
    }

    /// Opens the shape with these wings and returns its number; `None` where the tier has none.
    pub fn open(&mut self, left: WingShape, right: WingShape) -> Option<usize> {
        let tier = self.tier?;
        let number = tier.directory.shape(left, right)?;
        if self.open == self.shapes.len() {
            self.shapes.push(OpenShape::default());
        }
        tier.lay_out(self.index, number, &mut self.shapes[self.open].shape);
        self.open += 1;
        Some(self.open - 1)
    }

    /// Returns the number of a matrix of an open shape, or `None` where the balance of the pieces allows none.
    pub fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        let layout = &self.shapes[shape].shape.layout;
        layout.matrix(spine, left_firsts)
    }

    /// Loads rows of a matrix of an open shape; `None` where there are none, or where they have no columns. They remain valid
    /// until the next `load` of the same shape.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn load(&mut self, request: &RowRequest) -> Result<Option<LoadedRows>, FileError> {
        let RowRequest { origin, rows, words } = request;
        let (Some(tier), Some((number, matrix)), false) = (self.tier, *origin, rows.is_empty()) else {
            return Ok(None);
        };
        let OpenShape { shape, window, slice } = &mut self.shapes[number];
        let planes = tier.planes;
        let row_words = shape.layout.matrices[matrix].words();
        if row_words == 0 {
            return Ok(None);
        }
        if !words.is_empty() && !tier.cache.fits && rows.len() * planes * row_words > tier.cache.budget.slice_words {
            let loaded = slice.load(tier, shape, matrix, request, &mut self.bytes)?;
            let (row_words, first_word) = (loaded.len(), loaded.start);
            let first = rows.start;
            return Ok(Some(LoadedRows { shape: number, place: Place::Slice, first, row_words, first_word }));
        }
        let matrix_word = shape.layout.first_word(matrix, planes);
        let word = |row: usize| matrix_word + row * row_words * planes;
        let needed = word(rows.start)..word(rows.end);
        window.load(tier, shape, &needed, &mut self.bytes)?;
        let [from, to] = [shape.cuts[window.first], shape.cuts[window.first + 1]];
        // Blocks that follow each other in one matrix have as many rows as the first.
        let (place, first) = if needed.end <= to.word {
            (Place::Block(needed.start - from.word), rows.start)
        } else {
            (Place::Blocks(to.row - from.row), from.row)
        };
        Ok(Some(LoadedRows { shape: number, place, first, row_words, first_word: 0 }))
    }

    /// Borrows loaded rows, from the first of them on.
    #[inline]
    fn rows(&self, rows: &LoadedRows) -> RowView<'_> {
        let OpenShape { window, slice, .. } = &self.shapes[rows.shape];
        match rows.place {
            Place::Block(word) => RowView::Whole(window.blocks.first().map_or(&[], |block| &block[word..])),
            Place::Blocks(each) => RowView::Blocks { blocks: &window.blocks, each },
            Place::Slice => RowView::Whole(slice.words(rows.first, self.tier.map_or(0, |tier| tier.planes))),
        }
    }

    /// Borrows loaded rows. Returns them and the number of the first, and lets a map count from that.
    #[inline]
    pub fn view(&self, rows: Option<&LoadedRows>, map: &mut [u32]) -> (RowView<'_>, usize) {
        // A matrix without columns is read, but nothing of what is read is used.
        let Some(rows) = rows else { return (RowView::Whole(&[0; 2]), 0) };
        if rows.first > 0 {
            map.iter_mut().filter(|row| **row != NO_ROW).for_each(|row| *row -= rows.first as u32);
        }
        (self.rows(rows), rows.first)
    }
}

/// Consecutive blocks of one shape, shared and never copied.
///
/// Blocks that were needed last stay: rows are requested in ascending order, so a walk through a shape gets each of its blocks
/// once.
#[derive(Default)]
struct Window {
    /// The number of the first block, counted from the shape's first.
    first: usize,
    blocks: Vec<Expanded>,
}

impl Window {
    /// Loads the blocks with `needed` words of the shape, at least one, and drops all others; `bytes` is for a compressed block.
    fn load<C: Content>(
        &mut self,
        tier: &Tier<C>,
        shape: &ShapeBlocks,
        needed: &Range<usize>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), FileError> {
        let holds = |block: usize| shape.cuts[block].word <= needed.start && needed.end <= shape.cuts[block + 1].word;
        if self.blocks.len() == 1 && holds(self.first) {
            return Ok(());
        }
        let first = shape.block_of(needed.start);
        let end = if holds(first) { first + 1 } else { shape.block_of(needed.end - 1) + 1 };
        let old = self.first..self.first + self.blocks.len();
        let passed = if old.contains(&first) { first - old.start } else { old.len() };
        self.blocks.drain(..passed);
        self.blocks.truncate(end - first);
        self.first = first;
        for number in first + self.blocks.len()..end {
            let length = shape.cuts[number + 1].word - shape.cuts[number].word;
            self.blocks.push(tier.block(shape.first_block + number, length, bytes)?);
        }
        Ok(())
    }
}

/// A request for rows of one matrix.
#[derive(Clone, Debug)]
pub(crate) struct RowRequest {
    /// `None` where nothing leads there.
    pub origin: Option<Origin>,
    pub rows: Range<usize>,
    /// Words of each plane of a row that are loaded at least: none for all.
    pub words: Range<usize>,
}

impl RowRequest {
    /// Requests whole rows.
    pub fn rows(origin: Option<Origin>, rows: Range<usize>) -> RowRequest {
        RowRequest { origin, rows, words: 0..0 }
    }

    /// Tells whether this has all words of another one.
    pub(super) fn contains(&self, other: &RowRequest) -> bool {
        let contains = |all: &Range<usize>, some: &Range<usize>| all.start <= some.start && some.end <= all.end;
        self.origin == other.origin && contains(&self.rows, &other.rows) && contains(&self.words, &other.words)
    }
}

/// Returns the range of the rows that a map leads to.
pub(crate) fn row_span(map: &[u32]) -> Range<usize> {
    let first = map.iter().find(|row| **row != NO_ROW);
    let last = map.iter().rfind(|row| **row != NO_ROW);
    first.zip(last).map_or(0..0, |(first, last)| *first as usize..*last as usize + 1)
}

/// The rows of a tier, as one thread reads them matrix by matrix. Matrices may come in any order; it is quickest where those
/// of one shape follow each other.
pub(crate) struct Rows<'a, C = Coding> {
    reader: TierReader<'a, C>,
    /// The number of the open shape; `None` where the tier has no such shape.
    shape: OfShape<Option<usize>>,
    /// The last matrix, and the words of a row with all its planes.
    matrix: Option<(Origin, usize)>,
    /// Rows that are not in one piece.
    joined: Vec<u64>,
}

impl<'a, C: Content> Rows<'a, C> {
    /// Begins to read a tier.
    pub fn of(index: &'a Index, tier: &'a Tier<'a, C>) -> Rows<'a, C> {
        let reader = TierReader::new(index, Some(tier));
        Rows { reader, shape: None, matrix: None, joined: Vec::new() }
    }

    /// Goes to a matrix, which may be missing in the tier.
    pub fn seek(&mut self, matrix: &Matrix) {
        let Rows { reader, shape, .. } = self;
        let planes = reader.tier.map_or(0, |tier| tier.planes);
        let shape = *of_shape(shape, matrix.shape(), || {
            reader.close();
            reader.open(matrix.left, matrix.right)
        });
        let number = |shape| reader.matrix(shape, matrix.spine, matrix.left_firsts);
        self.matrix = shape.and_then(|shape| Some(((shape, number(shape)?), matrix.words() * planes)));
    }

    /// Returns `rows` of the matrix, all planes of a row one after the other, and whatever follows them; no words where
    /// the tier has no such matrix.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn get(&mut self, rows: Range<usize>) -> Result<&[u64], FileError> {
        let Some((origin, row_words)) = self.matrix else { return Ok(&[]) };
        let request = RowRequest::rows(Some(origin), rows.clone());
        let Some(loaded) = self.reader.load(&request)? else { return Ok(&[]) };
        let rows = rows.start - loaded.first..rows.end - loaded.first;
        let view = self.reader.rows(&loaded);
        if let Some(words) = view.piece(&rows, row_words) {
            return Ok(words);
        }
        self.joined.clear();
        rows.for_each(|row| self.joined.extend_from_slice(&view.row(row, row_words)[..row_words]));
        Ok(&self.joined)
    }
}

impl Tier<'_> {
    /// Returns the outcome of the only entry of the tier of the empty board.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn root(&self, index: &Index) -> Result<Option<Outcome>, FileError> {
        let Some(root) = self.directory.located_from(index, 0).next() else { return Ok(None) };
        let mut rows = Rows::of(index, self);
        rows.seek(&root.matrix);
        let planes = rows.get(0..1)?.iter().take(self.planes).rev();
        Ok(self.content.decode(planes.fold(0, |code, plane| code << 1 | (plane & 1) as u8)))
    }
}

/// The part of a matrix that is in memory.
#[derive(Debug, Default)]
pub(super) struct Slice {
    loaded: Option<RowRequest>,
    words: Vec<u64>,
}

impl Slice {
    /// Drops the part; keeps the buffer.
    pub fn clear(&mut self) {
        self.loaded = None;
    }

    /// Loads `wanted`, some words of rows of the matrix number `matrix`, and with it as many further words of each row as
    /// the tier's budget for slices allows. Returns the words of each plane of a row that are loaded; `bytes` is for a
    /// compressed block.
    pub fn load<C: Content>(
        &mut self,
        tier: &Tier<C>,
        shape: &ShapeBlocks,
        matrix: usize,
        wanted: &RowRequest,
        bytes: &mut Vec<u8>,
    ) -> Result<Range<usize>, FileError> {
        if let Some(loaded) = self.loaded.as_ref().filter(|loaded| loaded.contains(wanted)) {
            return Ok(loaded.words.clone());
        }
        self.loaded = None;
        let (planes, all) = (tier.planes, shape.layout.matrices[matrix].words());
        let RowRequest { origin, rows, words } = wanted.clone();
        let most = tier.cache.budget.slice_words / (rows.len() * planes).max(1);
        let words = words.start..all.min(words.start + most).max(words.end);
        let width = words.len();
        self.words.resize((rows.len() * planes * width + PAD).max(self.words.len()), 0);
        let start = shape.layout.first_word(matrix, planes);
        // A row after the other, a plane after the other: each of `all` words.
        let plane_rows = rows.start * planes..rows.end * planes;
        let word_of = |plane_row: usize| start + plane_row * all;
        let first = shape.block_of(word_of(plane_rows.start));
        for (number, cut) in shape.cuts.windows(2).enumerate().skip(first) {
            let [from, to] = [cut[0].word, cut[1].word];
            if from >= word_of(plane_rows.end) {
                break;
            }
            let block = tier.block(shape.first_block + number, to - from, bytes)?;
            // Blocks hold whole rows, of this matrix or of small ones beside it.
            let inside = from.saturating_sub(start) / all..(to - start).div_ceil(all);
            for plane_row in inside.start.max(plane_rows.start)..inside.end.min(plane_rows.end) {
                let row = &block[word_of(plane_row) - from..][..all];
                let place = (plane_row - plane_rows.start) * width;
                self.words[place..place + width].copy_from_slice(&row[words.clone()]);
            }
        }
        self.loaded = Some(RowRequest { origin, rows, words: words.clone() });
        Ok(words)
    }

    /// Returns the words from row `row` on, of this many planes; the row must be loaded.
    pub fn words(&self, row: usize, planes: usize) -> &[u64] {
        let Some(loaded) = &self.loaded else { return &[] };
        &self.words[(row - loaded.rows.start) * planes * loaded.words.len()..]
    }
}
