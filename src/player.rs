//! The two players.

use std::fmt;

/// Names a player by who moves first on the empty board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Moves at every even ply, the empty board included; drawn as `X`.
    First,
    /// Moves at every odd ply; drawn as `O`.
    Second,
}

impl Player {
    /// Returns the player who moves when `ply` pieces are on the board.
    ///
    /// ```
    /// use fourbase::Player;
    /// assert_eq!([0, 1, 2].map(Player::to_move), [Player::First, Player::Second, Player::First]);
    /// ```
    #[must_use]
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
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// Returns the mark of the player's pieces on a drawn board: `X` or `O`.
    #[must_use]
    pub fn mark(self) -> char {
        match self {
            Player::First => 'X',
            Player::Second => 'O',
        }
    }

    /// Returns `first` or `second`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Player::First => "first",
            Player::Second => "second",
        }
    }
}

impl fmt::Display for Player {
    /// Writes `first` or `second`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
