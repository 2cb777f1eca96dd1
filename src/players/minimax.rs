//! Minimax with alpha-beta cutoffs. Each player scores the positions at the horizon.

use super::standing::Standing;

/// Less than any move is worth; stands for no move.
const NONE: i64 = i64::MIN;

/// A player that looks ahead, and updates its score move by move.
pub(super) trait Minimax {
    fn standing(&self) -> &Standing;

    /// Drops a piece of the player to move into a column with room and returns whether it completes a line.
    fn drop_piece(&mut self, column: usize) -> bool;

    /// Takes back the top piece of a column, which must be the last one dropped.
    fn take_back(&mut self, column: usize);

    /// Returns what the last move before the horizon is worth to its mover. `away` counts plies from the root.
    fn worth_at_horizon(&self, column: usize, away: u32) -> i64;

    /// Returns what completing a line is worth.
    fn worth_of_line(&self, away: u32) -> i64;

    /// Returns the first of the columns that are worth most, and its worth, looking `depth` (at least 1) plies ahead.
    /// No move may be worth more than `most`, or less than `-most`: alpha-beta would cut it off.
    fn best(&mut self, columns: impl Iterator<Item = usize>, depth: u32, most: i64) -> Option<(i64, usize)> {
        let mut best: Option<(i64, usize)> = None;
        for column in columns {
            if self.standing().can_play(column) {
                let alpha = best.map_or(-most, |(worth, _)| worth);
                let worth = self.worth_of(column, depth, 1, alpha, most);
                if best.is_none_or(|(best, _)| worth > best) {
                    best = Some((worth, column));
                }
            }
        }
        best
    }

    /// Returns what a move is worth to its mover, looking `depth` plies ahead, including the move. The result is exact
    /// if it lies between `alpha` and `beta`.
    fn worth_of(&mut self, column: usize, depth: u32, away: u32, alpha: i64, beta: i64) -> i64 {
        if depth == 1 {
            return self.worth_at_horizon(column, away);
        }
        let worth = if self.drop_piece(column) {
            self.worth_of_line(away)
        } else {
            -self.worth(depth - 1, away + 1, -beta, -alpha)
        };
        self.take_back(column);
        worth
    }

    /// Returns what the best move is worth to the player to move, trying central columns first; 0 on a full board.
    fn worth(&mut self, depth: u32, away: u32, mut alpha: i64, beta: i64) -> i64 {
        let mut best = NONE;
        for place in 0..self.standing().order.len() {
            let column = self.standing().order[place];
            if self.standing().can_play(column) {
                let worth = self.worth_of(column, depth, away, alpha, beta);
                best = best.max(worth);
                alpha = alpha.max(worth);
                if alpha >= beta {
                    break;
                }
            }
        }
        // A full board is a tie.
        if best == NONE { 0 } else { best }
    }
}
