//! What a rule of play is.

use crate::{Player, Position};

/// Gives one player's move in every position that the player can meet.
///
/// A rule sees only the board and the opponent's last move, so a check can remember positions instead of lines. It must
/// be a function of the two; otherwise the check is meaningless.
///
/// ```
/// use fourbase::strategy::{Rule, Verdict, check};
/// use fourbase::{Board, Player, Position};
///
/// /// Plays the leftmost column with room.
/// struct Leftmost;
///
/// impl Rule for Leftmost {
///     fn name(&self) -> &'static str {
///         "leftmost"
///     }
///
///     fn reply(&self, position: &Position, _: Option<usize>) -> Option<usize> {
///         position.moves().next()
///     }
/// }
///
/// let board: Board = "4x4".parse()?;
/// assert_eq!(check(&Leftmost, board, Player::First, 1 << 30)?.verdict(), Verdict::Loses);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Rule {
    /// Returns the rule's name: lower case, words joined by hyphens.
    fn name(&self) -> &'static str;

    /// Returns the only player that the rule can serve, or `None` (the default) if it serves either.
    fn player(&self) -> Option<Player> {
        None
    }

    /// Returns the column (from 0) to play for the player to move; `None` if the rule is undefined.
    ///
    /// `last` is the column of the opponent's last move, `None` on the empty board. The game is not over. A full column
    /// or one outside the board counts as `None`, so a rule need not check for room.
    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize>;
}

/// Plays a rule's reply. Returns the column and the position after it; `None` if the rule is undefined.
pub(super) fn answer(rule: &dyn Rule, position: &Position, last: Option<usize>) -> Option<(usize, Position)> {
    let column = rule.reply(position, last)?;
    Some((column, position.play(column).ok()?))
}
