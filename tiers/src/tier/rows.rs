//! Reading a tier matrix by matrix: shapes are opened as they come.

use std::ops::Range;

use super::content::Content;
use super::store::{Reader, Store};
use crate::files::FileError;
use crate::index::{Index, Matrix, OfShape};

/// The rows of a tier, as one thread reads them. Matrices may come in any order; it is quickest where those of one
/// shape follow each other.
pub(crate) struct Rows<R> {
    reader: R,
    planes: usize,
    /// The number of the open shape; `None` where the tier has no such shape.
    shape: OfShape<Option<usize>>,
    /// The numbers of the last matrix's shape and of the matrix, and the words of a row with all its planes.
    matrix: Option<(usize, usize, usize)>,
    /// Rows that are not in one piece.
    joined: Vec<u64>,
}

impl<R: Reader> Rows<R> {
    /// Begins to read a tier.
    pub fn of<'a, T: Store<Reader<'a> = R>>(index: &'a Index, tier: &'a T) -> Rows<R> {
        let planes = tier.content().planes();
        Rows { reader: tier.reader(index), planes, shape: OfShape::default(), matrix: None, joined: Vec::new() }
    }

    /// Goes to a matrix, which may be missing in the tier.
    pub fn seek(&mut self, matrix: &Matrix) {
        let Rows { reader, planes, shape, .. } = self;
        let shape = *shape.get(matrix.shape(), || {
            reader.close();
            reader.open(matrix.shape())
        });
        let number = |shape| reader.matrix(shape, matrix.spine, matrix.left_firsts);
        self.matrix = shape.and_then(|shape| Some((shape, number(shape)?, matrix.words() * *planes)));
    }

    /// Returns `rows` of the matrix, all planes of a row one after the other, and whatever follows them; no words where
    /// the tier has no such matrix.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub fn get(&mut self, rows: Range<usize>) -> Result<&[u64], FileError> {
        let Some((shape, matrix, row_words)) = self.matrix else { return Ok(&[]) };
        let Some(loaded) = self.reader.load(shape, matrix, &rows, &(0..0))? else { return Ok(&[]) };
        let rows = rows.start - loaded.first..rows.end - loaded.first;
        let lent = self.reader.rows(&loaded);
        if let Some(words) = lent.piece(&rows, row_words) {
            return Ok(words);
        }
        self.joined.clear();
        rows.for_each(|row| self.joined.extend_from_slice(&lent.row(row, row_words)[..row_words]));
        Ok(&self.joined)
    }
}
