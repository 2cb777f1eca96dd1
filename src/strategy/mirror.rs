//! Mirroring: the second player answers in the mirrored column.

use super::Rule;
use crate::{Player, Position};

/// The mirror rule, for the second player: after a move in column c it plays in column W - 1 - c (from 0).
///
/// On an even number of columns there is always room. On an odd number the middle column is its own mirror image, and
/// with an odd number of rows the rule is undefined once the first player has filled it. The rule loses almost
/// everywhere, because the first player can make a line across the middle. It is an example of a rule to refute.
///
/// ```
/// use fourbase::strategy::{Mirror, Rule};
/// use fourbase::{Board, notation};
///
/// let board: Board = "7x6".parse()?;
/// assert_eq!(Mirror.reply(&notation::parse(board, "2")?, Some(1)), Some(5));
/// assert_eq!(Mirror.reply(&notation::parse(board, "4")?, Some(3)), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mirror;

impl Rule for Mirror {
    fn name(&self) -> &'static str {
        "mirror"
    }

    /// The second player, because the rule has no first move.
    fn player(&self) -> Option<Player> {
        Some(Player::Second)
    }

    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize> {
        (position.board().width() - 1).checked_sub(last?)
    }
}
