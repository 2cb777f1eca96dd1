//! Reads the rows of a tier. For each open shape, a reader holds a window (some consecutive blocks) or a slice (some
//! columns of one matrix).
//!
//! A band is the rows of one matrix that a kernel works on together. For each drop that connects the band with the
//! neighbouring tier, the rows there that the drop leads to or comes from are loaded first ([`RowRequest`]). Then the
//! rows of all drops are borrowed together, because loading needs exclusive access to the reader.
//!
//! If a neighbouring shape is stored as its mirror image, the rows of a band belong to columns of the neighbour's
//! matrix, so the band needs a few columns of all rows. If the matrix fits into the thread's memory, the whole matrix
//! is expanded once. Otherwise the thread loads a [`Slice`]: as many columns as fit, starting with the first column
//! that the band needs. Loading a slice expands all blocks of the matrix.

use std::ops::Range;

use fourbase::Outcome;

use super::block::{PAD, ShapeBlocks};
use super::memory::Expanded;
use super::tier::Tier;
use crate::files::FileError;
use crate::index::{Index, Matrix, OfShape, Spine, WingShape, of_shape};
use crate::kernel::{NO_ROW, RowView};

/// Reads a tier for one thread. Opens several shapes at a time, and numbers them in the order of opening.
pub(crate) struct TierReader<'a> {
    index: &'a Index,
    /// The tier to read. `None` if there is no such tier: the full board has no children.
    tier: Option<&'a Tier<'a>>,
    /// The open shapes, followed by closed ones whose memory is reused.
    shapes: Vec<OpenShape>,
    open: usize,
    /// Buffer for a compressed block.
    bytes: Vec<u8>,
}

#[derive(Default)]
struct OpenShape {
    shape: ShapeBlocks,
    window: Window,
    /// Used for matrices that are too large for a window.
    slice: Slice,
}

/// The number of an open shape, and the number of a matrix in it.
type Origin = (usize, usize);

/// Rows that a reader has loaded.
pub(crate) struct LoadedRows {
    shape: usize,
    place: Place,
    /// The number of the first row that the view has. It can be lower than the number of the first requested row.
    pub first: usize,
    /// How many words of each plane of a row are loaded.
    pub row_words: usize,
    /// The number of the first loaded word of each plane of a row.
    pub first_word: usize,
}

/// Where a reader has loaded rows.
enum Place {
    /// In one block, from this word on.
    Block(usize),
    /// In several blocks of this many rows each.
    Blocks(usize),
    /// In a slice.
    Slice,
}

impl<'a> TierReader<'a> {
    /// Makes a reader without open shapes.
    pub fn new(index: &'a Index, tier: Option<&'a Tier<'a>>) -> TierReader<'a> {
        TierReader { index, tier, shapes: Vec::new(), open: 0, bytes: Vec::new() }
    }

    /// Closes all shapes.
    pub fn close(&mut self) {
        for open in &mut self.shapes {
            open.window.blocks.clear();
            open.slice.loaded = None;
        }
        self.open = 0;
    }

    /// Opens the shape with these wings and returns its number; `None` if the tier has no such shape.
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

    /// Returns the number of a matrix of an open shape, or `None` if the balance of the pieces allows no such matrix.
    pub fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        let layout = &self.shapes[shape].shape.layout;
        layout.matrix(spine, left_firsts)
    }

    /// Loads the requested rows. Returns `None` if the request has no rows, if the tier lacks the matrix, or if the
    /// matrix has no columns. Loaded rows remain valid until the next `load` for the same shape.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn load(&mut self, request: &RowRequest) -> Result<Option<LoadedRows>, FileError> {
        let RowRequest { origin, rows, words } = request;
        let (Some(tier), Some((number, matrix)), false) = (self.tier, *origin, rows.is_empty()) else {
            return Ok(None);
        };
        let OpenShape { shape, window, slice } = &mut self.shapes[number];
        let planes = tier.coding.planes;
        let row_words = shape.layout.matrices[matrix].words();
        if row_words == 0 {
            return Ok(None);
        }
        if !words.is_empty() && !tier.fits && rows.len() * planes * row_words > tier.log.tiers.memory.slice_words {
            let RowRequest { rows, words, .. } = slice.load(tier, shape, matrix, request, &mut self.bytes)?;
            let (first, row_words, first_word) = (rows.start, words.len(), words.start);
            return Ok(Some(LoadedRows { shape: number, place: Place::Slice, first, row_words, first_word }));
        }
        let matrix_word = shape.layout.first_word(matrix, planes);
        let word = |row: usize| matrix_word + row * row_words * planes;
        let needed = word(rows.start)..word(rows.end);
        window.load(tier, shape, &needed, &mut self.bytes)?;
        let [from, to] = [shape.cuts[window.first], shape.cuts[window.first + 1]];
        // If a matrix has several blocks, all but the last have as many rows as the first.
        let (place, first) = if needed.end <= to.word {
            (Place::Block(needed.start - from.word), rows.start)
        } else {
            (Place::Blocks(to.row - from.row), from.row)
        };
        Ok(Some(LoadedRows { shape: number, place, first, row_words, first_word: 0 }))
    }

    /// Borrows loaded rows. The view begins with row `rows.first`.
    #[inline]
    fn rows(&self, rows: &LoadedRows) -> RowView<'_> {
        let OpenShape { window, slice, .. } = &self.shapes[rows.shape];
        match rows.place {
            Place::Block(word) => RowView::Whole(window.blocks.first().map_or(&[], |block| &block[word..])),
            Place::Blocks(each) => RowView::Blocks { blocks: &window.blocks, each },
            Place::Slice => RowView::Whole(&slice.words),
        }
    }

    /// Borrows loaded rows. Returns the view and the number of its first row. Subtracts this number from the row
    /// numbers in `map`, so that they count from the view's first row.
    #[inline]
    pub fn view(&self, rows: Option<&LoadedRows>, map: &mut [u32]) -> (RowView<'_>, usize) {
        // Rows without columns are never loaded, but a kernel can ask for their words. The kernel does not use the
        // words that it gets here.
        let Some(rows) = rows else { return (RowView::Whole(&[0; 2]), 0) };
        if rows.first > 0 {
            map.iter_mut().filter(|row| **row != NO_ROW).for_each(|row| *row -= rows.first as u32);
        }
        (self.rows(rows), rows.first)
    }
}

/// Consecutive blocks of one shape. Windows share blocks and never copy them.
///
/// Blocks that the next request needs too stay in the window. Rows are requested in ascending order, so reading through
/// a shape loads each of its blocks once.
#[derive(Default)]
struct Window {
    /// The number of the first block, counted from the shape's first.
    first: usize,
    blocks: Vec<Expanded>,
}

impl Window {
    /// Loads the blocks that hold the `needed` words of the shape (at least one word), and drops all others. `bytes` is
    /// a buffer for a compressed block.
    fn load(
        &mut self,
        tier: &Tier,
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
    /// The matrix; `None` if the tier does not have it.
    pub origin: Option<Origin>,
    pub rows: Range<usize>,
    /// Which words to load of each plane of each row, as a range of word numbers; an empty range means all.
    pub words: Range<usize>,
}

impl RowRequest {
    /// Returns whether this request includes all words of another.
    pub(super) fn contains(&self, other: &RowRequest) -> bool {
        let contains = |all: &Range<usize>, some: &Range<usize>| all.start <= some.start && some.end <= all.end;
        self.origin == other.origin && contains(&self.rows, &other.rows) && contains(&self.words, &other.words)
    }
}

/// Returns the range from the first to the last row that a map leads to. The rows of a map are in increasing order.
pub(crate) fn row_span(map: &[u32]) -> Range<usize> {
    let first = map.iter().find(|row| **row != NO_ROW);
    let last = map.iter().rfind(|row| **row != NO_ROW);
    first.zip(last).map_or(0..0, |(first, last)| *first as usize..*last as usize + 1)
}

/// Reads the rows of a tier matrix by matrix, for one thread. The matrices can be selected in any order; reading is
/// quickest if the matrices of one shape follow each other.
pub(crate) struct Rows<'a> {
    reader: TierReader<'a>,
    /// The number of the open shape; `None` if the tier lacks the shape.
    shape: OfShape<Option<usize>>,
    /// The current matrix, and the words of one of its rows in all planes.
    matrix: Option<(Origin, usize)>,
    /// A copy of rows that lie in several blocks.
    joined: Vec<u64>,
}

impl<'a> Rows<'a> {
    /// Makes the reader of a tier.
    pub fn of(index: &'a Index, tier: &'a Tier<'a>) -> Rows<'a> {
        let reader = TierReader::new(index, Some(tier));
        Rows { reader, shape: None, matrix: None, joined: Vec::new() }
    }

    /// Selects the matrix that [`Rows::get`] reads. The tier need not have this matrix.
    pub fn seek(&mut self, matrix: &Matrix) {
        let Rows { reader, shape, .. } = self;
        let planes = reader.tier.map_or(0, |tier| tier.coding.planes);
        let shape = *of_shape(shape, matrix.shape(), || {
            reader.close();
            reader.open(matrix.left, matrix.right)
        });
        let number = |shape| reader.matrix(shape, matrix.spine, matrix.left_firsts);
        self.matrix = shape.and_then(|shape| Some(((shape, number(shape)?), matrix.words() * planes)));
    }

    /// Returns `rows` of the matrix (all planes of a row one after the other), followed by whatever words come next.
    /// Returns no words if the tier has no such matrix.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn get(&mut self, rows: Range<usize>) -> Result<&[u64], FileError> {
        let Some((origin, row_words)) = self.matrix else { return Ok(&[]) };
        let request = RowRequest { origin: Some(origin), rows: rows.clone(), words: 0..0 };
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
    /// Returns the outcome of the only entry of the empty board's tier.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn root(&self, index: &Index) -> Result<Option<Outcome>, FileError> {
        let Some(root) = self.directory.located_from(index, 0).next() else { return Ok(None) };
        let mut rows = Rows::of(index, self);
        rows.seek(&root.matrix);
        let planes = rows.get(0..1)?.iter().take(self.coding.planes).rev();
        Ok(self.coding.decode(planes.fold(0, |code, plane| code << 1 | (plane & 1) as u8)))
    }
}

/// Some columns of a matrix, loaded into memory.
#[derive(Debug, Default)]
pub(super) struct Slice {
    loaded: Option<RowRequest>,
    words: Vec<u64>,
}

impl Slice {
    /// Loads the words of matrix number `matrix` that `wanted` requests, and as many further words of each row as the
    /// memory for slices allows. Returns the request that covers all loaded words. `bytes` is a buffer for a compressed
    /// block.
    pub fn load(
        &mut self,
        tier: &Tier,
        shape: &ShapeBlocks,
        matrix: usize,
        wanted: &RowRequest,
        bytes: &mut Vec<u8>,
    ) -> Result<RowRequest, FileError> {
        if let Some(loaded) = self.loaded.as_ref().filter(|loaded| loaded.contains(wanted)) {
            return Ok(loaded.clone());
        }
        self.loaded = None;
        let (planes, all) = (tier.coding.planes, shape.layout.matrices[matrix].words());
        let RowRequest { origin, rows, words } = wanted.clone();
        let most = tier.log.tiers.memory.slice_words / (rows.len() * planes).max(1);
        let words = words.start..all.min(words.start + most).max(words.end);
        let width = words.len();
        self.words.resize((rows.len() * planes * width + PAD).max(self.words.len()), 0);
        let start = shape.layout.first_word(matrix, planes);
        // The words are ordered row by row, and in each row plane by plane; each plane of a row has `all` words.
        let plane_rows = rows.start * planes..rows.end * planes;
        let word_of = |plane_row: usize| start + plane_row * all;
        let first = shape.block_of(word_of(plane_rows.start));
        for (number, cut) in shape.cuts.windows(2).enumerate().skip(first) {
            let [from, to] = [cut[0].word, cut[1].word];
            if from >= word_of(plane_rows.end) {
                break;
            }
            let block = tier.block(shape.first_block + number, to - from, bytes)?;
            // A block holds whole rows. Besides rows of this matrix it can hold small neighbouring matrices.
            let inside = from.saturating_sub(start) / all..(to - start).div_ceil(all);
            for plane_row in inside.start.max(plane_rows.start)..inside.end.min(plane_rows.end) {
                let row = &block[word_of(plane_row) - from..][..all];
                let place = (plane_row - plane_rows.start) * width;
                self.words[place..place + width].copy_from_slice(&row[words.clone()]);
            }
        }
        Ok(self.loaded.insert(RowRequest { origin, rows, words }).clone())
    }
}
