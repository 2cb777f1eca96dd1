//! What a rule of play is.

use crate::{Player, Position};

/// Gives one player's move in every position that the player can meet.
///
/// A rule sees the board and the opponent's last move and nothing else: that is what lets a check remember positions
/// instead of lines. It must be a function of the two; one that changes its mind gets a meaningless check.
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

    /// Returns the only player whom the rule can serve, `None` (the default) where it serves either.
    fn player(&self) -> Option<Player> {
        None
    }

    /// Returns the column (from 0) to play for the player to move; `None` where the rule is undefined.
    ///
    /// `last` is the column of the opponent's last move, `None` on the empty board. The game is not over. A column that
    /// is full or outside the board counts as none, so that a rule need not ask whether there is room.
    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize>;
}

/// Plays a rule's reply: the column and the position after it; `None` where the rule is undefined.
pub(super) fn answer(rule: &dyn Rule, position: &Position, last: Option<usize>) -> Option<(usize, Position)> {
    let column = rule.reply(position, last)?;
    Some((column, position.play(column).ok()?))
}
