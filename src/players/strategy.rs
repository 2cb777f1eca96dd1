//! The strategies of `rating`: how to choose among columns that the search finds equal.
//!
//! A line is open to a player if it has no piece of the other. Its weight is the number of pieces in it, 0 to K - 1. An
//! empty cell has two values: the sum of the weights of the lines through it that are open to the mover, and the sum
//! for the opponent.

use std::fmt;

use super::standing::Standing;

/// How `rating` chooses among columns that the search finds equal, 0 to 7.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// 0: the first one, starting at a random column.
    First,
    /// 1, expansive: the cell of most value for the mover.
    Expansive,
    /// 2, restrictive: the cell of most value for the opponent.
    Restrictive,
    /// 3, neutral: the largest sum of both.
    Neutral,
    /// 4, tactical: the sum less the value for the opponent of the cell that the move opens above it.
    Tactical,
    /// 5: tactical with the value of expansive.
    TacticalExpansive,
    /// 6: tactical with the value of restrictive.
    TacticalRestrictive,
    /// 7: tactical with the value of neutral, which makes it the same as 4.
    TacticalNeutral,
}

const ALL: [Strategy; 8] = [
    Strategy::First,
    Strategy::Expansive,
    Strategy::Restrictive,
    Strategy::Neutral,
    Strategy::Tactical,
    Strategy::TacticalExpansive,
    Strategy::TacticalRestrictive,
    Strategy::TacticalNeutral,
];

impl Strategy {
    /// Returns the strategy with this number, 0 to 7.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Strategy> {
        ALL.get(usize::from(number)).copied()
    }

    /// Returns the number, 0 to 7.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns what playing a column with room is worth to the mover by this strategy. `standing` is left as it was.
    pub(super) fn value(self, standing: &mut Standing, column: usize, rows: usize) -> i32 {
        let row = standing.height(column);
        let value = self.cell_value(standing, column, row);
        if !self.is_tactical() || row + 1 == rows {
            return value;
        }
        standing.drop_piece(column, |_, _| {});
        let on_top = self.cell_value(standing, column, row + 1);
        standing.take_back(column, |_, _| {});
        value - on_top
    }

    /// Returns what an empty cell is worth to the player to move.
    fn cell_value(self, standing: &Standing, column: usize, row: usize) -> i32 {
        // Open to one player means that the other has no piece, so the weight is the player's pieces. An empty line weighs
        // 0.
        let open = |player: usize| -> i32 {
            let lines = standing.in_lines_through(column, row);
            lines.filter(|pieces| pieces[1 - player] == 0).map(|pieces| i32::from(pieces[player])).sum()
        };
        let mover = standing.mover();
        match self {
            Strategy::First => 0,
            Strategy::Expansive | Strategy::TacticalExpansive => open(mover),
            Strategy::Restrictive | Strategy::TacticalRestrictive => open(1 - mover),
            Strategy::Neutral | Strategy::Tactical | Strategy::TacticalNeutral => open(mover) + open(1 - mover),
        }
    }

    fn is_tactical(self) -> bool {
        self.number() >= Strategy::Tactical.number()
    }
}

impl fmt::Display for Strategy {
    /// Writes the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}
