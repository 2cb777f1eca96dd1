//! A position inside the search: the pieces, and the cells that complete a line for either player.
//!
//! A move changes only the mover's spots, so a parent that has looked at a move has computed all that its child needs.

use super::grid::Grid;
use super::word::Word;

/// A position in which the game is not over.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<W> {
    /// The pieces of the player to move.
    pub mine: W,
    /// All pieces.
    pub all: W,
    /// The cells that complete a line of the player to move; some may be taken.
    pub my_spots: W,
    /// The cells that complete a line of the opponent; some may be taken.
    pub their_spots: W,
    /// The number of pieces.
    pub ply: u32,
}

impl<W: Word> State<W> {
    /// Builds the state of a position from the mover's and all pieces.
    pub fn new<const HEIGHT: u32, const COLUMNS: usize>(grid: &Grid<W, HEIGHT, COLUMNS>, mine: W, all: W) -> State<W> {
        State { mine, all, my_spots: grid.spots(mine), their_spots: grid.spots(mine ^ all), ply: all.count() }
    }

    /// Returns the cells that can be played.
    #[inline(always)]
    pub fn playable<const HEIGHT: u32, const COLUMNS: usize>(&self, grid: &Grid<W, HEIGHT, COLUMNS>) -> W {
        self.all.plus(grid.bottom) & grid.cells
    }

    /// Plays in `cell`, after which the mover has `spots`.
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

    /// Returns the key. It is different for any two positions of the board, and includes who is to move.
    #[inline(always)]
    pub fn key(&self) -> W {
        self.mine.plus(self.all)
    }
}
