//! A tier in one piece of memory.
//!
//! Shapes of one tier never depend on each other, so any thread can fill any **piece** of about half a million entries:
//! whole matrices, or runs of rows of a large matrix. Pieces follow each other in memory, and each is filled in place.

use std::ops::Range;

use bitvec::prelude::*;

use super::content::Content;
use super::log::LogTier;
use super::queue::Queue;
use super::store::{Loaded, PAD, Place, Reader, Store, Watch, entries_of};
use crate::files::FileError;
use crate::index::{Index, Located, Matrix, Shape, ShapeLayout, Spine, TierLayout, WingShape};
use crate::kernel::matrix::BAND_ROWS;
use crate::kernel::{Coding, Lent};

/// Entries of a piece: enough to hide the cost of handing it to a thread, few enough to share out a tier.
const PIECE_ENTRIES: u64 = 1 << 19;

/// All entries of one tier, as bit planes.
#[derive(Debug)]
pub struct MemoryTier<C = Coding> {
    layout: TierLayout,
    content: C,
    words: Vec<u64>,
}

impl<C> MemoryTier<C> {
    /// Returns where the matrices begin.
    pub fn layout(&self) -> &TierLayout {
        &self.layout
    }

    /// Returns how outcomes are coded.
    pub fn content(&self) -> &C {
        &self.content
    }
}

impl MemoryTier<Coding> {
    /// Returns one plane of one row of a matrix, one bit a column.
    pub fn plane(&self, matrix: usize, row: usize, plane: usize) -> &BitSlice<u64, Lsb0> {
        let (columns, start) = self.plane_start(matrix, row, plane);
        &self.words[start..].view_bits::<Lsb0>()[..columns]
    }

    /// Returns a plane like [`MemoryTier::plane`], to be written.
    pub fn plane_mut(&mut self, matrix: usize, row: usize, plane: usize) -> &mut BitSlice<u64, Lsb0> {
        let (columns, start) = self.plane_start(matrix, row, plane);
        &mut self.words[start..].view_bits_mut::<Lsb0>()[..columns]
    }

    /// Returns the number of columns of a matrix, and where a plane of a row of it begins.
    fn plane_start(&self, matrix: usize, row: usize, plane: usize) -> (usize, usize) {
        let (planes, of) = (self.content.planes(), &self.layout.matrices()[matrix]);
        (of.columns as usize, self.layout.first_word(matrix, planes) + (row * planes + plane) * of.words())
    }

    /// Returns the code of one entry.
    pub fn code(&self, matrix: usize, row: usize, column: usize) -> u8 {
        (0..self.content.planes())
            .fold(0, |code, plane| code | u8::from(self.plane(matrix, row, plane)[column]) << plane)
    }
}

impl<C: Content> MemoryTier<C> {
    /// Makes room for the tier of `ply` pieces; `buffer` is an old one to reuse. Its content is undefined until it is
    /// filled.
    pub(crate) fn new(index: &Index, content: C, ply: u32, mut buffer: Vec<u64>) -> MemoryTier<C> {
        let layout = TierLayout::new(index, ply);
        buffer.resize(layout.plane_words() * content.planes() + PAD, 0);
        MemoryTier { layout, content, words: buffer }
    }

    /// Takes all entries from a log, which must be complete.
    ///
    /// # Errors
    /// Where a file cannot be read.
    pub(crate) fn expand(&mut self, index: &Index, log: &LogTier<C>) -> Result<(), FileError> {
        let end = self.words.len() - PAD;
        log.expand_all(index, &mut self.words[..end])
    }

    /// Gives the buffer back for reuse.
    pub(crate) fn into_buffer(self) -> Vec<u64> {
        self.words
    }
}

impl<C: Content> Store for MemoryTier<C> {
    type Content = C;
    type Reader<'a>
        = MemoryReader<'a, C>
    where
        C: 'a;

    fn ply(&self) -> u32 {
        self.layout.ply()
    }

    fn content(&self) -> &C {
        &self.content
    }

    fn entries(&self) -> u64 {
        self.layout.entries()
    }

    fn matrices(&self) -> u64 {
        self.layout.matrices().len() as u64
    }

    fn shape_entries(&self) -> Vec<u64> {
        self.layout.shape_entries()
    }

    fn located_from<'a>(&'a self, _: &'a Index, entry: u64) -> Box<dyn Iterator<Item = Located> + 'a> {
        Box::new(self.layout.located_from(entry))
    }

    fn reader<'a>(&'a self, _: &'a Index) -> MemoryReader<'a, C> {
        MemoryReader { tier: self, shapes: Vec::new() }
    }

    fn pass(&self, _: WingShape) {}

    fn pass_all(&self) {}

    fn fill<W: Send>(
        &mut self,
        _: &Index,
        watch: &Watch,
        begin: impl Fn() -> W + Sync,
        work: impl Fn(&mut W, &Matrix, Range<usize>, &mut [u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Option<Vec<W>>, FileError> {
        let (matrices, planes) = (self.layout.matrices(), self.content.planes());
        let end = self.words.len() - PAD;
        let mut rest = &mut self.words[..end];
        let mut jobs = Vec::new();
        for piece in pieces(matrices) {
            let (own, after) = std::mem::take(&mut rest).split_at_mut(piece.words(matrices, planes));
            rest = after;
            jobs.push((piece, own));
        }
        let queue = Queue::new(None, jobs);
        let states = queue.share_out(|| {
            let mut state = begin();
            while let Some((piece, mut out)) = queue.next() {
                if (watch.is_stopped)() {
                    queue.end();
                    break;
                }
                let mut entries = 0;
                for (number, rows) in piece.rows(matrices) {
                    let matrix = &matrices[number];
                    let (own, after) = out.split_at_mut(rows.len() * matrix.words() * planes);
                    out = after;
                    entries += entries_of(matrix, &rows);
                    work(&mut state, matrix, rows, own)?;
                }
                (watch.done)(entries);
            }
            Ok(state)
        })?;
        Ok((!queue.is_ended()).then_some(states))
    }

    fn visit<V: Send>(
        &self,
        _: &Index,
        begin: impl Fn() -> V + Sync,
        show: impl Fn(&mut V, &Matrix, Range<usize>, &[u64]) -> Result<(), FileError> + Sync,
    ) -> Result<Vec<V>, FileError> {
        let (matrices, planes) = (self.layout.matrices(), self.content.planes());
        let queue = Queue::new(None, pieces(matrices));
        queue.share_out(|| {
            let mut state = begin();
            while let Some(piece) = queue.next() {
                for (number, rows) in piece.rows(matrices) {
                    let (matrix, row_words) = (&matrices[number], matrices[number].words() * planes);
                    let first = self.layout.first_word(number, planes) + rows.start * row_words;
                    let words = &self.words[first..first + rows.len() * row_words];
                    if !words.is_empty() {
                        show(&mut state, matrix, rows, words)?;
                    }
                }
            }
            Ok(state)
        })
    }
}

/// Reads a tier in memory, in place.
pub(crate) struct MemoryReader<'a, C> {
    tier: &'a MemoryTier<C>,
    shapes: Vec<&'a ShapeLayout>,
}

impl<C: Content> Reader for MemoryReader<'_, C> {
    fn close(&mut self) {
        self.shapes.clear();
    }

    fn open(&mut self, shape: Shape) -> Option<usize> {
        self.shapes.push(self.tier.layout.shape(shape.left, shape.right)?);
        Some(self.shapes.len() - 1)
    }

    fn matrix(&self, shape: usize, spine: Spine, left_firsts: u32) -> Option<usize> {
        self.tier.layout.matrix(self.shapes[shape], spine, left_firsts)
    }

    fn load(
        &mut self,
        shape: usize,
        matrix: usize,
        _: &Range<usize>,
        _: &Range<usize>,
    ) -> Result<Option<Loaded>, FileError> {
        let layout = &self.tier.layout;
        let place = Place::Word(layout.first_word(matrix, self.tier.content.planes()));
        Ok(Some(Loaded { shape, place, first: 0, row_words: layout.matrices()[matrix].words(), first_word: 0 }))
    }

    fn rows(&self, rows: &Loaded) -> Lent<'_> {
        let first = if let Place::Word(word) = rows.place { word } else { 0 };
        Lent::Whole(&self.tier.words[first..])
    }
}

/// Some of the rows of a tier, contiguous in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    /// All rows of consecutive matrices.
    Matrices(Range<usize>),
    /// Rows (from a multiple of [`BAND_ROWS`]) of one matrix.
    Rows(usize, Range<usize>),
}

impl Piece {
    /// Lists the piece's matrices, each with its rows that belong to the piece.
    fn rows(&self, matrices: &[Matrix]) -> impl Iterator<Item = (usize, Range<usize>)> {
        let numbers = match self {
            Piece::Matrices(range) => range.clone(),
            Piece::Rows(matrix, _) => *matrix..*matrix + 1,
        };
        numbers.map(move |number| match self {
            Piece::Matrices(_) => (number, 0..matrices[number].rows as usize),
            Piece::Rows(_, rows) => (number, rows.clone()),
        })
    }

    /// Counts the words of the piece.
    fn words(&self, matrices: &[Matrix], planes: usize) -> usize {
        self.rows(matrices).map(|(number, rows)| rows.len() * matrices[number].words() * planes).sum()
    }
}

/// Cuts a tier into pieces, in order.
fn pieces(matrices: &[Matrix]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut first = 0;
    let mut entries = 0;
    for (number, matrix) in matrices.iter().enumerate() {
        if matrix.entries() > 2 * PIECE_ENTRIES && matrix.rows as usize > BAND_ROWS {
            pieces.push(Piece::Matrices(first..number));
            let bands = (PIECE_ENTRIES / u64::from(matrix.columns)) as usize / BAND_ROWS;
            let step = bands.max(1) * BAND_ROWS;
            let rows = matrix.rows as usize;
            pieces.extend((0..rows).step_by(step).map(|row| Piece::Rows(number, row..rows.min(row + step))));
            first = number + 1;
            entries = 0;
            continue;
        }
        entries += matrix.entries();
        if entries >= PIECE_ENTRIES {
            pieces.push(Piece::Matrices(first..number + 1));
            first = number + 1;
            entries = 0;
        }
    }
    pieces.push(Piece::Matrices(first..matrices.len()));
    pieces.retain(|piece| !matches!(piece, Piece::Matrices(range) if range.is_empty()));
    pieces
}
