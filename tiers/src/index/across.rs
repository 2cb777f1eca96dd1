//! Lines across both wings: which a shape can hold, and which a matrix of it arms.
//!
//! A line is *full* in a shape whose heights reach all of its cells. It is *armed* in a matrix where the player in
//! question has its spine cells and some right colouring has its right cells; a row then holds it in those columns if
//! its left colouring has the left cells.

use fourbase::Player;

use super::layout::Shape;
use super::lines::CrossLine;
use super::split::{Part, Spine, low_bits};
use super::tables::Index;
use super::wing::{WingList, spine_is};
use crate::kernel::matrix::ArmedLine;

/// A line across both wings all of whose cells are occupied in a shape.
pub(crate) struct FullLine {
    left_mask: u32,
    spine_rows: u64,
    right_bits: Vec<u32>,
}

impl FullLine {
    /// Lists the lines that are full in `shape`.
    pub(crate) fn of_shape(index: &Index, shape: Shape) -> Vec<FullLine> {
        index.cross_lines().iter().filter_map(|line| full_line(index, line, shape)).collect()
    }
}

/// A line across both wings all of whose cells but one are occupied, and that one can be dropped into.
pub(crate) struct OpenLine {
    /// The column of the missing cell.
    pub drop: Part,
    /// The other cells.
    pub line: FullLine,
}

impl OpenLine {
    /// Lists the lines that one drop into `shape` can complete.
    pub(crate) fn of_shape(index: &Index, shape: Shape) -> Vec<OpenLine> {
        index.cross_lines().iter().filter_map(|line| open_line(index, line, shape)).collect()
    }
}

/// Splits a line's cells into those that are occupied (as a [`FullLine`]) and the number of the others, with the
/// drop that the last of those is, if it is one.
fn occupied_cells(index: &Index, line: &CrossLine, shape: Shape) -> (FullLine, u32, Option<Part>) {
    let split = index.split();
    let mut full = FullLine { left_mask: 0, spine_rows: 0, right_bits: Vec::new() };
    let (mut missing, mut drop) = (0, None);
    let mut miss = |row: u32, height: u32, part: Part| {
        missing += 1;
        drop = (row == height).then_some(part);
    };
    for cell in &line.left {
        let height = split.height(shape.left, cell.column);
        if cell.row < height {
            full.left_mask |= 1 << split.bit(shape.left, cell.column, cell.row);
        } else {
            miss(cell.row, height, Part::Left(cell.column));
        }
    }
    for cell in &line.right {
        let height = split.height(shape.right, cell.column);
        if cell.row < height {
            full.right_bits.push(split.bit(shape.right, cell.column, cell.row));
        } else {
            miss(cell.row, height, Part::Right(cell.column));
        }
    }
    full.spine_rows = line.spine_rows & low_bits(shape.spine_height);
    let mut open = line.spine_rows & !full.spine_rows;
    while open != 0 {
        miss(open.trailing_zeros(), shape.spine_height, Part::Spine);
        open &= open - 1;
    }
    (full, missing, drop)
}

fn full_line(index: &Index, line: &CrossLine, shape: Shape) -> Option<FullLine> {
    let (full, missing, _) = occupied_cells(index, line, shape);
    (missing == 0).then_some(full)
}

fn open_line(index: &Index, line: &CrossLine, shape: Shape) -> Option<OpenLine> {
    let (line, missing, drop) = occupied_cells(index, line, shape);
    drop.filter(|_| missing == 1).map(|drop| OpenLine { drop, line })
}

impl FullLine {
    /// Returns the bits that a left colouring has on the line, and what they are when `holder` has them all.
    pub(crate) fn left(&self, holder: Player) -> (u32, u32) {
        (self.left_mask, if holder == Player::First { self.left_mask } else { 0 })
    }

    /// Appends the mask of the right colourings in which `holder` has the line's right cells, unless there are none
    /// or `holder` has not the spine's. Tells whether it did.
    pub(crate) fn arm(&self, spine: Spine, right: &WingList, holder: Player, masks: &mut Vec<u64>) -> bool {
        if !spine_is(spine, self.spine_rows, holder) {
            return false;
        }
        #[cfg(test)]
        if self.right_bits.len() == 1 && crate::kernel::mistakes::makes(crate::kernel::mistakes::Mistake::Arms) {
            return false;
        }
        let flip = if holder == Player::First { 0 } else { u64::MAX };
        let start = masks.len();
        masks.resize(start + right.words(), u64::MAX);
        for &bit in &self.right_bits {
            masks[start..].iter_mut().zip(right.cell(bit)).for_each(|(columns, plane)| *columns &= plane ^ flip);
        }
        let any = masks[start..].iter().any(|word| *word != 0);
        if !any {
            masks.truncate(start);
        }
        any
    }
}

/// Arms the lines that `holder` can have in the matrices with this spine and this list of right colourings.
pub(crate) fn armed_lines(lines: &[FullLine], spine: Spine, right: &WingList, holder: Player) -> Vec<ArmedLine> {
    let mut armed = Vec::new();
    for line in lines {
        let mut columns = Vec::new();
        if line.arm(spine, right, holder, &mut columns) {
            let (left_mask, left_bits) = line.left(holder);
            armed.push(ArmedLine { left_mask, left_bits, columns });
        }
    }
    armed
}
