//! Rules of play, and two rules that need no state: the mirror and the centre.

use crate::{Player, Position};

/// Gives one player's move in every position that the player can meet.
///
/// A rule gets only the position and the opponent's last move, so a check can remember positions instead of lines. The
/// reply must depend on nothing else; otherwise the check is meaningless.
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

/// The mirror rule, for the second player: on W columns, after a move in column c it plays in column W - 1 - c (from
/// 0).
///
/// On an even number of columns there is always room for the reply. On an odd number of columns the middle column is
/// its own mirror image; if the number of rows is odd too, the rule is undefined once the first player has filled the
/// middle column. The rule loses on almost every board, because the first player can make a line across the middle. It
/// serves as an example of a rule to refute.
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

    /// Returns the second player, because the rule has no move on the empty board.
    fn player(&self) -> Option<Player> {
        Some(Player::Second)
    }

    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize> {
        (position.board().width() - 1).checked_sub(last?)
    }
}

/// The centre rule, for either player: plays the most central column with room. Of two equally central columns it plays
/// the left one. The rule is always defined.
///
/// ```
/// use fourbase::strategy::{Centre, Rule};
/// use fourbase::{Board, notation};
///
/// let board: Board = "4x2".parse()?;
/// let reply = |moves| notation::parse(board, moves).map(|position| Centre.reply(&position, None));
/// assert_eq!([reply("-")?, reply("22")?, reply("2233")?], [Some(1), Some(2), Some(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Centre;

impl Rule for Centre {
    fn name(&self) -> &'static str {
        "centre"
    }

    fn reply(&self, position: &Position, _: Option<usize>) -> Option<usize> {
        let last = position.board().width() - 1;
        // The key is twice the distance from the middle. Of equally central columns `min_by_key` takes the first.
        position.moves().min_by_key(|&column| (2 * column).abs_diff(last))
    }
}
