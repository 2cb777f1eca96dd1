//! Lists early positions whose next move is not forced: the rule behind the UCI data set.
//!
//! The data set `connect-4` of the UCI repository (John Tromp, 1995) has "all legal 8-ply positions in the game of
//! connect-4 in which neither player has won yet, and in which the next move is not forced". Three more rules give its
//! 67,557 rows in their order:
//!
//! - the next move is forced if **either** player could complete a line there (if only the opponent's lines counted,
//!   there would be 155,602 positions with their mirror images; if only those of the player to move counted, 155,241);
//! - only one of a position and its mirror image is listed (with both, there would be 134,934 positions);
//! - the rows are in the order of a depth-first search that tries the columns from the centre outwards, left before
//!   right, and visits only the first of a position and its mirror image.

use std::collections::HashSet;

use fourbase::{Board, Position, winning_cells};

use super::PositionError;
use crate::progress::Progress;

/// The last ply that can be listed. A search keeps every position up to the listed ply in memory: for this ply of 7x6,
/// about a million.
pub(crate) const LAST_UNFORCED_PLY: u32 = 10;

/// Lists the unfinished positions of a ply up to 10 in which no move of either player would complete a line, in the
/// order of the UCI data set. Keeps every position up to the ply in memory: for ply 10 of 7x6, about a million.
///
/// ```
/// use fourbase_tiers::positions::unforced;
///
/// // The mirror images of three openings are left out.
/// assert_eq!(unforced("7x6".parse()?, 1, &())?.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`PositionError::Late`] for a later ply, [`PositionError::Stopped`] if `progress` stops the work.
pub fn unforced(board: Board, ply: u32, progress: &dyn Progress) -> Result<Vec<Position>, PositionError> {
    if ply > LAST_UNFORCED_PLY {
        return Err(PositionError::Late { ply });
    }
    let columns = board.central_columns();
    let (mut met, mut listed) = (HashSet::new(), Vec::new());
    // The position at the end of the stack is visited next.
    let mut stack = vec![Position::start(board)];
    while let Some(position) = stack.pop() {
        if position.primitive().is_some() || !met.insert(representative(&position)) {
            continue;
        }
        if met.len() % (1 << 10) == 0 && progress.is_stopped() {
            return Err(PositionError::Stopped);
        }
        if (position.ply() as u32) < ply {
            let children = columns.iter().rev().filter(|column| position.can_play(**column));
            stack.extend(children.map(|column| position.drop_piece(*column)));
        } else if is_unforced(&position) {
            listed.push(position);
        }
    }
    Ok(listed)
}

/// Returns whether no move of either player would complete a line.
fn is_unforced(position: &Position) -> bool {
    let board = position.board();
    let open = position.playable_cells();
    position.bitboards().into_iter().all(|pieces| winning_cells(board, pieces) & open == 0)
}

/// Returns whichever of the position and its mirror image has the smaller bitboards. Where mirror images count as
/// repeats, it stands for both.
pub(crate) fn representative(position: &Position) -> Position {
    let mirror = position.mirror();
    if mirror.bitboards() < position.bitboards() { mirror } else { *position }
}
