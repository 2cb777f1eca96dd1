//! Boards by name.

use fourbase::Board;

/// The board of this name.
pub fn board(name: &str) -> Board {
    name.parse().expect("a board")
}
