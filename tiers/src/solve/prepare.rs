//! Getting a band ready: where each drop leads, which columns it keeps, which lines can be armed.
//!
//! The work here is done once a shape ([`ShapeMoves`]) or once a band ([`ShapeMoves::band`]), so that the kernel's loop
//! over rows only follows row numbers and masks. Row maps are monotone (a drop inserts a bit at a fixed place), so a
//! map is two walks over bit masks side by side, without ranking.

use std::ops::Range;

use fourbase::Player;

use super::armed::{FullLine, armed_lines};
use super::tier::Tier;
use crate::index::{Index, Matrix, ShapeLayout, Spine, WingList, WingShape, rank_map, row_map};
use crate::kernel::Coding;
use crate::kernel::matrix::{Band, Copy, Outcomes, Stream, Turned};

/// A drop into a wing column and the shape that it leads to.
struct WingMove<'a> {
    column: usize,
    /// The wing after the drop.
    wing: WingShape,
    /// The bit of the wing's colouring that the drop adds.
    bit: u32,
    /// The shape after the drop, or its mirror image.
    shape: &'a ShapeLayout,
}

/// What the matrices of one shape have in common.
pub(super) struct ShapeMoves<'a> {
    index: &'a Index,
    child: Option<&'a Tier>,
    mover: Player,
    left: Vec<WingMove<'a>>,
    right: Vec<WingMove<'a>>,
    turned: Vec<WingMove<'a>>,
    spine: Option<&'a ShapeLayout>,
    lines: Vec<FullLine>,
    outcomes: Outcomes,
}

/// Computes the outcomes that need no child.
pub(super) fn outcomes(index: &Index, coding: &Coding, ply: u32) -> Outcomes {
    let misere = index.board().is_misere();
    let mover = Index::mover(ply);
    let winner_of_line_by = |player: Player| if misere { player.other() } else { player };
    let full = ply == index.board().cells() as u32;
    let completed = if full { 0 } else { coding.encode(Some(winner_of_line_by(mover)), ply + 1) };
    let worst = if mover == Player::First { 0 } else { u8::MAX };
    Outcomes {
        completed,
        floor: if misere { completed } else { worst },
        over: if ply == 0 { 0 } else { coding.encode(Some(winner_of_line_by(mover.other())), ply) },
        tie: coding.encode(None, 0),
    }
}

impl<'a> ShapeMoves<'a> {
    /// Finds where the drops of `shape` lead.
    ///
    /// `child` is the tier of the next ply; the last tier has none, and no drops.
    pub(super) fn new(
        index: &'a Index,
        child: Option<&'a Tier>,
        shape: &ShapeLayout,
        ply: u32,
        outcomes: Outcomes,
    ) -> Self {
        let split = index.split();
        let mut moves = ShapeMoves {
            index,
            child,
            mover: Index::mover(ply),
            left: Vec::new(),
            right: Vec::new(),
            turned: Vec::new(),
            spine: None,
            lines: FullLine::of_shape(index, shape.shape()),
            outcomes,
        };
        let Some(child) = child else { return moves };
        for column in 0..split.wing_columns() {
            if let Some(wing) = split.grown(shape.left, column) {
                let bit = split.bit(wing, column, split.height(shape.left, column));
                let shape = child.layout.shape(wing, shape.right);
                moves.left.extend(shape.map(|shape| WingMove { column, wing, bit, shape }));
            }
            if let Some(wing) = split.grown(shape.right, column) {
                let bit = split.bit(wing, column, split.height(shape.right, column));
                if wing <= shape.left {
                    let shape = child.layout.shape(shape.left, wing);
                    moves.right.extend(shape.map(|shape| WingMove { column, wing, bit, shape }));
                } else {
                    let shape = child.layout.shape(wing, shape.left);
                    moves.turned.extend(shape.map(|shape| WingMove { column, wing, bit, shape }));
                }
            }
        }
        if shape.spine_height < split.spine_room() {
            moves.spine = child.layout.shape(shape.left, shape.right);
        }
        moves
    }

    /// Prepares the rows `rows` (from a multiple of 64) of one matrix of the shape.
    pub(super) fn band(&self, matrix: &Matrix, rows: Range<usize>) -> Band<'a> {
        let left = self.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let mut band = Band {
            first_row: rows.start,
            left: &left.colourings()[rows.clone()],
            columns: right.len(),
            row_words: left.words(),
            copies: Vec::with_capacity(self.left.len()),
            streams: Vec::with_capacity(self.right.len() + 1),
            turned: Vec::with_capacity(self.turned.len()),
            lines: Vec::new(),
            outcomes: self.outcomes,
            misere: self.index.board().is_misere(),
        };
        self.add_left(matrix, left, &rows, &mut band);
        self.add_right(matrix, right, &mut band);
        self.add_turned(matrix, right, &mut band);
        self.add_spine(matrix, left, right, &rows, &mut band);
        band.lines = armed_lines(&self.lines, matrix.spine, right, self.mover.other());
        band
    }

    fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Turns a plane of first-player pieces into the mover's, by exclusive or.
    fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }

    /// Returns the child tier from the first word of a matrix on; nothing where there is no such matrix.
    fn child_words(&self, shape: &ShapeLayout, spine: Spine, left_firsts: u32) -> &'a [u64] {
        let Some(child) = self.child else { return &[] };
        child.layout.matrix(shape, spine, left_firsts).map_or(&[], |number| child.matrix_words(number))
    }

    fn add_left(&self, matrix: &Matrix, left: &'a WingList, rows: &Range<usize>, band: &mut Band<'a>) {
        for to in &self.left {
            let firsts = matrix.left_firsts + self.first();
            let child = self.index.list(to.wing, matrix.spine, firsts);
            band.copies.push(Copy {
                child: self.child_words(to.shape, matrix.spine, firsts),
                rows: row_map(left.keeps(to.column, self.mover), child.cell(to.bit), self.flip(), rows),
            });
        }
    }

    fn add_right(&self, matrix: &Matrix, right: &'a WingList, band: &mut Band<'a>) {
        let columns = self.index.split().wing_columns();
        for to in &self.right {
            let child = self.index.list(to.wing, matrix.spine, matrix.right_firsts + self.first());
            let plane = child.cell(to.bit);
            // The last column holds the highest bits: the dropped bit is the top one, so that the children's places
            // are the lower end of the list (second player) or the upper one.
            let contiguous = to.column + 1 == columns;
            let firsts: u32 = if contiguous { plane.iter().map(|word| word.count_ones()).sum() } else { 0 };
            band.streams.push(Stream {
                child: self.child_words(to.shape, matrix.spine, matrix.left_firsts),
                child_words: child.words(),
                rows: Vec::new(),
                gather: (!contiguous).then_some((plane, self.flip())),
                offset: if self.mover == Player::First { child.len() - firsts as usize } else { 0 },
                keeps: right.keeps(to.column, self.mover),
            });
        }
    }

    fn add_turned(&self, matrix: &Matrix, right: &'a WingList, band: &mut Band<'a>) {
        for to in &self.turned {
            let firsts = matrix.right_firsts + self.first();
            let child = self.index.list(to.wing, matrix.spine, firsts);
            band.turned.push(Turned {
                child: self.child_words(to.shape, matrix.spine, firsts),
                rows: row_map(right.keeps(to.column, self.mover), child.cell(to.bit), self.flip(), &(0..right.len())),
            });
        }
    }

    fn add_spine(
        &self,
        matrix: &Matrix,
        left: &'a WingList,
        right: &'a WingList,
        rows: &Range<usize>,
        band: &mut Band<'a>,
    ) {
        let Some(shape) = self.spine else { return };
        let spine = matrix.spine.grown(self.mover == Player::First);
        let child_words = self.index.list(matrix.right, spine, matrix.right_firsts).words();
        band.streams.push(Stream {
            child: self.child_words(shape, spine, matrix.left_firsts),
            child_words,
            rows: rank_map(left.spine_keeps(self.mover), rows),
            gather: None,
            offset: 0,
            keeps: right.spine_keeps(self.mover),
        });
    }
}
