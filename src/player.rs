//! The two players.

use std::fmt;

use serde::Serialize;

/// A player: the one who moves first on the empty board, or the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Moves at every even ply, the empty board included; drawn as `X`.
    First,
    /// Moves at every odd ply; drawn as `O`.
    Second,
}

impl Player {
    /// Both players, in the order of their first moves.
    pub const BOTH: [Player; 2] = [Player::First, Player::Second];

    /// Returns the player who moves when `ply` pieces are on the board.
    ///
    /// ```
    /// use fourbase::Player;
    /// assert_eq!([0, 1, 2].map(Player::to_move), [Player::First, Player::Second, Player::First]);
    /// ```
    pub const fn to_move(ply: u32) -> Player {
        if ply.is_multiple_of(2) { Player::First } else { Player::Second }
    }

    /// Returns the opponent.
    ///
    /// ```
    /// use fourbase::Player;
    /// assert_eq!(Player::First.other(), Player::Second);
    /// ```
    #[must_use]
    pub fn other(self) -> Player {
        Player::BOTH[1 - self as usize]
    }

    /// Returns the mark of the player's pieces on a drawn board: `X` or `O`.
    pub fn mark(self) -> char {
        ['X', 'O'][self as usize]
    }

    /// Returns `first` or `second`.
    pub fn name(self) -> &'static str {
        ["first", "second"][self as usize]
    }
}

impl fmt::Display for Player {
    /// Writes `first` or `second`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One value for each player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PerPlayer<T> {
    /// The first player's.
    pub first: T,
    /// The second player's.
    pub second: T,
}

impl<T> PerPlayer<T> {
    /// Returns the value for `player`.
    pub fn of(&self, player: Player) -> &T {
        [&self.first, &self.second][player as usize]
    }

    pub(crate) fn of_mut(&mut self, player: Player) -> &mut T {
        [&mut self.first, &mut self.second][player as usize]
    }
}
