//! `pomakis:LEVEL`: minimax over a number for every line.
//!
//! Each player has a number for each line: 0 if the opponent has a piece in the line, else 2^p, where p is the number
//! of the player's own pieces in it. A position is worth the sum of the mover's numbers less the sum of the opponent's.
//! Minimax with alpha-beta cutoffs looks LEVEL plies ahead, central columns first. A win outweighs every score, and a
//! nearer win outweighs a farther one. The player opens 7x6 in the middle column without a search.
//!
//! Written from the description of Keith Pomakis' Connect-4 algorithm, version 3.7. The description says nothing about
//! equally good columns (here the player takes the most central of them) or about misère (here the score changes sign,
//! because each player avoids lines).
//!
//! On 7x6 level 5 takes some 0.05 ms a move and level 10 some 30 ms.

use rand::Rng;

use super::chooser::check_open;
use super::minimax::{Minimax, Worth};
use super::{Choice, ChooseError, Chooser, Reason};
use crate::Position;

/// The worth of a win before one is subtracted for each ply until the win. All other scores are far smaller: a player
/// has at most 32 pieces, so a line is worth at most 2^32, and there are fewer than 256 lines.
const WIN: i64 = 1 << 60;

/// The least worth of a win: no game is longer than 64 plies, so a score is a win exactly if it is at least this.
const WINS: i64 = WIN - 64;

/// The scores of `pomakis`.
pub(super) struct Pomakis;

impl Worth for Pomakis {
    fn line(&self, mine: usize, theirs: usize) -> i64 {
        match (mine, theirs) {
            (0, 0) | (1.., 1..) => 0,
            (mine, 0) => 1 << mine,
            (0, theirs) => -(1 << theirs),
        }
    }

    fn piece(&self, _: usize) -> i64 {
        0
    }

    fn win(&self, away: u32) -> i64 {
        WIN - i64::from(away)
    }
}

impl Chooser for Minimax<Pomakis> {
    fn choose(&mut self, position: &Position, _: Option<usize>, _: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        if position.ply() == 0 && self.board.to_string() == "7x6" {
            return Ok(Choice { column: self.board.width() / 2, reason: Reason::Middle });
        }
        let order = self.board.central_columns().into_iter();
        let (worth, column) = self.best(position, order, WIN).ok_or(ChooseError::Over)?;
        let plies = Some((WIN - worth.abs()) as u32);
        let reason = if worth >= WINS {
            Reason::WinSeen { plies }
        } else if worth <= -WINS {
            Reason::LossSeen { plies }
        } else {
            Reason::Score { score: worth, plies: self.depth }
        };
        Ok(Choice { column, reason })
    }
}
