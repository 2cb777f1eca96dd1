//! A tier of the frontier as the database's writer reads it.

use super::{Codec, Frontier, ShapeView, Window};
use crate::database::{Chunks, DatabaseError, Rows, TierValues, io_error};
use crate::index::{Index, Located, Matrix};
use crate::kernel::Coding;

/// Rows of a frontier: a window on one shape at a time.
pub(crate) struct FrontierRows<'a> {
    index: &'a Index,
    frontier: &'a Frontier<'a>,
    codec: Codec,
    /// The shape that is open, and its number.
    shape: Option<(usize, ShapeView)>,
    /// The matrix that was read last, and its first word in its shape.
    matrix: Option<(Matrix, usize)>,
    window: Window,
}

impl FrontierRows<'_> {
    /// Opens the shape of a matrix, and returns the matrix' first word in it.
    fn open(&mut self, matrix: &Matrix) -> Option<usize> {
        let number = self.frontier.directory().shape(matrix.left, matrix.right)?;
        if self.shape.as_ref().is_none_or(|(open, _)| *open != number) {
            self.window.clear();
            self.shape = Some((number, self.frontier.view(self.index, number)));
        }
        let layout = &self.shape.as_ref()?.1.layout;
        let place = layout.matrix(layout.shapes().first()?, matrix.spine, matrix.left_firsts)?;
        Some(layout.first_word(place, self.frontier.code().planes()))
    }
}

impl TierValues for Frontier<'_> {
    type Rows<'a>
        = FrontierRows<'a>
    where
        Self: 'a;

    fn ply(&self) -> u32 {
        self.directory().ply()
    }

    fn coding(&self) -> &Coding {
        self.code()
    }

    fn chunks(&self) -> Chunks {
        Chunks::of_tier(self.directory().entries(), self.directory().matrices())
    }

    fn shape_entries(&self) -> Vec<u64> {
        self.directory().shape_entries()
    }

    fn located_from<'a>(&'a self, index: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a> {
        Box::new(self.directory().located_from(index, entry))
    }

    fn rows<'a>(&'a self, index: &'a Index) -> Result<FrontierRows<'a>, DatabaseError> {
        let codec = Codec::new().map_err(io_error("the frontier".as_ref(), "expand"))?;
        Ok(FrontierRows { index, frontier: self, codec, shape: None, matrix: None, window: Window::default() })
    }
}

impl Rows for FrontierRows<'_> {
    fn row(&mut self, located: &Located, row: usize) -> Result<&[u64], DatabaseError> {
        let missing = || DatabaseError::Damaged { file: "the frontier".into(), offset: 0, what: "a shape is missing" };
        let matrix = &located.matrix;
        let start = match &self.matrix {
            Some((last, start)) if last == matrix => *start,
            _ => {
                let start = self.open(matrix).ok_or_else(missing)?;
                self.matrix = Some((*matrix, start));
                start
            }
        };
        let words = matrix.words() * self.frontier.code().planes();
        let first = start + row * words;
        let FrontierRows { frontier, codec, shape, window, .. } = self;
        let (_, view) = shape.as_ref().ok_or_else(missing)?;
        window.load(frontier, view, first..first + words, codec)?;
        Ok(window.words(first))
    }
}
