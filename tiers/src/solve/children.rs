//! Where a tier finds the rows of the tier beside it: the kernels do not know.
//!
//! The solver finds the values of children here, the forward sweep of [`counts`](crate::counts) the bits of parents.

use std::convert::Infallible;
use std::ops::Range;

use crate::database::DatabaseError;
use crate::frontier::{Codec, Content, Frontier, ShapeView, Window};
use crate::index::{Index, ShapeLayout, Spine, TierLayout, WingShape};
use crate::kernel::Coding;

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
    /// shape are got again.
    fn load(&mut self, shape: usize, matrix: usize, rows: &Range<usize>) -> Result<Option<Rows>, Self::Error>;

    /// Returns the words of rows that were got, from the first of them on.
    fn words(&self, rows: &Rows) -> &[u64];
}

/// Rows that were got.
pub(crate) struct Rows {
    shape: usize,
    /// The first word.
    word: usize,
    /// The number of the first row.
    pub first: usize,
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

    fn load(&mut self, shape: usize, matrix: usize, _: &Range<usize>) -> Result<Option<Rows>, Infallible> {
        let word = self.tier.map_or(0, |(layout, planes, _)| layout.first_word(matrix, planes));
        Ok(Some(Rows { shape, word, first: 0 }))
    }

    fn words(&self, rows: &Rows) -> &[u64] {
        self.tier.map_or(&[], |(_, _, words)| &words[rows.word..])
    }
}

/// Windows on a tier of the frontier, one for each open shape; none after the last tier.
pub(crate) struct Windows<'a, C = Coding> {
    index: &'a Index,
    frontier: Option<&'a Frontier<'a, C>>,
    codec: Codec,
    shapes: Vec<ShapeView>,
    windows: Vec<Window>,
}

impl<'a, C: Content> Windows<'a, C> {
    pub fn new(index: &'a Index, frontier: Option<&'a Frontier<'a, C>>, codec: Codec) -> Windows<'a, C> {
        Windows { index, frontier, codec, shapes: Vec::new(), windows: Vec::new() }
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
    }

    fn open(&mut self, left: WingShape, right: WingShape) -> Option<usize> {
        let frontier = self.frontier?;
        let number = frontier.directory().shape(left, right)?;
        self.shapes.push(frontier.view(self.index, number));
        if self.windows.len() < self.shapes.len() {
            self.windows.push(Window::default());
        }
        Some(self.shapes.len() - 1)
    }

    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        let layout = &self.shapes[shape].layout;
        layout.matrix(layout.shapes().first()?, spine, left_firsts)
    }

    fn load(&mut self, shape: usize, matrix: usize, rows: &Range<usize>) -> Result<Option<Rows>, DatabaseError> {
        let Some(frontier) = self.frontier else { return Ok(None) };
        let view = &self.shapes[shape];
        let planes = frontier.planes();
        let row_words = view.layout.matrices()[matrix].words() * planes;
        if row_words == 0 {
            return Ok(None);
        }
        let matrix_word = view.layout.first_word(matrix, planes);
        let word = |row: usize| matrix_word + row * row_words;
        self.windows[shape].load(frontier, view, word(rows.start)..word(rows.end), &mut self.codec)?;
        Ok(Some(Rows { shape, word: word(rows.start), first: rows.start }))
    }

    fn words(&self, rows: &Rows) -> &[u64] {
        self.windows[rows.shape].words(rows.word)
    }
}
