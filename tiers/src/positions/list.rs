//! Lists the positions of one ply, with their outcomes. The list has the positions of all entries of the index, or only
//! the legal positions.
//!
//! The outcomes come from probes of a database or from a solve of the ply. A probe takes about a microsecond per
//! position. The kernels solve hundreds of millions of entries a second, but have to begin at the full board. So for
//! most plies of a board that fits into memory, solving the ply is quicker than probing its positions.

use std::ops::Range;
use std::vec;

use fourbase::{Board, Outcome, Position, Value, notation};
use rayon::prelude::*;

use super::PositionError;
use crate::counts::sweep_up;
use crate::database::Database;
use crate::files::FileError;
use crate::index::{Index, Matrix, Parts, Spine, images, shapes, tier_estimates};
use crate::kernel::Values;
use crate::progress::{Progress, Stage, StageProgress};
use crate::solve::{Plan, SolveError, solve_down};
use crate::tier::{Rows, Tier};

/// The most entries that a thread reads at once. A thread reads more only if a single row of a matrix has more entries.
const PART_ENTRIES: u64 = 1 << 16;

/// A sweep of this many entries takes about a second.
const LONG_SWEEP: u64 = 1 << 28;

/// How many entries the kernels solve in the time of one probe.
const ENTRIES_PER_PROBE: u64 = 1000;

/// The positions of one ply that have no finished line, in the order of the index. A mirror image comes directly after
/// the position that it mirrors.
///
/// ```
/// use fourbase_tiers::index::Index;
/// use fourbase_tiers::kernel::{Kernel, Values};
/// use fourbase_tiers::positions::PositionList;
///
/// let index = Index::new("4x4".parse()?, Kernel::detect())?;
/// let mut list = PositionList::legal(&index, 3, u64::MAX, &())?;
/// list.solve(&index, Values::Wdl, u64::MAX, &())?;
/// let batch = list.next(&index, u64::MAX)?.ok_or("no positions")?;
/// assert_eq!((batch.bitboards.len(), batch.codes.len()), (52, 52));
/// assert!(list.outcome(batch.codes[0]).is_some());
/// assert_eq!(list.next(&index, u64::MAX)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PositionList {
    board: Board,
    ply: u32,
    /// The tier that marks the legal positions; `None` if the positions of all entries are listed.
    legal: Option<Tier<'static>>,
    /// The tier that holds the outcomes of all entries; `None` if the ply is not solved.
    outcomes: Option<Tier<'static>>,
    /// Whether each position of an entry is checked on its own: if `legal` is missing, but only legal positions are
    /// wanted.
    is_checked: bool,
    most_positions: u64,
    /// The parts that are still to be read. Each part is some rows of a matrix.
    parts: vec::IntoIter<(Matrix, Range<usize>)>,
}

/// Some positions of a list, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PositionBatch {
    /// For each position, the pieces of the first and of the second player, one bit per cell, as in
    /// [`Position::pieces`].
    pub bitboards: Vec<[u64; 2]>,
    /// For each position, the code of its outcome, which [`PositionList::outcome`] decodes. Empty if the ply is not
    /// solved.
    pub codes: Vec<u8>,
    /// The number of entries of the index that were read. Each stands for at most two positions.
    pub entries: u64,
}

impl PositionBatch {
    /// Returns the positions; `board` must be the list's board.
    pub fn positions(&self, board: Board) -> Vec<Position> {
        let positions = self.bitboards.iter();
        positions.filter_map(|[first, second]| Position::from_bitboards(board, *first, *second).ok()).collect()
    }
}

impl PositionList {
    /// Lists all positions of a ply without a finished line, even those that no game can reach.
    pub fn all(index: &Index, ply: u32) -> PositionList {
        PositionList::new(index, ply, None)
    }

    /// Returns whether [`PositionList::legal`] takes more than about a second.
    pub fn is_long_sweep(board: Board, ply: u32) -> bool {
        estimated_entries(board, 0..ply as usize + 1) > LONG_SWEEP
    }

    /// Lists the legal positions of a ply. To find them, sweeps all entries from the empty board up to the ply, a few
    /// hundred million a second. Runs on rayon's current pool, or on fewer threads if all of them would need more than
    /// `memory_bytes`. Needs two bits for each entry of the widest tier up to the ply, and memory for tables and
    /// threads. If [`PositionList::is_long_sweep`] is true, the sweep reports its progress as [`Stage::Sweep`].
    ///
    /// # Errors
    ///
    /// [`SolveError::Memory`] if one thread needs more than `memory_bytes`; [`PositionError::Stopped`] if `progress`
    /// stops the sweep.
    pub fn legal(
        index: &Index,
        ply: u32,
        memory_bytes: u64,
        progress: &dyn Progress,
    ) -> Result<PositionList, PositionError> {
        let mut steps = 0;
        if PositionList::is_long_sweep(index.board(), ply) {
            steps = estimated_entries(index.board(), 0..ply as usize + 1);
            progress.begin(Stage::Sweep, steps, 0);
        }
        let shown = StageProgress::new(progress, Stage::Sweep, 1, steps);
        let (tier, pulled) = sweep_up(index, ply, memory_bytes, &shown)?.ok_or(PositionError::Stopped)?;
        Ok(PositionList::new(index, ply, Some((tier, pulled.without_line))))
    }

    /// Lists a ply for a caller that also needs the outcomes in `database`. Solves the ply if that is quicker than
    /// probing the positions and the memory suffices. Lists only legal positions if `is_legal`: those of
    /// [`PositionList::legal`], but without a long sweep if the ply is not solved.
    ///
    /// # Errors
    ///
    /// The errors of [`PositionList::legal`], and [`PositionError::Stopped`] if `progress` stops the solve.
    pub fn with_outcomes(
        database: &Database,
        ply: u32,
        is_legal: bool,
        memory_bytes: u64,
        progress: &dyn Progress,
    ) -> Result<PositionList, PositionError> {
        let index = database.index();
        let mut list = PositionList::all(index, ply);
        if is_legal && !list.is_quicker_solved() && PositionList::is_long_sweep(index.board(), ply) {
            return Ok(PositionList { is_checked: true, ..list });
        }
        if is_legal {
            list = PositionList::legal(index, ply, memory_bytes, progress)?;
        }
        if list.is_quicker_solved() {
            match list.solve(index, database.values(), memory_bytes, progress) {
                Ok(()) | Err(PositionError::Solve(SolveError::Memory { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(list)
    }

    /// Makes the list of a ply. `legal` holds the tier that marks the legal positions, and their number. With `None`,
    /// the positions of all entries are listed.
    fn new(index: &Index, ply: u32, legal: Option<(Tier<'static>, u64)>) -> PositionList {
        let matrices: Vec<Matrix> = shapes(index, ply).flat_map(|shape| shape.matrices(index, ply)).collect();
        let parts = matrices.iter().flat_map(|matrix| {
            let rows = matrix.rows as usize;
            let step = (PART_ENTRIES / u64::from(matrix.columns.max(1))).max(1) as usize;
            (0..rows).step_by(step).map(move |row| (*matrix, row..rows.min(row + step)))
        });
        let parts = Vec::from_iter(parts).into_iter();
        let (legal, positions) = legal.unzip();
        let all = || matrices.iter().map(|matrix| matrix.entries() * images(matrix)).sum();
        let most_positions = positions.unwrap_or_else(all);
        PositionList { board: index.board(), ply, legal, outcomes: None, is_checked: false, most_positions, parts }
    }

    /// Returns whether solving the ply is probably quicker than probing its positions.
    fn is_quicker_solved(&self) -> bool {
        estimated_entries(self.board, self.ply as usize..usize::MAX)
            < self.most_positions.saturating_mul(ENTRIES_PER_PROBE)
    }

    /// Solves the plies from the full board down to this one, so that the listed positions have outcomes. Runs on
    /// rayon's current pool, or on fewer threads if all of them would need more than `memory_bytes`. Reports its
    /// progress as [`Stage::Solve`].
    ///
    /// # Errors
    ///
    /// [`SolveError::Memory`] if two tiers and one thread need more than `memory_bytes`; [`PositionError::Stopped`] if
    /// `progress` stops the solve.
    pub fn solve(
        &mut self,
        index: &Index,
        values: Values,
        memory_bytes: u64,
        progress: &dyn Progress,
    ) -> Result<(), PositionError> {
        let plan = Plan::exact(index, values).within(memory_bytes);
        plan.check(memory_bytes)?;
        let steps = estimated_entries(self.board, self.ply as usize..usize::MAX);
        progress.begin(Stage::Solve, steps, 0);
        let shown = StageProgress::new(progress, Stage::Solve, 1, steps);
        let solved = plan.install(|| solve_down(index, values, self.ply, &shown, |_| ()))?.map_err(SolveError::from)?;
        self.outcomes = Some(solved.ok_or(PositionError::Stopped)?);
        Ok(())
    }

    /// Returns whether the listed positions have outcomes.
    pub fn is_solved(&self) -> bool {
        self.outcomes.is_some()
    }

    /// Returns the outcome that a code stands for; `None` for an invalid code, or if the ply is not solved.
    pub fn outcome(&self, code: u8) -> Option<Outcome> {
        self.outcomes.as_ref().and_then(|tier| tier.coding.decode(code))
    }

    /// Returns the positions of the next entries of the index; `None` at the end of the list. Reads at least `entries`
    /// entries if as many are left, on all threads of rayon's current pool. Takes a few nanoseconds per position.
    ///
    /// # Errors
    ///
    /// Currently none, because the list is in memory.
    pub fn next(&mut self, index: &Index, entries: u64) -> Result<Option<PositionBatch>, PositionError> {
        let (mut parts, mut sum) = (Vec::new(), PositionBatch::default());
        while sum.entries < entries
            && let Some((matrix, rows)) = self.parts.next()
        {
            sum.entries += u64::from(matrix.columns) * rows.len() as u64;
            parts.push((matrix, rows));
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let batches = parts.par_iter().map(|(matrix, rows)| self.read(index, matrix, rows.clone()));
        for batch in batches.collect::<Result<Vec<_>, _>>().map_err(SolveError::from)? {
            sum.bitboards.extend(batch.bitboards);
            sum.codes.extend(batch.codes);
        }
        Ok(Some(sum))
    }

    fn read(&self, index: &Index, matrix: &Matrix, rows: Range<usize>) -> Result<PositionBatch, FileError> {
        let Matrix { left, spine, right, left_firsts, right_firsts, .. } = *matrix;
        // The row of an entry decides the first player's pieces of the left wing and the spine, and the column decides
        // those of the right wing. So the first player's pieces of a position are the OR of two bitboards, one for its
        // row and one for its column. This saves a loop over the cells of each position. The mirror image is made in
        // the same way.
        let firsts = |left_bits, spine, right_bits| {
            let parts = Parts { left, left_bits, spine, right, right_bits };
            [parts, parts.mirror()].map(|parts| index.split.bitboards(&parts)[0])
        };
        let no_firsts = Spine { bits: 0, ..spine };
        let occupied = firsts(u32::MAX, Spine { bits: u32::MAX, ..spine }, u32::MAX);
        let column_firsts: Vec<[u64; 2]> =
            index.colourings(right, spine, right_firsts).iter().map(|bits| firsts(0, no_firsts, *bits)).collect();
        let row_bits = index.colourings(left, spine, left_firsts).get(rows.clone()).unwrap_or_default();
        let (mut batch, images) = (PositionBatch::default(), images(matrix) as usize);
        let mut legal = self.legal.as_ref().map(|tier| rows_of(index, tier, matrix));
        let mut codes = self.outcomes.as_ref().map(|tier| rows_of(index, tier, matrix));
        let planes = self.outcomes.as_ref().map_or(0, |tier| tier.coding.planes);
        for (row, row_bits) in rows.zip(row_bits) {
            let row_firsts = firsts(*row_bits, spine, 0);
            let legal = legal.as_mut().map(|legal| legal.get(row..row + 1)).transpose()?;
            let codes = codes.as_mut().map(|codes| codes.get(row..row + 1)).transpose()?;
            for (column, column_firsts) in column_firsts.iter().enumerate() {
                let firsts = row_firsts.into_iter().zip(*column_firsts).map(|(row, column)| row | column);
                let images = firsts.zip(occupied).map(|(first, occupied)| [first, occupied ^ first]).take(images);
                let is_listed = match legal {
                    Some(legal) => code(legal, 1, matrix.words(), column) == 1,
                    None => images.clone().next().is_some_and(|here| self.is_listed(here)),
                };
                if is_listed {
                    batch.bitboards.extend(images);
                    let code = codes.map(|codes| code(codes, planes, matrix.words(), column));
                    code.into_iter().for_each(|code| batch.codes.resize(batch.bitboards.len(), code));
                }
            }
        }
        Ok(batch)
    }

    /// Returns whether the bitboards of an entry are a position without a finished line, and legal if that is checked.
    /// Entries can have lines, even lines of both players.
    fn is_listed(&self, [first, second]: [u64; 2]) -> bool {
        Position::from_bitboards(self.board, first, second).is_ok_and(|position| {
            let is_unfinished = position.primitive().is_none_or(|value| value == Value::Tie);
            is_unfinished && (!self.is_checked || notation::to_moves(&position).is_ok())
        })
    }
}

/// Estimates how many entries the tiers of some plies have together.
fn estimated_entries(board: Board, plies: Range<usize>) -> u64 {
    let estimates = tier_estimates(board).into_iter().take(plies.end).skip(plies.start);
    u64::try_from(estimates.fold(0, u128::saturating_add)).unwrap_or(u64::MAX)
}

/// Prepares to read the rows of a matrix.
fn rows_of<'a>(index: &'a Index, tier: &'a Tier, matrix: &Matrix) -> Rows<'a> {
    let mut rows = Rows::of(index, tier);
    rows.seek(matrix);
    rows
}

/// Returns the code in a column of a row. `words` has all planes of the row, one after the other, with `row_words`
/// words each.
fn code(words: &[u64], planes: usize, row_words: usize, column: usize) -> u8 {
    let words = words.iter().skip(column / 64).step_by(row_words).take(planes);
    words.enumerate().fold(0, |code, (plane, word)| code | ((word >> (column % 64) & 1) as u8) << plane)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fourbase::search::Search;

    use super::*;
    use crate::kernel::Kernel;
    use crate::progress::StoppedBy;
    use crate::testing::plies;

    const BOARDS: [&str; 7] = ["4x4", "4x4m", "3x4c3", "5x3", "2x2c2", "1x4", "4x5"];

    fn index(name: &str) -> Index {
        Index::new(name.parse().unwrap(), Kernel::detect()).unwrap()
    }

    #[test]
    fn the_lists_of_small_boards_are_what_play_reaches() {
        let is_listed = |position: &&Position| position.primitive().is_none_or(|value| value == Value::Tie);
        for index in BOARDS[..6].iter().map(|name| index(name)) {
            let board = index.board();
            for (ply, tier) in (0..).zip(plies(board)) {
                // Read the list in several batches.
                let listed = |mut list: PositionList| -> Vec<Position> {
                    let batches = std::iter::from_fn(|| list.next(&index, 100).unwrap());
                    batches.flat_map(|batch| batch.positions(board)).collect()
                };
                let legal = listed(PositionList::legal(&index, ply, u64::MAX, &()).unwrap());
                let expected: HashSet<Position> = tier.iter().filter(is_listed).copied().collect();
                assert_eq!(legal.len(), expected.len(), "{board} ply {ply}");
                assert_eq!(legal.into_iter().collect::<HashSet<_>>(), expected, "{board} ply {ply}");
                let all: HashSet<Position> = listed(PositionList::all(&index, ply)).into_iter().collect();
                assert!(expected.is_subset(&all) && all.iter().all(|position| is_listed(&position)));
            }
        }
    }

    #[test]
    fn solved_plies_have_the_outcomes_that_a_search_finds() {
        for index in BOARDS.map(index) {
            let board = index.board();
            let mut search = Search::new(board, Default::default());
            let plies = (0..=board.cells() as u32).flat_map(|ply| [(Values::Wdl, ply), (Values::Remoteness, ply)]);
            for (values, ply) in plies {
                let legal = PositionList::legal(&index, ply, u64::MAX, &()).unwrap();
                for mut list in [PositionList::all(&index, ply), legal] {
                    list.solve(&index, values, u64::MAX, &()).unwrap();
                    let Some(batch) = list.next(&index, u64::MAX).unwrap() else { continue };
                    let positions = batch.positions(board);
                    assert_eq!((batch.codes.len(), batch.bitboards.len()), (positions.len(), positions.len()));
                    let step = if board.cells() > 16 { 997 } else { 41 };
                    for (position, code) in positions.iter().zip(&batch.codes).step_by(step) {
                        assert_eq!(position.ply(), ply as usize);
                        let mut expected = search.solve(position).unwrap();
                        expected.remoteness = expected.remoteness.filter(|_| values == Values::Remoteness);
                        assert_eq!(list.outcome(*code), Some(expected), "{position}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_list_and_its_solve_can_be_stopped_and_refused() {
        let index = index("5x4");
        let mut list = PositionList::all(&index, 8);
        let mut errors = |memory_bytes, is_stopped: bool| {
            [
                PositionList::legal(&index, 8, memory_bytes, &StoppedBy(&|| is_stopped)).unwrap_err(),
                list.solve(&index, Values::Wdl, memory_bytes, &StoppedBy(&|| is_stopped)).unwrap_err(),
            ]
        };
        let is_of_memory = |error: &_| matches!(error, PositionError::Solve(SolveError::Memory { limit: 10, .. }));
        assert!(errors(u64::MAX, true).iter().all(|error| matches!(error, PositionError::Stopped)));
        assert!(errors(10, false).iter().all(is_of_memory));
        assert!(!list.is_solved());
    }

    #[test]
    fn fewer_threads_in_less_memory_list_and_solve_the_same() {
        let (index, pool) = (index("5x4"), rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap());
        pool.install(|| {
            let needed = |limit| {
                let plans = [Plan::legal(&index, 9), Plan::exact(&index, Values::Wdl)];
                plans.map(|plan| plan.within(limit).memory_bytes() as u64)
            };
            let [least, most] = [0, u64::MAX].map(needed);
            assert!(least[0] < most[0] && least[1] < most[1], "{least:?} with one thread, {most:?} with eight");
            let listed = |[to_list, to_solve]: [u64; 2]| {
                let mut list = PositionList::legal(&index, 9, to_list, &()).unwrap();
                list.solve(&index, Values::Wdl, to_solve, &()).unwrap();
                list.next(&index, u64::MAX).unwrap().unwrap()
            };
            assert!(listed(least) == listed(most));
        });
    }

    #[test]
    fn late_plies_are_solved_and_early_plies_of_large_boards_are_probed() {
        assert!(PositionList::all(&index("5x5"), 14).is_quicker_solved());
        let is_quicker = |board| PositionList::legal(&index(board), 4, u64::MAX, &()).unwrap().is_quicker_solved();
        assert_eq!(["7x6", "6x6"].map(is_quicker), [false, false]);
    }
}
