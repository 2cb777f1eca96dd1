//! Minimax with alpha-beta cutoffs. The score of a position at the horizon is a sum over lines and pieces, which is
//! updated move by move.

use super::standing::{Pieces, Standing};
use crate::{Board, MAX_CELLS, Position};

/// Stands for "there is no move"; lower than the worth of any move.
const NONE: i64 = i64::MIN;

/// How a player scores lines, pieces and wins. Under misère [`Minimax`] changes the sign of every score.
pub(super) trait Worth {
    /// Returns what a line with `mine` own pieces and `theirs` pieces of the opponent is worth.
    fn line(&self, mine: usize, theirs: usize) -> i64;

    /// Returns what an own piece in a column is worth.
    fn piece(&self, column: usize) -> i64;

    /// Returns the worth of a win that is `away` plies from the root.
    fn win(&self, away: u32) -> i64;
}

/// A player that looks ahead by minimax.
pub(super) struct Minimax<W> {
    pub board: Board,
    /// How many plies it looks ahead, at least 1.
    pub depth: u32,
    worth: W,
    /// What a line is worth, by its pieces: the index is own pieces * `stride` + opponent's pieces. Calling
    /// [`Worth::line`] for each line instead would double the time.
    lines: Vec<i64>,
    stride: usize,
    standing: Standing,
    /// The searching player, as an index into the pieces of a line.
    me: usize,
    /// The score of the position for that player.
    score: i64,
}

impl<W: Worth> Minimax<W> {
    /// Makes the player for a board, looking `depth` plies ahead (at least 1).
    pub fn new(board: Board, depth: u32, worth: W) -> Minimax<W> {
        // Even on a full board a player has at most half of the cells, so no index below is larger.
        let stride = board.connect().min(MAX_CELLS / 2) + 1;
        let lines = (0..stride * stride).map(|pieces| worth.line(pieces / stride, pieces % stride)).collect();
        let standing = Standing::new(board);
        Minimax { board, depth: depth.max(1), worth, lines, stride, standing, me: 0, score: 0 }
    }

    /// Returns the worth of the best move for the player to move, and the first of `columns` with that worth. The worth
    /// of every move must be from `-most` to `most`, because alpha-beta starts with these bounds.
    pub fn best(
        &mut self,
        position: &Position,
        columns: impl Iterator<Item = usize>,
        most: i64,
    ) -> Option<(i64, usize)> {
        self.standing.set_up(position);
        self.me = self.standing.mover();
        let mine = position.pieces(position.to_move());
        let pieces = (0..self.board.width()).map(|column| {
            let pieces = mine & self.board.column_cells(column);
            i64::from(pieces.count_ones()) * self.worth.piece(column)
        });
        let lines = self.standing.in_lines.iter().map(|pieces| self.lines[place(*pieces, self.me, self.stride)]);
        self.score = pieces.chain(lines).sum();
        let mut best: Option<(i64, usize)> = None;
        for column in columns {
            if self.standing.can_play(column) {
                let alpha = best.map_or(-most, |(worth, _)| worth);
                let worth = self.worth_of(column, self.depth, alpha, most);
                if best.is_none_or(|(best, _)| worth > best) {
                    best = Some((worth, column));
                }
            }
        }
        best
    }

    /// Returns what a move is worth to its mover, looking `depth` plies ahead, including the move. The result is exact
    /// if it lies between `alpha` and `beta`.
    fn worth_of(&mut self, column: usize, depth: u32, alpha: i64, beta: i64) -> i64 {
        let mover = self.standing.mover();
        let is_mine = mover == self.me;
        let mut gain = if is_mine { self.worth.piece(column) } else { 0 };
        let (lines, me, stride, step) = (&self.lines, self.me, self.stride, if is_mine { self.stride } else { 1 });
        let mut change = |before: Pieces| {
            let before = place(before, me, stride);
            gain += lines[before + step] - lines[before];
        };
        // At the horizon the move is only looked at, not played, which halves the cost.
        let completes = if depth == 1 {
            self.standing.peek(column, &mut change)
        } else {
            self.standing.drop_piece(column, &mut change)
        };
        let sign = if self.board.is_misere() { -1 } else { 1 };
        let worth = if completes {
            sign * self.worth.win(self.depth - depth + 1)
        } else if depth > 1 {
            self.score += gain;
            let worth = -self.worth(depth - 1, -beta, -alpha);
            self.score -= gain;
            worth
        } else if self.standing.ply + 1 == self.board.cells() {
            0
        } else {
            (self.score + gain) * if is_mine { sign } else { -sign }
        };
        if depth > 1 {
            self.standing.take_back(column);
        }
        worth
    }

    /// Returns what the best move is worth to the player to move, trying central columns first; 0 on a full board.
    fn worth(&mut self, depth: u32, mut alpha: i64, beta: i64) -> i64 {
        let mut best = NONE;
        for place in 0..self.standing.order.len() {
            let column = self.standing.order[place];
            if self.standing.can_play(column) {
                let worth = self.worth_of(column, depth, alpha, beta);
                best = best.max(worth);
                alpha = alpha.max(worth);
                if alpha >= beta {
                    break;
                }
            }
        }
        // A full board is a tie.
        if best == NONE { 0 } else { best }
    }
}

/// Returns the index in [`Minimax::lines`] for a line with these pieces.
#[inline]
fn place(pieces: Pieces, me: usize, stride: usize) -> usize {
    usize::from(pieces[me]) * stride + usize::from(pieces[1 - me])
}
