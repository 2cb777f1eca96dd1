//! The grid: bitboards with a row of sentinels, positions on it, and the cells that complete a line.
//!
//! Column `c`, row `r` (both from 0, row 0 at the bottom) is bit `c * (height + 1) + r`. The bit above every column,
//! its *sentinel*, is never set in a set of pieces. So shifts are safe without a mask: a line that leaves the board
//! through the top or the bottom of a column meets a sentinel, which no player has. The sentinels also allow a simple
//! key for the table: the mover's pieces plus all pieces, added as numbers. The sum never carries from one column into
//! the next, and no two positions have the same sum (a column of `h` pieces adds a number from `2^h - 1` to
//! `2^(h+1) - 2`).
//!
//! `HEIGHT` is [`ANY_HEIGHT`], or the number of rows if that is known at compile time, which makes every shift a
//! constant. Constant shifts save 13 % of the time on Test_L2_R2 (positions that `tests/data/README.md` describes). The
//! code for a known height assumes that four pieces in a row win.

use super::word::Word;
use crate::{Board, Position};

/// Stands for a height that is known only at run time.
pub(super) const ANY_HEIGHT: u32 = 0;

/// The board in the layout of the search. `COLUMNS`, the size of all lists of moves, is at least the number of columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<W, const HEIGHT: u32, const COLUMNS: usize> {
    /// The number of columns.
    pub width: u32,
    any_height: u32,
    any_connect: u32,
    /// Whether a line fits upwards, across, and diagonally.
    fits: [bool; 3],
    /// Every cell.
    pub cells: W,
    /// The bottom cell of every column.
    pub bottom: W,
    /// The cells of the lower rows, a term of `pairing`: the row below the top row and every second row under that one,
    /// so all rows `r` with an even `height - r`.
    pub lower_rows: W,
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Grid<W, HEIGHT, COLUMNS> {
    /// Lays out `board`. The word must have at least `width * (height + 1)` bits, and `COLUMNS` must be at least the
    /// width. Unless `HEIGHT` is [`ANY_HEIGHT`], the board must have `HEIGHT` rows and connect four.
    pub fn new(board: Board) -> Self {
        let [width, height, connect] = [board.width(), board.height(), board.connect()].map(|n| n as u32);
        let stride = height + 1;
        let repeat = |rows: W| (0..width).fold(W::ZERO, |all, column| all | rows << (column * stride));
        let lower = (0..height).filter(|row| (height - row).is_multiple_of(2));
        Grid {
            width,
            any_height: height,
            any_connect: connect,
            fits: [connect <= height, connect <= width, connect <= height && connect <= width],
            cells: repeat(W::low_bits(height)),
            bottom: repeat(W::ONE),
            lower_rows: repeat(lower.fold(W::ZERO, |rows, row| rows | W::ONE << row)),
        }
    }

    /// Returns the number of bits of a key.
    pub fn key_bits(&self) -> u32 {
        self.width * self.stride()
    }

    /// Returns the distance in bits from one column to the next.
    #[inline(always)]
    pub fn stride(&self) -> u32 {
        if HEIGHT == ANY_HEIGHT { self.any_height + 1 } else { HEIGHT + 1 }
    }

    /// Returns whether any line fits on the board.
    pub fn has_lines(&self) -> bool {
        self.fits.contains(&true)
    }

    /// Returns the mover's pieces and all pieces of `position`, which must be of this board.
    pub fn pieces(&self, position: &Position) -> (W, W) {
        let spread = |pieces: u64| {
            (0..self.width).fold(W::ZERO, |all, column| {
                let cells = pieces & position.board().column_cells(column as usize);
                all | W::from_halves(0, cells >> (column * self.any_height)) << (column * self.stride())
            })
        };
        (spread(position.pieces(position.to_move())), spread(position.occupied()))
    }

    /// Makes a position from the mover's pieces and all pieces: the inverse of [`Grid::pieces`]. Returns `None` if the
    /// pieces are not a position of `board`.
    pub fn position(&self, board: Board, mine: W, all: W) -> Option<Position> {
        let gather = |pieces: W| {
            (0..self.width).fold(0, |found, column| {
                let cells = (pieces >> (column * self.stride())).low() & W::low_bits(self.any_height).low();
                found | cells << (column * self.any_height)
            })
        };
        let (mine, theirs) = (gather(mine), gather(mine ^ all));
        let (first, second) = if all.count().is_multiple_of(2) { (mine, theirs) } else { (theirs, mine) };
        Position::from_bitboards(board, first, second).ok()
    }

    /// Returns the column (from 0) of the lowest bit of `cells`, which must not be empty.
    #[inline(always)]
    pub fn column(&self, cells: W) -> u32 {
        cells.first() / self.stride()
    }

    /// Returns the cells of a column (from 0), and its sentinel.
    #[inline(always)]
    pub fn column_cells(&self, column: u32) -> W {
        W::low_bits(self.stride()) << (column * self.stride())
    }

    /// Returns how many cells of the column are above the lowest bit of `cells`, which must not be empty.
    #[inline(always)]
    pub fn cells_above(&self, cells: W) -> u32 {
        self.stride() - 2 - cells.first() % self.stride()
    }

    /// Returns a key, or a set of pieces, with its columns in reverse order. Each column is `height + 1` bits wide.
    #[inline(always)]
    pub fn mirror(&self, key: W) -> W {
        let stride = self.stride();
        let (mut mirrored, mut rest) = (W::ZERO, key);
        for _ in 0..self.width {
            // Shift in two steps: a single column may fill the whole word, and a shift by all bits of a word is an
            // error.
            mirrored = mirrored << (stride - 1) << 1 | rest & W::low_bits(stride);
            rest = rest >> (stride - 1) >> 1;
        }
        mirrored
    }

    /// Returns the cells where one more piece completes a line of `pieces`. The result may include occupied cells and
    /// bits that are not cells; callers must mask them out.
    #[inline(always)]
    pub fn spots(&self, pieces: W) -> W {
        let stride = self.stride();
        if HEIGHT != ANY_HEIGHT {
            let up = (pieces << 1) & (pieces << 2) & (pieces << 3);
            up | fours(pieces, stride) | fours(pieces, stride + 1) | fours(pieces, stride - 1)
        } else {
            let mut spots = W::ZERO;
            for (step, _) in self.steps().into_iter().filter(|(_, fits)| *fits) {
                spots |= match self.any_connect {
                    4 => fours(pieces, step),
                    2..=8 => completions::<W, 8>(pieces, step, self.any_connect),
                    connect => completions::<W, 64>(pieces, step, connect),
                };
            }
            spots
        }
    }

    /// Returns, for each direction, the distance in bits between neighbouring cells of a line, and whether a line fits.
    #[inline(always)]
    fn steps(&self) -> [(u32, bool); 4] {
        let ([up, across, diagonal], stride) = (self.fits, self.stride());
        [(1, up), (stride, across), (stride + 1, diagonal), (stride - 1, diagonal)]
    }

    /// Returns whether `pieces` contain a line.
    #[inline(always)]
    pub fn has_line(&self, pieces: W) -> bool {
        let stride = self.stride();
        if HEIGHT != ANY_HEIGHT {
            let four = |step: u32| {
                let pairs = pieces & (pieces >> step);
                pairs & (pairs >> (2 * step))
            };
            four(1) | four(stride) | four(stride + 1) | four(stride - 1) != W::ZERO
        } else {
            self.steps().into_iter().filter(|(_, fits)| *fits).any(|(step, _)| {
                let (mut runs, mut done) = (pieces, 1);
                while done < self.any_connect {
                    let further = done.min(self.any_connect - done);
                    runs &= runs >> (further * step);
                    done += further;
                }
                runs != W::ZERO
            })
        }
    }
}

/// An unfinished position inside the search: its pieces, and the *spots* of both players, which are the cells that
/// complete a line of a player.
///
/// A move changes only the mover's spots. So when the search has examined a move, it has already computed everything
/// that the state after the move needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<W> {
    /// The pieces of the player to move.
    pub mine: W,
    /// All pieces.
    pub all: W,
    /// The cells that complete a line of the player to move; some may be occupied.
    pub my_spots: W,
    /// The cells that complete a line of the opponent; some may be occupied.
    pub their_spots: W,
    /// The number of pieces.
    pub ply: u32,
}

impl<W: Word> State<W> {
    /// Builds the state of a position from the mover's pieces and all pieces.
    pub fn new<const HEIGHT: u32, const COLUMNS: usize>(grid: &Grid<W, HEIGHT, COLUMNS>, mine: W, all: W) -> State<W> {
        State { mine, all, my_spots: grid.spots(mine), their_spots: grid.spots(mine ^ all), ply: all.count() }
    }

    /// Returns the cells that can be played.
    #[inline(always)]
    pub fn playable<const HEIGHT: u32, const COLUMNS: usize>(&self, grid: &Grid<W, HEIGHT, COLUMNS>) -> W {
        self.all.plus(grid.bottom) & grid.cells
    }

    /// Returns the state after a move in `cell`; `spots` are the mover's spots after the move.
    #[inline(always)]
    pub fn play(&self, cell: W, spots: W) -> State<W> {
        State {
            mine: self.mine ^ self.all,
            all: self.all | cell,
            my_spots: self.their_spots,
            their_spots: spots,
            ply: self.ply + 1,
        }
    }

    /// Returns the key. Any two positions of the board have different keys, so the key also says who is to move.
    #[inline(always)]
    pub fn key(&self) -> W {
        self.mine.plus(self.all)
    }
}

/// Returns the cells that complete a line of four along `step` with three of `pieces`.
#[inline(always)]
fn fours<W: Word>(pieces: W, step: u32) -> W {
    let (above, below) = (pieces << step, pieces >> step);
    let (above_two, below_two) = (above & (above << step), below & (below >> step));
    (above_two & (below | pieces << (3 * step))) | (below_two & (above | pieces >> (3 * step)))
}

/// Returns the cells that complete a line of `connect` cells along `step` with `connect - 1` of `pieces`; `connect` is
/// at most `MAX`.
fn completions<W: Word, const MAX: usize>(pieces: W, step: u32, connect: u32) -> W {
    if connect == 1 {
        return !W::ZERO;
    }
    // behind[n]: the cells whose n predecessors along `step` are all in `pieces`.
    let mut behind = [!W::ZERO; MAX];
    let others = (connect as usize - 1).min(MAX - 1);
    for n in 1..=others {
        behind[n] = (behind[n - 1] & pieces) << step;
    }
    let mut ahead = !W::ZERO;
    let mut spots = W::ZERO;
    for n in 0..=others {
        spots |= ahead & behind[others - n];
        ahead = (ahead & pieces) >> step;
    }
    spots
}
