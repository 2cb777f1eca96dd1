//! Lines across both wings: which a shape can hold, and which a matrix of it arms.
//!
//! A line is *full* in a shape whose heights reach all of its cells. It is *armed* in a matrix where the player in
//! question has its spine cells and some right colouring has its right cells; a row then holds it in those columns if
//! its left colouring has the left cells.

use fourbase::Player;

use crate::index::{CrossLine, Index, ShapeLayout, Spine, WingList, WingShape, low_bits, spine_is};
use crate::kernel::matrix::ArmedLine;

/// A line across both wings all of whose cells are occupied in a shape.
pub(crate) struct FullLine {
    left_mask: u32,
    spine_rows: u64,
    right_bits: Vec<u32>,
}

impl FullLine {
    /// Lists the lines that are full in `shape`.
    pub(crate) fn of_shape(index: &Index, shape: &ShapeLayout) -> Vec<FullLine> {
        index.cross_lines().iter().filter_map(|line| full_line(index, line, shape)).collect()
    }
}

fn full_line(index: &Index, line: &CrossLine, shape: &ShapeLayout) -> Option<FullLine> {
    let split = index.split();
    let full = |wing: WingShape, column: usize, row: u32| row < split.height(wing, column);
    let occupied = line.left.iter().all(|cell| full(shape.left, cell.column, cell.row))
        && line.right.iter().all(|cell| full(shape.right, cell.column, cell.row))
        && line.spine_rows & !low_bits(shape.spine_height) == 0;
    occupied.then(|| FullLine {
        left_mask: line.left.iter().map(|cell| 1 << split.bit(shape.left, cell.column, cell.row)).sum(),
        spine_rows: line.spine_rows,
        right_bits: line.right.iter().map(|cell| split.bit(shape.right, cell.column, cell.row)).collect(),
    })
}

/// Arms the lines that `holder` can have in the matrices with this spine and this list of right colourings.
pub(crate) fn armed_lines(lines: &[FullLine], spine: Spine, right: &WingList, holder: Player) -> Vec<ArmedLine> {
    let mut armed = Vec::new();
    for line in lines.iter().filter(|line| spine_is(spine, line.spine_rows, holder)) {
        let flip = if holder == Player::First { 0 } else { u64::MAX };
        let mut columns = vec![u64::MAX; right.words()];
        for &bit in &line.right_bits {
            columns.iter_mut().zip(right.cell(bit)).for_each(|(columns, plane)| *columns &= plane ^ flip);
        }
        if columns.iter().any(|word| *word != 0) {
            let left_bits = if holder == Player::First { line.left_mask } else { 0 };
            armed.push(ArmedLine { left_mask: line.left_mask, left_bits, columns });
        }
    }
    armed
}
