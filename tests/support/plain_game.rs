//! Connect Four written down as plainly as possible: cells in a list, lines found by looking everywhere.
//!
//! Nothing here knows of bitboards, shapes or tiers, so that a mistake of the solver is not repeated in its proof.

use fourbase::{Board, Position};

/// An empty cell, a piece of the first player, a piece of the second player.
pub const EMPTY: u8 = 0;
pub const FIRST: u8 = 1;
pub const SECOND: u8 = 2;

/// A game in progress, or a finished one.
#[derive(Clone, Debug)]
pub struct PlainGame {
    board: Board,
    /// Row by row from the bottom, each row from the left.
    cells: Vec<u8>,
    plies: usize,
    key: u128,
}

impl PlainGame {
    /// Starts a game.
    pub fn start(board: Board) -> PlainGame {
        PlainGame { board, cells: vec![EMPTY; board.cells()], plies: 0, key: 0 }
    }

    /// Sets up the game that has this key.
    pub fn from_key(board: Board, key: u128) -> PlainGame {
        let mut game = PlainGame::start(board);
        for cell in 0..board.cells() {
            let piece = (key >> (2 * cell) & 3) as u8;
            game.put(cell, piece);
            game.plies += usize::from(piece != EMPTY);
        }
        game
    }

    /// A number that no other position of the board has: the cells, two bits each.
    pub fn key(&self) -> u128 {
        self.key
    }

    /// The number of pieces.
    pub fn plies(&self) -> usize {
        self.plies
    }

    /// Whose piece falls next.
    pub fn mover(&self) -> u8 {
        if self.plies.is_multiple_of(2) { FIRST } else { SECOND }
    }

    /// The columns with room, from the left. Does not ask whether the game is over.
    pub fn columns_with_room(&self) -> impl Iterator<Item = usize> {
        let top_row = self.cells.len() - self.board.width();
        (0..self.board.width()).filter(move |column| self.cells[top_row + column] == EMPTY)
    }

    /// Lets a piece fall into a column with room.
    pub fn drop_piece(&mut self, column: usize) {
        let mover = self.mover();
        let lowest = (0..self.board.height()).map(|row| self.cell(column, row)).find(|&cell| self.cells[cell] == EMPTY);
        self.put(lowest.expect("the column has room"), mover);
        self.plies += 1;
    }

    /// The game after a move into a column with room.
    pub fn after(&self, column: usize) -> PlainGame {
        let mut child = self.clone();
        child.drop_piece(column);
        child
    }

    /// The games after each move; none once the game is over.
    pub fn children(&self) -> Vec<PlainGame> {
        if self.end().is_some() {
            return Vec::new();
        }
        self.columns_with_room().map(|column| self.after(column)).collect()
    }

    /// Says what the end of the game is worth to the player who would be to move: 1, 0 or -1; `None` while it goes on.
    pub fn end(&self) -> Option<i8> {
        if self.has_line(FIRST + SECOND - self.mover()) {
            Some(if self.board.is_misere() { 1 } else { -1 })
        } else {
            (!self.cells.contains(&EMPTY)).then_some(0)
        }
    }

    /// The same pieces as the library holds them.
    pub fn to_position(&self) -> Position {
        let bit = |cell: usize| 1u64 << self.board.cell(cell % self.board.width(), cell / self.board.width());
        let pieces =
            |player: u8| (0..self.cells.len()).filter(|cell| self.cells[*cell] == player).map(bit).sum::<u64>();
        Position::from_bitboards(self.board, pieces(FIRST), pieces(SECOND)).expect("a position of the plain game")
    }

    fn cell(&self, column: usize, row: usize) -> usize {
        row * self.board.width() + column
    }

    fn put(&mut self, cell: usize, piece: u8) {
        self.cells[cell] = piece;
        self.key = self.key & !(3 << (2 * cell)) | u128::from(piece) << (2 * cell);
    }

    /// Whether a player has a line; play stops at the first one.
    pub fn has_line(&self, player: u8) -> bool {
        let (width, height) = (self.board.width() as isize, self.board.height() as isize);
        for row in 0..height {
            for column in 0..width {
                if self.cells[(row * width + column) as usize] != player {
                    continue;
                }
                for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let (mut x, mut y, mut length) = (column, row, 0);
                    while x < width && y >= 0 && y < height && self.cells[(y * width + x) as usize] == player {
                        length += 1;
                        (x, y) = (x + right, y + up);
                    }
                    if length >= self.board.connect() {
                        return true;
                    }
                }
            }
        }
        false
    }
}
