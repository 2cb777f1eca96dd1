//! The sweep finds which positions play reaches, from the empty board to the full one.

use std::ops::Range;

use fourbase::Player;

use super::error::CountError;
use super::finished::FinishedLists;
use super::journal::Journal;
use super::parents::part;
use super::table::PlyLegal;
use crate::communicator::{Alone, Communicator, Reduction};
use crate::files::FileError;
use crate::index::{Index, Matrix, OfShape, Split, bands, images, of_shape};
use crate::kernel::reach::{Buffers, PullBand, Pulled};
use crate::progress::{Progress, RankProgress, Stage};
use crate::solve::{Plan, ShapeDrops};
use crate::tier::{Kind, Reached, Tier, TierFolder, TierReader, Watch, segments};

/// A running sweep, at one rank.
pub(super) struct Sweep<'a> {
    pub tiers: TierFolder<'a>,
    pub index: &'a Index,
    pub progress: &'a dyn Progress,
    /// The bytes for lists of finished colourings.
    pub list_bytes: u64,
    /// Whether every ply is made durable, so that a later sweep can resume.
    pub in_files: bool,
    pub journal: Journal,
}

impl Sweep<'_> {
    /// Sweeps from the first ply that is not in the journal to the full board. Returns the journal with all plies.
    ///
    /// # Errors
    /// [`CountError::Stopped`] if the progress stops it; an error if a file can't be read or written.
    pub fn run(mut self, plan: &Plan) -> Result<Journal, CountError> {
        let (tiers, index, progress) = (&self.tiers, self.index, self.progress);
        let (board, all) = (index.board(), tiers.all);
        // The solve later needs the bits of all plies.
        let saves = self.in_files || self.journal.values.is_some();
        let done = self.journal.legal.len() as u32;
        let entries = plan.tiers.iter().take(done as usize).map(|tier| tier.entries as u64);
        let steps = u64::try_from(plan.entries()).unwrap_or(u64::MAX);
        progress.begin(Stage::Sweep, steps, entries.sum());
        // The counts of an unfinished ply are lost, so remove its bits.
        self.remove(Kind::Reached, |ply| ply >= done)?;
        if let Some(values) = self.journal.values {
            // Version 0.2.0 solved in this folder.
            self.remove(Kind::Values(values), |_| true)?;
        }
        all.barrier();
        let plies = done..board.cells() as u32 + 1;
        let last = done.checked_sub(1).filter(|_| !plies.is_empty());
        let mut parents = last.map(|ply| tiers.open(index, Reached, ply)).transpose()?;
        for ply in plies {
            let mut tier = tiers.begin(index, Reached, ply)?;
            progress.tier(ply, tier.entries());
            let shown = RankProgress::new(progress, Stage::Sweep, all, tier.entries());
            let list_bytes = self.list_bytes;
            let swept = shown.watching(|watch| sweep_tier(index, &mut tier, parents.as_ref(), list_bytes, watch))?;
            let Pulled { without_line, with_line } = swept.ok_or_else(|| self.stopped(ply as usize))?;
            shown.end();
            let mut sums = [without_line, with_line];
            all.all_reduce(&mut sums, Reduction::Sum);
            if saves {
                tier.sync(index)?;
                // The journal must not name what other ranks have not saved.
                all.barrier();
            }
            let [without_line, with_line] = sums;
            self.journal.add_ply(board, PlyLegal::new(board, ply, Pulled { without_line, with_line }));
            if saves && all.is_root() {
                self.journal.write(tiers.storage, tiers.folder)?;
            }
            if self.journal.values.is_none() {
                self.remove(Kind::Reached, |of| of < ply)?;
            }
            if progress.is_stopped() {
                return Err(self.stopped(ply as usize + 1));
            }
            parents = Some(tier);
        }
        Ok(self.journal)
    }

    /// Removes the logs of the plies where `is_old` returns `true`, once no rank needs them.
    fn remove(&self, kind: Kind, is_old: impl Fn(u32) -> bool) -> Result<(), FileError> {
        let TierFolder { storage, folder, all, .. } = self.tiers;
        if all.is_root() { segments::remove(storage, folder, kind, is_old) } else { Ok(()) }
    }

    fn stopped(&self, plies: usize) -> CountError {
        let board = self.index.board();
        let folder = self.in_files.then(|| self.tiers.folder.to_path_buf());
        CountError::Stopped { board, plies, all: board.cells() + 1, folder }
    }
}

/// Sweeps tiers in memory from the empty board up to a ply, and calls `each` with the counts. Returns the last tier;
/// `None` if `watch` stopped it. Runs on rayon's current pool, or on fewer threads if all of them would need more than
/// `memory_bytes`.
///
/// # Errors
/// [`CountError::Memory`] before the sweep begins; [`CountError::Solve`] if threads can't be started.
pub(crate) fn sweep_up(
    index: &Index,
    last: u32,
    memory_bytes: u64,
    watch: &Watch,
    mut each: impl FnMut(u32, Pulled) + Send,
) -> Result<Option<Tier<'static, Reached>>, CountError> {
    let (plan, list_bytes) = fit(Plan::legal(index, last), index, last, memory_bytes, &Alone)?;
    plan.install(|| {
        let mut parents = None;
        for ply in 0..=last {
            let mut tier = Tier::in_memory(index, Reached, ply, parents.as_ref());
            let Some(pulled) = sweep_tier(index, &mut tier, parents.as_ref(), list_bytes, watch)? else {
                return Ok(None);
            };
            each(ply, pulled);
            parents = Some(tier);
        }
        Ok(parents)
    })?
}

/// Returns the bytes needed to list or count the legal positions up to a ply with all tiers in memory: on the threads
/// of rayon's current pool, or on fewer if all of them would need more than `memory_bytes`.
pub(crate) fn legal_bytes(index: &Index, last: u32, memory_bytes: u64) -> u64 {
    let slot_bytes = FinishedLists::slot_bytes(index, last);
    let plan = Plan::legal(index, last).within(memory_bytes.saturating_sub(slot_bytes));
    u64::try_from(plan.memory_bytes()).unwrap_or(u64::MAX).saturating_add(slot_bytes)
}

/// Plans fewer threads if the lists of finished colourings up to a ply leave too little memory for all of them. Returns
/// the plan, and the bytes that such lists may use. With several ranks all threads stay, because a new pool would move
/// the count off the thread that calls MPI.
///
/// # Errors
/// [`CountError::Memory`] if there is too little memory even for one thread.
pub(super) fn fit(
    plan: Plan,
    index: &Index,
    last: u32,
    memory_bytes: u64,
    all: &dyn Communicator,
) -> Result<(Plan, u64), CountError> {
    let slot_bytes = FinishedLists::slot_bytes(index, last);
    let plan = if all.is_alone() { plan.within(memory_bytes.saturating_sub(slot_bytes)) } else { plan };
    let needed_bytes = plan.memory_bytes() + u128::from(slot_bytes);
    CountError::check_memory(index.board(), needed_bytes, memory_bytes)?;
    Ok((plan, memory_bytes.saturating_sub(needed_bytes as u64)))
}

/// Fills the empty `tier` from the tier before it (`None` for the empty board), and counts its positions. Kept lists
/// may use `list_bytes` bytes. Returns `None` if `watch` stopped it before the end.
///
/// The planes hold the positions without a line, full boards included: these have a value to look up. Positions that
/// the last move finished with a line are counted and left out.
fn sweep_tier(
    index: &Index,
    tier: &mut Tier<Reached>,
    parents: Option<&Tier<Reached>>,
    list_bytes: u64,
    watch: &Watch,
) -> Result<Option<Pulled>, FileError> {
    let Some(parents) = parents else {
        // The empty board.
        let filled = tier.fill(index, watch, Pulled::default, |positions, _, _, out| {
            out.fill(1);
            positions.without_line += 1;
            Ok(())
        })?;
        return Ok(filled.map(|positions| positions.into_iter().fold(Pulled::default(), |sum, pulled| sum + pulled)));
    };
    let mover = Player::to_move(tier.ply()).other();
    let finished = FinishedLists::new(index, mover, list_bytes);
    let begin = || {
        let parents = TierReader::new(index, Some(parents));
        (parents, OfShape::<ShapeDrops>::None, Buffers::default(), Pulled::default())
    };
    let filled = tier.fill(index, watch, begin, |(parents, drops, buffers, positions), matrix, rows, out| {
        let drops =
            of_shape(drops, matrix.shape(), || ShapeDrops::new(index, parents, matrix.shape(), mover, Split::shrunk));
        *positions = *positions + pull(&finished, drops, parents, matrix, rows, out, buffers)?;
        Ok(())
    })?;
    Ok(filled.map(|threads| threads.into_iter().fold(Pulled::default(), |sum, (.., pulled)| sum + pulled)))
}

/// Fills `rows` (from a multiple of 64) of a matrix in `out`. Counts the positions in them, and the finished positions
/// outside of the index that go with them: those beside them, and their share of those below.
fn pull(
    finished: &FinishedLists,
    drops: &ShapeDrops,
    parents: &mut TierReader<Reached>,
    matrix: &Matrix,
    rows: Range<usize>,
    mut out: &mut [u64],
    buffers: &mut Buffers,
) -> Result<Pulled, FileError> {
    let kernel = drops.index.kernel;
    let left = finished.list(matrix.left, matrix.spine, matrix.left_firsts);
    let right = finished.list(matrix.right, matrix.spine, matrix.right_firsts);
    let (mut own, mut with_line) = (Pulled::default(), 0);
    for rows in bands(rows.clone()) {
        let out = out.split_off_mut(..rows.len() * matrix.words()).unwrap_or_default();
        let band = part(drops, parents, matrix, [None, None], rows.clone())?;
        if band.is_empty() {
            out.fill(0);
        } else {
            own = own + kernel.run(PullBand { band: &band, out: Some(out), buffers });
        }
        if right.len > 0 {
            let band = part(drops, parents, matrix, [None, Some(&right)], rows)?;
            if !band.is_empty() {
                with_line += kernel.run(PullBand { band: &band, out: None, buffers }).without_line;
            }
        }
    }
    for rows in bands(share(left.len, &rows, matrix.rows as usize)) {
        for columns in [None, Some(&*right)] {
            let band = part(drops, parents, matrix, [Some(&left), columns], rows.clone())?;
            if !band.is_empty() {
                with_line += kernel.run(PullBand { band: &band, out: None, buffers }).without_line;
            }
        }
    }
    let images = images(matrix);
    Ok(Pulled { without_line: own.without_line * images, with_line: (own.with_line + with_line) * images })
}

/// Returns which of the `finished` finished rows go with `rows` of a matrix of `all` rows. The shares of consecutive
/// rows are consecutive, begin at multiples of 64, and together make the whole.
fn share(finished: usize, rows: &Range<usize>, all: usize) -> Range<usize> {
    let place = |row: usize| if row == all { finished } else { finished * row / all / 64 * 64 };
    if rows.start == 0 && rows.end == all { 0..finished } else { place(rows.start)..place(rows.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_large_matrix_share_out_all_finished_rows() {
        for (all, finished) in [(1, 64), (512, 20_000), (513, 65), (3000, 0), (6435, 700), (6435, 20_000)] {
            let mut next = 0;
            for start in (0..all).step_by(512) {
                let share = share(finished, &(start..all.min(start + 512)), all);
                assert_eq!(share.start, next, "{finished} of {all}");
                assert!(share.start.is_multiple_of(64) || share.is_empty(), "{finished} of {all}");
                next = share.end;
            }
            assert_eq!(next, finished, "{finished} of {all}");
        }
        assert_eq!(share(70, &(0..0), 0), 0..70, "a matrix without rows has its finished rows all the same");
    }
}
