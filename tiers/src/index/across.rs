//! Lines across both wings: which a shape can hold, and which a matrix of it arms.
//!
//! A line is *full* in a shape whose heights reach all of its cells. It is *armed* in a matrix where the player in
//! question has its spine cells and some right colouring has its right cells; a row then holds it in those columns if
//! its left colouring has the left cells.

use fourbase::Player;

use super::layout::Shape;
use super::split::{Part, Parts, Spine, Split, low_bits};
use super::tables::Index;
use super::wing::{WingList, spine_is};
use crate::kernel::matrix::{ArmedLine, ArmedLines};

/// A line across both wings all of whose cells are occupied in a shape.
pub(crate) struct FullLine {
    left_mask: u32,
    spine_rows: u64,
    right_mask: u32,
}

impl FullLine {
    /// Lists the lines that are full in `shape`.
    pub(crate) fn of_shape(index: &Index, shape: Shape) -> Vec<FullLine> {
        let occupied = occupied(index.split(), shape);
        let full = index.cross_lines().iter().filter(|line| **line & !occupied == 0);
        full.map(|line| FullLine::new(index.split(), *line, shape)).collect()
    }

    /// Takes those cells of a line that are occupied in `shape`.
    fn new(split: &Split, line: u64, shape: Shape) -> FullLine {
        FullLine {
            left_mask: split.colouring(shape.left, false, line),
            spine_rows: split.spine_rows(line) & low_bits(shape.spine_height),
            right_mask: split.colouring(shape.right, true, line),
        }
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
        let (board, split) = (index.board(), index.split());
        let occupied = occupied(split, shape);
        // Above the top of a full column is the bottom of the next.
        let open = (occupied << 1 | board.bottom_cells()) & !occupied;
        let open_line = |line: &u64| {
            let missing = line & !occupied;
            let is_open = missing & open != 0 && missing.is_power_of_two();
            is_open.then(|| OpenLine {
                drop: split.part(missing.trailing_zeros() as usize / board.height()),
                line: FullLine::new(split, *line, shape),
            })
        };
        index.cross_lines().iter().filter_map(open_line).collect()
    }
}

/// Returns the cells that are occupied in a shape, as a bitboard.
fn occupied(split: &Split, shape: Shape) -> u64 {
    let Shape { left, spine_height, right } = shape;
    let spine = Spine { height: spine_height, bits: u32::MAX };
    let [all, _] = split.bitboards(&Parts { left, left_bits: u32::MAX, spine, right, right_bits: u32::MAX });
    all
}

impl FullLine {
    /// Adds the line to `armed` if `holder` has its spine cells and some right colouring gives them its right cells.
    pub(crate) fn arm(&self, spine: Spine, right: &WingList, holder: Player, armed: &mut ArmedLines) {
        if !spine_is(spine, self.spine_rows, holder) {
            return;
        }
        let (left_bits, flip) = if holder == Player::First { (self.left_mask, 0) } else { (0, u64::MAX) };
        let mask = armed.masks.len();
        let masks = &mut armed.masks;
        masks.extend_from_slice(right.all());
        let mut bits = self.right_mask;
        while bits != 0 {
            let plane = right.cell(bits.trailing_zeros());
            masks[mask..].iter_mut().zip(plane).for_each(|(columns, plane)| *columns &= plane ^ flip);
            bits &= bits - 1;
        }
        if masks[mask..].iter().all(|word| *word == 0) {
            masks.truncate(mask);
        } else {
            armed.lines.push(ArmedLine { left_mask: self.left_mask, left_bits, mask });
        }
    }
}

/// Arms the lines that `holder` can have in the matrices with this spine and this list of right colourings, in place of
/// those in `armed`.
pub(crate) fn arm_lines(lines: &[FullLine], spine: Spine, right: &WingList, holder: Player, armed: &mut ArmedLines) {
    armed.clear();
    lines.iter().for_each(|line| line.arm(spine, right, holder, armed));
}
