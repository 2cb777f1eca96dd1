//! `follow-up`: the second player's rule, and central columns where the rule has no reply.
//!
//! The rule is [`strategy::FollowUp`](crate::strategy::FollowUp) with the two middle columns as its centre and
//! [`Reading::Pair`]; on a board of one column there is no centre. The rule has no reply for the first player, and none
//! if the column of the reply is full. The player then takes the most central column with room, and says so in its
//! reason.

use rand::Rng;

use super::chooser::check_open;
use super::{Choice, ChooseError, Chooser, Reason};
use crate::strategy::{Centre, FollowUp, Reading, Rule};
use crate::{Board, Player, Position};

/// The player `follow-up`.
pub(super) struct FollowUpPlayer {
    board: Board,
    rule: FollowUp,
}

impl FollowUpPlayer {
    /// Makes the player for a board.
    pub fn new(board: Board) -> FollowUpPlayer {
        let rule = FollowUp::middle(board).and_then(|centre| FollowUp::new(board, centre, Reading::Pair));
        FollowUpPlayer { board, rule: rule.unwrap_or_else(|_| FollowUp::without_centre()) }
    }
}

impl Chooser for FollowUpPlayer {
    fn choose(&mut self, position: &Position, last: Option<usize>, _: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        let name = self.rule.name();
        let reply = self.rule.reply(position, last).filter(|_| position.to_move() == Player::Second);
        match reply.filter(|&column| position.can_play(column)) {
            Some(column) => Ok(Choice { column, reason: Reason::Rule { name } }),
            None => {
                let column = Centre.reply(position, last).ok_or(ChooseError::Over)?;
                Ok(Choice { column, reason: Reason::NoRule { name } })
            }
        }
    }
}
