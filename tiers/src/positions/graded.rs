//! Lists or draws the positions that are used to grade a player, with the outcomes of their moves. These are the
//! positions where the choice matters, because the moves differ in value, and the lost positions whose moves differ in
//! remoteness.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::ops::Range;

use fourbase::analysis::{Analyst, Budget, Judgement, Lookup, compare_alike};
use fourbase::players::random_source;
use fourbase::{Outcome, Position};
use rand::RngExt;

use super::{PositionError, PositionList, SampleKind, Sampler};
use crate::database::{Database, DatabaseError, moves_of_many};
use crate::index::TierDirectory;
use crate::progress::Progress;

/// How many entries of the index are listed at once.
const LISTED_AT_ONCE: u64 = 1 << 14;

/// The fewest and the most positions that are drawn at once. The fewest are enough for all threads, and the most take
/// little memory.
const DRAWN_AT_ONCE: (u64, u64) = (64, 1 << 13);

/// If a ply has at most this many entries, all of its positions are listed and shuffled instead of drawn one by one. So
/// the end of the list shows that no position is left.
const SHUFFLED_ENTRIES: u64 = 1 << 16;

/// Drawing at a ply ends after this many draws: the first number, plus the second number for each wanted position.
/// Without a limit it might not end, because at some plies the choice seldom matters.
const MOST_DRAWS: (u64, u64) = (10_000, 20);

/// The fewest positions of a portion that is not the last of its ply.
const PORTION: usize = 1 << 13;

/// Lists or draws the unfinished legal positions that are used to grade a player: those where the choice matters, and
/// lost positions. Returns them in portions, ply after ply, without repeats. A position and its mirror image count as
/// two positions.
///
/// ```
/// use fourbase::analysis::Analyst;
/// use fourbase_tiers::database::Database;
/// use fourbase_tiers::positions::GradedPositions;
///
/// let database = Database::embedded("7x6".parse()?)?.ok_or("no database of 7x6")?;
/// let analyst = Analyst::new(database.board(), Some(&database), None);
/// let mut tests = GradedPositions::new(&database, &analyst, Some(100), 1);
/// let portion = tests.next(&())?.ok_or("no positions")?;
/// // At ply 0 there is one position.
/// assert_eq!((portion.ply, portion.positions.len(), portion.is_complete), (0, 1, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GradedPositions<'d, L> {
    database: &'d Database,
    analyst: &'d Analyst<L>,
    /// How many more positions where the choice matters are to be drawn; `None` to list all positions.
    left: Option<u64>,
    seed: u64,
    /// Limits the search for each move whose value the database does not store.
    pub budget: Budget,
    /// The limit in bytes for the list of a ply.
    pub memory_bytes: u64,
    plies: Range<u32>,
    ply: Option<OpenPly<'d>>,
}

/// Some positions of a ply, with the columns and the outcomes of their moves.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GradedPortion {
    /// The number of pieces.
    pub ply: usize,
    /// The positions, each with the column and the outcome of every legal move. In each position, the moves differ in
    /// value (the choice matters), or all moves lose and differ in remoteness.
    pub positions: Vec<(Position, Vec<(usize, Outcome)>)>,
    /// Whether this is the last portion of the ply, and the ply's portions together have all of its graded positions.
    pub is_complete: bool,
}

/// A ply whose positions are being listed or drawn.
#[derive(Debug)]
struct OpenPly<'d> {
    ply: u32,
    candidates: Candidates<'d>,
    /// How many more positions are wanted: first of those where the choice matters, second of lost positions.
    wanted: [u64; 2],
    /// Whether no position of the ply has been skipped: the ply is listed rather than drawn from, and no position came
    /// up after enough of its kind had been taken.
    is_whole: bool,
}

/// The source of the unfinished legal positions of a ply.
#[derive(Debug)]
enum Candidates<'d> {
    /// All positions, in the order of the index.
    Listed(Box<PositionList>),
    /// All remaining positions, in random order.
    Shuffled(Vec<Position>),
    /// Random positions: `draws` are the numbers of the remaining draws, and `met` are the positions drawn so far.
    Drawn { sampler: Sampler<'d>, draws: Range<u64>, met: HashSet<[u64; 2]> },
}

impl<'d, L: Lookup<Error = DatabaseError> + Borrow<Database>> GradedPositions<'d, L> {
    /// Takes positions from the index of `database`, and the outcomes of their moves from `analyst`. Lists all graded
    /// positions if `count` is `None`. Otherwise draws `count` positions where the choice matters. Every ply gives the
    /// same number of them, or one more at random plies. If a ply has too few of them, it gives all, and later plies
    /// give more instead. Fewer than `count` positions are drawn if the last plies have too few, or if such positions
    /// are too rare.
    ///
    /// All positions of a ply are equally likely. Lost positions that come up are kept too, at every ply at most as
    /// many as positions where the choice matters are wanted.
    pub fn new(
        database: &'d Database,
        analyst: &'d Analyst<L>,
        count: Option<u64>,
        seed: u64,
    ) -> GradedPositions<'d, L> {
        // With one empty cell there is no choice.
        let plies = 0..(database.board().cells() as u32).saturating_sub(1);
        let (budget, memory_bytes) = (Budget::default(), u64::MAX);
        GradedPositions { database, analyst, left: count, seed, budget, memory_bytes, plies, ply: None }
    }

    /// Returns the next portion, computed on all threads of rayon's current pool; `None` at the end. If the ply is
    /// listed, the list takes the memory of [`PositionList::legal`]. Otherwise every position drawn at the ply takes some
    /// 20 bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`PositionList::legal`]; [`PositionError::Stopped`] if `progress` stops the work;
    /// [`PositionError::Database`] if the value of a move can't be found within the budget.
    pub fn next(&mut self, progress: &dyn Progress) -> Result<Option<GradedPortion>, PositionError> {
        if self.ply.is_none() {
            self.ply = self.begin(progress)?;
        }
        let Some(mut ply) = self.ply.take() else { return Ok(None) };
        let mut portion = GradedPortion { ply: ply.ply as usize, ..GradedPortion::default() };
        while portion.positions.len() < PORTION {
            let Some(positions) = ply.next(self.database, progress)? else {
                let is_rest = matches!(&ply.candidates, Candidates::Shuffled(left) if !left.is_empty());
                portion.is_complete = ply.is_whole && !is_rest;
                return Ok(Some(portion));
            };
            let outcomes = moves_of_many(self.analyst, &positions, &self.budget, true, |_, error| Err(error))?;
            let [choice, lost] = &mut ply.wanted;
            for (position, row) in positions.into_iter().zip(outcomes.chunks(self.database.board().width())) {
                let moves = row.iter().enumerate().filter_map(|(column, outcome)| Some((column, (*outcome)?)));
                let mut moves = Vec::from_iter(moves);
                compare_alike(&mut moves);
                let matters = Judgement::matters(&moves);
                let wanted = if matters { &mut *choice } else { &mut *lost };
                if !matters && !Judgement::is_lost(&moves) {
                    continue;
                } else if *wanted == 0 {
                    ply.is_whole = false;
                    continue;
                }
                *wanted -= 1;
                if matters && let Some(left) = &mut self.left {
                    *left -= 1;
                }
                portion.positions.push((position, moves));
            }
        }
        self.ply = Some(ply);
        Ok(Some(portion))
    }

    /// Begins the next ply from which positions are wanted; returns `None` after the last ply. The number of wanted
    /// positions is the remaining number divided by the number of remaining plies, rounded up or down at random.
    fn begin(&mut self, progress: &dyn Progress) -> Result<Option<OpenPly<'d>>, PositionError> {
        let index = self.database.index();
        let (ply, wanted) = loop {
            let (plies, Some(ply)) = (self.plies.len() as u64, self.plies.next()) else { return Ok(None) };
            let lot = random_source(self.seed, streams(ply).end).random_range(0..plies);
            match self.left.map_or(u64::MAX, |left| left.saturating_add(lot) / plies) {
                0 => {}
                wanted => break (ply, wanted),
            }
        };
        let list = || PositionList::legal(index, ply, self.memory_bytes, progress);
        let streams = streams(ply);
        let candidates = if self.left.is_none() {
            Candidates::Listed(Box::new(list()?))
        } else if TierDirectory::new(index, ply).entries() <= SHUFFLED_ENTRIES.max(wanted.saturating_mul(4)) {
            let listed = list()?.next(index, u64::MAX)?.unwrap_or_default();
            let (mut positions, mut source) =
                (listed.positions(index.board()), random_source(self.seed, streams.start));
            for end in (1..positions.len()).rev() {
                positions.swap(end, source.random_range(0..=end as u64) as usize);
            }
            Candidates::Shuffled(positions)
        } else {
            let sampler = Sampler::new(self.database, SampleKind::Uniform, &[ply], self.seed)?;
            let most = MOST_DRAWS.1.saturating_mul(wanted).saturating_add(MOST_DRAWS.0);
            let draws = streams.start..streams.end.min(streams.start.saturating_add(most));
            Candidates::Drawn { sampler, draws, met: HashSet::new() }
        };
        let is_whole = !matches!(candidates, Candidates::Drawn { .. });
        Ok(Some(OpenPly { ply, candidates, wanted: [wanted; 2], is_whole }))
    }
}

impl OpenPly<'_> {
    /// Returns some further positions, without repeats; `None` at the end, or if no more are wanted. The number of
    /// wanted positions decides how many are taken at once from a shuffled list or from draws.
    fn next(&mut self, database: &Database, progress: &dyn Progress) -> Result<Option<Vec<Position>>, PositionError> {
        if self.wanted[0] == 0 {
            return Ok(None);
        } else if progress.is_stopped() {
            return Err(PositionError::Stopped);
        }
        let count = self.wanted[0].clamp(DRAWN_AT_ONCE.0, DRAWN_AT_ONCE.1);
        match &mut self.candidates {
            Candidates::Listed(list) => {
                let batch = list.next(database.index(), LISTED_AT_ONCE)?;
                Ok(batch.map(|batch| batch.positions(database.board())))
            }
            Candidates::Shuffled(left) => {
                let rest = left.len().saturating_sub(count as usize);
                Ok(Some(left.split_off(rest)).filter(|taken| !taken.is_empty()))
            }
            Candidates::Drawn { draws, .. } if draws.is_empty() => Ok(None),
            Candidates::Drawn { sampler, draws, met } => {
                let end = draws.end.min(draws.start + count);
                let mut drawn = match sampler.draw(draws.start..end, progress) {
                    Err(PositionError::NotDrawn { .. }) => return Ok(None),
                    drawn => drawn?,
                };
                draws.start = end;
                drawn.retain(|position| met.insert(position.bitboards()));
                Ok(Some(drawn))
            }
        }
    }
}

/// Returns the numbers of the random streams for the draws of a ply. The number at the end of the range is the stream
/// for rounding in [`GradedPositions::begin`]. No other ply uses any of these numbers.
fn streams(ply: u32) -> Range<u64> {
    let first = u64::from(ply) << 40;
    first..first + (1 << 40) - 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::kernel::Values;
    use crate::progress::StoppedBy;
    use crate::solve::Solve;
    use crate::testing::solved;

    /// For each ply, the positions and whether the list is complete.
    type Listed = BTreeMap<usize, (Vec<Position>, bool)>;

    fn listed(mut tests: GradedPositions<&Database>) -> Listed {
        let mut plies = Listed::new();
        while let Some(portion) = tests.next(&()).unwrap() {
            let (positions, is_complete) = plies.entry(portion.ply).or_default();
            for (position, moves) in portion.positions {
                assert!(Judgement::matters(&moves) != Judgement::is_lost(&moves), "{position}");
                positions.push(position);
            }
            *is_complete |= portion.is_complete;
        }
        plies
    }

    #[test]
    fn a_sample_has_no_position_twice_and_knows_which_plies_it_has_whole() {
        let [database] = solved(&Solve::new("4x4".parse().unwrap(), Values::Remoteness));
        let analyst = Analyst::new(database.board(), Some(&database), None);
        let all = listed(GradedPositions::new(&database, &analyst, None, 1));
        assert!(all.values().all(|(_, is_complete)| *is_complete));
        let some = listed(GradedPositions::new(&database, &analyst, Some(5000), 1));
        assert_eq!(some, listed(GradedPositions::new(&database, &analyst, Some(5000), 1)));
        assert_ne!(some, listed(GradedPositions::new(&database, &analyst, Some(5000), 2)));
        for (ply, (positions, is_complete)) in &some {
            let of_ply: HashSet<_> = all[ply].0.iter().collect();
            let distinct: HashSet<_> = positions.iter().collect();
            assert_eq!(distinct.len(), positions.len(), "ply {ply}");
            assert!(distinct.is_subset(&of_ply), "ply {ply}");
            assert_eq!(*is_complete, distinct.len() == of_ply.len(), "ply {ply}");
        }
        // Requesting more than exist gives all positions, and the plies are reported as complete.
        let most = listed(GradedPositions::new(&database, &analyst, Some(10_000_000), 1));
        let sets =
            |plies: Listed| Vec::from_iter(plies.into_values().map(|(all, is)| (HashSet::<_>::from_iter(all), is)));
        assert_eq!(sets(most), sets(all));
    }

    #[test]
    fn plies_that_are_not_listed_are_drawn_evenly() {
        let database = Database::embedded("7x6".parse().unwrap()).unwrap().unwrap();
        let analyst = Analyst::new(database.board(), Some(&database), None);
        let mut tests = GradedPositions { plies: 7..11, ..GradedPositions::new(&database, &analyst, Some(80), 1) };
        let mut plies = Vec::new();
        while let Some(portion) = tests.next(&()).unwrap() {
            assert!(portion.positions.iter().all(|(position, _)| position.ply() == portion.ply));
            let choice = portion.positions.iter().filter(|(_, moves)| Judgement::matters(moves)).count();
            plies.push((portion.ply, choice, portion.is_complete));
        }
        assert_eq!(plies, [(7, 20, false), (8, 20, false), (9, 20, false), (10, 20, false)]);
        // If fewer positions are wanted than there are plies, the positions come from random plies.
        let mut met = HashSet::new();
        for seed in 0..20 {
            let mut tests = GradedPositions { plies: 3..7, ..GradedPositions::new(&database, &analyst, Some(2), seed) };
            let next = || tests.next(&()).unwrap();
            let plies: Vec<usize> = std::iter::from_fn(next).map(|portion| portion.ply).collect();
            assert_eq!(plies.len(), 2, "{plies:?}");
            met.extend(plies);
        }
        assert_eq!(met, (3..7).collect());
        let stopped = GradedPositions::new(&database, &analyst, Some(80), 1).next(&StoppedBy(&|| true));
        assert!(matches!(stopped, Err(PositionError::Stopped)));
    }
}
