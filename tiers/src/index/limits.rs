//! Sizes that follow from the board alone, and their limits: all of them are known before any table is made.

use fourbase::Board;

use super::error::IndexError;

/// The most colourings of a wing beside a spine that tables are made for (7x6 has 2.6e8).
const MOST_COLOURINGS: u128 = 1 << 31;

/// The most pairs of a wing shape and a spine that tables are made for (7x6 has 43,561).
const MOST_LISTS: u128 = 1 << 24;

/// The sizes of a board's tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    /// Colourings of a wing beside a spine, over all shapes.
    pub colourings: u128,
    /// Pairs of a wing shape and a spine.
    pub lists: u128,
    /// Shapes of all tiers, each with its spines, after the mirror.
    pub shapes: u128,
}

impl TableSizes {
    /// Computes the sizes of a board's tables.
    pub fn of(board: Board) -> TableSizes {
        let (wing_columns, height) = ((board.width() / 2) as u32, board.height() as u128);
        let has_spine = board.width() % 2 == 1;
        let spines = if has_spine { (1u128 << (height + 1)) - 1 } else { 1 };
        let wings = (height + 1).pow(wing_columns);
        let column = (1u128 << (height + 1)) - 1;
        TableSizes {
            colourings: column.pow(wing_columns).saturating_mul(spines),
            lists: wings.saturating_mul(spines),
            shapes: (wings * wings / 2).saturating_mul(spines + u128::from(has_spine)),
        }
    }
}

/// Checks that the tables of the wings are small enough to be made.
///
/// # Errors
/// [`IndexError`], with the size and its limit.
pub(crate) fn check_tables(board: Board) -> Result<(), IndexError> {
    let TableSizes { colourings, lists, .. } = TableSizes::of(board);
    if colourings > MOST_COLOURINGS {
        let (colourings, limit) = (colourings as f64, MOST_COLOURINGS as f64);
        return Err(IndexError::Colourings { board, colourings, limit });
    }
    if lists > MOST_LISTS {
        return Err(IndexError::Lists { board, lists: lists as f64, limit: MOST_LISTS as f64 });
    }
    Ok(())
}

/// Counts the shapes of a tier without listing them.
pub(crate) fn count_shapes(board: Board, ply: u32) -> u128 {
    let (columns, room) = (board.width(), board.height());
    let ways = heights(columns, room, ply);
    // A shape that is its own mirror image has the pieces of its left wing twice.
    let spines = (0..=if columns.is_multiple_of(2) { 0 } else { room as u32 })
        .filter_map(|spine| ply.checked_sub(spine).filter(|wings| wings.is_multiple_of(2)).map(|wings| wings / 2));
    let own_images: u128 = spines.map(|wing| heights(columns / 2, room, wing)).sum();
    (ways + own_images) / 2
}

/// Counts the ways in which this many pieces can stand in columns.
fn heights(columns: usize, room: usize, pieces: u32) -> u128 {
    let mut ways = vec![0u128; pieces as usize + 1];
    ways[0] = 1;
    for _ in 0..columns {
        ways = (0..ways.len()).map(|pieces| ways[pieces.saturating_sub(room)..=pieces].iter().sum()).collect();
    }
    ways[pieces as usize]
}

/// A tier of fewer shapes has tables of a few megabytes.
const FEW_SHAPES: u128 = 1 << 17;

/// With K below 3 most shapes have no entry, so a tier of up to this many shapes may be tiny.
const MANY_SHAPES: u128 = 1 << 22;

/// Returns a lower bound on the entries of a tier, from the number of its shapes: 0 for a tier of few shapes.
///
/// Almost every shape has an entry. A file that records far fewer is refused before the tables of its shapes are made.
pub(crate) fn least_entries(board: Board, ply: u32) -> u128 {
    match count_shapes(board, ply) {
        0..FEW_SHAPES => 0,
        FEW_SHAPES..MANY_SHAPES if board.connect() < 3 => 0,
        shapes => shapes / 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, TierDirectory, TierLayout};
    use crate::kernel::Kernel;

    #[test]
    fn shapes_are_counted_as_they_are_listed() {
        for name in ["4x4", "5x4", "1x8", "2x3", "7x2", "3x6", "6x3c3"] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                let listed = TierLayout::new(&index, ply).shapes().len() as u128;
                assert_eq!(count_shapes(index.board(), ply), listed, "{name} ply {ply}");
            }
        }
    }

    #[test]
    fn the_least_number_of_entries_is_no_more_than_there_are() {
        let board: Board = "14x2c3".parse().unwrap();
        let index = Index::new(board, Kernel::detect()).unwrap();
        let mut bounded = 0;
        for ply in 8..=20 {
            let least = least_entries(board, ply);
            assert!(least <= u128::from(TierDirectory::new(&index, ply).entries()), "ply {ply}: {least}");
            bounded += usize::from(least > 0);
        }
        assert!(bounded > 0);
    }

    #[test]
    fn a_board_of_many_shapes_has_many_entries_at_least() {
        assert_eq!(least_entries("7x6".parse().unwrap(), 21), 0);
        assert!(least_entries("20x2".parse().unwrap(), 21) > 1 << 20);
        assert!(least_entries("20x2c2".parse().unwrap(), 21) > 1 << 20);
    }
}
