//! `pomakis:LEVEL`: minimax over a number for every line.
//!
//! Each player has a number for each line: 0 if the opponent has a piece in the line, else 2^p, where p is the number
//! of the player's own pieces in it. A position is worth the sum of the mover's numbers less the sum of the opponent's.
//! Minimax with alpha-beta cutoffs looks LEVEL plies ahead, central columns first. A win outweighs every score, and a
//! nearer win a farther one. On the empty 7x6 board it plays the middle column without a search.
//!
//! Built from the description of Keith Pomakis' Connect-4 algorithm, version 3.7. The description says nothing about
//! equal columns (here the first in the order wins) or about misère (here the score changes sign, because each player
//! avoids lines).
//!
//! On 7x6 level 5 takes some 0.05 ms a move and level 10 some 30 ms.

use rand::Rng;

use super::chooser::{check_board, check_open};
use super::minimax::Minimax;
use super::standing::{Pieces, Standing};
use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position};

/// The worth of an immediate win; each ply of waiting costs one. All scores are far below: a player has at most 32
/// pieces, so a line is worth at most 2^32, and there are fewer than 256 lines.
const WIN: i64 = 1 << 60;

/// All scores from here on are wins, because no game is longer than 64 plies.
const WINS: i64 = WIN - 64;

/// The player `pomakis:LEVEL`.
#[derive(Clone, Debug)]
pub struct PomakisPlayer {
    board: Board,
    level: u32,
    standing: Standing,
    /// The sums of the first and the second player's numbers.
    sums: [i64; 2],
}

impl PomakisPlayer {
    /// Makes the player for a board, looking `level` plies ahead (at least 1).
    #[must_use]
    pub fn new(board: Board, level: u32) -> PomakisPlayer {
        PomakisPlayer { board, level: level.max(1), standing: Standing::new(board), sums: [0; 2] }
    }

    /// Returns the sum of the first and of the second player's numbers over all lines.
    ///
    /// # Errors
    ///
    /// [`ChooseError::OtherBoard`].
    ///
    /// ```
    /// use fourbase::players::PomakisPlayer;
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let mut player = PomakisPlayer::new(board, 5);
    /// assert_eq!(player.sums(&notation::parse(board, "-")?)?, [69, 69]);
    /// // Seven lines go through the middle cell of the bottom row.
    /// assert_eq!(player.sums(&notation::parse(board, "4")?)?, [76, 62]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sums(&mut self, position: &Position) -> Result<[i64; 2], ChooseError> {
        check_board(self.board, position)?;
        self.set_up(position);
        Ok(self.sums)
    }

    fn set_up(&mut self, position: &Position) {
        self.standing.set_up(position);
        self.sums = [0, 1].map(|player| self.standing.in_lines.iter().map(|&pieces| number(pieces, player)).sum());
    }
}

impl Minimax for PomakisPlayer {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn drop_piece(&mut self, column: usize) -> bool {
        let sums = &mut self.sums;
        self.standing.drop_piece(column, |mover, before| {
            // The mover's number doubles, the opponent's becomes 0.
            sums[mover] += number(before, mover);
            sums[1 - mover] -= if before[mover] == 0 { number(before, 1 - mover) } else { 0 };
        })
    }

    fn take_back(&mut self, column: usize) {
        let sums = &mut self.sums;
        self.standing.take_back(column, |mover, before| {
            sums[mover] -= number(before, mover);
            sums[1 - mover] += if before[mover] == 0 { number(before, 1 - mover) } else { 0 };
        });
    }

    fn worth_at_horizon(&self, column: usize, away: u32) -> i64 {
        let mover = self.standing.mover();
        let mut score = self.sums[mover] - self.sums[1 - mover];
        let completes = self.standing.peek(column, |mover, before| {
            score += number(before, mover) + if before[mover] == 0 { number(before, 1 - mover) } else { 0 };
        });
        match (completes, self.board.is_misere()) {
            (true, _) => self.worth_of_line(away),
            (false, false) => score,
            (false, true) => -score,
        }
    }

    fn worth_of_line(&self, away: u32) -> i64 {
        let win = WIN - i64::from(away);
        if self.board.is_misere() { -win } else { win }
    }
}

/// Returns the number of a line for one player.
fn number(pieces: Pieces, player: usize) -> i64 {
    if pieces[1 - player] == 0 { 1 << pieces[player] } else { 0 }
}

impl Chooser for PomakisPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, _: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        if position.ply() == 0 && self.board.to_string() == "7x6" {
            return Ok(Choice { column: position.board().width() / 2, reason: Reason::Middle });
        }
        self.set_up(position);
        let order = self.standing.order.clone();
        let (worth, column) = self.best(order.into_iter(), self.level, WIN).ok_or(ChooseError::Over)?;
        let plies = Some((WIN - worth.abs()) as u32);
        let reason = if worth >= WINS {
            Reason::WinSeen { plies }
        } else if worth <= -WINS {
            Reason::LossSeen { plies }
        } else {
            Reason::Score { score: worth, plies: self.level }
        };
        Ok(Choice { column, reason })
    }
}
