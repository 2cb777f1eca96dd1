//! Where the matrices of a tier begin: in the index (entries) and in memory (words).
//!
//! Shapes follow each other by left wing, then right wing; the matrices of a shape by spine, then by the number of
//! first-player pieces in the left wing; the entries of a matrix by row, then column. In memory every row of a
//! matrix starts at a word: `planes` runs of `⌈columns / 64⌉` words, one a plane.

use std::ops::Range;

use super::split::{Spine, WingShape};
use super::tables::Index;
use crate::kernel::matrix::BAND_ROWS;

/// The heights of all columns: two wings and the spine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Left wing; at least the right one.
    pub left: WingShape,
    /// Pieces on the spine.
    pub spine_height: u32,
    /// Right wing.
    pub right: WingShape,
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
    /// Colourings of the left wing.
    pub rows: u32,
    /// Colourings of the right wing.
    pub columns: u32,
}

impl Matrix {
    /// Returns the shape that the matrix is of.
    pub fn shape(&self) -> Shape {
        Shape { left: self.left, spine_height: self.spine.height, right: self.right }
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

/// One shape of a tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShapeLayout {
    /// Left wing; at least the right one.
    pub left: WingShape,
    /// Right wing.
    pub right: WingShape,
    /// Pieces on the spine.
    pub spine_height: u32,
    /// Where the shape's spines begin in [`TierLayout::spines`].
    first_spine: usize,
}

impl ShapeLayout {
    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        Shape { left: self.left, spine_height: self.spine_height, right: self.right }
    }
}

/// A matrix, its number in the tier, and where its entries begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The matrix.
    pub matrix: Matrix,
    /// Its number; 0 if not numbered.
    pub number: usize,
    /// Its first entry in the tier.
    pub first_entry: u64,
}

/// The matrices of one shape and one spine.
#[derive(Clone, Copy, Debug)]
struct SpineLayout {
    first_matrix: usize,
    /// First-player pieces in the left wing of the first matrix.
    least_left: u32,
}

/// The shapes and matrices of one tier, with the place where each begins.
#[derive(Debug)]
pub struct TierLayout {
    ply: u32,
    shapes: Vec<ShapeLayout>,
    /// One for every shape and spine, and an end.
    spines: Vec<SpineLayout>,
    /// A matrix and where it begins: in entries, and in words of one plane. Closed by the ends.
    starts: Vec<(u64, usize)>,
    matrices: Vec<Matrix>,
}

/// Returns the number of first-player pieces on the board at `ply`.
pub(crate) fn firsts_at(ply: u32) -> u32 {
    ply.div_ceil(2)
}

impl TierLayout {
    /// Lays out the tier of `ply` pieces.
    pub fn new(index: &Index, ply: u32) -> TierLayout {
        TierLayout::of_shapes(index, ply, shapes(index, ply))
    }

    /// Lays out one shape of the tier of `ply` pieces as if it were all of it.
    pub(crate) fn of_shape(index: &Index, ply: u32, shape: Shape) -> TierLayout {
        TierLayout::of_shapes(index, ply, std::iter::once(shape))
    }

    fn of_shapes(index: &Index, ply: u32, shapes: impl Iterator<Item = Shape>) -> TierLayout {
        let mut layout =
            TierLayout { ply, shapes: Vec::new(), spines: Vec::new(), starts: vec![(0, 0)], matrices: Vec::new() };
        for shape in shapes {
            let Shape { left, spine_height, right } = shape;
            layout.shapes.push(ShapeLayout { left, right, spine_height, first_spine: layout.spines.len() });
            for spine in Spine::of_height(spine_height) {
                layout.push_matrices(matrices(index, ply, shape, spine));
            }
        }
        layout.spines.push(SpineLayout { first_matrix: layout.matrices.len(), least_left: 0 });
        layout
    }

    fn push_matrices(&mut self, matrices: impl Iterator<Item = Matrix>) {
        let first_matrix = self.matrices.len();
        for matrix in matrices {
            let (entries, words) = self.end();
            self.starts.push((entries + matrix.entries(), words + matrix.plane_words()));
            self.matrices.push(matrix);
        }
        let least_left = self.matrices.get(first_matrix).map_or(0, |matrix| matrix.left_firsts);
        self.spines.push(SpineLayout { first_matrix, least_left });
    }

    /// Lists the matrices from the one that holds `entry` on.
    pub(crate) fn located_from(&self, entry: u64) -> impl Iterator<Item = Located> + '_ {
        let first = self.matrix_of_entry(entry);
        let numbers = first..self.matrices.len();
        numbers.map(|number| Located { matrix: self.matrices[number], number, first_entry: self.first_entry(number) })
    }

    fn end(&self) -> (u64, usize) {
        self.starts[self.matrices.len()]
    }

    /// Returns the ply of the tier.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the number of entries of the tier.
    pub fn entries(&self) -> u64 {
        self.end().0
    }

    /// Returns the words that one plane of the tier takes in memory.
    pub fn plane_words(&self) -> usize {
        self.end().1
    }

    /// Returns the shapes, in order.
    pub fn shapes(&self) -> &[ShapeLayout] {
        &self.shapes
    }

    /// Returns the number of entries of every shape, in order.
    pub(crate) fn shape_entries(&self) -> Vec<u64> {
        let begins = |shape: &ShapeLayout| self.first_entry(self.spines[shape.first_spine].first_matrix);
        let ends = self.shapes.iter().skip(1).map(begins).chain([self.entries()]);
        self.shapes.iter().zip(ends).map(|(shape, end)| end - begins(shape)).collect()
    }

    /// Returns the matrices, in order.
    pub fn matrices(&self) -> &[Matrix] {
        &self.matrices
    }

    /// Returns the first entry of a matrix, given by its number.
    pub fn first_entry(&self, matrix: usize) -> u64 {
        self.starts[matrix].0
    }

    /// Returns the first word of a matrix, given by its number, in a tier of `planes` planes.
    pub fn first_word(&self, matrix: usize, planes: usize) -> usize {
        self.starts[matrix].1 * planes
    }

    /// Returns the number of the matrix that holds `entry`.
    pub fn matrix_of_entry(&self, entry: u64) -> usize {
        self.starts.partition_point(|start| start.0 <= entry) - 1
    }

    /// Returns the shape of two wings (left at least right), or `None` where the tier has no such shape.
    pub fn shape(&self, left: WingShape, right: WingShape) -> Option<&ShapeLayout> {
        let place = self.shapes.binary_search_by_key(&(left, right), |shape| (shape.left, shape.right));
        place.ok().map(|place| &self.shapes[place])
    }

    /// Returns the number of a matrix of `shape`, or `None` where the balance of the pieces allows none.
    pub fn matrix(&self, shape: &ShapeLayout, spine: Spine, left_firsts: u32) -> Option<usize> {
        let here = shape.first_spine + spine.bits as usize;
        let (first, end) = (self.spines[here], self.spines[here + 1].first_matrix);
        let number = first.first_matrix + left_firsts.checked_sub(first.least_left)? as usize;
        (number < end).then_some(number)
    }
}

/// Lists how many first-player pieces the left and the right wing can have.
fn balances(ply: u32, spine: Spine, left_cells: u32, right_cells: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
    let wings = firsts_at(ply).checked_sub(spine.firsts());
    let range = wings.map(|wings| (wings.saturating_sub(right_cells)..=left_cells.min(wings), wings));
    range.into_iter().flat_map(|(lefts, wings)| lefts.map(move |left| (left, wings - left)))
}

/// Lists the matrices of one shape and one spine.
pub(crate) fn matrices(index: &Index, ply: u32, shape: Shape, spine: Spine) -> impl Iterator<Item = Matrix> {
    let (rows, columns) = (index.counts(shape.left, spine), index.counts(shape.right, spine));
    let balances = balances(ply, spine, rows.len() as u32 - 1, columns.len() as u32 - 1);
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

/// Counts the entries of a shape and a spine that come before the matrix with these first-player pieces in the left and the
/// right wing; `None` if the tier has no such matrix. A matrix with `n` in the left wing has `rows[n]` rows, and one with `n`
/// in the right wing `columns[n]` columns.
pub(super) fn entries_before(ply: u32, spine: Spine, firsts: [u32; 2], rows: &[u32], columns: &[u32]) -> Option<u64> {
    let [left, right] = firsts;
    if left + right + spine.firsts() != firsts_at(ply) {
        return None;
    }
    let most_right = (left + right).min(columns.len() as u32 - 1);
    let before = &rows[(left + right - most_right) as usize..left as usize];
    let products = before.iter().zip(columns[..=most_right as usize].iter().rev());
    Some(products.map(|(rows, columns)| u64::from(*rows) * u64::from(*columns)).sum())
}

/// Lists the shapes of a tier, by left wing, then right wing.
pub(crate) fn shapes(index: &Index, ply: u32) -> impl Iterator<Item = Shape> {
    let split = *index.split();
    let cells: Vec<u32> = (0..split.wing_shapes()).map(|shape| split.cells(WingShape(shape))).collect();
    let room = split.spine_room();
    let most = cells.last().copied().unwrap_or(0) + room;
    (0..cells.len()).flat_map(move |left| {
        // A left wing with too many pieces, or too few, has no right one: 20x2 has a billion pairs.
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

/// Counts the entries of every shape of a tier, in order.
pub(crate) fn shape_entries(index: &Index, ply: u32) -> impl Iterator<Item = u64> {
    shapes(index, ply).map(move |shape| {
        let all = Spine::of_height(shape.spine_height).flat_map(|spine| matrices(index, ply, shape, spine));
        all.map(|matrix| matrix.entries()).sum()
    })
}

/// Cuts rows into bands.
pub(crate) fn bands(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BAND_ROWS).map(move |row| row..end.min(row + BAND_ROWS))
}

/// Returns how many positions an entry of a matrix stands for: two mirror images, or one in a shape that is its own
/// mirror image, whose matrices are stored whole.
pub(crate) fn images(matrix: &Matrix) -> u64 {
    if matrix.left == matrix.right { 1 } else { 2 }
}
