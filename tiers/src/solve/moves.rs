//! Getting a band ready: where each drop leads, which columns it keeps, which lines can be armed.
//!
//! The work here is done once a shape ([`ShapeMoves`]) or once a band ([`ShapeMoves::band`]), so that the kernel's loop
//! over rows only follows row numbers and masks. Row maps are monotone (a drop inserts a bit at a fixed place), so a
//! map is two walks over bit masks side by side, without ranking.

use std::ops::Range;

use fourbase::Player;

use crate::files::FileError;
use crate::index::{FullLine, Index, Matrix, Shape, Spine, WingList, WingShape, armed_lines, rank_map, row_map};
use crate::kernel::Coding;
use crate::kernel::matrix::{Band, ColumnDrop, Outcomes, RowDrop, TurnedDrop};
use crate::tier::{Origin, Reader, Want, Wanted, placed, used};

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
    outcomes: Outcomes,
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
    pub(super) fn new(
        index: &'a Index,
        children: &mut impl Reader,
        shape: Shape,
        ply: u32,
        outcomes: Outcomes,
    ) -> Self {
        let split = index.split();
        let mut moves = ShapeMoves {
            index,
            mover: Player::to_move(ply),
            left: Vec::new(),
            right: Vec::new(),
            turned: Vec::new(),
            spine: None,
            lines: FullLine::of_shape(index, shape),
            outcomes,
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

    /// Prepares the rows `rows` (from a multiple of 64) of one matrix of the shape.
    ///
    /// # Errors
    /// Where a child's rows cannot be read.
    pub(super) fn band<'b, R: Reader>(
        &'b self,
        children: &'b mut R,
        matrix: &Matrix,
        rows: Range<usize>,
    ) -> Result<Band<'b>, FileError> {
        let left = self.index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = self.index.list(matrix.right, matrix.spine, matrix.right_firsts);
        let mut draft = Draft {
            band: Band {
                left: &left.colourings()[rows.clone()],
                columns: right.len(),
                row_drops: Vec::with_capacity(self.left.len()),
                column_drops: Vec::with_capacity(self.right.len() + 1),
                turned_drops: Vec::with_capacity(self.turned.len()),
                lines: armed_lines(&self.lines, matrix.spine, right, self.mover.other()),
                outcomes: self.outcomes,
                misere: self.index.board().is_misere(),
            },
            wanted: Wanted::default(),
        };
        let find = |child, spine, firsts| Some((child, children.matrix(child, spine, firsts)?));
        self.add_left(matrix, left, &rows, &find, &mut draft);
        self.add_right(matrix, right, &rows, &find, &mut draft);
        self.add_turned(matrix, right, &rows, &find, &mut draft);
        self.add_spine(matrix, (left, right), &rows, &find, &mut draft);
        draft.load(children)
    }

    fn first(&self) -> u32 {
        u32::from(self.mover == Player::First)
    }

    /// Turns a plane of first-player pieces into the mover's, by exclusive or.
    fn flip(&self) -> u64 {
        if self.mover == Player::First { 0 } else { u64::MAX }
    }

    fn add_left(&self, matrix: &Matrix, left: &WingList, rows: &Range<usize>, find: Find, draft: &mut Draft<'a>) {
        let firsts = matrix.left_firsts + self.first();
        for to in &self.left {
            let child = self.index.list(to.wing, matrix.spine, firsts);
            let rows = row_map(left.keeps(to.column, self.mover), child.cell(to.bit), self.flip(), rows);
            draft.wanted.rows.push(Want::rows(find(to.child, matrix.spine, firsts), used(&rows)));
            draft.band.row_drops.push(RowDrop { child: &[], rows });
        }
    }

    fn add_right(&self, matrix: &Matrix, right: &'a WingList, rows: &Range<usize>, find: Find, draft: &mut Draft<'a>) {
        let columns = self.index.split().wing_columns();
        for to in &self.right {
            let child = self.index.list(to.wing, matrix.spine, matrix.right_firsts + self.first());
            let plane = child.cell(to.bit);
            // The last column holds the highest bits: the dropped bit is the top one, so that the children's places
            // are the lower end of the list (second player) or the upper one.
            let contiguous = to.column + 1 == columns;
            let firsts: u32 = if contiguous { plane.iter().map(|word| word.count_ones()).sum() } else { 0 };
            let origin = find(to.child, matrix.spine, matrix.left_firsts);
            draft.wanted.columns.push(Want::rows(origin, rows.clone()));
            draft.band.column_drops.push(ColumnDrop {
                child: &[],
                child_words: child.words(),
                first_row: rows.start,
                rows: Vec::new(),
                gather: (!contiguous).then_some((plane, self.flip())),
                offset: if self.mover == Player::First { child.len() - firsts as usize } else { 0 },
                keeps: right.keeps(to.column, self.mover),
            });
        }
    }

    fn add_turned(&self, matrix: &Matrix, right: &WingList, rows: &Range<usize>, find: Find, draft: &mut Draft<'a>) {
        let words = rows.start / 64..rows.end.div_ceil(64);
        let firsts = matrix.right_firsts + self.first();
        for to in &self.turned {
            let child = self.index.list(to.wing, matrix.spine, firsts);
            let rows = row_map(right.keeps(to.column, self.mover), child.cell(to.bit), self.flip(), &(0..right.len()));
            let origin = find(to.child, matrix.spine, firsts);
            draft.wanted.turned.push(Want { origin, rows: used(&rows), words: words.clone() });
            draft.band.turned_drops.push(TurnedDrop {
                child: &[],
                row_words: words.len(),
                first_word: words.start,
                rows,
            });
        }
    }

    fn add_spine(
        &self,
        matrix: &Matrix,
        (left, right): (&WingList, &'a WingList),
        rows: &Range<usize>,
        find: Find,
        draft: &mut Draft<'a>,
    ) {
        let Some(child) = self.spine else { return };
        let spine = matrix.spine.grown(self.mover == Player::First);
        let child_words = self.index.list(matrix.right, spine, matrix.right_firsts).words();
        let rows = rank_map(left.spine_keeps(self.mover), rows);
        draft.wanted.columns.push(Want::rows(find(child, spine, matrix.left_firsts), used(&rows)));
        draft.band.column_drops.push(ColumnDrop {
            child: &[],
            child_words,
            first_row: 0,
            rows,
            gather: None,
            offset: 0,
            keeps: right.spine_keeps(self.mover),
        });
    }
}

/// Finds the matrix of a child: the number of its open shape, its spine, the first player's pieces in its left wing.
type Find<'p> = &'p dyn Fn(usize, Spine, u32) -> Option<Origin>;

/// A band in the making: which rows its drops lead to is known, but they are not read yet.
struct Draft<'b> {
    band: Band<'b>,
    wanted: Wanted,
}

impl<'b> Draft<'b> {
    /// Reads the rows. The band's row numbers then count from the first row that was read.
    fn load<R: Reader>(self, children: &'b mut R) -> Result<Band<'b>, FileError> {
        let Draft { mut band, wanted } = self;
        let mut loaded = wanted.load(children)?;
        let children = &*children;
        for (drop, loaded) in band.row_drops.iter_mut().zip(&mut loaded) {
            (drop.child, _) = placed(children, loaded.as_ref(), &mut drop.rows);
        }
        for (drop, loaded) in band.column_drops.iter_mut().zip(&mut loaded) {
            let first;
            (drop.child, first) = placed(children, loaded.as_ref(), &mut drop.rows);
            drop.first_row = drop.first_row.saturating_sub(first);
        }
        for (drop, loaded) in band.turned_drops.iter_mut().zip(loaded) {
            if let Some(loaded) = &loaded {
                drop.row_words = loaded.row_words;
                drop.first_word -= loaded.first_word;
            }
            (drop.child, _) = placed(children, loaded.as_ref(), &mut drop.rows);
        }
        Ok(band)
    }
}
