//! A position: where each player's pieces are, what can be played, and whether the game is over.
//!
//! A position is two bitboards in the cell order of [`Board`]. The number of pieces says who is to move. A line of the
//! player who just moved, or a full board, means that the game is over.

use std::hash::{Hash, Hasher};

use thiserror::Error;

use crate::{Board, Outcome, Player, Value, has_line, lines, winning_cells};

/// A board with pieces on it.
///
/// ```
/// use fourbase::{Board, Position, Value};
///
/// let board: Board = "4x4c2".parse()?;
/// let position = Position::start(board).play(0)?.play(3)?;
/// assert_eq!(position.primitive(), None);
/// assert_eq!(position.play(1)?.primitive(), Some(Value::Lose)); // two in a row: the player to move has lost
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    board: Board,
    /// The bitboards of the first and the second player.
    pieces: [u64; 2],
}

impl Position {
    /// Returns the empty board.
    pub fn start(board: Board) -> Position {
        Position { board, pieces: [0; 2] }
    }

    /// Builds a position from the bitboard of each player, in which bit `board.cell(column, row)` stands for a piece in
    /// that cell.
    ///
    /// The result is well formed, but perhaps no play reaches it; [`notation::to_moves`](crate::notation::to_moves)
    /// finds out whether it is reachable.
    ///
    /// # Errors
    ///
    /// [`PiecesError`] names the first of these faults:
    ///
    /// - a piece is outside the board;
    /// - two pieces are in one cell;
    /// - a piece is above an empty cell;
    /// - the first player has neither as many pieces as the second nor one more;
    /// - both players have a line;
    /// - the player to move has a line, which would have ended the game earlier.
    ///
    /// ```
    /// use fourbase::{Board, Position};
    ///
    /// let board: Board = "2x2".parse()?;
    /// assert_eq!(Position::from_bitboards(board, 0b0001, 0b0100)?, Position::start(board).play(0)?.play(1)?);
    /// assert!(Position::from_bitboards(board, 0b0010, 0b0000).is_err()); // hangs in the air
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bitboards(board: Board, first: u64, second: u64) -> Result<Position, PiecesError> {
        let occupied = first | second;
        if let Some(bit) = lowest_bit(occupied & !board.all_cells()) {
            return Err(PiecesError::Outside { board, bit });
        }
        let place = |cell: usize| (cell / board.height() + 1, cell % board.height() + 1);
        if let Some((column, row)) = lowest_bit(first & second).map(place) {
            return Err(PiecesError::Overlap { column, row });
        }
        let floating = occupied & !board.bottom_cells() & !(occupied << 1);
        if let Some((column, row)) = lowest_bit(floating).map(place) {
            return Err(PiecesError::Floating { column, row });
        }
        let (first_count, second_count) = (first.count_ones(), second.count_ones());
        if first_count != second_count && first_count != second_count + 1 {
            return Err(PiecesError::Counts { first: first_count, second: second_count });
        }
        let position = Position { board, pieces: [first, second] };
        let mover = position.to_move();
        match [mover, mover.other()].map(|player| has_line(board, position.pieces(player))) {
            [true, true] => Err(PiecesError::BothLines),
            [true, false] => Err(PiecesError::EarlierLine(mover)),
            _ => Ok(position),
        }
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Checks that the position is on the board `expected`.
    ///
    /// # Errors
    ///
    /// [`OtherBoard`] if it is not.
    pub fn check_board(&self, expected: Board) -> Result<(), OtherBoard> {
        let found = self.board;
        if found == expected { Ok(()) } else { Err(OtherBoard { expected, found }) }
    }

    /// Returns the number of pieces on the board.
    pub fn ply(&self) -> usize {
        self.occupied().count_ones() as usize
    }

    /// Returns whose turn it is, or would be if the game were not over.
    pub fn to_move(&self) -> Player {
        Player::to_move(self.occupied().count_ones())
    }

    /// Returns the bitboard of one player's pieces.
    pub fn pieces(&self, player: Player) -> u64 {
        self.pieces[player as usize]
    }

    /// Returns the bitboards of the first and the second player.
    pub fn bitboards(&self) -> [u64; 2] {
        self.pieces
    }

    /// Returns the bitboard of all pieces.
    pub fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// Returns the bitboard of the cells into which a piece can fall: the lowest empty cell of every column with room,
    /// even if the game is over.
    pub fn playable_cells(&self) -> u64 {
        (self.occupied() << 1 | self.board.bottom_cells()) & !self.occupied() & self.board.all_cells()
    }

    /// Returns the number of pieces in `column` (from 0); 0 for a column outside the board.
    pub fn height(&self, column: usize) -> usize {
        (self.occupied() & self.board.column_cells(column)).count_ones() as usize
    }

    /// Returns the player whose piece is in the cell at `column` and `row` (from 0, row 0 at the bottom); `None` for
    /// an empty cell and outside the board.
    ///
    /// ```
    /// use fourbase::{Board, Player, Position};
    ///
    /// let position = Position::start("4x4".parse::<Board>()?).play(2)?;
    /// assert_eq!(position.piece(2, 0), Some(Player::First));
    /// assert_eq!(position.piece(2, 1), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn piece(&self, column: usize, row: usize) -> Option<Player> {
        if column >= self.board.width() || row >= self.board.height() {
            return None;
        }
        Player::BOTH.into_iter().find(|player| self.pieces(*player) >> self.board.cell(column, row) & 1 == 1)
    }

    /// Returns whether `column` (from 0) is on the board and has room, even if the game is over.
    pub fn can_play(&self, column: usize) -> bool {
        self.board.column_cells(column) & !self.occupied() != 0
    }

    /// Lists the legal moves, columns from 0 in ascending order; none once the game is over.
    pub fn moves(&self) -> impl Iterator<Item = usize> + use<> {
        let position = *self;
        let columns = if self.has_finished_line() { 0 } else { self.board.width() };
        (0..columns).filter(move |&column| position.can_play(column))
    }

    /// Returns the leftmost column (from 0) in which the player to move completes a line and wins; `None` if there is
    /// none, if the game is over, and under misère.
    ///
    /// ```
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "4x4".parse()?;
    /// assert_eq!(notation::parse(board, "121212")?.winning_move(), Some(0));
    /// assert_eq!(notation::parse(board, "12121")?.winning_move(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn winning_move(&self) -> Option<usize> {
        if self.board.is_misere() || self.has_finished_line() {
            return None;
        }
        let wins = winning_cells(self.board, self.pieces(self.to_move())) & self.playable_cells();
        lowest_bit(wins).map(|cell| cell / self.board.height())
    }

    /// Plays a move of the player to move in `column` (from 0).
    ///
    /// # Errors
    ///
    /// [`MoveError`] for a column outside the board, for any move once the game is over, and for a full column.
    pub fn play(&self, column: usize) -> Result<Position, MoveError> {
        if column >= self.board.width() {
            return Err(MoveError::Outside { column: column.saturating_add(1), columns: self.board.width() });
        }
        if let Some(winner) = self.winner() {
            return Err(MoveError::Over { winner, ply: self.ply() });
        }
        if !self.can_play(column) {
            return Err(MoveError::Full { column: column + 1, rows: self.board.height() });
        }
        Ok(self.drop_piece(column))
    }

    /// Drops a piece of the player to move into `column` (from 0), even if the game is over.
    ///
    /// The column must have room ([`Position::can_play`]). Only debug builds check this; in other builds the result for
    /// a full column is meaningless. [`Position::play`] always checks. Costs a few word operations.
    #[must_use]
    pub fn drop_piece(&self, column: usize) -> Position {
        debug_assert!(self.can_play(column), "column {column} has no room");
        let occupied = self.occupied();
        // Adding a bit at the bottom carries through the pieces of the column into its lowest empty cell.
        let piece = occupied.wrapping_add(1 << (column * self.board.height())) & !occupied;
        let mut next = *self;
        next.pieces[self.to_move() as usize] |= piece;
        next
    }

    /// Returns the value for the player to move if the game is over, else `None`.
    ///
    /// If the player who just moved has a line, the value is lose, or win under misère. A full board without a line is
    /// a tie.
    pub fn primitive(&self) -> Option<Value> {
        if self.has_finished_line() {
            Some(if self.board.is_misere() { Value::Win } else { Value::Lose })
        } else if self.occupied() == self.board.all_cells() {
            Some(Value::Tie)
        } else {
            None
        }
    }

    /// Returns the cells of the lines that have ended the game, as a mask of [`Board::cell`]; 0 without a line.
    ///
    /// ```
    /// use fourbase::{Board, notation};
    ///
    /// let board: Board = "4x4".parse()?;
    /// assert_eq!(notation::parse(board, "1212121")?.completed_lines(), 0b1111); // the first column
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn completed_lines(&self) -> u64 {
        let is_complete = |line: &u64| self.pieces.iter().any(|pieces| pieces & line == *line);
        lines(self.board).filter(is_complete).fold(0, |cells, line| cells | line)
    }

    /// Returns the winner of a finished game; `None` for a tie and for an unfinished game.
    pub fn winner(&self) -> Option<Player> {
        let mover = self.to_move();
        self.has_finished_line().then(|| if self.board.is_misere() { mover } else { mover.other() })
    }

    /// Converts the outcome of this position to Pons' score. A win scores 1 if the winning move uses the winner's last
    /// piece, 2 if the winner has one piece left over, and so on. A loss scores minus the winner's score, and a tie 0.
    /// Returns `None` for a win or a loss of unknown remoteness, and under misère, where the loser makes the last move.
    ///
    /// ```
    /// use fourbase::{Board, Outcome, Position, Value};
    ///
    /// let start = Position::start("7x6".parse::<Board>()?);
    /// assert_eq!(start.score(Outcome { value: Value::Win, remoteness: Some(41) }), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn score(&self, outcome: Outcome) -> Option<i64> {
        if self.board.is_misere() {
            return None;
        }
        let empty = (self.board.cells() - self.ply()) as i64;
        let left = || outcome.remoteness.map(|plies| (empty + 2 - i64::from(plies)).max(0) / 2);
        match outcome.value {
            Value::Win => left(),
            Value::Tie => Some(0),
            Value::Lose => left().map(|left| -left),
        }
    }

    /// Returns the mirror image: the columns in reverse order.
    ///
    /// ```
    /// use fourbase::{Board, Position};
    ///
    /// let start = Position::start("5x4".parse::<Board>()?);
    /// assert_eq!(start.play(0)?.play(1)?.mirror(), start.play(4)?.play(3)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mirror(&self) -> Position {
        let (width, height) = (self.board.width(), self.board.height());
        let mirror = |pieces: u64| {
            (0..width).fold(0, |mirrored, column| {
                let cells = (pieces & self.board.column_cells(column)) >> (column * height);
                mirrored | cells << ((width - 1 - column) * height)
            })
        };
        Position { pieces: self.pieces.map(mirror), ..*self }
    }

    /// Lists the unfinished positions that are one move before this one, each with the column of that move (from 0), in
    /// ascending order. Some of them may be unreachable in play.
    pub fn parents(&self) -> impl Iterator<Item = (usize, Position)> + use<> {
        let (position, last) = (*self, self.to_move().other());
        (0..self.board.width()).filter_map(move |column| {
            let row = position.height(column).checked_sub(1)?;
            let mut parent = position;
            parent.pieces[last as usize] &= !(1 << position.board.cell(column, row));
            (parent != position && !parent.has_any_line()).then_some((column, parent))
        })
    }

    /// Returns whether a player has a line.
    pub(crate) fn has_any_line(&self) -> bool {
        self.pieces.iter().any(|pieces| has_line(self.board, *pieces))
    }

    /// Returns whether the player who just moved has a line.
    fn has_finished_line(&self) -> bool {
        has_line(self.board, self.pieces(self.to_move().other()))
    }
}

impl Hash for Position {
    /// Hashes only the pieces, because a set rarely has positions of several boards.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pieces.iter().for_each(|pieces| state.write_u64(*pieces));
    }
}

fn lowest_bit(word: u64) -> Option<usize> {
    (word != 0).then_some(word.trailing_zeros() as usize)
}

/// Says why pieces do not make a position. Columns count from 1, rows from 1 at the bottom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PiecesError {
    /// A bit is set outside the board.
    #[error("bit {bit} of a bitboard is outside the board {board}; bits 0 to {} are cells", board.cells() - 1)]
    Outside {
        /// The board.
        board: Board,
        /// The lowest such bit, from 0.
        bit: usize,
    },
    /// Both players have a piece in one cell.
    #[error("both players have a piece in column {column}, row {row} (from the bottom); a cell holds one piece")]
    Overlap {
        /// The column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// A piece stands above an empty cell.
    #[error(
        "the piece in column {column}, row {row} (from the bottom) floats above an empty cell; fill columns from the bottom"
    )]
    Floating {
        /// The column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// The numbers of pieces are impossible if the players move in turn.
    #[error(
        "X has {first} and O {second} pieces; \
         players move in turn, so X, who moves first, must have as many as O or one more"
    )]
    Counts {
        /// Pieces of the first player.
        first: u32,
        /// Pieces of the second player.
        second: u32,
    },
    /// Both players have a line.
    #[error("both players have a line; the first line ends the game, so remove the later one")]
    BothLines,
    /// The player to move has a line.
    #[error("{} is to move and has a line already; the game ended with that line, so take later pieces back", .0.mark())]
    EarlierLine(Player),
}

/// The board of a position differs from the board of the search, the player or the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the position is of board {found}, not of {expected}")]
pub struct OtherBoard {
    /// The board of the search, the player or the database.
    pub expected: Board,
    /// The board of the position.
    pub found: Board,
}

/// Says why a move cannot be played. Columns count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// There is no such column.
    #[error("column {column} is outside the board; play a column from 1 to {columns}")]
    Outside {
        /// The column.
        column: usize,
        /// The number of columns of the board.
        columns: usize,
    },
    /// The column is full.
    #[error("column {column} is full up to row {rows}; play another column")]
    Full {
        /// The column.
        column: usize,
        /// The number of rows of the board.
        rows: usize,
    },
    /// The game is over: a player has won.
    #[error("the game ended with move {ply}, {} (the {winner} player) has won; stop there", winner.mark())]
    Over {
        /// Who has won.
        winner: Player,
        /// The number of pieces at the end of the game.
        ply: usize,
    },
}

#[cfg(test)]
pub(crate) mod tests;
