//! `window:DEPTH`: minimax over the pieces in every window of K cells.
//!
//! At the horizon the searching player gets +100 for a window of K own pieces, +5 for K - 1 own and an empty cell, +2
//! for K - 2 own and two empty cells, and -4 if the opponent has K - 1 and one cell is empty. Each own piece in the
//! centre column, number W / 2 from 0, adds +3. A won position is worth 9,999,999, a lost one -9,999,999, a full board
//! 0. Minimax with alpha-beta looks DEPTH plies ahead. Of equal columns it takes the first, starting at a random one.
//!
//! A near win is worth no more than a far one, so this player may put off a sure win.
//!
//! Built from the description of the [Connect Four robot][robot], with K in place of 4. The description says nothing
//! about misère; here all signs change.
//!
//! [robot]: https://roboticsproject.readthedocs.io/en/latest/ConnectFourAlgorithm.html

use rand::{Rng, RngExt};

use super::chooser::{check_board, check_open};
use super::minimax::Minimax;
use super::standing::{Pieces, Standing};
use super::{Choice, ChooseError, Chooser, Reason};
use crate::{Board, Position};

/// The worth of a won position.
const WIN: i64 = 9_999_999;

/// The worth of an own piece in the centre column.
const CENTRE: i64 = 3;

/// The player `window:DEPTH`.
#[derive(Clone, Debug)]
pub struct WindowPlayer {
    board: Board,
    depth: u32,
    standing: Standing,
    /// The searching player, as an index into the pieces of a line.
    me: usize,
    /// The score of the position for that player.
    score: i64,
}

impl WindowPlayer {
    /// Makes the player for a board, looking `depth` plies ahead (at least 1).
    #[must_use]
    pub fn new(board: Board, depth: u32) -> WindowPlayer {
        WindowPlayer { board, depth: depth.max(1), standing: Standing::new(board), me: 0, score: 0 }
    }

    /// Returns the score of a position at the horizon for the player to move.
    ///
    /// # Errors
    ///
    /// [`ChooseError::OtherBoard`].
    ///
    /// ```
    /// use fourbase::players::WindowPlayer;
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "7x6".parse()?;
    /// let mut player = WindowPlayer::new(board, 4);
    /// // Two pieces in the centre column, and the one window up from them: 2 x 3 + 2.
    /// assert_eq!(player.score(&notation::parse(board, "4141")?)?, 2 * 3 + 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn score(&mut self, position: &Position) -> Result<i64, ChooseError> {
        check_board(self.board, position)?;
        self.set_up(position);
        Ok(self.score)
    }

    /// Sets up a position, to be scored for its player to move.
    fn set_up(&mut self, position: &Position) {
        self.standing.set_up(position);
        self.me = self.standing.mover();
        let centre = position.board().column_cells(self.board.width() / 2);
        let mine = (position.pieces(position.to_move()) & centre).count_ones();
        let lines = self.standing.in_lines.iter();
        self.score = lines.map(|&pieces| judge(pieces, self.me, self.board.connect())).sum::<i64>();
        self.score += CENTRE * i64::from(mine);
    }

    /// Returns what a piece of the player to move in this column is worth by itself.
    fn centre_piece(&self, column: usize) -> i64 {
        if column == self.board.width() / 2 && self.standing.mover() == self.me { CENTRE } else { 0 }
    }
}

impl Minimax for WindowPlayer {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn drop_piece(&mut self, column: usize) -> bool {
        let (me, connect, mut change) = (self.me, self.board.connect(), self.centre_piece(column));
        let completes = self.standing.drop_piece(column, |mover, before| change += gain(before, mover, me, connect));
        self.score += change;
        completes
    }

    fn take_back(&mut self, column: usize) {
        let (me, connect, mut change) = (self.me, self.board.connect(), 0);
        self.standing.take_back(column, |mover, before| change += gain(before, mover, me, connect));
        self.score -= change + self.centre_piece(column);
    }

    fn worth_at_horizon(&self, column: usize, away: u32) -> i64 {
        let (me, connect, mut score) = (self.me, self.board.connect(), self.score + self.centre_piece(column));
        let completes = self.standing.peek(column, |mover, before| score += gain(before, mover, me, connect));
        if completes {
            self.worth_of_line(away)
        } else if self.standing.ply + 1 == self.board.cells() {
            0
        } else if (self.standing.mover() == me) != self.board.is_misere() {
            score
        } else {
            -score
        }
    }

    fn worth_of_line(&self, _: u32) -> i64 {
        if self.board.is_misere() { -WIN } else { WIN }
    }
}

/// Returns what a window is worth to one player.
fn judge(pieces: Pieces, me: usize, connect: usize) -> i64 {
    let (mine, theirs) = (usize::from(pieces[me]), usize::from(pieces[1 - me]));
    if theirs == 0 {
        match connect - mine {
            0 => 100,
            1 => 5,
            2 => 2,
            _ => 0,
        }
    } else if mine == 0 && theirs + 1 == connect {
        -4
    } else {
        0
    }
}

/// Returns what a window gains for `me` when `mover` adds a piece.
fn gain(before: Pieces, mover: usize, me: usize, connect: usize) -> i64 {
    let mut after = before;
    after[mover] += 1;
    judge(after, me, connect) - judge(before, me, connect)
}

impl Chooser for WindowPlayer {
    fn choose(&mut self, position: &Position, _: Option<usize>, random: &mut dyn Rng) -> Result<Choice, ChooseError> {
        check_open(self.board, position)?;
        self.set_up(position);
        let width = self.board.width();
        let first = random.random_range(0..width as u32) as usize;
        let columns = (first..width).chain(0..first);
        let (worth, column) = self.best(columns, self.depth, WIN + 1).ok_or(ChooseError::Over)?;
        let reason = match worth {
            WIN => Reason::WinSeen { plies: None },
            score if score == -WIN => Reason::LossSeen { plies: None },
            score => Reason::Score { score, plies: self.depth },
        };
        Ok(Choice { column, reason })
    }
}
