//! Normal play: completing a line wins.
//!
//! The search enters a position only if the player to move can't win at once; this is checked at the parent, where the
//! winning cells of both players are known. The search tries only *safe* moves, which leave the opponent no immediate
//! win. If there is a playable cell where the opponent would win, a safe move must fill it; with two such cells no move
//! is safe. A safe move must not be directly below a cell where the opponent would win. If only one move is safe, it is
//! a *forced reply*, and the search plays it at once. So only positions with a choice are searched and stored in the
//! table.

use super::grid::{Grid, State};
use super::moves::{BEST_MERIT, Child, Moves, SPOT_MERIT};
use super::pairing;
use super::score::Score;
use super::table::NO_COLUMN;
use super::word::Word;
use super::worker::Worker;

/// Where a sequence of forced replies ends.
enum Next<W> {
    /// The outcome is certain. Holds the score for the player to move before the forced replies.
    Decided(Score),
    /// A position where the player to move has at least two moves that do not lose at once.
    Choice(State<W>),
}

impl<W: Word, const HEIGHT: u32, const COLUMNS: usize> Worker<'_, W, HEIGHT, COLUMNS> {
    /// Decides whether the score of `state` is at least `beta`. If so, returns a lower bound of the score that is at
    /// least `beta`; if not, an upper bound that is less than `beta`. Returns `None` if the search must stop.
    ///
    /// The player to move must have no immediate win, and the board must not be full.
    pub fn search(&mut self, state: &State<W>, beta: Score) -> Option<Score> {
        match self.follow(*state) {
            Next::Decided(score) => Some(score),
            Next::Choice(choice) => self.choose_after(state, &choice, self.key(&choice), beta),
        }
    }

    /// Plays forced replies until the outcome is certain or the player to move has a choice.
    #[inline(always)]
    fn follow(&self, from: State<W>) -> Next<W> {
        let mut state = from;
        loop {
            if !(self.grid.cells & !state.all).has_two() {
                return Next::Decided(0); // at most one cell is left, and it does not win
            }
            let moves = safe_moves(self.grid, &state);
            if moves == W::ZERO {
                let loss = -self.scale.win_on(state.ply + 2);
                return Next::Decided(if same_mover(&from, &state) { loss } else { -loss });
            }
            if moves.has_two() {
                return Next::Choice(state);
            }
            state = state.play(moves, self.grid.spots(state.mine | moves));
        }
    }

    /// Decides like [`Worker::search`] whether the score of `state` is at least `beta`. Forced replies must lead from
    /// `state` to `choice`, a position with this `key` in which the player to move has a choice.
    #[inline(always)]
    fn choose_after(&mut self, state: &State<W>, choice: &State<W>, key: W, beta: Score) -> Option<Score> {
        if same_mover(state, choice) {
            self.choose(choice, key, beta)
        } else {
            Some(-self.choose(choice, key, 1 - beta)?)
        }
    }

    /// Does the same as [`Worker::search`] for a position with this `key` where the player to move has a choice.
    fn choose(&mut self, state: &State<W>, key: W, beta: Score) -> Option<Score> {
        self.nodes.spend()?;
        let grid = self.grid;
        let mut known = self.known(state, key, (state.ply + 3, state.ply + 4), beta);
        if let Some(score) = known.decides(beta) {
            return Some(score);
        }
        // Examine every move before searching any: one may decide the question without a search.
        let empty = grid.cells & !state.all;
        let mut score = -Score::MAX;
        let mut moves = Moves::<W, COLUMNS>::new();
        for cell in safe_moves(grid, state).each() {
            let spots = grid.spots(state.mine | cell);
            match self.follow(state.play(cell, spots)) {
                Next::Decided(end) => score = score.max(-end),
                Next::Choice(child) => {
                    let column = grid.column(cell);
                    let open = (spots & empty & !cell).count();
                    let merit = match column == known.best {
                        true => BEST_MERIT,
                        false => open * SPOT_MERIT + u32::from(self.merits[cell.first() as usize & 127]),
                    };
                    moves.push(Child { column, merit, state: child, key: self.key(&child) });
                }
            }
        }
        if score >= beta {
            return Some(score);
        }
        // The loop above has found any win on ply + 3, so the mover's next possible win is on ply + 5.
        known.upper = known.upper.min(self.scale.win_on(state.ply + 5));
        if known.upper < beta {
            return Some(known.upper);
        }
        for (place, entry) in moves.known(self.table).iter().enumerate().take(moves.children().len()) {
            let child = &moves.children()[place].state;
            let (lower, upper) = match entry {
                Some(entry) => (entry.lower, entry.upper),
                None => (-Score::MAX, pairing::upper_bound(grid, self.scale, child)),
            };
            let (lower, upper) = if same_mover(state, child) { (lower, upper) } else { (-upper, -lower) };
            if lower >= beta {
                return Some(lower);
            }
            if upper < beta {
                score = score.max(upper);
            } else {
                moves.rank(place);
            }
        }
        let mut best = NO_COLUMN;
        for child in moves.ranked() {
            let found = self.choose_after(state, &child.state, child.key, beta)?;
            score = score.max(found);
            if score >= beta {
                best = child.column;
                break;
            }
        }
        self.remember(key, &known, beta, score, best);
        Some(score)
    }
}

/// Returns whether the same player is to move in both positions.
#[inline(always)]
fn same_mover<W>(one: &State<W>, other: &State<W>) -> bool {
    (one.ply ^ other.ply) & 1 == 0
}

/// Returns the cells where the player to move, who cannot win at once, can play without letting the opponent win at
/// once. If there are none, and the board has room for two more pieces, the opponent wins with the second of them.
#[inline(always)]
fn safe_moves<W: Word, const HEIGHT: u32, const COLUMNS: usize>(
    grid: &Grid<W, HEIGHT, COLUMNS>,
    state: &State<W>,
) -> W {
    let spots = state.their_spots & grid.cells & !state.all;
    let playable = state.playable(grid);
    let forced = playable & spots;
    let candidates = if forced == W::ZERO {
        playable
    } else if forced.has_two() {
        W::ZERO
    } else {
        forced
    };
    candidates & !(spots >> 1)
}
