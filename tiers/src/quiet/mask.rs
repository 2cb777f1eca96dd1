//! Which entries of a matrix are quiet, 64 at a time.
//!
//! The same judgement as [`super::sight`], on whole rows. A drop into a column is *safe* for the entries in which it
//! completes no line: that is a mask over the matrix' columns for every row, put together from what the left
//! colouring says of the whole row, what the right colouring says of each column, and the lines across both wings that
//! the row arms.
//!
//! An entry is quiet where the game is not over, at least two columns are open, and
//! * in normal play every drop is safe **for both players**: one conjunction, prepared once a matrix;
//! * under misère at least two drops are safe for the player to move.

use std::ops::Range;

use fourbase::Player;

use crate::index::{FullLine, Index, Matrix, OpenLine, Part, Shape, WingList, low_bits};
use crate::kernel::RowMasks;

/// What the matrices of one shape have in common.
pub(crate) struct ShapeSight {
    open: Vec<Part>,
    lines: Vec<OpenLine>,
    full: Vec<FullLine>,
    mover: Player,
    misere: bool,
}

impl ShapeSight {
    /// Finds the open columns of a shape and the lines that a drop can complete.
    pub fn new(index: &Index, shape: Shape, ply: u32) -> ShapeSight {
        let split = index.split();
        let height = index.board().height() as u32;
        let wing = |k: &usize, of| split.height(of, *k) < height;
        let columns = 0..split.wing_columns();
        let mut open: Vec<Part> = columns.clone().filter(|k| wing(k, shape.left)).map(Part::Left).collect();
        open.extend((shape.spine_height < split.spine_room()).then_some(Part::Spine));
        open.extend(columns.filter(|k| wing(k, shape.right)).map(Part::Right));
        ShapeSight {
            open,
            lines: OpenLine::of_shape(index, shape),
            full: FullLine::of_shape(index, shape),
            mover: Player::to_move(ply),
            misere: index.board().is_misere(),
        }
    }
}

/// Where some drops are all safe: rows, columns, and lines across.
#[derive(Default)]
struct Safe {
    /// One bit a row.
    rows: Vec<u64>,
    /// One bit a column.
    columns: Vec<u64>,
    lines: Vec<Line>,
}

/// A line that rows with these pieces have, in the columns of a mask.
struct Line {
    left_mask: u32,
    left_bits: u32,
    /// Where the mask begins.
    mask: usize,
}

/// Which entries of one matrix are quiet. The buffers are reused from matrix to matrix.
#[derive(Default)]
pub(crate) struct MatrixSight<'a> {
    left: Option<&'a WingList>,
    safe: Vec<Safe>,
    over: Vec<Line>,
    masks: Vec<u64>,
    /// No entry is quiet.
    blind: bool,
    misere: bool,
    /// One row each, under misère: at least one safe drop so far; the columns in which the next drop is safe.
    once: Vec<u64>,
    safe_here: Vec<u64>,
}

impl<'a> MatrixSight<'a> {
    /// Prepares a matrix.
    pub fn prepare(&mut self, index: &'a Index, shape: &ShapeSight, matrix: &Matrix) {
        let left = index.list(matrix.left, matrix.spine, matrix.left_firsts);
        let right = index.list(matrix.right, matrix.spine, matrix.right_firsts);
        self.left = Some(left);
        self.misere = shape.misere;
        self.blind = shape.open.len() < 2;
        self.masks.clear();
        self.over.clear();
        if self.blind {
            return;
        }
        let drops = if shape.misere { shape.open.len() } else { 1 };
        self.safe.resize_with(drops, Safe::default);
        for safe in &mut self.safe {
            safe.rows.clear();
            safe.rows.resize(left.words(), u64::MAX);
            safe.columns.clear();
            safe.columns.extend_from_slice(right.all());
            safe.lines.clear();
        }
        let players = [shape.mover, shape.mover.other()];
        let players = if shape.misere { &players[..1] } else { &players[..] };
        for (number, &drop) in shape.open.iter().enumerate() {
            let safe = &mut self.safe[if shape.misere { number } else { 0 }];
            for &player in players {
                safe.narrow(drop, player, left, right);
            }
        }
        self.blind = !shape.misere && (all_zero(&self.safe[0].columns) || all_zero(&self.safe[0].rows));
        if self.blind {
            return;
        }
        for open in &shape.lines {
            let number = if shape.misere { shape.open.iter().position(|part| *part == open.drop) } else { Some(0) };
            let Some(safe) = number.map(|number| &mut self.safe[number]) else { continue };
            for &player in players {
                add_line(&mut safe.lines, &open.line, matrix, right, player, &mut self.masks);
            }
        }
        // A line of the other player ends the game; one of the player to move cannot be on the board at all.
        for line in &shape.full {
            for holder in [shape.mover, shape.mover.other()] {
                add_line(&mut self.over, line, matrix, right, holder, &mut self.masks);
            }
        }
    }

    /// Tells whether rows of the matrix, all in one run of 64 from a multiple of 64 on, can have quiet entries.
    pub fn may_have(&self, rows: &Range<usize>) -> bool {
        let in_run = rows_in_run(rows);
        !self.blind && (self.misere || self.safe[0].rows[rows.start / 64] & in_run != 0)
    }

    /// Writes the columns of a row in which at least two drops are safe.
    #[inline(always)]
    fn safe_twice(&mut self, row: usize, words: &Range<usize>, out: &mut [u64]) {
        let MatrixSight { left, safe, masks, once, safe_here, .. } = self;
        out.fill(0);
        once.clear();
        once.resize(out.len(), 0);
        safe_here.resize(out.len(), 0);
        for safe in safe.iter() {
            safe.columns(row..row + 1, words, safe_here);
            clear_lines(&safe.lines, *left, masks, row..row + 1, words, safe_here);
            for ((twice, once), safe) in out.iter_mut().zip(&mut *once).zip(&*safe_here) {
                *twice |= *once & safe;
                *once |= safe;
            }
        }
    }
}

impl RowMasks for MatrixSight<'_> {
    #[inline(always)]
    fn rows(&mut self, rows: Range<usize>, words: Range<usize>, out: &mut [u64]) {
        if !self.may_have(&rows) {
            return out.fill(0);
        }
        if self.misere {
            for (row, out) in rows.clone().zip(out.chunks_exact_mut(words.len())) {
                self.safe_twice(row, &words, out);
            }
        } else {
            let safe = &self.safe[0];
            safe.columns(rows.clone(), &words, out);
            clear_lines(&safe.lines, self.left, &self.masks, rows.clone(), &words, out);
        }
        clear_lines(&self.over, self.left, &self.masks, rows, &words, out);
        #[cfg(test)]
        out.chunks_exact_mut(words.len()).for_each(|row| crate::kernel::mistakes::mask(row, words.start));
    }
}

/// Returns the bits of some rows in the word that has them, one bit a row.
fn rows_in_run(rows: &Range<usize>) -> u64 {
    debug_assert!(!rows.is_empty() && rows.start / 64 == (rows.end - 1) / 64);
    low_bits(rows.len() as u32) << (rows.start % 64)
}

/// Clears, in each of `rows`, the columns in which the row has one of `lines`.
///
/// A line asks for pieces in the left wing: the planes of those cells say which of 64 rows have it, so that no row is
/// asked about lines that it does not have.
#[inline(always)]
fn clear_lines(
    lines: &[Line],
    left: Option<&WingList>,
    masks: &[u64],
    rows: Range<usize>,
    words: &Range<usize>,
    out: &mut [u64],
) {
    let Some(left) = left else { return };
    let run = rows.start / 64;
    for line in lines {
        let (mut having, mut cells) = (rows_in_run(&rows), line.left_mask);
        while cells != 0 {
            let cell = cells.trailing_zeros();
            let flip = if line.left_bits >> cell & 1 == 1 { 0 } else { u64::MAX };
            having &= left.cell(cell)[run] ^ flip;
            cells &= cells - 1;
        }
        let mask = &masks[line.mask..][words.clone()];
        while having != 0 {
            let row = run * 64 + having.trailing_zeros() as usize - rows.start;
            let out = &mut out[row * mask.len()..][..mask.len()];
            for (out, mask) in out.iter_mut().zip(mask) {
                *out &= !mask;
            }
            having &= having - 1;
        }
    }
}

impl Safe {
    /// Keeps only where `player` completes no line inside wing and spine by dropping into `drop`.
    fn narrow(&mut self, drop: Part, player: Player, left: &WingList, right: &WingList) {
        let and = |words: &mut [u64], with: &[u64]| words.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
        match drop {
            Part::Left(column) => and(&mut self.rows, left.keeps(column, player)),
            Part::Right(column) => and(&mut self.columns, right.keeps(column, player)),
            Part::Spine => {
                and(&mut self.rows, left.spine_keeps(player));
                and(&mut self.columns, right.spine_keeps(player));
            }
        }
    }

    /// Writes, for each of `rows`, the columns in which the drops are safe as far as lines inside wing and spine go.
    #[inline(always)]
    fn columns(&self, rows: Range<usize>, words: &Range<usize>, out: &mut [u64]) {
        let columns = &self.columns[words.clone()];
        for (row, out) in rows.zip(out.chunks_exact_mut(columns.len())) {
            if self.rows[row / 64] >> (row % 64) & 1 == 1 {
                out.copy_from_slice(columns);
            } else {
                out.fill(0);
            }
        }
    }
}

fn add_line(
    lines: &mut Vec<Line>,
    line: &FullLine,
    matrix: &Matrix,
    right: &WingList,
    holder: Player,
    masks: &mut Vec<u64>,
) {
    let mask = masks.len();
    if line.arm(matrix.spine, right, holder, masks) {
        let (left_mask, left_bits) = line.left(holder);
        lines.push(Line { left_mask, left_bits, mask });
    }
}

fn all_zero(words: &[u64]) -> bool {
    words.iter().all(|word| *word == 0)
}
