//! Bounds without search, from a strategy of the player who is not to move: following up.
//!
//! Call the player to move *mover* and the opponent *follower*. If an even number of cells is empty, the follower has a
//! strategy that never runs out of replies: answer each move in the cell directly above it. The columns with an odd
//! number of empty cells are put in pairs. When the mover plays the lowest empty cell of one column of a pair, the
//! follower plays the lowest empty cell of the other column; then both columns have an even number of empty cells left.
//! So the follower gets the *upper rows*, the cells at an odd distance from the top of the board (counting the topmost
//! cell as 1), except perhaps those that are playable now. The mover can get only
//! - the *lower rows*: the cells at an even distance from the top, and
//! - the cells that are playable now.
//!
//! **No line, no win.** If the mover's pieces and the cells that the mover can get contain no line, the mover cannot
//! win against this strategy, so the score is at most 0. The follower can ignore the mover's threats, because the mover
//! could only complete a line in a cell that the mover can get.
//!
//! **A spot decides.** A *spot* of a player is an empty cell that completes a line of that player. Suppose the follower
//! also has a spot in an upper row that is not playable yet. Right after the mover plays below the spot, the strategy
//! fills the spot, and the follower wins. This happens at the latest when only the cells above the spot are still
//! empty, so the mover cannot get those cells either. The follower also wins if the cells that the strategy is sure to
//! get complete a line, at the latest with the last cell of the board.
//!
//! **A spot in a lower row changes the count.** Suppose the follower has a spot in a lower row and never plays the cell
//! below it. If the mover plays that cell, the follower wins at once. So the strategy leaves out that cell and all
//! cells above it, an odd number of cells. If an *odd* number of cells is empty on the whole board, an even number is
//! left, and the strategy works on those. In the column of the spot, the mover then gets the upper rows, up to the cell
//! below the spot. When all other cells are filled, the mover has to play the cell below the spot, and loses. If an
//! *even* number of cells is empty, two columns with such spots have the same effect. (The spot must not be above
//! another spot of the follower in an upper row, because in this column the mover now gets the upper rows, so also that
//! other spot.)
//!
//! Nodes per position on the 1,000 positions of Test_L2_R2 (see `tests/data/README.md`), before and after each part was
//! added:
//! - "no line" and one spot: 35,656 and 23,928
//! - computing the bounds of all children before any child is searched: 20,168 and 16,822
//! - excluding the cells above a spot from the cells that the mover can get: 7,953 and 6,790
//! - two columns with spots, and lines in cells that the follower is sure to get: both together down to 6,229
//!
//! The mover gets only one of the two lowest empty cells of a pair of odd columns. A test for this reduced the nodes to
//! 6,209, which was not worth its cost.

use super::grid::{Grid, State};
use super::score::{Scale, Score};
use super::word::Word;

/// Returns an upper bound of the score of `state`; [`Score::MAX`] if following up gives no bound. No player may have a
/// line in `state`.
///
/// Costs one or two line tests, and one for each of the opponent's spots in a lower row.
#[inline(always)]
pub(super) fn upper_bound<W: Word, const HEIGHT: u32, const COLUMNS: usize>(
    grid: &Grid<W, HEIGHT, COLUMNS>,
    scale: Scale,
    state: &State<W>,
) -> Score {
    let empty = grid.cells & !state.all;
    let playable = state.playable(grid);
    // The mover must fill a playable spot now, so only spots that are not playable yet can decide later.
    let waiting = state.their_spots & empty & !playable;
    let upper_spots = waiting & !grid.lower_rows;
    // The empty cells, except the follower's spots in upper rows and the cells above them.
    let mut open = empty;
    upper_spots.each().for_each(|spot| open &= !(column_of(grid, spot) & W::ZERO.minus(spot)));
    let lower_spots = waiting & grid.lower_rows & open;

    let loss_on = |ply| -scale.win_on(ply);
    let mover_has_line = |reach: W| grid.has_line(state.mine | (reach & open) | playable);
    let mut upper = Score::MAX;
    if (scale.cells - state.ply).is_multiple_of(2) {
        if !mover_has_line(grid.lower_rows) {
            let sure = (state.mine ^ state.all) | (empty & !grid.lower_rows & !playable);
            upper = if grid.has_line(sure) { loss_on(scale.cells) } else { 0 };
            upper_spots.each().for_each(|spot| upper = upper.min(loss_on(scale.cells - grid.cells_above(spot))));
        }
        let one = lower_spots.lowest();
        if one != lower_spots {
            for other in (lower_spots & !column_of(grid, one)).each() {
                let reach = reach_below(grid, one, reach_below(grid, other, grid.lower_rows));
                if !mover_has_line(reach) {
                    // At the latest, only the two spots, the cell below each, and the cells above them are empty. Then
                    // the mover has to play the cell below one of the spots, and the follower fills that spot.
                    let above = grid.cells_above(one) + grid.cells_above(other);
                    upper = upper.min(loss_on(scale.cells - above - 2));
                }
            }
        }
    } else {
        for spot in lower_spots.each() {
            if !mover_has_line(reach_below(grid, spot, grid.lower_rows)) {
                upper = upper.min(loss_on(scale.cells - grid.cells_above(spot)));
            }
        }
    }
    upper
}

/// Returns the column of a cell, with its sentinel.
#[inline(always)]
fn column_of<W: Word, const HEIGHT: u32, const COLUMNS: usize>(grid: &Grid<W, HEIGHT, COLUMNS>, cell: W) -> W {
    grid.column_cells(grid.column(cell))
}

/// Returns the cells of `rows`, except that in the column of `spot` it returns the upper rows below the spot instead:
/// the cells that the mover gets there if the follower never plays below the spot.
#[inline(always)]
fn reach_below<W: Word, const HEIGHT: u32, const COLUMNS: usize>(
    grid: &Grid<W, HEIGHT, COLUMNS>,
    spot: W,
    rows: W,
) -> W {
    let column = column_of(grid, spot);
    (rows & !column) | (column & spot.minus(W::ONE) & !grid.lower_rows)
}
