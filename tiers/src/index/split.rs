//! How a board is cut: a left wing, a spine and a right wing.
//!
//! The left wing has `⌊W/2⌋` columns, the spine is the middle column when `W` is odd and absent when `W` is even, and
//! the right wing mirrors the left one. The columns of a wing are listed **from the outside in**, so both wings share
//! one set of tables, and mirroring a position swaps its wings.
//!
//! ```text
//! 7 columns:   0 1 2   3   4 5 6        wing column of 0 and 6: 0
//!              left  spine right                    of 1 and 5: 1
//!                                                   of 2 and 4: 2
//! ```
//!
//! A **wing shape** is the heights of a wing's columns, written as one number in base `H + 1` whose lowest digit is the
//! outermost column. The colouring of a wing has one bit per piece (first player 1): one column after the other, the
//! outermost at the low end, each from bottom to top. A drop therefore inserts one bit at a fixed place and keeps the
//! numeric order of colourings: the whole index relies on this.

use fourbase::{Board, Player, Position};

/// The heights of a wing's columns, as a number in base `H + 1` (lowest digit: the outermost column).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WingShape(pub u32);

/// The pieces of the spine: their number, and one bit each from bottom to top (first player 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spine {
    /// Number of pieces, 0 to `H` (always 0 where the board has no spine).
    pub height: u32,
    /// Bit `r` is 1 when the piece in row `r` is the first player's.
    pub bits: u32,
}

impl Spine {
    /// Returns the spine's number among all spines, ordered by height, then by bits.
    pub fn number(self) -> usize {
        (1usize << self.height) - 1 + self.bits as usize
    }

    /// Lists the spines of one height.
    pub fn of_height(height: u32) -> impl Iterator<Item = Spine> {
        (0..1u32 << height).map(move |bits| Spine { height, bits })
    }

    /// Returns the spine with one more piece on top.
    pub fn grown(self, first: bool) -> Spine {
        Spine { height: self.height + 1, bits: self.bits | u32::from(first) << self.height }
    }

    /// Returns the spine without its top piece, and whether that piece is the first player's; `None` if it is empty.
    pub(crate) fn shrunk(self) -> Option<(Spine, bool)> {
        let height = self.height.checked_sub(1)?;
        let first = self.bits >> height & 1 == 1;
        Some((Spine { height, bits: self.bits & !(1 << height) }, first))
    }
}

/// The part that a column belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Left wing; the number is the wing column, counted from the outside.
    Left(usize),
    /// The middle column of an odd board.
    Spine,
    /// Right wing; the number is the wing column, counted from the outside.
    Right(usize),
}

/// The cut of one board. A wing never has more than 32 cells, because a board has at most 64. Cheap to copy; every
/// public method costs at most `O(W)`.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The board that is cut.
    pub board: Board,
}

/// A position split into wings and spine, as the index ranks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Shape of the left wing.
    pub left: WingShape,
    /// Colouring of the left wing.
    pub left_bits: u32,
    /// The spine.
    pub spine: Spine,
    /// Shape of the right wing.
    pub right: WingShape,
    /// Colouring of the right wing.
    pub right_bits: u32,
}

impl Split {
    /// Returns the number of columns of a wing, `⌊W/2⌋`.
    pub fn wing_columns(&self) -> usize {
        self.board.width() / 2
    }

    /// Returns how high the spine can grow: `H`, or 0 if the board has no spine.
    pub fn spine_room(&self) -> u32 {
        if self.board.width() % 2 == 1 { self.board.height() as u32 } else { 0 }
    }

    /// Returns the number of spines of all heights.
    pub fn spines(&self) -> usize {
        (2usize << self.spine_room()) - 1
    }

    /// Returns the number of wing shapes, `(H + 1)^⌊W/2⌋`.
    pub fn wing_shapes(&self) -> u32 {
        (self.board.height() as u32 + 1).pow(self.wing_columns() as u32)
    }

    /// Returns the part that `column` belongs to.
    pub fn part(&self, column: usize) -> Part {
        let (width, wing) = (self.board.width(), self.wing_columns());
        if column < wing {
            Part::Left(column)
        } else if column >= width - wing {
            Part::Right(width - 1 - column)
        } else {
            Part::Spine
        }
    }

    fn digit(&self, wing_column: usize) -> u32 {
        (self.board.height() as u32 + 1).pow(wing_column as u32)
    }

    /// Returns the height of one wing column.
    pub fn height(&self, shape: WingShape, wing_column: usize) -> u32 {
        shape.0 / self.digit(wing_column) % (self.board.height() as u32 + 1)
    }

    /// Returns the heights of all columns of a wing, the outermost first.
    pub fn heights(&self, shape: WingShape) -> impl Iterator<Item = u32> {
        let base = self.board.height() as u32 + 1;
        let mut rest = shape.0;
        (0..self.wing_columns()).map(move |_| {
            let height = rest % base;
            rest /= base;
            height
        })
    }

    /// Lists the columns of a left (or right) wing, in the order of the bits of a colouring. Gives for each column its
    /// number of pieces and the number of its lowest cell on the board.
    pub(crate) fn columns(&self, shape: WingShape, is_right: bool) -> impl Iterator<Item = (u32, usize)> {
        let (board, last) = (self.board, self.board.width() - 1);
        let column = move |outside| if is_right { last - outside } else { outside };
        self.heights(shape).enumerate().map(move |(outside, height)| (height, board.cell(column(outside), 0)))
    }

    /// Returns those bits of a wing's colouring that stand for `cells` of the board. Cells without a piece are ignored.
    pub(super) fn colouring(&self, shape: WingShape, is_right: bool, cells: u64) -> u32 {
        let columns = self.columns(shape, is_right).map(|(pieces, lowest)| (pieces, cells >> lowest));
        let (_, colouring) = self.wing(columns.map(|(pieces, cells)| (pieces, cells & low_bits(pieces))));
        colouring
    }

    /// Returns the rows of the spine that are among `cells` of the board, one bit per row.
    pub(super) fn spine_rows(&self, cells: u64) -> u64 {
        cells >> self.spine_cell() & low_bits(self.spine_room())
    }

    /// Returns the lines inside the left wing and the spine, and the lines across both wings, each as a bitboard. The
    /// lines inside the right wing and the spine are the mirror images of the former.
    pub(super) fn lines(&self) -> (Vec<u64>, Vec<u64>) {
        let wing_cells = (self.wing_columns() * self.board.height()) as u32;
        let left = low_bits(wing_cells);
        let right = self.board.all_cells() & !low_bits(self.board.cells() as u32 - wing_cells);
        let (in_right, inside): (Vec<u64>, _) = fourbase::lines(self.board).partition(|line| line & right != 0);
        (inside, in_right.into_iter().filter(|line| line & left != 0).collect())
    }

    /// Returns the number of the lowest cell of the spine (meaningless if the board has none).
    pub(crate) fn spine_cell(&self) -> usize {
        self.board.cell(self.wing_columns(), 0)
    }

    /// Counts the pieces of a wing.
    pub fn cells(&self, shape: WingShape) -> u32 {
        self.heights(shape).sum()
    }

    /// Returns the bit of the colouring for the cell in `wing_column` and `row`. If `row` is the column's height, a
    /// drop inserts its bit there.
    pub fn bit(&self, shape: WingShape, wing_column: usize, row: u32) -> u32 {
        self.heights(shape).take(wing_column).sum::<u32>() + row
    }

    /// Returns the shape with one more piece in `wing_column`, or `None` if that column is full.
    pub fn grown(&self, shape: WingShape, wing_column: usize) -> Option<WingShape> {
        (self.height(shape, wing_column) < self.board.height() as u32)
            .then(|| WingShape(shape.0 + self.digit(wing_column)))
    }

    /// Returns the shape with one piece less in `wing_column`, or `None` if that column is empty.
    pub(crate) fn shrunk(&self, shape: WingShape, wing_column: usize) -> Option<WingShape> {
        (self.height(shape, wing_column) > 0).then(|| WingShape(shape.0 - self.digit(wing_column)))
    }

    /// Splits a position of this board into its parts.
    pub fn parts(&self, position: &Position) -> Parts {
        let (height, columns) = (self.board.height(), self.wing_columns());
        let (occupied, firsts) = (position.occupied(), position.pieces(Player::First));
        let column_cells = low_bits(height as u32);
        let column = |first_cell: usize| {
            let pieces = (occupied >> first_cell & column_cells).trailing_ones();
            (pieces, firsts >> first_cell & column_cells)
        };
        let last = self.board.cells() - height;
        let (left, left_bits) = self.wing((0..columns).map(|outside| column(outside * height)));
        let (right, right_bits) = self.wing((0..columns).map(|outside| column(last - outside * height)));
        let (height, bits) = if self.spine_room() > 0 { column(columns * height) } else { (0, 0) };
        Parts { left, left_bits, spine: Spine { height, bits: bits as u32 }, right, right_bits }
    }

    /// Makes the shape and the colouring of a wing from the height and the bits of each column, the outermost first.
    #[inline]
    fn wing(&self, columns: impl Iterator<Item = (u32, u64)>) -> (WingShape, u32) {
        let base = self.board.height() as u32 + 1;
        let (mut shape, mut digit, mut bits, mut pieces) = (0, 1, 0, 0);
        for (height, column) in columns {
            shape += height * digit;
            digit *= base;
            bits |= column << pieces;
            pieces += height;
        }
        (WingShape(shape), bits as u32)
    }

    /// Returns the bitboards of both players (`[first, second]`) for the parts of a position.
    pub fn bitboards(&self, parts: &Parts) -> [u64; 2] {
        let mut boards = [0u64; 2];
        let mut put = |pieces: u32, cell: usize, bits: u64| {
            boards[0] |= (bits & low_bits(pieces)) << cell;
            boards[1] |= (!bits & low_bits(pieces)) << cell;
        };
        put(parts.spine.height, self.spine_cell(), u64::from(parts.spine.bits));
        for (shape, bits, is_right) in [(parts.left, parts.left_bits, false), (parts.right, parts.right_bits, true)] {
            let mut bits = u64::from(bits);
            for (pieces, cell) in self.columns(shape, is_right) {
                put(pieces, cell, bits);
                bits >>= pieces;
            }
        }
        boards
    }
}

impl Parts {
    /// Returns the parts of the mirror image, with the wings swapped.
    pub fn mirror(self) -> Parts {
        Parts { left: self.right, left_bits: self.right_bits, right: self.left, right_bits: self.left_bits, ..self }
    }
}

/// Returns a word whose lowest `count` bits are set; `count` is at most 64.
pub(crate) fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
