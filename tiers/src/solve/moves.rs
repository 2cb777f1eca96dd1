//! Getting a matrix ready: where each drop leads, which columns it keeps, which lines can be armed.
//!
//! The work here is done once a shape ([`ShapeMoves`]) or once a run of rows of a matrix ([`ShapeMoves::prepare`]); what
//! is left to do for each band of them is in [`super::band`].

use fourbase::Player;

use super::band::{ColumnMove, MatrixMoves, RowMove, TurnedMove};
use crate::index::{FullLine, Index, Matrix, Shape, Spine, WingList, WingShape, arm_lines, push_row_map};
use crate::kernel::Coding;
use crate::kernel::matrix::Outcomes;
use crate::tier::{Origin, TierReader, row_span};

/// A drop into a wing column and the shape that it leads to.
struct WingMove {
    column: usize,
    /// The wing after the drop.
    wing: WingShape,
    /// The bit of the wing's colouring that the drop adds.
    bit: u32,
    /// Which of the children's shapes it leads to; it may be stored as its mirror image.
    child: usize,
}

/// What the matrices of one shape have in common.
pub(super) struct ShapeMoves<'a> {
    index: &'a Index,
    mover: Player,
    left: Vec<WingMove>,
    right: Vec<WingMove>,
    turned: Vec<WingMove>,
    spine: Option<usize>,
    lines: Vec<FullLine>,
}

/// Computes the outcomes that need no child.
pub(super) fn outcomes(index: &Index, coding: &Coding, ply: u32) -> Outcomes {
    let misere = index.board().is_misere();
    let mover = Player::to_move(ply);
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
    /// Finds where the drops of `shape` lead, and opens those shapes in `children`. The last tier has no drops.
    pub(super) fn new(index: &'a Index, children: &mut TierReader, shape: Shape, ply: u32) -> ShapeMoves<'a> {
        let split = index.split();
        let mut moves = ShapeMoves {
            index,
            mover: Player::to_move(ply),
            left: Vec::new(),
            right: Vec::new(),
            turned: Vec::new(),
            spine: None,
            lines: FullLine::of_shape(index, shape),
        };
        let child_shape = |left, right| Shape { left, right, ..shape };
        children.close();
        for column in 0..split.wing_columns() {
            if let Some(wing) = split.grown(shape.left, column) {
                let bit = split.bit(wing, column, split.height(shape.left, column));
                let child = children.open(child_shape(wing, shape.right));
                moves.left.extend(child.map(|child| WingMove { column, wing, bit, child }));
            }
            if let Some(wing) = split.grown(shape.right, column) {
                let bit = split.bit(wing, column, split.height(shape.right, column));
                let (moves, child) = if wing <= shape.left {
                    (&mut moves.right, children.open(child_shape(shape.left, wing)))
                } else {
                    (&mut moves.turned, children.open(child_shape(wing, shape.left)))
                };
                moves.extend(child.map(|child| WingMove { column, wing, bit, child }));
            }
        }
        if shape.spine_height < split.spine_room() {
            moves.spine = children.open(Shape { spine_height: shape.spine_height + 1, ..shape });
        }
        moves
    }

    /// Prepares one matrix of the shape, in place of the one before in `of_matrix`.
    pub(super) fn prepare(&self, children: &TierReader, matrix: &Matrix, of_matrix: &mut MatrixMoves<'a>) {
        let left = self.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let find = |child, spine, firsts| Some((child, children.matrix(child, spine, firsts)?));
        of_matrix.clear(left.colourings(), right.len());
        arm_lines(&self.lines, matrix.spine, right, self.mover.other(), &mut of_matrix.lines);
        self.add_left(matrix, left, &find, of_matrix);
        self.add_right(matrix, right, &find, of_matrix);
        self.add_turned(matrix, right, &find, of_matrix);
        self.add_spine(matrix, (left, right), &find, of_matrix);
    }

    fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Turns a plane of first-player pieces into the mover's, by exclusive or.
    fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }

    fn add_left(&self, matrix: &Matrix, left: &'a WingList, find: Find, of_matrix: &mut MatrixMoves<'a>) {
        let firsts = matrix.left_firsts + self.first();
        for to in &self.left {
            let child = self.index.list(to.wing, matrix.spine, firsts);
            of_matrix.row_moves.push(RowMove {
                origin: find(to.child, matrix.spine, firsts),
                keeps: left.keeps(to.column, self.mover),
                plane: child.cell(to.bit),
                flip: self.flip(),
                loaded: None,
            });
        }
    }

    fn add_right(&self, matrix: &Matrix, right: &'a WingList, find: Find, of_matrix: &mut MatrixMoves<'a>) {
        let columns = self.index.split().wing_columns();
        for to in &self.right {
            let child = self.index.list(to.wing, matrix.spine, matrix.right_firsts + self.first());
            // The last column holds the highest bits: the dropped bit is the top one, so that the children's places
            // are the lower end of the list (second player) or the upper one.
            let contiguous = to.column + 1 == columns;
            let is_second = |colouring: &u32| colouring >> to.bit == 0;
            of_matrix.column_moves.push(ColumnMove {
                origin: find(to.child, matrix.spine, matrix.left_firsts),
                child_words: child.words(),
                spine_keeps: None,
                gather: (!contiguous).then(|| (child.cell(to.bit), self.flip())),
                offset: match self.mover {
                    Player::First if contiguous => child.colourings().partition_point(is_second),
                    _ => 0,
                },
                keeps: right.keeps(to.column, self.mover),
                loaded: None,
            });
        }
    }

    fn add_turned(&self, matrix: &Matrix, right: &WingList, find: Find, of_matrix: &mut MatrixMoves<'a>) {
        let firsts = matrix.right_firsts + self.first();
        for to in &self.turned {
            let child = self.index.list(to.wing, matrix.spine, firsts);
            let (keeps, plane) = (right.keeps(to.column, self.mover), child.cell(to.bit));
            let map = push_row_map(keeps, plane, self.flip(), &(0..right.len()), &mut of_matrix.turned_maps);
            let origin = find(to.child, matrix.spine, firsts);
            of_matrix.turned_moves.push(TurnedMove { origin, rows: row_span(map), loaded: None });
        }
    }

    fn add_spine(
        &self,
        matrix: &Matrix,
        (left, right): (&'a WingList, &'a WingList),
        find: Find,
        of_matrix: &mut MatrixMoves<'a>,
    ) {
        let Some(child) = self.spine else { return };
        let spine = matrix.spine.grown(self.mover == Player::First);
        of_matrix.column_moves.push(ColumnMove {
            origin: find(child, spine, matrix.left_firsts),
            child_words: self.index.list(matrix.right, spine, matrix.right_firsts).words(),
            spine_keeps: Some(left.spine_keeps(self.mover)),
            gather: None,
            offset: 0,
            keeps: right.spine_keeps(self.mover),
            loaded: None,
        });
    }
}

/// Finds the matrix of a child: the number of its open shape, its spine, the first player's pieces in its left wing.
type Find<'p> = &'p dyn Fn(usize, Spine, u32) -> Option<Origin>;
