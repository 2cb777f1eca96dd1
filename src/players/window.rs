//! `window:DEPTH`: minimax over the pieces in every window of K cells.
//!
//! At the horizon the searching player gets +100 for a window of K own pieces, +5 for K - 1 own and an empty cell, +2
//! for K - 2 own and two empty cells, and -4 if the opponent has K - 1 and one cell is empty. Each own piece in the
//! centre column, number W / 2 from 0, adds +3. A won position is worth 9,999,999, a lost one -9,999,999, a full board
//! 0. Minimax with alpha-beta looks DEPTH plies ahead. Of equal moves it takes the first, starting at a random column.
//!
//! A near win is worth as much as a far one, so this player may put off a sure win.
//!
//! Written from the description of the [Connect Four robot][robot], with K in place of 4. The description says nothing
//! about misère; here all signs change.
//!
//! [robot]: https://roboticsproject.readthedocs.io/en/latest/ConnectFourAlgorithm.html

use rand::{Rng, RngExt};

use super::chooser::check_open;
use super::minimax::{Minimax, Worth};
use super::standing::columns_from;
use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position};

/// The worth of a won position.
const WIN: i64 = 9_999_999;

/// The scores of `window` on a board.
pub(super) struct Window(pub Board);

impl Worth for Window {
    fn line(&self, mine: usize, theirs: usize) -> i64 {
        let connect = self.0.connect();
        match (connect - mine, theirs) {
            (0, 0) => 100,
            (1, 0) => 5,
            (2, 0) => 2,
            (missing, theirs) if missing == connect && theirs > 0 && theirs + 1 == connect => -4,
            _ => 0,
        }
    }

    fn piece(&self, column: usize) -> i64 {
        if column == self.0.width() / 2 { 3 } else { 0 }
    }

    fn win(&self, _: u32) -> i64 {
        WIN
    }
}

impl Chooser for Minimax<Window> {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        let first = random.random_range(0..self.board.width() as u32) as usize;
        let columns = columns_from(first, self.board);
        let (worth, column) = self.best(position, columns, WIN + 1).ok_or(ChooseError::Over)?;
        let reason = match worth {
            WIN => Reason::WinSeen { plies: None },
            score if score == -WIN => Reason::LossSeen { plies: None },
            score => Reason::Score { score, plies: self.depth },
        };
        Ok(Choice { column, reason })
    }
}
