//! Misère: completing a line loses. So a move is safe if it completes no line, and a player without a safe move loses
//! with the next move.

use super::grid::State;
use super::moves::{BEST_MERIT, Child, Moves};
use super::score::Score;
use super::table::NO_COLUMN;
use super::word::Word;
use super::worker::Worker;

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Worker<'_, W, HEIGHT, COLUMNS> {
    /// Decides under misère rules whether the score of `state` is at least `beta`, and returns a bound of the score
    /// like [`Worker::search`]. The board must not be full.
    pub fn search_misere(&mut self, state: &State<W>, beta: Score) -> Option<Score> {
        self.nodes.spend()?;
        let grid = self.grid;
        let empty = grid.cells & !state.all;
        let safe = state.playable(grid) & !state.my_spots;
        if safe == W::ZERO {
            return Some(-self.scale.win_on(state.ply + 1));
        }
        if !empty.has_two() {
            return Some(0); // the last cell, and no line there
        }
        let key = self.key(state);
        let known = self.known(state, key, (state.ply + 2, state.ply + 3), beta);
        if let Some(score) = known.decides(beta) {
            return Some(score);
        }
        let mut moves = Moves::<W, COLUMNS>::new();
        for cell in safe.each() {
            let spots = grid.spots(state.mine | cell);
            let child = state.play(cell, spots);
            let replies = child.playable(grid) & !child.my_spots;
            if replies == W::ZERO {
                return Some(self.scale.win_on(state.ply + 2));
            }
            let column = grid.column(cell);
            // A move is worse if it makes more cells unsafe for the mover, or leaves the opponent more safe replies.
            let bad = 2 * (spots & empty & !cell).count() + replies.count();
            let merit = if column == known.best { BEST_MERIT } else { WORST_MERIT - bad };
            moves.push(Child { column, merit, state: child, key: self.key(&child) });
        }
        let mut score = -Score::MAX;
        for (place, entry) in moves.known(self.table).iter().enumerate().take(moves.children().len()) {
            match entry {
                Some(entry) if -entry.upper >= beta => return Some(-entry.upper),
                Some(entry) if -entry.lower < beta => score = score.max(-entry.lower),
                _ => moves.rank(place),
            }
        }
        let mut best = NO_COLUMN;
        for child in moves.ranked() {
            score = score.max(-self.search_misere(&child.state, 1 - beta)?);
            if score >= beta {
                best = child.column;
                break;
            }
        }
        self.remember(key, &known, beta, score, best);
        Some(score)
    }
}

/// Larger than `bad` for any move: `bad` is at most 2 * 64 for the cells plus 32 for the replies.
const WORST_MERIT: u32 = 1 << 10;
