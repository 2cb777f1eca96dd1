//! The shapes and matrices of a tier, in order.
//!
//! Shapes are ordered by left wing, then right wing; the matrices of a shape by spine, then by the number of
//! first-player pieces in the left wing; the entries of a matrix by row, then column. In memory every row of a matrix
//! starts at a word boundary and has `⌈columns / 64⌉` words for each plane, one plane after the other.

use std::ops::Range;

use super::split::{Parts, Spine, WingShape};
use super::tables::Index;
use super::wing::WingList;
use crate::kernel::matrix::BAND_ROWS;

/// The heights of all columns: two wings and the spine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Left wing; at least the right wing.
    pub left: WingShape,
    /// Pieces on the spine.
    pub spine_height: u32,
    /// Right wing.
    pub right: WingShape,
}

impl Shape {
    /// Lists the matrices of the shape in the tier with `ply` pieces.
    pub(crate) fn matrices(self, index: &Index, ply: u32) -> impl Iterator<Item = Matrix> {
        Spine::of_height(self.spine_height).flat_map(move |spine| matrices(index, ply, self, spine))
    }
}

/// One matrix of a tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// Left wing.
    pub left: WingShape,
    /// Spine.
    pub spine: Spine,
    /// Right wing.
    pub right: WingShape,
    /// First-player pieces in the left wing.
    pub left_firsts: u32,
    /// First-player pieces in the right wing.
    pub right_firsts: u32,
    /// Number of rows: colourings of the left wing.
    pub rows: u32,
    /// Number of columns: colourings of the right wing.
    pub columns: u32,
}

impl Matrix {
    /// Returns the shape of the matrix.
    pub fn shape(&self) -> Shape {
        Shape { left: self.left, spine_height: self.spine.height, right: self.right }
    }

    /// Returns the list of the colourings of its rows, and that of its columns.
    pub(crate) fn lists<'i>(&self, index: &'i Index) -> [&'i WingList; 2] {
        [(self.left, self.left_firsts), (self.right, self.right_firsts)]
            .map(|(wing, firsts)| index.list(wing, self.spine, firsts))
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Returns the words of one plane of one row.
    pub fn words(&self) -> usize {
        (self.columns as usize).div_ceil(64)
    }

    /// Returns the words of one plane of the whole matrix.
    pub fn plane_words(&self) -> usize {
        self.rows as usize * self.words()
    }
}

/// Lists the shapes of a tier, by left wing, then right wing.
pub(crate) fn shapes(index: &Index, ply: u32) -> impl Iterator<Item = Shape> {
    let (cells, room) = (&index.cells, index.split.spine_room());
    let most = cells.last().copied().unwrap_or(0) + room;
    (0..cells.len()).flat_map(move |left| {
        // Skip left wings with too many or too few pieces for any right wing: 20x2 has a billion pairs.
        let rest = ply.checked_sub(cells[left]).filter(|rest| *rest <= most);
        rest.map_or_else(Vec::new, |rest| {
            let spine = |right: usize| rest.checked_sub(cells[right]).filter(|spine| *spine <= room);
            let shape = |(right, spine_height)| Shape {
                left: WingShape(left as u32),
                spine_height,
                right: WingShape(right as u32),
            };
            (0..=left).filter_map(|right| Some(shape((right, spine(right)?)))).collect()
        })
    })
}

pub(super) fn matrices(index: &Index, ply: u32, shape: Shape, spine: Spine) -> impl Iterator<Item = Matrix> {
    let (rows, columns) = (index.counts(shape.left, spine), index.counts(shape.right, spine));
    // The possible numbers of first-player pieces in the left and the right wing.
    let wings = ply.div_ceil(2).checked_sub(spine.bits.count_ones());
    let lefts =
        |wings: u32| (wings + 1).saturating_sub(columns.len() as u32)..rows.len().min(wings as usize + 1) as u32;
    let balances = wings.into_iter().flat_map(move |wings| lefts(wings).map(move |left| (left, wings - left)));
    balances.map(move |(left_firsts, right_firsts)| Matrix {
        left: shape.left,
        spine,
        right: shape.right,
        left_firsts,
        right_firsts,
        rows: rows[left_firsts as usize],
        columns: columns[right_firsts as usize],
    })
}

/// Returns the parts of the entry with number `entry`, counted from the start of `matrices`, which are consecutive;
/// `None` if they have fewer entries.
pub(crate) fn unrank_among(matrices: impl Iterator<Item = Matrix>, index: &Index, mut entry: u64) -> Option<Parts> {
    for matrix in matrices {
        let Matrix { left, spine, right, left_firsts, right_firsts, columns, .. } = matrix;
        if entry < matrix.entries() {
            let row = index.colourings(left, spine, left_firsts).get((entry / u64::from(columns)) as usize);
            let column = index.colourings(right, spine, right_firsts).get((entry % u64::from(columns)) as usize);
            return Some(Parts { left, left_bits: *row?, spine, right, right_bits: *column? });
        }
        entry -= matrix.entries();
    }
    None
}

/// The matrices of one shape and their places in memory, one matrix after the other.
#[derive(Default, Debug)]
pub(crate) struct ShapeLayout {
    /// The matrices, in order.
    pub matrices: Vec<Matrix>,
    /// For every matrix, how many words one plane of all earlier matrices takes; then the number for all matrices.
    words_before: Vec<usize>,
    /// For every spine, the number of its first matrix; then the number of matrices.
    spines: Vec<u32>,
}

impl ShapeLayout {
    /// Replaces the matrices by those of `shape` in the tier with `ply` pieces, in the same memory.
    pub fn lay_out(&mut self, index: &Index, ply: u32, shape: Shape) {
        self.matrices.clear();
        self.words_before.clear();
        self.spines.clear();
        let mut words = 0;
        for spine in Spine::of_height(shape.spine_height) {
            self.spines.push(self.matrices.len() as u32);
            for matrix in matrices(index, ply, shape, spine) {
                self.words_before.push(words);
                words += matrix.plane_words();
                self.matrices.push(matrix);
            }
        }
        self.words_before.push(words);
        self.spines.push(self.matrices.len() as u32);
    }

    /// Returns the first word of the matrix with this number, if the shape has `planes` planes. If `matrix` is the
    /// number of matrices, returns the end.
    pub fn first_word(&self, matrix: usize, planes: usize) -> usize {
        self.words_before[matrix] * planes
    }

    /// Returns the number of a matrix, or `None` if the balance of the pieces allows no such matrix.
    pub fn matrix(&self, spine: Spine, left_firsts: u32) -> Option<usize> {
        let (first, end) = (self.spines[spine.bits as usize], self.spines[spine.bits as usize + 1]);
        let least_left = self.matrices.get(first as usize)?.left_firsts;
        let number = first + left_firsts.checked_sub(least_left)?;
        (number < end).then_some(number as usize)
    }
}

/// The sizes of one tier, with mirror images merged.
#[derive(Default)]
pub(crate) struct TierSize {
    pub entries: u128,
    /// Words of all planes of all matrices.
    pub words: u128,
    /// Rows of all matrices.
    pub rows: u128,
    pub shapes: u128,
    /// Words of all planes of the largest matrix.
    pub matrix_words: u128,
    /// Words of all planes of the longest row.
    pub row_words: u128,
    /// The most words that [`BAND_ROWS`] columns of any matrix take, in all rows and planes.
    pub slice_words: u128,
}

impl TierSize {
    /// Sums up the sizes of the tier with `ply` pieces and `planes` planes. Allocates no tier.
    pub fn of(index: &Index, planes: usize, ply: u32) -> TierSize {
        let (planes, mut size) = (planes as u128, TierSize::default());
        for shape in shapes(index, ply) {
            size.shapes += 1;
            for matrix in shape.matrices(index, ply) {
                let words = matrix.plane_words() as u128 * planes;
                size.entries += u128::from(matrix.entries());
                size.words += words;
                size.rows += u128::from(matrix.rows);
                size.matrix_words = size.matrix_words.max(words);
                size.row_words = size.row_words.max(matrix.words() as u128 * planes);
                let columns = matrix.words().min(BAND_ROWS / 64) as u128;
                size.slice_words = size.slice_words.max(u128::from(matrix.rows) * columns * planes);
            }
        }
        size
    }
}

/// A shape, and a value that all its matrices share.
pub(crate) type OfShape<T> = Option<(Shape, T)>;

/// Returns the value for `shape`: the last value if it was made for this shape, else a new one.
pub(crate) fn of_shape<T>(last: &mut OfShape<T>, shape: Shape, make: impl FnOnce() -> T) -> &mut T {
    if last.as_ref().is_some_and(|(of, _)| *of != shape) {
        *last = None;
    }
    &mut last.get_or_insert_with(|| (shape, make())).1
}

/// Cuts rows into bands of at most [`BAND_ROWS`].
pub(crate) fn bands(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BAND_ROWS).map(move |row| row..end.min(row + BAND_ROWS))
}

/// Returns how many positions each entry of a matrix stands for: 2, or 1 in a shape that is its own mirror image, whose
/// matrices are stored whole.
pub(crate) fn images(matrix: &Matrix) -> u64 {
    if matrix.left == matrix.right { 1 } else { 2 }
}
