//! Where a tier finds the rows of the tier beside it: the kernels do not know.
//!
//! The solver finds the values of children here, the forward sweep of [`counts`](crate::counts) the bits of parents.

use std::convert::Infallible;
use std::ops::Range;

use crate::database::DatabaseError;
use crate::frontier::{Across, Codec, Content, Frontier, ShapeView, Slice, Window};
use crate::index::{Index, ShapeLayout, Spine, TierLayout, WingShape};
use crate::kernel::Coding;
use crate::kernel::matrix::NO_ROW;

/// The shapes that one shape's drops lead to, or come from. They are opened together, and numbered in that order.
pub(crate) trait Children {
    /// What can go wrong when rows are got.
    type Error;

    /// Closes all shapes.
    fn close(&mut self);

    /// Opens the shape of two wings (left at least right) and returns its number; `None` where there is no such shape.
    fn open(&mut self, left: WingShape, right: WingShape) -> Option<usize>;

    /// Returns the number of a matrix of an open shape, or `None` where the balance of the pieces allows none.
    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize>;

    /// Gets rows of a matrix of an open shape; `None` where they have no columns. They stay until rows of the same
    /// shape are got again. Of every plane of a row the words `words` are there at least, and all where that is empty.
    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        rows: &Range<usize>,
        words: &Range<usize>,
    ) -> Result<Option<Rows>, Self::Error>;

    /// Returns the words of rows that were got, from the first of them on.
    fn words(&self, rows: &Rows) -> &[u64];
}

/// Rows that were got.
pub(crate) struct Rows {
    shape: usize,
    /// The first word, in a tier or a shape; none in a slice.
    word: Option<usize>,
    /// The number of the first row.
    pub first: usize,
    /// The words of a plane of a row that are there: how many, and the first.
    pub row_words: usize,
    pub first_word: usize,
}

/// A tier in memory: its layout, the number of its planes, and its words.
pub(crate) type Words<'a> = (&'a TierLayout, usize, &'a [u64]);

/// A whole tier in memory; none after the last.
pub(crate) struct Whole<'a> {
    tier: Option<Words<'a>>,
    shapes: Vec<&'a ShapeLayout>,
}

impl<'a> Whole<'a> {
    pub fn new(tier: Option<Words<'a>>) -> Whole<'a> {
        Whole { tier, shapes: Vec::new() }
    }
}

impl Children for Whole<'_> {
    type Error = Infallible;

    fn close(&mut self) {
        self.shapes.clear();
    }

    fn open(&mut self, left: WingShape, right: WingShape) -> Option<usize> {
        self.shapes.push(self.tier?.0.shape(left, right)?);
        Some(self.shapes.len() - 1)
    }

    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        self.tier?.0.matrix(self.shapes[shape], spine, left_firsts)
    }

    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        _: &Range<usize>,
        _: &Range<usize>,
    ) -> Result<Option<Rows>, Infallible> {
        let rows = |(layout, planes, _): Words| Rows {
            shape,
            word: Some(layout.first_word(matrix, planes)),
            first: 0,
            row_words: layout.matrices()[matrix].words(),
            first_word: 0,
        };
        Ok(self.tier.map(rows))
    }

    fn words(&self, rows: &Rows) -> &[u64] {
        self.tier.map_or(&[], |(_, _, words)| &words[rows.word.unwrap_or(0)..])
    }
}

/// Windows on a tier of the frontier, one for each open shape; none after the last tier.
pub(crate) struct Windows<'a, C = Coding> {
    index: &'a Index,
    frontier: Option<&'a Frontier<'a, C>>,
    codec: Codec,
    shapes: Vec<ShapeView>,
    windows: Vec<Window>,
    /// For the shapes whose matrices are too large for a window.
    slices: Vec<Slice>,
    slice_words: usize,
}

impl<'a, C: Content> Windows<'a, C> {
    /// Opens windows on a tier, of which a matrix that is read across takes at most `slice_words` words in each.
    pub fn new(
        index: &'a Index,
        frontier: Option<&'a Frontier<'a, C>>,
        codec: Codec,
        slice_words: usize,
    ) -> Windows<'a, C> {
        let (shapes, windows, slices) = (Vec::new(), Vec::new(), Vec::new());
        Windows { index, frontier, codec, shapes, windows, slices, slice_words }
    }

    /// Returns what compresses and expands blocks, for the caller's own.
    pub fn codec(&mut self) -> &mut Codec {
        &mut self.codec
    }
}

impl<C: Content> Children for Windows<'_, C> {
    type Error = DatabaseError;

    fn close(&mut self) {
        self.shapes.clear();
        self.windows.iter_mut().for_each(Window::clear);
        self.slices.iter_mut().for_each(Slice::clear);
    }

    fn open(&mut self, left: WingShape, right: WingShape) -> Option<usize> {
        let frontier = self.frontier?;
        let number = frontier.directory().shape(left, right)?;
        self.shapes.push(frontier.view(self.index, number));
        if self.windows.len() < self.shapes.len() {
            self.windows.push(Window::default());
            self.slices.push(Slice::default());
        }
        Some(self.shapes.len() - 1)
    }

    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        let layout = &self.shapes[shape].layout;
        layout.matrix(layout.shapes().first()?, spine, left_firsts)
    }

    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        rows: &Range<usize>,
        words: &Range<usize>,
    ) -> Result<Option<Rows>, DatabaseError> {
        let Some(frontier) = self.frontier else { return Ok(None) };
        let view = &self.shapes[shape];
        let planes = frontier.planes();
        let row_words = view.layout.matrices()[matrix].words();
        if row_words == 0 {
            return Ok(None);
        }
        let first = rows.start;
        if !words.is_empty() && rows.len() * planes * row_words > self.slice_words {
            let wanted = Across { matrix, rows: rows.clone(), words: words.clone() };
            let held = self.slices[shape].load(frontier, view, &wanted, self.slice_words, &mut self.codec)?;
            return Ok(Some(Rows { shape, word: None, first, row_words: held.len(), first_word: held.start }));
        }
        let matrix_word = view.layout.first_word(matrix, planes);
        let word = |row: usize| matrix_word + row * row_words * planes;
        self.windows[shape].load(frontier, view, word(rows.start)..word(rows.end), &mut self.codec)?;
        Ok(Some(Rows { shape, word: Some(word(rows.start)), first, row_words, first_word: 0 }))
    }

    fn words(&self, rows: &Rows) -> &[u64] {
        match rows.word {
            Some(word) => self.windows[rows.shape].words(word),
            None => self.slices[rows.shape].words(rows.first, self.frontier.map_or(0, |frontier| frontier.planes())),
        }
    }
}

/// Returns the range of the rows that a map leads to.
pub(crate) fn used(rows: &[u32]) -> Range<usize> {
    let first = rows.iter().find(|row| **row != NO_ROW);
    let last = rows.iter().rfind(|row| **row != NO_ROW);
    first.zip(last).map_or(0..0, |(first, last)| *first as usize..*last as usize + 1)
}

/// Returns the words of rows that were got and the number of the first, and lets a map count from that.
pub(crate) fn placed<'b>(children: &'b impl Children, rows: Option<Rows>, map: &mut [u32]) -> (&'b [u64], usize) {
    // A child without columns is read, but nothing of what is read is used.
    let Some(rows) = rows else { return (&[0; 2], 0) };
    if rows.first > 0 {
        map.iter_mut().filter(|row| **row != NO_ROW).for_each(|row| *row -= rows.first as u32);
    }
    (children.words(&rows), rows.first)
}
