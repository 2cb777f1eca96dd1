//! Reads ahead: before look-ups start, requests the parts of remote files that they will read.
//!
//! A probe needs no file to tell which positions it may look up: its own position, or the children and the positions
//! that forced moves reach from the children, unless an outcome that the board decides is at least as good. So
//! [`Database::read_ahead`] first lists these positions, and sorts them by tier. Then it requests the pages of each
//! file's directory, and after that the blocks: up to eight requests at a time per file, and all files at the same time.
//! The probe may use fewer positions, because it stops at a win.

use fourbase::Position;
use rayon::prelude::*;

use super::open::Database;
use super::probe::Seen;
use crate::files::is_address;
use crate::format::is_stored;
use crate::quiet::{StaticEvaluation, evaluate};

/// The longest list of positions to read ahead for. No position has more moves, so the children of one position always
/// fit. Longer lists are looked up in an order that shares blocks (see [`super::many`]), and each position reads what
/// it needs.
const MOST_POSITIONS: usize = 32;

impl Database {
    /// Requests what looking up the positions will read, if the files are on a host.
    pub(super) fn read_ahead(&self, positions: &[Position]) {
        if positions.len() > MOST_POSITIONS || !is_address(self.folder()) {
            return;
        }
        let of_board = positions.iter().filter(|position| position.board() == self.board());
        let all: Vec<Seen> = of_board.flat_map(|position| self.looked_up(position)).collect();
        let plies = 0..=self.board().cells() as u32;
        let read_tier = |ply| {
            let of_tier: Vec<&Position> = all.iter().filter(|end| end.ply == ply).map(|end| &end.position).collect();
            // Ignore errors: the look-up reports them.
            if !of_tier.is_empty()
                && let Ok(tier) = self.tier(ply)
            {
                tier.read_ahead(self.index(), &self.cache, of_tier.into_iter());
            }
        };
        // Without threads, rayon would only make a module for the web larger.
        if cfg!(target_family = "wasm") { plies.for_each(read_tier) } else { plies.into_par_iter().for_each(read_tier) }
    }

    /// Lists the stored positions that a probe may look up.
    fn looked_up(&self, position: &Position) -> Vec<Seen> {
        let start = self.follow(*position, position.ply() as u32, evaluate(position));
        if matches!(start.evaluation, StaticEvaluation::Decided(_)) || !self.reaches(start.ply) {
            return Vec::new();
        }
        if is_stored(start.ply) {
            return vec![start];
        }
        let (best, ends) = self.ends(start, None);
        let is_needed = |(ply, end): &(u32, Seen)| self.reaches(end.ply) && !best.is_at_least(&end.position, *ply);
        ends.into_iter().filter(is_needed).map(|(_, end)| end).collect()
    }
}
