//! Sizes computed from the board alone, before any table is made: the sizes of the tables and their limits, the number
//! of shapes of a tier, and an estimate of its entries.

use fourbase::Board;

/// A board that cannot be indexed, because the tables of its wings are too large.
#[derive(Debug, thiserror::Error)]
#[error("board {board}: the tables of its index would have {count:.1e} {of}, more than {limit:.1e}")]
pub struct IndexError {
    /// The board.
    pub board: Board,
    /// How many colourings of a wing beside a spine there are, over all shapes; or how many lists (pairs of a wing
    /// shape and a spine).
    pub count: f64,
    /// What is counted: `colourings` or `lists`.
    pub of: &'static str,
    /// The highest supported number.
    pub limit: f64,
}

/// The most colourings of a wing beside a spine that an index supports (7x6 has 2.6e8).
const MOST_COLOURINGS: u128 = 1 << 31;

/// The most pairs of a wing shape and a spine that an index supports (7x6 has 43,561).
const MOST_LISTS: u128 = 1 << 24;

/// The sizes of a board's tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSizes {
    /// Colourings of a wing beside a spine, over all shapes.
    pub colourings: u128,
    /// Pairs of a wing shape and a spine.
    pub lists: u128,
    /// Shapes of all tiers, each with all its spines, with mirror images merged.
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
/// [`IndexError`] with the size and its limit.
pub(crate) fn check_tables(board: Board) -> Result<(), IndexError> {
    let TableSizes { colourings, lists, .. } = TableSizes::of(board);
    for (count, of, limit) in [(colourings, "colourings", MOST_COLOURINGS), (lists, "lists", MOST_LISTS)] {
        if count > limit {
            return Err(IndexError { board, count: count as f64, of, limit: limit as f64 });
        }
    }
    Ok(())
}

/// Counts the shapes of a tier without listing them.
pub(crate) fn count_shapes(board: Board, ply: u32) -> u128 {
    let (columns, room) = (board.width(), board.height());
    let ways = heights(columns, room, ply);
    // In a shape that is its own mirror image, both wings have the same number of pieces.
    let spines = (0..=if columns.is_multiple_of(2) { 0 } else { room as u32 })
        .filter_map(|spine| ply.checked_sub(spine).filter(|wings| wings.is_multiple_of(2)).map(|wings| wings / 2));
    let own_images: u128 = spines.map(|wing| heights(columns / 2, room, wing)).sum();
    (ways + own_images) / 2
}

/// Counts the ways in which `pieces` pieces can stand in `columns` columns of `room` cells each.
fn heights(columns: usize, room: usize, pieces: u32) -> u128 {
    let mut ways = vec![0u128; pieces as usize + 1];
    ways[0] = 1;
    for _ in 0..columns {
        ways = (0..ways.len()).map(|pieces| ways[pieces.saturating_sub(room)..=pieces].iter().sum()).collect();
    }
    ways[pieces as usize]
}

/// Estimates the entries of every tier with mirror images merged, from the empty board up. Takes about a millisecond.
/// On every board that was tried, the estimates are between half the true number and 64 times that number.
///
/// A column of `h` pieces has `c(h, f)` colourings with `f` first-player pieces and no `K` equal pieces in a row. The
/// counts of columns multiply. So the number of colourings of a tier is a coefficient of the `W`-th power of `Σ c(h, f)
/// x^h y^f`: the one at the tier's ply and balance. The estimate ignores all other lines; only a tenth to a half of the
/// colourings that it counts have none of those.
pub(crate) fn tier_estimates(board: Board) -> Vec<u128> {
    let cells = board.cells();
    let column = column_colourings(board);
    // sums[ply][firsts]
    let mut sums = vec![vec![0u128; cells + 1]; cells + 1];
    sums[0][0] = 1;
    for _ in 0..board.width() {
        let mut next = vec![vec![0u128; cells + 1]; cells + 1];
        for ply in 0..=cells {
            for firsts in (0..=ply).filter(|firsts| sums[ply][*firsts] > 0) {
                for (height, counts) in column.iter().enumerate().filter(|(height, _)| ply + height <= cells) {
                    for (more, count) in counts.iter().enumerate() {
                        let sum = &mut next[ply + height][firsts + more];
                        *sum = sum.saturating_add(sums[ply][firsts].saturating_mul(*count));
                    }
                }
            }
        }
        sums = next;
    }
    // Two mirror images share an entry.
    (0..=cells).map(|ply| sums[ply][ply.div_ceil(2)].div_ceil(2)).collect()
}

/// Counts the colourings of a column by height and first-player pieces, without `K` equal pieces in a row.
fn column_colourings(board: Board) -> Vec<Vec<u128>> {
    let (height, connect) = (board.height(), board.connect());
    // Counts by height, first-player pieces and the colour on top. Below the run of that colour lies a run of the
    // other.
    let mut ways = vec![vec![[0u128; 2]; height + 1]; height + 1];
    ways[0][0] = [1, 1];
    for pieces in 1..=height {
        for firsts in 0..=pieces {
            ways[pieces][firsts] = [0, 1].map(|colour| {
                let below = |run: usize| Some(ways[pieces - run][firsts.checked_sub(colour * run)?][1 - colour]);
                (1..connect.min(pieces + 1)).filter_map(below).sum()
            });
        }
    }
    // The empty column has no colour on top: count it once.
    ways[0][0] = [1, 0];
    let of_height = |pieces: usize| ways[pieces][..=pieces].iter().map(|colours| colours.iter().sum()).collect();
    (0..=height).map(of_height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Index, TierDirectory};
    use crate::kernel::Kernel;

    #[test]
    fn shapes_are_counted_as_they_are_listed() {
        for name in ["4x4", "5x4", "1x8", "2x3", "7x2", "3x6", "6x3c3"] {
            let index = Index::new(name.parse().unwrap(), Kernel::detect()).unwrap();
            for ply in 0..=index.board().cells() as u32 {
                let listed = TierDirectory::new(&index, ply).shapes.len() as u128;
                assert_eq!(count_shapes(index.board(), ply), listed, "{name} ply {ply}");
            }
        }
    }
}
