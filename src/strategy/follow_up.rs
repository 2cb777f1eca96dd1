//! Following up: the second player answers in the column that the first player just played.
//!
//! On a board with an even number of rows, the second player thus gets every cell of the even rows (counted from 1),
//! and the first player can complete a line only within an odd row. An exception for two centre columns breaks those
//! lines: when the first player first plays in one centre column, the second player plays in the other, on the bottom
//! row.
//!
//! The documentation of GamesCrafters describes this strategy for boards of at most 6 columns and an even number of
//! rows. [`FollowUp`] accepts any board; a check shows how the rule does there.

use std::fmt;

use super::{CentreError, Rule};
use crate::{Board, Player, Position};

/// Ways to read "the first time the first player plays in one of the two centre columns".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reading {
    /// The first time in either column: once in a game. This reading never loses on the boards of the description.
    Pair,
    /// The first time in each column: up to twice in a game. Undefined if the other column is full by then.
    Column,
    /// Like `Column`, but follows in the same column if the other is full.
    ColumnOrFollow,
}

impl fmt::Display for Reading {
    /// Writes `pair`, `column` or `column-or-follow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reading::Pair => "pair",
            Reading::Column => "column",
            Reading::ColumnOrFollow => "column-or-follow",
        })
    }
}

/// The follow-up rule, for the second player.
///
/// If the first player just played outside the centre, the rule plays in the same column. After the first move in one
/// of the two centre columns, the rule plays in the other centre column. After later moves in a centre column, the rule
/// plays in the same column if that has room, else in the other centre column. [`Reading`] says what counts as the
/// first move. A reply costs a few word operations.
///
/// ```
/// use fourbase::strategy::{FollowUp, Reading, Rule};
/// use fourbase::{Board, notation};
///
/// let board: Board = "6x4".parse()?;
/// let rule = FollowUp::new(board, FollowUp::middle(board)?, Reading::Pair)?;
/// let reply = |moves, last| notation::parse(board, moves).map(|position| rule.reply(&position, Some(last)));
/// assert_eq!(reply("1", 0)?, Some(0)); // an outer column
/// assert_eq!(reply("3", 2)?, Some(3)); // the first time in the centre
/// assert_eq!(reply("343", 2)?, Some(2)); // the second time
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FollowUp {
    /// The centre columns (from 0, ascending); `None` for the rule without a centre.
    centre: Option<[usize; 2]>,
    /// The reading, which is meaningless without a centre.
    reading: Reading,
}

impl FollowUp {
    /// Returns the centre columns (from 0, ascending) and the reading; `None` for the rule without a centre.
    pub fn centre(self) -> Option<([usize; 2], Reading)> {
        Some((self.centre?, self.reading))
    }

    /// Makes the rule for `board` with two columns (from 0, in either order) as its centre. They need not be
    /// neighbours.
    ///
    /// # Errors
    ///
    /// [`CentreError`] if the board has one column, a column is outside the board, or both columns are the same.
    ///
    /// ```
    /// use fourbase::Board;
    /// use fourbase::strategy::{FollowUp, Reading};
    ///
    /// let board: Board = "5x4".parse()?;
    /// assert!(FollowUp::new(board, [2, 3], Reading::Pair).is_ok());
    /// let error = FollowUp::new(board, [4, 5], Reading::Pair).unwrap_err();
    /// assert_eq!(error.to_string(), "column 6 of the centre 5,6 is outside the board 5x4; take two of the columns 1 to 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(board: Board, centre: [usize; 2], reading: Reading) -> Result<FollowUp, CentreError> {
        let [left, right] = [centre[0].min(centre[1]), centre[0].max(centre[1])];
        if board.width() < 2 {
            return Err(CentreError::Narrow { board });
        }
        if right >= board.width() {
            let [first, second] = centre.map(|column| column.saturating_add(1));
            return Err(CentreError::Outside { board, first, second });
        }
        if left == right {
            return Err(CentreError::Twice { board, column: left + 1 });
        }
        Ok(FollowUp { centre: Some([left, right]), reading })
    }

    /// Makes the rule without a centre, which always plays in the opponent's last column.
    pub fn without_centre() -> FollowUp {
        FollowUp { centre: None, reading: Reading::Pair }
    }

    /// Returns the two middle columns of `board` (from 0). On an odd number of columns these are the middle column and
    /// its left neighbour; the right neighbour would serve as well.
    ///
    /// # Errors
    ///
    /// [`CentreError::Narrow`] for a board of one column.
    ///
    /// ```
    /// use fourbase::strategy::FollowUp;
    ///
    /// assert_eq!(FollowUp::middle("6x4".parse()?)?, [2, 3]);
    /// assert_eq!(FollowUp::middle("5x4".parse()?)?, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn middle(board: Board) -> Result<[usize; 2], CentreError> {
        let right = board.width() / 2;
        match right.checked_sub(1) {
            Some(left) => Ok([left, right]),
            None => Err(CentreError::Narrow { board }),
        }
    }

    /// Returns whether the move in the centre column `last` was the opponent's first one there or, with
    /// [`Reading::Pair`], the first one there and in the `other` centre column.
    fn is_first(&self, position: &Position, last: usize, other: usize) -> bool {
        let board = position.board();
        let watched = match self.reading {
            Reading::Pair => board.column_cells(last) | board.column_cells(other),
            Reading::Column | Reading::ColumnOrFollow => board.column_cells(last),
        };
        (position.pieces(position.to_move().other()) & watched).count_ones() == 1
    }
}

impl Rule for FollowUp {
    fn name(&self) -> &'static str {
        "follow-up"
    }

    /// Returns the second player, because the rule has no move on the empty board.
    fn player(&self) -> Option<Player> {
        Some(Player::Second)
    }

    fn reply(&self, position: &Position, last: Option<usize>) -> Option<usize> {
        let last = last?;
        let other = match self.centre {
            Some([left, right]) if last == left => right,
            Some([left, right]) if last == right => left,
            _ => return Some(last),
        };
        let with_room = |column: usize| position.can_play(column).then_some(column);
        match (self.is_first(position, last, other), self.reading) {
            (true, Reading::Pair | Reading::Column) => with_room(other),
            (true, Reading::ColumnOrFollow) => with_room(other).or_else(|| with_room(last)),
            (false, _) => with_room(last).or_else(|| with_room(other)),
        }
    }
}
