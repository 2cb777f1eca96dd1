//! Looks up positions in a database.
//!
//! A probe first evaluates the board (see [`crate::quiet`]). A quiet position of an odd ply is looked up by its rank:
//! the rank gives the chunk, the chunk gives the block, and the quiet mask of the chunk gives the position's symbol in
//! the block (see [`super::tier`]). A quiet position of an even ply gets the best value of its children; from a child
//! with a forced reply, the probe first plays the forced moves to the next quiet position. If the tier to look up is
//! not kept, a forward search solves the position (see [`super::fallback`]). The deepest kept tier of a solve with
//! `--keep-plies` also stores forced positions, so a position with fewer pieces never needs a search.

use fourbase::analysis::{AnalysisError, Budget, Cost};
use fourbase::{Outcome, Player, Position, Value};

use super::cache::Place;
use super::error::DatabaseError;
use super::open::Database;
use super::tier::OpenTier;
use crate::files::is_address;
use crate::format::is_stored;
use crate::kernel::Values;
use crate::quiet::{ChildEvaluations, StaticEvaluation, can_win, evaluate, evaluate_without_line};

/// A result is kept if its searches visited at least this many nodes, which takes some microseconds.
const NODES_WORTH_AN_ANSWER: u64 = 64;

/// How many look-ups of one position wait for memory together. With more, the first good one saves fewer others.
const WARMED_TOGETHER: usize = 4;

impl Database {
    /// Looks a position up. Every well-formed position has an answer, even if no game reaches it.
    ///
    /// A position of a ply whose tier is not kept ([`Manifest::keep_plies`](crate::format::Manifest::keep_plies)) is
    /// searched forward to the end, however long that takes: microseconds late in a game, minutes early in a game on a
    /// large board. The methods of [`Lookup`](fourbase::analysis::Lookup) take a budget that limits the search.
    ///
    /// # Errors
    /// [`DatabaseError::Analysis`] for another board, [`DatabaseError::NotSolved`] while the board is being solved,
    /// [`DatabaseError::File`] for files that can't be read or are damaged.
    pub fn probe(&self, position: &Position) -> Result<Outcome, DatabaseError> {
        self.probe_within(position, &mut Budget::default())
    }

    /// Looks a position up as [`Database::probe`] does, within a budget.
    ///
    /// # Errors
    /// The errors of [`Database::probe`], and [`DatabaseError::Analysis`] if a limit of the budget is reached.
    pub(crate) fn probe_within(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, DatabaseError> {
        position.check_board(self.board()).map_err(AnalysisError::from)?;
        self.read_ahead(std::slice::from_ref(position));
        let end = self.follow(*position, position.ply() as u32, evaluate(position));
        self.probe_end(position, &end, self.locate(&end)?, None, budget)
    }

    /// Looks up every move of a position of this board; `take` gets the column and the outcome for the player who makes
    /// the move. Each move gets its own copy of `budget`. `is_exact` is that of [`super::moves_of_many`]: without it, the
    /// outcome of the position, if stored, is looked up first. No move is better, so the first reply that makes a move
    /// worse is enough.
    pub(super) fn probe_moves(
        &self,
        position: &Position,
        is_exact: bool,
        budget: &Budget,
        mut take: impl FnMut(usize, Result<Outcome, DatabaseError>),
    ) {
        let (ply, evaluation, mut part) = (position.ply() as u32, evaluate(position), budget.clone());
        let known = match evaluation {
            _ if is_exact => None,
            StaticEvaluation::Decided(outcome) => Some(self.outcome(outcome)),
            // If the file can't be read, the moves report the error.
            StaticEvaluation::Quiet if is_stored(ply) => {
                let end = Seen { position: *position, ply, evaluation };
                self.locate(&end).and_then(|place| self.probe_end(position, &end, place, None, &mut part)).ok()
            }
            _ => None,
        };
        let reply = known.and_then(|known| later(known, 1));
        if is_address(self.folder()) {
            self.read_ahead(&Vec::from_iter(position.moves().map(|column| position.drop_piece(column))));
        }
        let evaluations = (evaluation == StaticEvaluation::Quiet).then(|| ChildEvaluations::new(position));
        let ends = position.moves().map(|column| {
            let child = position.drop_piece(column);
            let evaluation = evaluations.as_ref().map_or_else(|| evaluate(&child), |of| of.of(column));
            let end = self.follow(child, ply + 1, evaluation);
            (column, child, end, self.locate(&end))
        });
        let ends = Vec::from_iter(ends);
        self.cache.codes.warm(ends.iter().filter_map(|(.., place)| Some(place.as_ref().ok()?.as_ref()?.1)));
        for (column, child, end, place) in ends {
            part.spent = budget.spent;
            let outcome = place.and_then(|place| self.probe_end(&child, &end, place, reply, &mut part));
            take(column, outcome.map(Outcome::parent));
        }
    }

    /// Finds the place of the position at the end of forced moves; `None` if it is not stored.
    fn locate(&self, end: &Seen) -> Result<Option<(&OpenTier, Place)>, DatabaseError> {
        if matches!(end.evaluation, StaticEvaluation::Decided(_)) || !self.reaches(end.ply) || !is_stored(end.ply) {
            return Ok(None);
        }
        let tier = self.tier(end.ply)?;
        Ok(Some((tier, tier.locate(self.index(), &self.cache, &end.position)?)))
    }

    /// Looks up a position, of which the end of forced moves and its place are known. `bound` is an outcome that the
    /// player to move gets at least. As soon as a better value is found, or a sooner win, that is the answer.
    fn probe_end(
        &self,
        position: &Position,
        end: &Seen,
        place: Option<(&OpenTier, Place)>,
        bound: Option<Outcome>,
        budget: &mut Budget,
    ) -> Result<Outcome, DatabaseError> {
        let ply = position.ply() as u32;
        let outcome = match (end.evaluation, place) {
            (StaticEvaluation::Decided(outcome), _) => outcome,
            (_, Some((tier, place))) => self.stored(tier, place, budget)?,
            _ => match self.answers.get(&end.position.bitboards()) {
                Some(outcome) => {
                    budget.spent += Cost { positions: 1, ..Cost::default() };
                    outcome
                }
                None => {
                    let nodes = budget.spent.nodes;
                    let plies = end.ply - ply;
                    let bound = bound.filter(|_| plies.is_multiple_of(2)).and_then(|bound| later(bound, plies));
                    let outcome = if self.reaches(end.ply) {
                        self.best(*end, bound, budget)?
                    } else {
                        // Forced moves do not change the value, so a bound for `position` also holds for
                        // `end.position`.
                        let known = if ply < end.ply { self.at_least(position, budget)? } else { None };
                        self.search_beyond(&end.position, ply, known, budget)?
                    };
                    // With a bound, the best of look-ups may not be exact; a search always is.
                    let is_exact = bound.is_none() || !self.reaches(end.ply);
                    if is_exact && budget.spent.nodes - nodes >= NODES_WORTH_AN_ANSWER {
                        self.answers.insert(end.position.bitboards(), outcome);
                    }
                    outcome
                }
            },
        };
        Ok(self.outcome(seen_from(ply, end.ply, outcome)))
    }

    /// Removes the remoteness if the database stores none. (The static evaluation may have given one.)
    fn outcome(&self, outcome: Outcome) -> Outcome {
        let remoteness = outcome.remoteness.filter(|_| self.values() == Values::Remoteness);
        Outcome { remoteness, ..outcome }
    }

    /// Returns whether the database keeps the tier in which quiet positions of `ply` pieces are looked up: their own
    /// tier if `ply` is odd, else the next one, which has their children.
    pub(crate) fn reaches(&self, ply: u32) -> bool {
        let stored = if is_stored(ply) { ply } else { ply + 1 };
        self.manifest.keeps(stored)
    }

    /// Plays forced moves from an evaluated position, until a position is stored or not forced. None of these moves
    /// completes a line: in normal play a position with such a move is decided, and under misère a move that completes
    /// a line loses, so it is never the forced one.
    pub(super) fn follow(&self, mut position: Position, mut ply: u32, mut evaluation: StaticEvaluation) -> Seen {
        while let StaticEvaluation::Forced(column) = evaluation
            && !self.stores_forced(ply)
        {
            position = position.drop_piece(column);
            ply += 1;
            evaluation = evaluate_without_line(&position);
        }
        Seen { position, ply, evaluation }
    }

    /// Returns whether forced positions of `ply` pieces are stored. Databases of older versions and of
    /// [`Database::with_plies_up_to`] never store forced positions; a probe then plays the forced moves, perhaps beyond
    /// the kept plies.
    fn stores_forced(&self, ply: u32) -> bool {
        // For a tier that can't be opened, return true: looking the position up then reports the error.
        self.manifest.keeps_forced(ply) && self.tier(ply).map_or(true, |tier| tier.reader.chunks.has_forced)
    }

    fn stored(&self, tier: &OpenTier, place: Place, budget: &mut Budget) -> Result<Outcome, DatabaseError> {
        budget.spent.lookups += 1;
        Ok(tier.outcome(self.index(), &self.cache, place)?)
    }

    /// Returns the outcome of a quiet position of an even ply: the best outcome that any child leads to. `bound` is that
    /// of `probe_end`.
    fn best(&self, start: Seen, bound: Option<Outcome>, budget: &mut Budget) -> Result<Outcome, DatabaseError> {
        let (mut best, ends) = self.ends(start, bound);
        // A tier at an address is opened only if it is needed.
        let together = if is_address(self.folder()) { 1 } else { WARMED_TOGETHER };
        let kept = ends.partition_point(|(_, end)| self.reaches(end.ply));
        let (stored, searched) = ends.split_at(kept);
        for ends in stored.chunks(together) {
            let mut places = [const { Ok(None) }; WARMED_TOGETHER];
            for (place, (ply, end)) in places.iter_mut().zip(ends) {
                if !best.is_at_least(&end.position, *ply) {
                    *place = self.locate(end);
                }
            }
            self.cache.codes.warm(places.iter().filter_map(|place| Some(place.as_ref().ok()?.as_ref()?.1)));
            for (place, (ply, end)) in places.into_iter().zip(ends) {
                // A place that was not found is an error only where it is needed.
                if !best.is_at_least(&end.position, *ply)
                    && let Some((tier, place)) = place?
                {
                    best.improve(end.ply, self.stored(tier, place, budget)?);
                }
            }
        }
        // Searches come last: a stored win may make them unnecessary.
        if !searched.is_empty()
            && let Some(outcome) = self.at_least(&start.position, budget)?
        {
            best.improve(start.ply, outcome);
        }
        for (_, end) in searched {
            if !best.is_at_least(&end.position, start.ply) {
                // Pass the best outcome so far, because only a better one matters.
                best.improve(end.ply, self.search_beyond(&end.position, best.ply, best.outcome, budget)?);
            }
        }
        best.outcome.ok_or_else(|| self.manifest_error("a position has no moves"))
    }

    /// Lists where the outcome of a quiet position of an even ply comes from, without a look-up. Returns the best of the
    /// outcomes that the board decides, and the positions to look up or to search, sorted by ply, each with the ply of
    /// the position from which it is reached.
    ///
    /// A child with a forced reply leads to another quiet position with the same player to move, so only one player has
    /// choices. Several orders of the same moves may lead to the same position, which is examined only once. A position
    /// is skipped if it can't improve on the best outcome so far: if no sooner win is possible, or if the best outcome
    /// is a tie and the player has no room left for a line. `bound` is that of `probe_end`.
    pub(super) fn ends(&self, start: Seen, bound: Option<Outcome>) -> (Best, Vec<(u32, Seen)>) {
        let mut best = Best { ply: start.ply, player: start.position.to_move(), outcome: bound, bound };
        let (mut nodes, mut next) = (vec![start], 0);
        let mut ends = Vec::with_capacity(start.position.board().width());
        while let Some(Seen { position: node, ply, .. }) = nodes.get(next).copied() {
            next += 1;
            if best.is_at_least(&node, ply) {
                continue;
            }
            let evaluations = ChildEvaluations::new(&node);
            for column in centre_first(node.board().width()).filter(|column| node.can_play(*column)) {
                let end = self.follow(node.drop_piece(column), ply + 1, evaluations.of(column));
                match end.evaluation {
                    StaticEvaluation::Decided(outcome) => {
                        best.improve(end.ply, self.outcome(outcome));
                        if best.is_settled(ply) {
                            break;
                        }
                    }
                    _ if is_stored(end.ply) || !self.reaches(end.ply) => {
                        let place = ends.partition_point(|(_, other): &(u32, Seen)| other.ply <= end.ply);
                        ends.insert(place, (ply, end));
                    }
                    _ if !nodes.contains(&end) => nodes.push(end),
                    _ => {}
                }
            }
        }
        (best, ends)
    }
}

/// The position at the end of forced moves, its ply, and its evaluation: quiet, decided, or forced if forced positions
/// are stored.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Seen {
    pub position: Position,
    pub ply: u32,
    pub evaluation: StaticEvaluation,
}

/// Converts an outcome at the ply `later` into one for the player to move at `ply`, with the remoteness counted from
/// `ply`.
fn seen_from(ply: u32, later: u32, outcome: Outcome) -> Outcome {
    (ply..later).fold(outcome, |outcome, _| outcome.parent())
}

/// Converts the outcome of best play at a ply into the one that many plies later, for the player to move there; `None`
/// if the game ends before.
pub(super) fn later(outcome: Outcome, plies: u32) -> Option<Outcome> {
    let value = if plies.is_multiple_of(2) { outcome.value } else { outcome.value.flip() };
    let remoteness = outcome.remoteness.map(|remoteness| remoteness.checked_sub(plies));
    (remoteness != Some(None)).then(|| Outcome { value, remoteness: remoteness.flatten() })
}

/// The best outcome so far, for the player to move at `ply`.
pub(super) struct Best {
    ply: u32,
    player: Player,
    outcome: Option<Outcome>,
    /// The outcome that the player gets at least; a better value, or a sooner win, ends the look-ups.
    bound: Option<Outcome>,
}

impl Best {
    /// Replaces the best outcome if the given outcome, of a position at the ply `later`, is better.
    fn improve(&mut self, later: u32, outcome: Outcome) {
        let outcome = seen_from(self.ply, later, outcome);
        self.outcome = Some(self.outcome.map_or(outcome, |best| best.min(outcome)));
    }

    /// Returns whether no quiet position of the same player at the ply `later` can improve the best outcome. In normal
    /// play a win from a quiet position takes at least 3 plies. Under misère it takes 2 plies or more than 3, and the
    /// comparison with 3 is right too, because every win takes an even number of plies.
    fn is_settled(&self, later: u32) -> bool {
        let soonest = later - self.ply + 3;
        let is_sooner = |best: Outcome| self.bound.is_some_and(|bound| best.value < bound.value || best < bound);
        self.outcome.is_some_and(|best| match best.value {
            Value::Win => best.remoteness.is_none_or(|plies| plies <= soonest) || is_sooner(best),
            Value::Tie => self.bound.is_some_and(|bound| bound.value == Value::Lose),
            Value::Lose => false,
        })
    }

    /// Returns whether `position` can be skipped, because it can't improve the best outcome. The same player is to
    /// move, at the ply `later`.
    pub(super) fn is_at_least(&self, position: &Position, later: u32) -> bool {
        let only_a_win = || self.outcome.is_some_and(|best| best.value != Value::Lose);
        self.is_settled(later) || only_a_win() && !can_win(position, self.player)
    }
}

/// Lists columns from the centre outwards: wins are more often in the centre, and a win ends the look-ups.
fn centre_first(width: usize) -> impl Iterator<Item = usize> {
    let centre = width / 2;
    let sides = (1..=centre).flat_map(move |away| [centre - away, centre + away]);
    std::iter::once(centre).chain(sides).filter(move |column| *column < width)
}

#[cfg(test)]
mod tests {
    use fourbase::Board;
    use fourbase::players::{random_play, random_source};
    use rayon::prelude::*;

    use super::*;
    use crate::format::tier_path;
    use crate::index::TierDirectory;
    use crate::long;
    use crate::solve::Solve;
    use crate::testing::solved;

    #[test]
    fn the_worst_probe_of_6x4_makes_68_lookups_and_the_mean_fewer_than_2() {
        let stride = if long::skips("all but every 101st entry of 6x4") { 101 } else { 1 };
        let board: Board = "6x4".parse().unwrap();
        let [database] = solved(&Solve::new(board, Values::Wdl));
        let index = database.index();
        // The most look-ups of one probe, the look-ups of all probes, and the number of probes.
        let add = |one: (u64, u64, u64), other: (u64, u64, u64)| (one.0.max(other.0), one.1 + other.1, one.2 + other.2);
        let mut all = (0, 0, 0);
        for ply in (0..board.cells() as u32).filter(|ply| !is_stored(*ply)) {
            let tier = TierDirectory::new(index, ply);
            let of_entry = |number: u64| {
                let [first, second] = index.split.bitboards(&tier.unrank(index, number * stride).unwrap());
                let position = Position::from_bitboards(board, first, second).ok()?;
                let (mut budget, is_quiet) = (Budget::default(), evaluate(&position) == StaticEvaluation::Quiet);
                is_quiet.then(|| database.probe_within(&position, &mut budget).unwrap())?;
                Some((budget.spent.lookups, budget.spent.lookups, 1))
            };
            let of_tier = (0..tier.entries().div_ceil(stride)).into_par_iter().filter_map(of_entry);
            all = add(all, of_tier.reduce(|| (0, 0, 0), add));
        }
        let (most, sum, positions) = all;
        let mean = sum as f64 / positions as f64;
        println!("6x4: at most {most} look-ups, {mean:.2} in the mean of {positions} quiet positions");
        assert!(if stride == 1 { most == 68 } else { (2..68).contains(&most) }, "{most}");
        assert!((0.5..2.0).contains(&mean), "{mean}");
    }

    fn positions(board: Board, plies: usize, step: usize) -> Vec<Position> {
        let mut positions = vec![Position::start(board)];
        for _ in 0..plies {
            let children = positions.iter().flat_map(|of| of.moves().map(|column| of.drop_piece(column)));
            positions = children.step_by(step).collect();
        }
        positions
    }

    /// Answers each position twice: `ask` uses the first database, whose kept plies narrow the search, and the second
    /// database searches without bounds. Checks that the answers are equal. Returns the nodes of both ways.
    fn nodes(
        databases: [&Database; 2],
        positions: &[Position],
        ask: impl Fn(&Database, &Position, &mut Budget) -> Outcome,
    ) -> [u64; 2] {
        let [mut narrowed, mut plain] = [(); 2].map(|()| Budget::default());
        for position in positions {
            let found = ask(databases[0], position, &mut narrowed);
            let expected = databases[1].search(position, [None; 2], &mut plain).unwrap();
            assert_eq!(found, expected, "{position}");
        }
        assert!(positions.len() > 20, "{}", positions.len());
        [narrowed.spent.nodes, plain.spent.nodes]
    }

    #[test]
    fn the_plies_before_save_nodes_of_the_first_ply_that_is_not_kept() {
        let board: Board = "5x5".parse().unwrap();
        for values in [Values::Wdl, Values::Remoteness] {
            let [with, without] = solved(&Solve::new(board, values).keep_plies(Some(5)));
            let [narrowed, plain] = nodes([&with, &without], &positions(board, 6, 3), |database, position, budget| {
                database.search_beyond(position, 0, None, budget).unwrap()
            });
            assert!(narrowed * 10 < plain * 9, "{narrowed} {plain}");
        }
    }

    #[test]
    fn a_position_that_is_asked_for_again_is_not_searched_again() {
        for values in [Values::Wdl, Values::Remoteness] {
            let [database] = solved(&Solve::new("5x5".parse().unwrap(), values).keep_plies(Some(5)));
            let mut remembered = 0;
            for plies in 3..8 {
                for position in positions(database.board(), plies, 3) {
                    let [mut first, mut again] = [(); 2].map(|()| Budget::default());
                    let outcome = database.probe_within(&position, &mut first).unwrap();
                    assert_eq!(database.probe_within(&position, &mut again).unwrap(), outcome, "{position}");
                    assert!(again.spent.nodes < NODES_WORTH_AN_ANSWER, "{position}");
                    remembered += u32::from(first.spent.nodes >= NODES_WORTH_AN_ANSWER);
                }
            }
            assert!(remembered > 20, "{remembered}");
        }
    }

    #[test]
    fn what_is_stored_saves_nodes_where_forced_moves_lead_beyond_the_plies_that_are_kept() {
        let board: Board = "5x5".parse().unwrap();
        for values in [Values::Wdl, Values::Remoteness] {
            let [with, without] = solved::<2>(&Solve::new(board, values)).map(|of| of.with_plies_up_to(5).unwrap());
            for plies in [4, 5] {
                let mut positions = positions(board, plies, 1);
                positions.retain(|position| with.stored_outcome(position).unwrap().is_none());
                let [narrowed, plain] = nodes([&with, &without], &positions, |database, position, budget| {
                    database.probe_within(position, budget).unwrap()
                });
                // The positions of ply 5 that are left are forced. For them, the values of ply 4 help only about as
                // much as one long search does, so nodes are compared only at ply 4.
                assert!(plies == 5 || narrowed * 2 < plain, "{narrowed} {plain}");
            }
        }
    }

    #[test]
    fn a_damaged_deepest_tier_is_an_error_and_not_searched_around() {
        let root = tempfile::tempdir().unwrap();
        let solve = Solve::new("4x4".parse().unwrap(), Values::Wdl).root(root.path()).keep_plies(Some(6));
        let folder = solve.run().unwrap().folder;
        let position = (0..).find_map(|stream| {
            let position = random_play("4x4".parse().unwrap(), 5, &mut random_source(1, stream))?;
            matches!(evaluate_without_line(&position), StaticEvaluation::Forced(_)).then_some(position)
        });
        let file = std::fs::OpenOptions::new().write(true).open(tier_path(&folder, 5)).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        assert!(matches!(Database::open(&folder).unwrap().probe(&position.unwrap()), Err(DatabaseError::File(_))));
    }

    /// The deepest tier has no forced positions in databases of older versions and in those that the npm package opens
    /// first.
    #[test]
    fn a_deepest_tier_without_forced_positions_gives_the_same_answers() {
        for (name, values) in [("4x4", Values::Wdl), ("4x4m", Values::Remoteness)] {
            let solve = Solve::new(name.parse().unwrap(), values);
            let [whole, cut] = solved(&solve);
            let cut = cut.with_plies_up_to(6).unwrap();
            assert!(!cut.stores_forced(5) && cut.manifest.keep_plies == Some(6));
            let seed = long::seed(1);
            for game in 0..1000 {
                let Some(position) = random_play(cut.board(), 3 + game % 6, &mut random_source(seed, game as u64))
                else {
                    continue;
                };
                assert_eq!(cut.probe(&position).unwrap(), whole.probe(&position).unwrap(), "{position}");
            }
            assert!(cut.searched() > 0 && whole.searched() == 0);
        }
    }
}
