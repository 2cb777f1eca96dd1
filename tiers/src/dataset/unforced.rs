//! Early positions whose next move is not forced: the rule that made the UCI data set.
//!
//! The data set `connect-4` of the UCI repository (John Tromp, 1995) has "all legal 8-ply positions in the game of connect-4
//! in which neither player has won yet, and in which the next move is not forced". Three things have to be added to
//! get its 67,557 rows in their order:
//!
//! - a next move is forced if **either** player could complete a line with it (with the player to move's own lines left in,
//!   there are 155,602 positions; with the opponent's, 155,241);
//! - of a position and its mirror image only one is there (without that, there are 134,934);
//! - the rows are in the order of a search that tries the columns from the centre outwards, left before right, and meets
//!   every position, or its mirror image, once.

use std::collections::HashSet;

use fourbase::{Board, Player, Position, winning_cells};

use super::error::DatasetError;
use super::progress::Progress;
use super::source::{Buffer, Positions, representative};

/// The last ply that can be listed: every position up to it is in memory, on 7x6 about a million.
pub(super) const MOST_PLY: u32 = 10;

/// Lists the positions of some plies.
pub(super) struct Unforced<'a> {
    board: Board,
    /// The plies that are left, the next one last.
    plies: Vec<u32>,
    progress: &'a dyn Progress,
    buffer: Buffer,
}

impl<'a> Unforced<'a> {
    /// Refuses late plies.
    pub fn new(board: Board, plies: &[u32], progress: &'a dyn Progress) -> Result<Unforced<'a>, DatasetError> {
        if let Some(ply) = plies.iter().copied().find(|ply| *ply > MOST_PLY) {
            return Err(DatasetError::Late { ply, most: MOST_PLY });
        }
        let plies = plies.iter().rev().copied().collect();
        Ok(Unforced { board, plies, progress, buffer: Buffer::default() })
    }

    /// Searches through all positions up to a ply.
    fn search(&self, ply: u32) -> Result<Vec<Position>, DatasetError> {
        let columns = self.board.central_columns();
        let (mut met, mut listed) = (HashSet::new(), Vec::new());
        // The next position is the last one.
        let mut stack = vec![Position::start(self.board)];
        while let Some(position) = stack.pop() {
            if !met.insert(representative(&position)) {
                continue;
            }
            if met.len() % (1 << 10) == 0 && self.progress.is_stopped() {
                return Err(DatasetError::Stopped);
            }
            if position.ply() as u32 == ply {
                if position.primitive().is_none() && is_unforced(&position) {
                    listed.push(position);
                }
                continue;
            }
            if position.primitive().is_none() {
                let children = columns.iter().rev().filter(|column| position.can_play(**column));
                stack.extend(children.map(|column| position.drop_piece(*column)));
            }
        }
        Ok(listed)
    }
}

impl Positions for Unforced<'_> {
    fn next(&mut self) -> Result<Vec<Position>, DatasetError> {
        while self.buffer.len() == 0 {
            let Some(ply) = self.plies.pop() else { break };
            let listed = self.search(ply)?;
            self.buffer.extend(listed);
            self.progress.done(1);
        }
        Ok(self.buffer.take())
    }
}

/// Tells whether no move of either player would complete a line.
fn is_unforced(position: &Position) -> bool {
    let board = position.board();
    let occupied = position.occupied();
    let open = (occupied << 1 | board.bottom_cells()) & !occupied & board.all_cells();
    [Player::First, Player::Second].into_iter().all(|player| winning_cells(board, position.pieces(player)) & open == 0)
}
