//! Threat-space search: wins in which every move of the winner makes a threat, so that every reply is forced.
//!
//! The defender has one reply or none, so only the winner's moves branch, and the search is cheap. The idea is that of
//! L. V. Allis, H. J. van den Herik and M. P. H. Huntjens, *Go-Moku and Threat-Space Search* (1993).

use super::{column_of, open_threats};
use crate::Position;
use crate::strategy::Map;

/// Finds wins by force. One search serves many positions of a board: it stores where it has found no win.
#[derive(Default)]
pub(super) struct ThreatSearch {
    /// For each position, the number of own moves within which the player to move has no win by force; `u32::MAX` if
    /// there is no such win at all.
    failed: Map<u32>,
    /// The positions visited so far.
    pub nodes: u64,
}

impl ThreatSearch {
    /// Returns a shortest line by which the player to move wins with at most `most` own moves that all make threats;
    /// `None` if there is none. If two threats are made at once, the line has a reply to one of them.
    pub fn win(&mut self, position: &Position, most: u32) -> Option<Vec<usize>> {
        for moves in 1..=most {
            match self.win_within(position, moves) {
                Ok(line) => return Some(line),
                Err(is_cut) if !is_cut => return None,
                Err(_) => {}
            }
        }
        None
    }

    /// Does the same as [`ThreatSearch::win`]; the error says whether a longer line may win.
    fn win_within(&mut self, position: &Position, moves: u32) -> Result<Vec<usize>, bool> {
        let (board, player) = (position.board(), position.to_move());
        let wins = open_threats(position, player);
        if wins != 0 {
            return Ok(vec![column_of(board, wins)]);
        }
        let failed = self.failed.get(position).copied().unwrap_or(1);
        if failed >= moves {
            return Err(failed != u32::MAX);
        }
        self.nodes += 1;
        let (dangers, mut is_cut) = (open_threats(position, player.other()), false);
        let mut candidates = if dangers == 0 { position.playable_cells() } else { dangers };
        // Two dangers can't both be met.
        while candidates != 0 && dangers.count_ones() < 2 {
            let first = column_of(board, candidates);
            candidates &= candidates - 1;
            let after = position.drop_piece(first);
            let made = open_threats(&after, player);
            if made == 0 || open_threats(&after, player.other()) != 0 {
                continue;
            }
            let reply = column_of(board, made);
            let rest = match made & (made - 1) {
                0 => self.win_within(&after.drop_piece(reply), moves - 1),
                second => Ok(vec![column_of(board, second)]),
            };
            match rest {
                Ok(rest) => return Ok([first, reply].into_iter().chain(rest).collect()),
                Err(of_rest) => is_cut |= of_rest,
            }
        }
        self.failed.insert(*position, if is_cut { moves } else { u32::MAX });
        Err(is_cut)
    }
}
