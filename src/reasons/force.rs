//! Threat-space search: wins in which every move of the winner makes a threat, so that every reply is forced.
//!
//! The defender has one reply or none, so only the winner's moves branch, and the search is cheap. The idea is that of
//! L. V. Allis, H. J. van den Herik and M. P. H. Huntjens, *Go-Moku and Threat-Space Search* (1993).

use super::{column_of, threats};
use crate::Position;
use crate::strategy::Map;

/// Finds wins by force. One search serves many positions of a board: it stores where it has found no win.
#[derive(Default)]
pub(super) struct ThreatSearch {
    /// For each position, the number of own moves within which the player to move has no win by force.
    failed: Map<u32>,
    /// The positions visited so far.
    pub nodes: u64,
}

impl ThreatSearch {
    /// Returns a shortest line by which the player to move wins with at most `most` own moves that all make threats;
    /// `None` if there is none. If two threats are made at once, the line has a reply to one of them.
    pub fn win(&mut self, position: &Position, most: u32) -> Option<Vec<usize>> {
        (1..=most).find_map(|moves| self.win_within(position, moves))
    }

    fn win_within(&mut self, position: &Position, moves: u32) -> Option<Vec<usize>> {
        let (board, player, playable) = (position.board(), position.to_move(), position.playable_cells());
        let wins = threats(position, player) & playable;
        if wins != 0 {
            return Some(vec![column_of(board, wins)]);
        }
        if moves == 1 || self.failed.get(position).is_some_and(|failed| *failed >= moves) {
            return None;
        }
        self.nodes += 1;
        let dangers = threats(position, player.other()) & playable;
        let mut candidates = if dangers == 0 { playable } else { dangers };
        // Two dangers can't both be met.
        while candidates != 0 && dangers.count_ones() < 2 {
            let first = column_of(board, candidates);
            candidates &= candidates - 1;
            let after = position.drop_piece(first);
            let made = threats(&after, player) & after.playable_cells();
            if made == 0 || threats(&after, player.other()) & after.playable_cells() != 0 {
                continue;
            }
            let reply = column_of(board, made);
            let rest = match made & (made - 1) {
                0 => self.win_within(&after.drop_piece(reply), moves - 1),
                second => Some(vec![column_of(board, second)]),
            };
            if let Some(rest) = rest {
                return Some([first, reply].into_iter().chain(rest).collect());
            }
        }
        self.failed.insert(*position, moves);
        None
    }
}
