//! What a tier can do, wherever it lives.

use std::ops::Range;

use super::content::Content;
use crate::files::FileError;
use crate::index::{Index, Located, Matrix, Shape, Spine, WingShape};
use crate::kernel::Lent;

/// The words beyond the last row that a kernel may read (and never uses): a stream is read two words at a time.
pub(super) const PAD: usize = 2;

/// One tier. Threads share it.
pub(crate) trait Store: Sync {
    /// What its planes say of an entry.
    type Content: Content;
    /// What one thread reads it through.
    type Reader<'a>: Reader + Send
    where
        Self: 'a;

    /// Returns the ply of the tier.
    fn ply(&self) -> u32;

    /// Returns what the planes say.
    fn content(&self) -> &Self::Content;

    /// Returns the number of entries.
    fn entries(&self) -> u64;

    /// Returns the number of matrices.
    fn matrices(&self) -> u64;

    /// Returns the number of entries of every shape, in order.
    fn shape_entries(&self) -> Vec<u64>;

    /// Lists the matrices from the one that holds `entry` on.
    fn located_from<'a>(&'a self, index: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a>;

    /// Begins to read.
    fn reader<'a>(&'a self, index: &'a Index) -> Self::Reader<'a>;

    /// Drops what it has in memory of shapes with a smaller left wing than `left`, which are read no more. In logs they may
    /// be lost.
    fn pass(&self, left: WingShape);

    /// Drops what it has in memory, like [`Store::pass`], of all shapes.
    fn pass_all(&self);

    /// Fills what is missing, on all threads of rayon's current pool. Each thread begins with a state of its own, and
    /// `work` fills rows (from a multiple of 64) of a matrix, every row of every matrix once. Matrices without
    /// entries are included. Returns the states of the threads, or `None` where `watch` stopped it before the end.
    ///
    /// # Errors
    /// The first error of `work`, or of a file.
    fn fill<W: Send>(
        &mut self,
        index: &Index,
        watch: &Watch,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Matrix, Range<usize>, &mut [u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Option<Vec<W>>, FileError>;

    /// Shows all rows that have words, as [`Store::fill`] fills them.
    ///
    /// # Errors
    /// The first error of `show`, or of a file.
    fn visit<V: Send>(
        &self,
        index: &Index,
        begin: impl Fn() -> V + Sync,
        show: impl Fn(&mut V, &Matrix, Range<usize>, &[u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<V>, FileError>;
}

/// Reads a tier: some shapes at a time, opened together and numbered in that order.
pub(crate) trait Reader {
    /// Closes all shapes.
    fn close(&mut self);

    /// Opens a shape and returns its number; `None` where the tier has no such shape.
    fn open(&mut self, shape: Shape) -> Option<usize>;

    /// Returns the number of a matrix of an open shape, or `None` where the balance of the pieces allows none.
    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize>;

    /// Gets rows of a matrix of an open shape; `None` where they have no columns. They remain valid
    /// until the next `load` of the same shape. Of every plane of a row it gets at least the words `words`; all where
    /// `words` is empty.
    ///
    /// # Errors
    /// Where a file cannot be read.
    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        rows: &Range<usize>,
        words: &Range<usize>,
    ) -> Result<Option<Loaded>, FileError>;

    /// Returns loaded rows, from the first of them on.
    fn rows(&self, rows: &Loaded) -> Lent<'_>;
}

/// Rows that a [`Reader`] has loaded.
pub(crate) struct Loaded {
    pub(super) shape: usize,
    pub(super) place: Place,
    /// The number of the first row that is lent. It may come before the first that is wanted.
    pub first: usize,
    /// How many words of each plane of a row are loaded.
    pub row_words: usize,
    /// The first of them.
    pub first_word: usize,
}

/// Where a [`Reader`] has them.
pub(super) enum Place {
    /// In one piece, from this word on.
    Word(usize),
    /// In blocks of as many rows.
    Blocks(usize),
    /// In a slice.
    Slice,
}

/// The last tier has no children: a missing reader has no shapes.
impl<R: Reader> Reader for Option<R> {
    fn close(&mut self) {
        self.iter_mut().for_each(R::close);
    }

    fn open(&mut self, shape: Shape) -> Option<usize> {
        self.as_mut()?.open(shape)
    }

    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        self.as_ref()?.matrix(shape, spine, left_firsts)
    }

    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        rows: &Range<usize>,
        words: &Range<usize>,
    ) -> Result<Option<Loaded>, FileError> {
        self.as_mut().map_or(Ok(None), |reader| reader.load(shape, matrix, rows, words))
    }

    fn rows(&self, rows: &Loaded) -> Lent<'_> {
        self.as_ref().map_or(Lent::Whole(&[]), |reader| reader.rows(rows))
    }
}

/// Receives progress on a tier and can stop the work. Both functions are called from any thread.
pub(crate) struct Watch<'a> {
    /// Called with the number of entries just finished.
    pub done: &'a (dyn Fn(u64) + Sync),
    /// Tells whether to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Ignores all progress and never stops.
    pub fn none() -> Watch<'static> {
        Watch { done: &|_| (), is_stopped: &|| false }
    }
}

/// Counts the entries of some rows of a matrix.
pub(super) fn entries_of(matrix: &Matrix, rows: &Range<usize>) -> u64 {
    u64::from(matrix.columns) * rows.len() as u64
}
