//! `window:DEPTH`: minimax over the pieces in every window of K cells.
//!
//! A window is K cells in a row, where K is the number of pieces in a line that wins. At the horizon the score of the
//! searching player is the sum of
//! - +100 for each window of K own pieces
//! - +5 for each window of K - 1 own pieces and an empty cell
//! - +2 for each window of K - 2 own pieces and two empty cells
//! - -4 for each window of K - 1 pieces of the opponent and an empty cell
//! - +3 for each own piece in the centre column (column W / 2 of W columns, from 0)
//!
//! A won position is worth 9,999,999, a lost position -9,999,999, and a full board 0. Minimax with alpha-beta looks
//! DEPTH plies ahead. The player takes the first of equally good moves, starting at a random column.
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
