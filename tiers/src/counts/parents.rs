//! Finds the parents of a child's matrix, and how their rows and columns are paired with those of the child.
//!
//! The solver finds children in the same way ([`Neighbour`]). In a count, a child's matrix has further rows and columns:
//! the colourings that the last move finished ([`ChildList`]). This makes four parts:
//!
//! |                   | right colourings of the index | finished right colourings  |
//! |-------------------|-------------------------------|----------------------------|
//! | rows of the index | kept: the child's own rows    | drops right or on the spine |
//! | finished rows     | drops left or on the spine    | drops on the spine         |
//!
//! Only the first part is kept; the positions of the others are counted and dropped. Each position of any part is one
//! bit, set by every parent that leads there, so it is counted once.

use super::lists::ChildList;
use crate::index::Matrix;
use crate::solve::{Neighbour, ShapeDrops};

/// Lists the parents of the part of a matrix with these rows and columns, in the order of
/// [`Band::drops`](crate::kernel::matrix::Band::drops).
pub(super) fn parents_of<'b>(
    drops: &'b ShapeDrops,
    matrix: &Matrix,
    [left, right]: [&'b ChildList; 2],
) -> impl Iterator<Item = Neighbour<'b>> {
    let Matrix { spine, left_firsts, right_firsts, .. } = *matrix;
    let straight = Neighbour { shape: 0, spine, left_firsts, is_turned: false, rows: None, columns: None };
    let turned = drops.turned.iter().filter(|_| !right.is_finished).filter_map(move |drop| {
        let columns = Some(left.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, left_firsts: right_firsts, is_turned: true, columns, ..straight })
    });
    let into_left = drops.left.iter().filter(|_| !right.is_finished).filter_map(move |drop| {
        let rows = Some(left.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, left_firsts: left_firsts - drops.first(), rows, ..straight })
    });
    let into_right = drops.right.iter().filter(|_| !left.is_finished).filter_map(move |drop| {
        let columns = Some(right.pairing(Some(drop.column))?);
        Some(Neighbour { shape: drop.shape, columns, ..straight })
    });
    let on_spine = drops.spine.zip(spine.shrunk()).and_then(|(shape, (spine, _))| {
        let [rows, columns] = [left.pairing(None)?, right.pairing(None)?].map(Some);
        Some(Neighbour { shape, spine, rows, columns, ..straight })
    });
    turned.chain(into_left).chain(into_right).chain(on_spine)
}
