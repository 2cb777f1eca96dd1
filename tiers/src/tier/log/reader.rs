//! Reading a log: a window, or a slice, on each open shape.

use std::ops::Range;

use super::blocks::Blocks;
use super::slice::{Across, Slice};
use super::view::ShapeView;
use super::window::Window;
use crate::files::FileError;
use crate::index::{Index, Shape, Spine};
use crate::kernel::Lent;
use crate::tier::content::Content;
use crate::tier::store::{Loaded, Place, Reader};

/// What one thread reads a tier in a log through.
pub(crate) struct LogReader<'a, C> {
    index: &'a Index,
    blocks: &'a Blocks<'a, C>,
    shapes: Vec<ShapeView>,
    windows: Vec<Window>,
    /// For matrices that are too large for a window.
    slices: Vec<Slice>,
}

impl<'a, C> LogReader<'a, C> {
    /// Begins without an open shape.
    pub(super) fn new(index: &'a Index, blocks: &'a Blocks<'a, C>) -> LogReader<'a, C> {
        LogReader { index, blocks, shapes: Vec::new(), windows: Vec::new(), slices: Vec::new() }
    }
}

impl<C: Content> Reader for LogReader<'_, C> {
    fn close(&mut self) {
        self.shapes.clear();
        self.windows.iter_mut().for_each(Window::clear);
        self.slices.iter_mut().for_each(Slice::clear);
    }

    fn open(&mut self, shape: Shape) -> Option<usize> {
        let number = self.blocks.directory.shape(shape.left, shape.right)?;
        self.shapes.push(self.blocks.view(self.index, number));
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
    ) -> Result<Option<Loaded>, FileError> {
        let (blocks, view) = (self.blocks, &self.shapes[shape]);
        let planes = blocks.content.planes();
        let row_words = view.layout.matrices()[matrix].words();
        if row_words == 0 {
            return Ok(None);
        }
        if !words.is_empty() && !blocks.fits() && rows.len() * planes * row_words > blocks.room.slice_words {
            let wanted = Across { matrix, rows: rows.clone(), words: words.clone() };
            let held = self.slices[shape].load(blocks, view, &wanted)?;
            let (row_words, first_word) = (held.len(), held.start);
            return Ok(Some(Loaded { shape, place: Place::Slice, first: rows.start, row_words, first_word }));
        }
        let matrix_word = view.layout.first_word(matrix, planes);
        let word = |row: usize| matrix_word + row * row_words * planes;
        let block = self.windows[shape].load(blocks, view, &(word(rows.start)..word(rows.end)))?;
        let [from, to] = [view.cuts[block], view.cuts[block + 1]];
        // Blocks that follow each other in one matrix have as many rows as the first.
        let (place, first) = if word(rows.end) <= to.word {
            (Place::Word(word(rows.start) - from.word), rows.start)
        } else {
            (Place::Blocks(to.row - from.row), from.row)
        };
        Ok(Some(Loaded { shape, place, first, row_words, first_word: 0 }))
    }

    fn rows(&self, rows: &Loaded) -> Lent<'_> {
        match rows.place {
            Place::Word(word) => self.windows[rows.shape].rows(word, 0),
            Place::Blocks(each) => self.windows[rows.shape].rows(0, each),
            Place::Slice => Lent::Whole(self.slices[rows.shape].words(rows.first, self.blocks.content.planes())),
        }
    }
}
