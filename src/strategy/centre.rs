//! Keeping to the centre: the most central column with room, after any move of the opponent.

use super::Rule;
use crate::Position;

/// The centre rule, for either player: plays the most central column with room, the left one of two that are equally
/// central. It is always defined.
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
        // Twice the distance from the middle; of equal columns the first is taken.
        position.moves().min_by_key(|&column| (2 * column).abs_diff(last))
    }
}
