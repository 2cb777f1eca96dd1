//! The strategies of `rating`: how to choose among columns that the search finds equal.
//!
//! | number | name | takes |
//! |---|---|---|
//! | 0 | first | the first one, starting at a random column |
//! | 1 | expansive | the cell with the highest value for the mover |
//! | 2 | restrictive | the cell with the highest value for the opponent |
//! | 3 | neutral | the cell with the highest sum of both values |
//! | 4 | tactical | the cell with the highest sum minus the sum of the cell above, which the move makes playable |
//! | 5, 6, 7 | tactical | like 4, with values as in 1, 2 or 3; the opponent moves into the cell above; 7 equals 4 |
//!
//! A line is open to a player if it has no piece of the other. Its weight is the number of pieces in it, 0 to K - 1. An
//! empty cell has two values: the sum of the weights of the lines through it that are open to the mover, and the sum
//! for the opponent.

use super::standing::Standing;

/// The last strategy.
pub(super) const MOST_STRATEGY: u32 = 7;

/// The strategies from here on look at the cell above.
const TACTICAL: u32 = 4;

/// Returns what a move into a column with room is worth to the mover under a strategy, 1 to 7. Restores `standing`.
pub(super) fn value(strategy: u32, standing: &mut Standing, column: usize) -> i32 {
    let row = standing.height(column);
    let value = cell_value(strategy, standing, column, row);
    if strategy < TACTICAL {
        return value;
    }
    standing.drop_piece(column, |_| {});
    let on_top = if standing.can_play(column) { cell_value(strategy, standing, column, row + 1) } else { 0 };
    standing.take_back(column);
    value - on_top
}

/// Returns what an empty cell is worth to the player to move under a strategy, ignoring the cell above it.
fn cell_value(strategy: u32, standing: &Standing, column: usize, row: usize) -> i32 {
    // A line is open to a player if the other has no piece in it. Its weight is the number of the player's pieces, so
    // an empty line weighs 0.
    let open = |player: usize| -> i32 {
        let lines = standing.in_lines_through(column, row);
        lines.filter(|pieces| pieces[1 - player] == 0).map(|pieces| i32::from(pieces[player])).sum()
    };
    let mover = standing.mover();
    match strategy % TACTICAL {
        1 => open(mover),
        2 => open(1 - mover),
        _ => open(mover) + open(1 - mover),
    }
}
