//! Looking positions up.
//!
//! A probe first looks at the board (see [`crate::quiet`]). A quiet position of an odd ply is found by its rank: the
//! rank's chunk, the chunk's block, the block's symbols, and among those the one that the quiet mask of the chunk
//! says (see [`super::tier`]). A quiet position of an even ply is worth the best of its children, and of what they force.
//! Where that tier is not kept the position is searched forward (see [`super::beyond`]).

use fourbase::{Outcome, Player, Position, Value};

use super::beyond::{Effort, Known};
use super::error::DatabaseError;
use super::open::Database;
use crate::format::is_stored;
use crate::kernel::Values;
use crate::quiet::{ChildSights, Sight, can_win, sight, sight_without_line};

impl Database {
    /// Looks a position up. Any well-formed position has an answer, even one that no game reaches.
    ///
    /// A position of a ply whose tier is not kept ([`Manifest::keep_plies`](crate::format::Manifest::keep_plies)) is searched
    /// forward instead, to the end, however long that takes: microseconds late in a game, on large boards minutes early
    /// in one. The questions of [`crate::answer`] have limits.
    ///
    /// # Errors
    /// [`DatabaseError::OtherBoard`], [`DatabaseError::NotSolved`] while the board is being solved, [`DatabaseError::File`]
    /// for files that cannot be read or are damaged.
    pub fn probe(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        self.probe_with(position, &mut Effort::default())
    }

    /// Looks a position up like [`Database::probe`], and counts in `effort` what was searched for it.
    ///
    /// # Errors
    /// The same as [`Database::probe`], and [`DatabaseError::Search`] where the monitor is cancelled or no nodes are left.
    pub(crate) fn probe_with(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        self.check_board(position)?;
        self.value(position, effort)
    }

    /// Forgets the remoteness that a sight can tell where the database has none.
    fn outcome(&self, outcome: Outcome) -> Outcome {
        let remoteness = outcome.remoteness.filter(|_| self.values() == Values::Remoteness);
        Outcome { remoteness, ..outcome }
    }

    fn value(&self, position: &Position, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        let ply = position.ply() as u32;
        let end = follow(*position, ply, sight(position));
        let outcome = match end.sight {
            Sight::Decided(outcome) => outcome,
            _ if !self.reaches(end.ply) => self.search_forced(position, &end, effort)?,
            _ if is_stored(end.ply) => self.stored(&end, effort)?,
            _ => self.best(end, effort)?,
        };
        Ok(self.outcome(seen_from(ply, end.ply, outcome)))
    }

    /// Searches the position that follows on `position` by forced moves. What is known of the one is known of the other.
    fn search_forced(&self, position: &Position, end: &Seen, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        let ply = position.ply() as u32;
        let at_least = if ply < end.ply { self.at_least(position, effort)? } else { None };
        let known = at_least.map_or(Known::default(), |outcome| Known::seen_at(ply, end.ply, outcome));
        self.search_beyond(&end.position, known, effort)
    }

    /// Tells whether the tier is kept in which a quiet position of `ply` pieces is looked up.
    pub(super) fn reaches(&self, ply: u32) -> bool {
        let stored = if is_stored(ply) { ply } else { ply + 1 };
        self.manifest().keeps(stored)
    }

    pub(super) fn check_board(&self, position: &Position) -> Result<(), DatabaseError> {
        if position.board() == self.board() {
            return Ok(());
        }
        Err(DatabaseError::OtherBoard { expected: self.board(), found: position.board() })
    }

    /// Looks a quiet position of a stored tier up.
    fn stored(&self, end: &Seen, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        let tier = self.tier(end.ply)?;
        effort.lookups += 1;
        Ok(tier.outcome(self.index(), self.cache(), &end.position)?)
    }

    /// Finds out what a quiet position of an even ply is worth: the best that any of its children leads to.
    ///
    /// A child whose reply is forced leads to another quiet position of the same player to move, so all choices are of one
    /// player. Each such position is looked at once, however many orders of the same threats lead there, and only if it
    /// could be better than the best one so far: by a sooner win, or, where that is a tie, if the player has room for a line.
    fn best(&self, start: Seen, effort: &mut Effort) -> Result<Outcome, DatabaseError> {
        let mut best = Best { ply: start.ply, player: start.position.to_move(), outcome: None };
        let (mut nodes, mut stored, mut searched) =
            (vec![start], Vec::with_capacity(start.position.board().width()), Vec::new());
        let mut next = 0;
        while let Some(Seen { position: node, ply, .. }) = nodes.get(next).copied() {
            next += 1;
            if best.is_at_least(&node, ply) {
                continue;
            }
            let sights = ChildSights::new(&node);
            for column in centre_first(node.board().width()).filter(|column| node.can_play(*column)) {
                let end = follow(node.drop_piece(column), ply + 1, sights.of(column));
                match end.sight {
                    Sight::Decided(outcome) => {
                        best.improve(end.ply, self.outcome(outcome));
                        if best.is_settled(ply) {
                            break;
                        }
                    }
                    // What is searched comes last: a win that is stored may save it.
                    _ if !self.reaches(end.ply) => searched.push(end),
                    _ if is_stored(end.ply) => stored.push(end),
                    _ if !nodes.contains(&end) => nodes.push(end),
                    _ => {}
                }
            }
            for end in stored.drain(..) {
                if !best.is_at_least(&end.position, ply) {
                    best.improve(end.ply, self.stored(&end, effort)?);
                }
            }
        }
        if !searched.is_empty()
            && let Some(outcome) = self.at_least(&start.position, effort)?
        {
            best.improve(start.ply, outcome);
        }
        for end in searched {
            if !best.is_at_least(&end.position, start.ply) {
                // Only what is better counts.
                let known = best.outcome.map_or(Known::default(), |of| Known::seen_at(best.ply, end.ply, of));
                best.improve(end.ply, self.search_beyond(&end.position, known, effort)?);
            }
        }
        best.outcome.ok_or_else(|| self.manifest_error("a position has no moves"))
    }
}

/// A position at the end of forced moves, its ply, and what is seen there: quiet, or decided.
#[derive(Clone, Copy, PartialEq)]
struct Seen {
    position: Position,
    ply: u32,
    sight: Sight,
}

/// Plays the forced moves from a position with the given sight. None of them completes a line: under the usual rules it
/// would have won at once, and under misère it is played because it does not.
fn follow(mut position: Position, mut ply: u32, mut sight: Sight) -> Seen {
    while let Sight::Forced(column) = sight {
        position = position.drop_piece(column);
        ply += 1;
        sight = sight_without_line(&position);
    }
    Seen { position, ply, sight }
}

/// Returns what a position of the ply `later` is worth for the player to move at `ply`, counted from there.
fn seen_from(ply: u32, later: u32, outcome: Outcome) -> Outcome {
    (ply..later).fold(outcome, |outcome, _| outcome.parent())
}

/// The best outcome so far for the player to move at a ply.
struct Best {
    ply: u32,
    player: Player,
    outcome: Option<Outcome>,
}

impl Best {
    /// Takes note of what a position of the ply `later` is worth to its player to move.
    fn improve(&mut self, later: u32, outcome: Outcome) {
        let outcome = seen_from(self.ply, later, outcome);
        self.outcome = Some(self.outcome.map_or(outcome, |best| best.min(outcome)));
    }

    /// Tells whether nothing after a quiet position of the same player to move at the ply `later` can be better: no win there
    /// is sooner than in 3 (under misère no sooner than in 2, and none is in 3).
    fn is_settled(&self, later: u32) -> bool {
        let soonest = later - self.ply + 3;
        self.outcome
            .is_some_and(|best| best.value == Value::Win && best.remoteness.is_none_or(|plies| plies <= soonest))
    }

    /// Tells whether a position, which follows on one of the same player to move at the ply `later`, need not be looked at.
    fn is_at_least(&self, position: &Position, later: u32) -> bool {
        let only_a_win = || self.outcome.is_some_and(|best| best.value != Value::Lose);
        self.is_settled(later) || only_a_win() && !can_win(position, self.player)
    }
}

/// Lists columns from the centre outwards: a win, which ends the look-ups, is more often there.
fn centre_first(width: usize) -> impl Iterator<Item = usize> {
    let centre = width / 2;
    let sides = (1..=centre).flat_map(move |away| [centre - away, centre + away]);
    std::iter::once(centre).chain(sides).filter(move |column| *column < width)
}

#[cfg(test)]
mod tests {
    use fourbase::Board;
    use rayon::prelude::*;

    use super::*;
    use crate::index::TierLayout;
    use crate::long;
    use crate::solve::Solve;

    /// The most look-ups of any probe of an even tier, and their sum; the short run takes every `stride`th entry.
    fn lookups(name: &str, stride: usize) -> (u64, u64, u64) {
        let board: Board = name.parse().unwrap();
        let root = tempfile::tempdir().unwrap();
        let folder = Solve::new(board, Values::Wdl).root(root.path()).run().unwrap().folder;
        let database = Database::open(&folder).unwrap();
        let index = database.index();
        let mut all = (0, 0, 0);
        for ply in (0..board.cells() as u32).filter(|ply| !is_stored(*ply)) {
            let layout = TierLayout::new(index, ply);
            let entries: Vec<u64> = (0..layout.entries()).step_by(stride).collect();
            let of_entries = |entries: &[u64]| {
                let (mut effort, mut found) = (Effort::default(), (0, 0, 0));
                for entry in entries {
                    let [first, second] = index.split().bitboards(&index.unrank(&layout, *entry).unwrap());
                    let Ok(position) = Position::from_bitboards(board, first, second) else { continue };
                    if sight(&position) == Sight::Quiet {
                        effort.lookups = 0;
                        database.probe_with(&position, &mut effort).unwrap();
                        found = (effort.lookups.max(found.0), found.1 + effort.lookups, found.2 + 1);
                    }
                }
                found
            };
            let of_tier = entries.par_chunks(1 << 12).map(of_entries);
            let sum = of_tier.reduce(|| (0, 0, 0), |one, other| (one.0.max(other.0), one.1 + other.1, one.2 + other.2));
            all = (all.0.max(sum.0), all.1 + sum.1, all.2 + sum.2);
        }
        all
    }

    #[test]
    fn the_worst_probe_of_6x4_makes_68_lookups_and_the_mean_fewer_than_2() {
        let stride = if long::skips("all but every 101st entry of 6x4") { 101 } else { 1 };
        let (most, sum, positions) = lookups("6x4", stride);
        let mean = sum as f64 / positions as f64;
        println!("6x4: at most {most} look-ups, {mean:.2} in the mean of {positions} quiet positions");
        assert!(if stride == 1 { most == 68 } else { (2..68).contains(&most) }, "{most}");
        assert!((0.5..2.0).contains(&mean), "{mean}");
    }
}
