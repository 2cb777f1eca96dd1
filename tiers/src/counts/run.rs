//! A whole count: planned, then made in memory where it fits, and else in files.
//!
//! ```text
//! <root>/<board>/count-legal/count          how far the count has come
//!                count-wdl   reached-NN.S   the reached bits of a ply
//!                ...         frontier-NN.S  the values of a ply
//!                            lock           held by the process that counts
//! ```
//!
//! Counting legal positions alone needs the bits of two plies at a time. Values are solved from the full board down, so
//! the bits of all plies wait for them; they compress well. Everything is gone when the count is done.

use std::path::{Path, PathBuf};

use fourbase::{Board, Outcome};

use super::bounded::{ReachedFrontier, start, sweep, tally};
use super::error::SolveAndCountError;
use super::finished::FinishedLists;
use super::journal::Journal;
use super::pull::Positions;
use super::sweep::Sweep;
use super::table::{Counts, PlyLegal};
use super::tally::outcomes;
use super::whole::solve_and_count;
use crate::database::{DatabaseError, Disk, Storage, create_folder, io_error};
use crate::error::SolveError;
use crate::frontier::{BLOCK_WORDS, Frontier, Reached};
use crate::index::{Index, TierDirectory};
use crate::kernel::{Kernel, Values};
use crate::plan::{Plan, Room};
use crate::solve::{Progress, solve_frontier};

/// What to count, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The board.
    pub board: Board,
    /// The values to solve and count; `None`: legal positions alone.
    pub values: Option<Values>,
    /// The most memory to take.
    pub memory_bytes: u64,
    /// The kernels to run.
    pub kernel: Kernel,
    /// The folder in which the count makes its own where it needs files.
    pub root: PathBuf,
    /// Use files even where memory would do.
    pub is_bounded: bool,
    /// About how many words a block in the files has; [`BLOCK_WORDS`] is good.
    pub block_words: usize,
}

impl Options {
    /// Counts a board under a memory limit, with files in `root` where they are needed.
    pub fn new(board: Board, values: Option<Values>, memory_bytes: u64, root: &Path) -> Options {
        let (kernel, root) = (Kernel::detect(), root.to_path_buf());
        Options { board, values, memory_bytes, kernel, root, is_bounded: false, block_words: BLOCK_WORDS }
    }

    /// Returns the folder of the count's files.
    pub fn folder(&self) -> PathBuf {
        let kind = self.values.map_or_else(|| "legal".to_owned(), |values| values.to_string());
        self.root.join(self.board.to_string()).join(format!("count-{kind}"))
    }
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Legal positions by ply.
    Legal(Vec<PlyLegal>),
    /// Legal positions by ply, value and remoteness.
    Values(Counts),
}

/// Counts the legal positions of a board, in memory where they fit and else in files. Runs on rayon's current pool.
///
/// `progress` hears of every tier once, or with values twice: from the empty board to the full one, and back.
///
/// # Errors
/// [`SolveAndCountError::Memory`], [`SolveAndCountError::Disk`] and [`SolveAndCountError::Index`] before anything is made;
/// [`SolveAndCountError::Stopped`] where `progress` wants it, [`SolveAndCountError::Busy`] where another process counts
/// in the same folder.
pub fn run(options: &Options, progress: &dyn Progress) -> Result<Counted, SolveAndCountError> {
    run_on(options, progress, &Disk)
}

/// As [`run`], on a storage of the caller's.
///
/// # Errors
/// As for [`run`].
pub fn run_on(
    options: &Options,
    progress: &dyn Progress,
    storage: &dyn Storage,
) -> Result<Counted, SolveAndCountError> {
    let Options { board, values, memory_bytes, .. } = *options;
    let rough = Plan::new(board, values.unwrap_or(Values::Wdl), memory_bytes);
    if !rough.exact {
        rough.check(memory_bytes).map_err(|error| too_large(error, board))?;
    }
    let index = Index::new(board, options.kernel)?;
    let plan = values.map_or_else(|| Plan::legal(&index), |values| Plan::counting(&index, values));
    if !options.is_bounded && whole_bytes(&plan, values) <= u128::from(memory_bytes) {
        progress.planned(&plan, 0);
        let counted = match values {
            None => legal(&index, progress).map(Counted::Legal),
            Some(values) => solve_and_count(&index, values, memory_bytes, progress).map(Counted::Values),
        };
        // How well the bits compress is not known before.
        if !matches!(counted, Err(SolveAndCountError::Memory { .. })) {
            return counted;
        }
    }
    let folder = options.folder();
    let bounded = Bounded::new(options, progress, storage, &index, plan, &folder)?;
    bounded.run().map_err(|error| match error {
        SolveAndCountError::Files(error) if error.is_damage() => {
            SolveAndCountError::Damaged { folder: folder.clone(), what: error.to_string() }
        }
        error => error,
    })
}

/// Returns the memory of a count in memory; with values half a bit an entry of packed bits is more than most boards need.
fn whole_bytes(plan: &Plan, values: Option<Values>) -> u128 {
    plan.memory_bytes + if values.is_some() { plan.entries / 16 } else { 0 }
}

/// A board that is too large, as this layer tells it.
fn too_large(error: SolveError, board: Board) -> SolveAndCountError {
    match error {
        SolveError::Memory { needed, limit, .. } => {
            SolveAndCountError::Memory { board, needed_bytes: needed, limit_bytes: limit }
        }
        SolveError::Index(error) => SolveAndCountError::Index(error),
        SolveError::Database(error) => SolveAndCountError::Files(error),
        // Plans fail with the two above.
        _ => SolveAndCountError::Memory { board, needed_bytes: u128::MAX, limit_bytes: 0 },
    }
}

/// Counts the legal positions of every ply in memory.
fn legal(index: &Index, progress: &dyn Progress) -> Result<Vec<PlyLegal>, SolveAndCountError> {
    let (mut sweep, mut plies) = (Sweep::new(index), Vec::new());
    loop {
        let layout = sweep.tier().layout();
        progress.tier(layout.ply(), layout.entries());
        plies.push(PlyLegal::of(index, sweep.tier()));
        progress.solved(layout.entries());
        if progress.is_stopped() {
            return Err(stopped(index.board(), plies.len()));
        }
        if !sweep.advance() {
            return Ok(plies);
        }
    }
}

pub(super) fn stopped(board: Board, plies: usize) -> SolveAndCountError {
    SolveAndCountError::Stopped { board, plies, all: board.cells() + 1 }
}

/// A count in files that is going on.
struct Bounded<'a> {
    options: &'a Options,
    progress: &'a dyn Progress,
    storage: &'a dyn Storage,
    index: &'a Index,
    plan: Plan,
    folder: &'a Path,
    /// The memory for blocks.
    room: Room,
    /// The memory for lists of finished colourings.
    list_bytes: u64,
    journal: Journal,
}

impl<'a> Bounded<'a> {
    /// Plans a count in files.
    fn new(
        options: &'a Options,
        progress: &'a dyn Progress,
        storage: &'a dyn Storage,
        index: &'a Index,
        plan: Plan,
        folder: &'a Path,
    ) -> Result<Bounded<'a>, SolveAndCountError> {
        let Options { board, values, memory_bytes, block_words, .. } = *options;
        let mut plan = plan.bounded();
        plan.memory_bytes += FinishedLists::slot_bytes(index) as u128;
        let Some(rest) = u128::from(memory_bytes).checked_sub(plan.memory_bytes) else {
            let (needed_bytes, limit_bytes) = (plan.memory_bytes, memory_bytes);
            return Err(SolveAndCountError::Memory { board, needed_bytes, limit_bytes });
        };
        // Most of what is left is for the lists where they need it, and else for blocks.
        let list_bytes = (rest / 2) as u64;
        let room = plan.room(memory_bytes - list_bytes);
        let journal = Journal::new(board, values, block_words);
        Ok(Bounded { options, progress, storage, index, plan, folder, room, list_bytes, journal })
    }

    /// Counts, going on where an earlier run stopped, and clears the folder.
    fn run(mut self) -> Result<Counted, SolveAndCountError> {
        let Bounded { storage, folder, .. } = self;
        if self.journal.read(storage, folder)?.is_none() {
            self.check_room()?;
        }
        create_folder(storage, folder)?;
        let lock = folder.join("lock");
        let held = storage.lock(&lock).map_err(io_error(&lock, "lock"))?;
        let _held = held.map_err(|holder| SolveAndCountError::Busy { folder: folder.to_path_buf(), holder })?;
        if let Some(journal) = self.journal.read(storage, folder)? {
            self.journal = journal;
        }
        self.progress.planned(&self.plan, self.entries_done());
        self.sweep()?;
        if let Some(values) = self.options.values {
            self.solve(values)?;
        }
        ReachedFrontier::remove_reached(storage, folder, &[])?;
        Frontier::remove_all(storage, folder, &[])?;
        Journal::remove(storage, folder)?;
        storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
        let Journal { legal, tables, .. } = self.journal;
        Ok(match self.options.values {
            None => Counted::Legal(legal),
            Some(values) => Counted::Values(tables.finish(self.options.board, values)),
        })
    }

    /// Refuses a count whose files do not fit on the disk.
    fn check_room(&self) -> Result<(), SolveAndCountError> {
        let (needed, folder) = (self.plan.scratch_bytes, self.folder.to_path_buf());
        let free = folder.ancestors().find_map(|folder| self.storage.free_bytes(folder));
        match free.filter(|free| u128::from(*free) < needed) {
            Some(free) => Err(SolveAndCountError::Disk { folder, board: self.options.board, needed, free }),
            None => Ok(()),
        }
    }

    /// Counts the entries that earlier runs have passed, on the way forward and on the way back.
    fn entries_done(&self) -> u64 {
        let entries = |ply: u32| TierDirectory::new(self.index, ply).entries();
        let end = self.index.board().cells() as u32 + 1;
        let back = self.journal.solved.unwrap_or(end)..end;
        (0..self.journal.legal.len() as u32).chain(back).map(entries).sum()
    }

    fn reached(&self, ply: u32, cache_bytes: u64) -> Result<ReachedFrontier<'a>, DatabaseError> {
        let block_words = self.options.block_words;
        Frontier::open_content(self.storage, self.folder, self.index, Reached, ply, block_words, cache_bytes)
    }

    /// Sweeps from the ply after those that are done to the full board.
    fn sweep(&mut self) -> Result<(), SolveAndCountError> {
        let cells = self.options.board.cells() as u32;
        let mut ply = self.journal.legal.len() as u32;
        if ply > cells {
            return Ok(());
        }
        // What was counted in a ply that was not finished is not known.
        ReachedFrontier::remove_reached(self.storage, self.folder, &Vec::from_iter(0..ply))?;
        let mut parents = ply.checked_sub(1).map(|ply| self.reached(ply, self.room.cache_bytes)).transpose()?;
        while ply <= cells {
            let tier = self.reached(ply, self.room.cache_bytes)?;
            let entries = tier.directory().entries();
            self.progress.tier(ply, entries);
            let positions = match &parents {
                None => {
                    self.progress.solved(entries);
                    Some(start(&tier)?)
                }
                Some(parents) => {
                    sweep(self.index, parents, &tier, self.room.slice_words, self.list_bytes, self.progress)?
                }
            };
            let positions = positions.ok_or_else(|| stopped(self.options.board, ply as usize))?;
            tier.sync()?;
            self.add_ply(ply, positions);
            self.journal.write(self.storage, self.folder)?;
            if self.options.values.is_none() {
                ReachedFrontier::remove_reached(self.storage, self.folder, &[ply])?;
            }
            parents = Some(tier);
            ply += 1;
        }
        Ok(())
    }

    /// Notes the positions of a ply.
    fn add_ply(&mut self, ply: u32, positions: Positions) {
        let legal = PlyLegal::new(self.options.board, ply, positions);
        self.journal.legal.push(legal);
        self.journal.tables.push(legal);
        if let Some(values) = self.options.values {
            self.journal.tables.add(ply, super::finished(self.index, values), positions.with_line);
        }
    }

    /// Solves from the ply before those that are done to the empty board, and tallies each.
    fn solve(&mut self, values: Values) -> Result<(), SolveAndCountError> {
        let Options { board, block_words, .. } = *self.options;
        let (storage, folder, index) = (self.storage, self.folder, self.index);
        let open = |ply, cache_bytes| Frontier::open(storage, folder, index, values, ply, block_words, cache_bytes);
        let mut child = self.journal.solved.map(|ply| open(ply, self.room.cache_bytes)).transpose()?;
        for ply in (0..self.journal.solved.unwrap_or(board.cells() as u32 + 1)).rev() {
            if self.progress.is_stopped() {
                return Err(stopped(board, board.cells() - ply as usize));
            }
            let tier = open(ply, self.room.cache_bytes)?;
            self.progress.tier(ply, tier.directory().entries());
            if !solve_frontier(index, &tier, child.as_ref(), self.room.slice_words, self.progress)? {
                tier.sync()?;
                return Err(stopped(board, board.cells() - ply as usize));
            }
            // What the child's expanded blocks took is the tally's now.
            drop(child);
            let counts = tally(index, &self.reached(ply, 0)?, &tier)?;
            let found: Vec<(Outcome, u64)> = outcomes(board, tier.code(), ply, counts)?;
            found.into_iter().for_each(|(outcome, positions)| self.journal.tables.add(ply, outcome, positions));
            tier.sync()?;
            self.journal.solved = Some(ply);
            self.journal.write(storage, folder)?;
            Frontier::remove_all(storage, folder, &[ply, ply.saturating_sub(1)])?;
            ReachedFrontier::remove_reached(storage, folder, &Vec::from_iter(0..ply))?;
            child = Some(tier);
        }
        Ok(())
    }
}
