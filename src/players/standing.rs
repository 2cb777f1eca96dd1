//! The number of pieces of each player in every line, updated move by move.
//!
//! The score of a position is a sum over lines. A new piece changes only the lines through its cell, seven on average
//! on 7x6. So updating the sum costs a tenth of computing it anew over all 69 lines.

use crate::{Board, Position, lines};

/// The pieces of the first and the second player in one line.
pub(super) type Pieces = [u8; 2];

/// Lists all columns, beginning with `first`.
pub(super) fn columns_from(first: usize, board: Board) -> impl Iterator<Item = usize> {
    (first..board.width()).chain(0..first)
}

/// A position, stored as the number of pieces of each player in every line.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    board: Board,
    /// The numbers of the lines through each cell, in one list, cell after cell.
    through: Vec<u16>,
    /// Where each cell's lines start in `through`; the last entry is where the last cell's lines end.
    begins: Vec<u32>,
    /// The pieces in every line, in the order of [`lines`].
    pub in_lines: Vec<Pieces>,
    heights: Vec<u8>,
    /// The columns from the centre outwards.
    pub order: Vec<usize>,
    /// The number of pieces.
    pub ply: usize,
}

impl Standing {
    /// Makes the empty position of a board.
    pub fn new(board: Board) -> Standing {
        let lines = lines(board).collect::<Vec<_>>();
        let (mut through, mut begins) = (Vec::new(), vec![0]);
        for cell in 0..board.cells() {
            // A board has at most 4 lines for each of its cells, so 16 bits are enough for their numbers.
            let numbered = (0_u16..).zip(&lines).filter(|(_, cells)| *cells >> cell & 1 == 1);
            through.extend(numbered.map(|(number, _)| number));
            begins.push(through.len() as u32);
        }
        let (in_lines, heights) = (vec![[0; 2]; lines.len()], vec![0; board.width()]);
        Standing { board, through, begins, in_lines, heights, order: board.central_columns(), ply: 0 }
    }

    /// Sets up a position of the same board.
    pub fn set_up(&mut self, position: &Position) {
        self.in_lines.fill([0; 2]);
        self.ply = position.ply();
        for column in 0..self.board.width() {
            let height = position.height(column);
            self.heights[column] = height as u8;
            for row in 0..height {
                let Some(player) = position.piece(column, row) else { continue };
                for index in self.lines_of(self.board.cell(column, row)) {
                    self.in_lines[usize::from(self.through[index])][player as usize] += 1;
                }
            }
        }
    }

    /// Returns the pieces in the lines through a cell.
    pub fn in_lines_through(&self, column: usize, row: usize) -> impl Iterator<Item = Pieces> + '_ {
        self.lines_of(self.board.cell(column, row)).map(|index| self.in_lines[usize::from(self.through[index])])
    }

    /// Returns the player to move, as an index into [`Pieces`].
    pub fn mover(&self) -> usize {
        self.ply % 2
    }

    /// Returns the number of pieces in a column.
    pub fn height(&self, column: usize) -> usize {
        usize::from(self.heights[column])
    }

    /// Returns whether a column has room.
    #[inline]
    pub fn can_play(&self, column: usize) -> bool {
        self.height(column) < self.board.height()
    }

    /// Drops the mover's piece into a column with room, and returns whether it completes a line. Calls `change` for
    /// every line through the cell, with the pieces in the line before the move.
    #[inline]
    pub fn drop_piece(&mut self, column: usize, mut change: impl FnMut(Pieces)) -> bool {
        let (mover, connect) = (self.mover(), self.board.connect());
        let mut completes = false;
        for index in self.lines_of(self.board.cell(column, self.height(column))) {
            let pieces = &mut self.in_lines[usize::from(self.through[index])];
            change(*pieces);
            pieces[mover] += 1;
            completes |= usize::from(pieces[mover]) == connect;
        }
        self.heights[column] += 1;
        self.ply += 1;
        completes
    }

    /// Does the same as [`Standing::drop_piece`], but leaves the position unchanged. Minimax calls this at the horizon,
    /// which halves its cost.
    #[inline]
    pub fn peek(&self, column: usize, mut change: impl FnMut(Pieces)) -> bool {
        let (mover, connect) = (self.mover(), self.board.connect());
        let mut completes = false;
        for pieces in self.in_lines_through(column, self.height(column)) {
            change(pieces);
            completes |= usize::from(pieces[mover]) + 1 == connect;
        }
        completes
    }

    /// Takes back the top piece of a column, which must be the piece dropped last.
    #[inline]
    pub fn take_back(&mut self, column: usize) {
        self.ply -= 1;
        self.heights[column] -= 1;
        let mover = self.mover();
        for index in self.lines_of(self.board.cell(column, self.height(column))) {
            self.in_lines[usize::from(self.through[index])][mover] -= 1;
        }
    }

    #[inline]
    fn lines_of(&self, cell: usize) -> std::ops::Range<usize> {
        self.begins[cell] as usize..self.begins[cell + 1] as usize
    }
}
