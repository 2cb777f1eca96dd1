//! The sweep: from the empty board to the full one, which positions play reaches.

use super::error::CountError;
use super::journal::Journal;
use super::parents::ShapeParents;
use super::pull::{Positions, Puller};
use super::table::PlyLegal;
use crate::communicator::Reduction;
use crate::files::FileError;
use crate::index::{Index, OfShape};
use crate::kernel::reach::Buffers;
use crate::progress::{Progress, RankProgress, Stage};
use crate::solve::Plan;
use crate::tier::{Kind, Reached, Tier, TierFolder, TierReader, Watch};

/// A running sweep, at one rank.
pub(super) struct Sweep<'a> {
    pub tiers: TierFolder<'a>,
    pub progress: &'a dyn Progress,
    /// The memory for lists of finished colourings.
    pub list_bytes: u64,
    /// Every ply is made durable, to resume from or to wait for its values.
    pub saves: bool,
    pub journal: Journal,
}

impl Sweep<'_> {
    /// Sweeps from the ply after those in the journal to the full board, and returns the journal with all plies.
    ///
    /// # Errors
    /// [`CountError::Stopped`] if the progress stops it; where a file cannot be read or written.
    pub fn run(mut self, plan: &Plan) -> Result<Journal, CountError> {
        let (tiers, progress) = (self.tiers, self.progress);
        let (board, all) = (tiers.index.board(), tiers.all);
        let done = self.journal.legal.len() as u32;
        let entries = plan.tiers.iter().take(done as usize).map(|tier| tier.entries as u64);
        let steps = u64::try_from(plan.entries()).unwrap_or(u64::MAX);
        progress.begin(Stage::Sweep, steps, entries.sum());
        // The positions of an unfinished ply were not recorded.
        self.remove(|ply| ply >= done)?;
        all.barrier();
        let plies = done..board.cells() as u32 + 1;
        let last = done.checked_sub(1).filter(|_| !plies.is_empty());
        let mut parents = last.map(|ply| tiers.open(Reached, ply)).transpose()?;
        for ply in plies {
            let mut tier = tiers.begin(Reached, ply, parents.as_ref())?;
            progress.tier(ply, tier.entries());
            let shown = RankProgress::new(progress, Stage::Sweep, all, tier.entries());
            let list_bytes = self.list_bytes;
            let swept =
                shown.watching(|watch| sweep_tier(tiers.index, &mut tier, parents.as_ref(), list_bytes, watch))?;
            let Positions { without_line, with_line } = swept.ok_or_else(|| self.stopped(ply as usize))?;
            shown.end();
            let mut sums = [without_line, with_line];
            all.all_reduce(&mut sums, Reduction::Sum);
            if self.saves {
                tier.sync()?;
                // The journal must not name what other ranks have not saved.
                all.barrier();
            }
            self.journal
                .add_ply(board, PlyLegal::new(board, ply, Positions { without_line: sums[0], with_line: sums[1] }));
            if self.saves && all.is_root() {
                self.journal.write(tiers.storage, tiers.folder)?;
            }
            if !self.journal.has_values() {
                self.remove(|of| of < ply)?;
            }
            if progress.is_stopped() {
                return Err(self.stopped(ply as usize + 1));
            }
            parents = Some(tier);
        }
        Ok(self.journal)
    }

    /// Removes the bits of some plies, which no rank needs any more.
    fn remove(&self, is_old: impl Fn(u32) -> bool) -> Result<(), FileError> {
        if self.tiers.all.is_root() { self.tiers.remove(Kind::Reached, is_old) } else { Ok(()) }
    }

    fn stopped(&self, plies: usize) -> CountError {
        let board = self.tiers.index.board();
        CountError::Stopped { board, plies, all: board.cells() + 1, in_files: self.saves }
    }
}

/// Fills `tier`, of which nothing is filled yet, from the tier before it (`None` for the first), and counts its positions.
/// Lists that are kept may take `list_bytes`. Returns `None` where `watch` stopped it before the end.
///
/// The planes hold the positions without a line, full boards included: those that have a value to look up. Positions that
/// the last move finished with a line are counted and left out.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn sweep_tier(
    index: &Index,
    tier: &mut Tier<Reached>,
    parents: Option<&Tier<Reached>>,
    list_bytes: u64,
    watch: &Watch,
) -> Result<Option<Positions>, FileError> {
    let Some(parents) = parents else {
        // The empty board.
        let filled = tier.fill(index, watch, Positions::default, |positions, _, _, out| {
            out.fill(1);
            positions.without_line += 1;
            Ok(())
        })?;
        return Ok(filled.map(|positions| positions.into_iter().sum()));
    };
    let ply = tier.ply();
    let puller = Puller::new(index, ply, list_bytes);
    let begin = || {
        (
            TierReader::new(index, Some(parents)),
            OfShape::<ShapeParents>::default(),
            Buffers::default(),
            Positions::default(),
        )
    };
    let filled = tier.fill(index, watch, begin, |(parents, shape, buffers, positions), matrix, rows, out| {
        let shape = shape.get(matrix.shape(), || ShapeParents::new(index, parents, matrix.shape(), ply));
        *positions += puller.pull(parents, shape, matrix, rows, out, buffers)?;
        Ok(())
    })?;
    Ok(filled.map(|threads| threads.into_iter().map(|(.., positions)| positions).sum()))
}
