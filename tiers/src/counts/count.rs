//! Counts: of the legal positions of a board by ply, and of these by value and remoteness.
//!
//! ```text
//! <root>/<board>/count-legal/count          how far the count has come
//!                count-wdl   reached-NN.S   the reached bits of a ply
//!                ...         lock           held by the process that counts
//! ```
//!
//! Counting legal positions alone needs the bits of two plies at a time. Values are solved from the full board down, so the
//! bits of all plies wait for them; they compress well. Where everything fits into memory these files are in memory too. All
//! of them are removed when the count is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fourbase::Board;

use super::error::CountError;
use super::finished::FinishedLists;
use super::journal::Journal;
use super::kept::{read_kept, write_kept};
use super::sweep::Sweep;
use super::table::{Counts, PlyLegal};
use super::tally::Tally;
use crate::communicator::{Alone, Communicator, check_same_job, check_shared_folder, lock_output};
use crate::files::{Disk, Memory, Storage, has_room, io_error, remove_folders, remove_folders_below};
use crate::format::{Manifest, State, lock_path, remove_database};
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::progress::{Progress, Stage};
use crate::solve::{Plan, Report, Solve, SolveError};
use crate::tier::segments;
use crate::tier::{BLOCK_WORDS, Kind, MemoryBudget, TierFolder};

/// A count without a database: which board, and how.
///
/// ```
/// use fourbase_tiers::counts::Count;
/// use fourbase_tiers::kernel::Values;
///
/// let count = Count::new("4x4".parse()?);
/// let plies = count.legal()?;
/// assert_eq!((plies.iter().map(|ply| ply.legal).sum::<u64>(), plies[3].legal), (161_029, 52));
/// assert_eq!(count.by_value(Values::Wdl)?.total().win, 38_675);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Count {
    board: Board,
    memory_bytes: u64,
    kernel: Kernel,
    root: PathBuf,
    in_files: bool,
    block_words: usize,
}

impl Count {
    /// Prepares a count. Without further settings it has no limit of memory and uses the fastest kernels; files, where needed,
    /// go below the folder `db`.
    pub fn new(board: Board) -> Count {
        Count {
            board,
            memory_bytes: u64::MAX,
            kernel: Kernel::detect(),
            root: PathBuf::from("db"),
            in_files: false,
            block_words: BLOCK_WORDS,
        }
    }

    /// Limits the memory. A count that does not fit uses files.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Count {
        self.memory_bytes = bytes;
        self
    }

    /// Sets the kernels. All give the same counts.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Count {
        self.kernel = kernel;
        self
    }

    /// Sets the folder in which a count in files makes its own.
    #[must_use]
    pub fn root(mut self, root: &Path) -> Count {
        self.root = root.to_path_buf();
        self
    }

    /// Uses files even if the board fits into memory.
    #[must_use]
    pub fn in_files(mut self, in_files: bool) -> Count {
        self.in_files = in_files;
        self
    }

    /// Sets about how many words a block has. Every number gives the same counts.
    #[must_use]
    pub fn block_words(mut self, block_words: usize) -> Count {
        self.block_words = block_words.max(1);
        self
    }

    /// Returns the folder of the count's files: of legal positions by ply, or by value.
    pub fn folder(&self, values: Option<Values>) -> PathBuf {
        let kind = values.map_or_else(|| "legal".to_owned(), |values| values.to_string());
        self.root.join(self.board.to_string()).join(format!("count-{kind}"))
    }

    /// Counts legal positions by ply, as the only process. Runs on rayon's current pool.
    ///
    /// # Errors
    /// See [`Count::legal_on`].
    pub fn legal(&self) -> Result<Vec<PlyLegal>, CountError> {
        self.legal_on(&Alone, &Disk, &())
    }

    /// Counts legal positions by ply, together with the other ranks of `all`, each of which calls this with the same settings,
    /// and reports to `progress`. A count in files resumes an earlier one of any number of ranks.
    ///
    /// # Errors
    /// [`CountError::Memory`], [`CountError::Disk`] and [`CountError::Index`] before anything is made; [`CountError::Busy`]
    /// where another process counts in the same folder; [`CountError::Stopped`] if `progress` stops it;
    /// [`CountError::Communicator`] for ranks that do not fit together; [`CountError::File`] for files. Where a rank returns an
    /// error, its caller has to end the whole job.
    pub fn legal_on(
        &self,
        all: &dyn Communicator,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<Vec<PlyLegal>, CountError> {
        check_same_job(all, &format!("count {} in blocks of {} words", self.board, self.block_words))?;
        let index = self.index(Values::Wdl)?.1;
        let memory = self.sweep_memory(&index, self.in_files || !all.is_alone())?;
        let begun = Journal::new(self.board, None, self.block_words);
        if !memory.plan.is_bounded {
            let (files, folder) = (Memory::default(), Path::new("count"));
            let tiers = TierFolder { storage: &files, folder, index: &index, budget: memory.budget, all };
            let sweep = Sweep { tiers, progress, list_bytes: memory.list_bytes, saves: false, journal: begun };
            return Ok(sweep.run(&memory.plan)?.legal);
        }
        let folder = self.folder(None);
        if all.is_root() && begun.read(storage, &folder)?.is_none() {
            self.check_disk(storage, &folder, memory.plan.scratch_bytes())?;
        }
        in_folder(all, storage, None, &self.root, &folder, || {
            let journal = begun.read(storage, &folder)?.unwrap_or(begun);
            let tiers = TierFolder { storage, folder: &folder, index: &index, budget: memory.budget, all };
            let sweep = Sweep { tiers, progress, list_bytes: memory.list_bytes, saves: true, journal };
            let journal = sweep.run(&memory.plan)?;
            finish(all, storage, &folder)?;
            Ok(journal.legal)
        })
    }

    /// Counts legal positions by ply, value and remoteness, as the only process.
    ///
    /// # Errors
    /// See [`Count::by_value_on`].
    pub fn by_value(&self, values: Values) -> Result<Counts, CountError> {
        self.by_value_on(values, &Alone, &Disk, &())
    }

    /// Counts legal positions by ply, value and remoteness: solves the board into a temporary folder, and counts beside that
    /// as [`solve_and_count`] does.
    ///
    /// # Errors
    /// Those of [`Count::legal_on`], and [`CountError::Solve`] where the solve fails.
    pub fn by_value_on(
        &self,
        values: Values,
        all: &dyn Communicator,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<Counts, CountError> {
        let (plan, index) = self.index(values)?;
        // The bits that are reached: at most one an entry.
        let whole_bytes = plan.memory_bytes() + plan.entries() / 8;
        let is_too_large = plan.is_bounded || whole_bytes > u128::from(self.memory_bytes);
        let in_files = self.in_files || !all.is_alone() || is_too_large;
        let plan = if in_files { plan.bounded() } else { plan };
        self.check_memory(plan.memory_bytes() + FinishedLists::slot_bytes(&index) as u128)?;
        drop(index);
        let files = Memory::default();
        let (storage, folder) = (if in_files { storage } else { &files }, self.folder(Some(values)));
        let solve = Solve::new(self.board, values).root(&folder).memory(self.memory_bytes).kernel(self.kernel);
        let solve = solve.keep_plies(Some(1)).block_words(self.block_words);
        let solve = solve.scratch(in_files.then(|| folder.clone()));
        // Checkpoints in memory would keep nothing.
        let solve = if in_files { solve } else { solve.checkpoint(Duration::MAX) };
        if all.is_root() && in_files && self.journal(values).read(storage, &folder)?.is_none() {
            self.check_disk(storage, &folder, plan.scratch_bytes() + plan.reached_bytes())?;
        }
        in_folder(all, storage, None, &self.root, &folder, || {
            let is_counted = self.is_counted(&solve, storage, &folder)?;
            let (_, counts) =
                self.count_beside(&solve.clone().replace(!is_counted), &folder, all, storage, progress)?;
            finish(all, storage, &folder)?;
            if all.is_root() {
                let (database, lock) = (solve.folder(), lock_path(&solve.folder()));
                remove_database(storage, &database)?;
                storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
                remove_folders_below(storage, &folder, &database, Vec::new());
            }
            Ok(counts)
        })
        .map_err(|error| match error {
            CountError::Solve(SolveError::Stopped { board, done, tiers, .. }) => {
                CountError::Stopped { board, plies: done, all: tiers, in_files }
            }
            // The temporary database can be removed.
            CountError::Solve(SolveError::File(source)) if source.is_damage() => {
                CountError::Damaged { folder: folder.clone(), source }
            }
            CountError::Stopped { board, plies, all, .. } => CountError::Stopped { board, plies, all, in_files },
            error => error,
        })
    }

    /// Sweeps forward, solves, and tallies every tier that is solved. The bits of the sweep wait in `folder`.
    fn count_beside(
        &self,
        solve: &Solve,
        folder: &Path,
        all: &dyn Communicator,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<(Report, Counts), CountError> {
        let begun = self.journal(solve.values());
        let mut journal = begun.read(storage, folder)?.unwrap_or(begun);
        if journal.legal.len() <= self.board.cells() {
            let index = self.index(solve.values())?.1;
            let memory = self.sweep_memory(&index, !all.is_alone())?;
            if journal.legal.is_empty() {
                self.check_disk(storage, folder, memory.plan.reached_bytes())?;
            }
            let tiers = TierFolder { storage, folder, index: &index, budget: memory.budget, all };
            let sweep = Sweep { tiers, progress, list_bytes: memory.list_bytes, saves: true, journal };
            journal = sweep.run(&memory.plan)?;
        }
        let budget = MemoryBudget::sequential(self.block_words);
        let mut tally = Tally { storage, folder, all, budget, journal };
        let report = solve.run_observed(&mut tally, all, storage, progress)?;
        let Journal { legal, outcomes, .. } = tally.journal;
        Ok((report, Counts::new(self.board, solve.values(), &legal, outcomes)))
    }

    /// Tells whether all tiers that a database has were counted when they were solved.
    fn is_counted(&self, solve: &Solve, storage: &dyn Storage, folder: &Path) -> Result<bool, CountError> {
        let manifest = solve.manifest(storage)?;
        let Some(last) = manifest.as_ref().and_then(|manifest| manifest.tiers.last()) else { return Ok(true) };
        let journal = self.journal(solve.values()).read(storage, folder)?;
        Ok(journal.is_some_and(|journal| journal.has_counted(last.ply)))
    }

    fn journal(&self, values: Values) -> Journal {
        Journal::new(self.board, Some(values), self.block_words)
    }

    /// Plans a solve, and makes the index.
    fn index(&self, values: Values) -> Result<(Plan, Index), CountError> {
        let (plan, index) = Plan::with_index(self.board, values, self.memory_bytes, self.kernel);
        let Some(index) = index else {
            self.check_memory(plan.memory_bytes())?;
            return Ok((plan, Index::new(self.board, self.kernel)?));
        };
        Ok((plan, index))
    }

    /// Plans the memory of a sweep.
    fn sweep_memory(&self, index: &Index, in_files: bool) -> Result<SweepMemory, CountError> {
        let (plan, slot_bytes) = (Plan::legal(index), FinishedLists::slot_bytes(index) as u64);
        let limit_bytes = self.memory_bytes.saturating_sub(slot_bytes);
        let is_bounded = in_files || plan.memory_bytes() > u128::from(limit_bytes);
        let plan = if is_bounded { plan.bounded() } else { plan };
        self.check_memory(plan.memory_bytes() + u128::from(slot_bytes))?;
        let rest = limit_bytes - plan.memory_bytes() as u64;
        // Half of the rest is for lists of finished colourings, the other half for blocks.
        let list_bytes = if is_bounded { rest / 2 } else { rest };
        let budget = plan.budget(limit_bytes - list_bytes, self.block_words);
        Ok(SweepMemory { plan, budget, list_bytes })
    }

    fn check_memory(&self, needed_bytes: u128) -> Result<(), CountError> {
        let Count { board, memory_bytes: limit_bytes, .. } = *self;
        if needed_bytes <= u128::from(limit_bytes) {
            return Ok(());
        }
        Err(CountError::Memory { board, needed_bytes, limit_bytes })
    }

    fn check_disk(&self, storage: &dyn Storage, folder: &Path, needed: u128) -> Result<(), CountError> {
        let (folder, board) = (folder.to_path_buf(), self.board);
        has_room(storage, &folder.clone(), needed).map_err(|free| CountError::Disk { folder, board, needed, free })
    }
}

/// The memory of a sweep.
struct SweepMemory {
    plan: Plan,
    budget: MemoryBudget,
    /// For lists of finished colourings.
    list_bytes: u64,
}

/// Counts the legal positions by ply, in the memory that [`legal_bytes`] returns, and reports entries as they are passed.
///
/// # Errors
/// [`CountError::File`] where the tiers cannot be made or read.
pub(crate) fn count_legal(index: &Index, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<PlyLegal>, CountError> {
    let (files, plan, progress) = (Memory::default(), Plan::legal(index), &Entries(done));
    let budget = MemoryBudget::unlimited(BLOCK_WORDS);
    let tiers = TierFolder { storage: &files, folder: Path::new("count"), index, budget, all: &Alone };
    let journal = Journal::new(index.board(), None, BLOCK_WORDS);
    Ok(Sweep { tiers, progress, list_bytes: u64::MAX, saves: false, journal }.run(&plan)?.legal)
}

/// Returns the memory that [`count_legal`] takes, in bytes.
pub(crate) fn legal_bytes(index: &Index) -> u64 {
    u64::try_from(Plan::legal(index).memory_bytes()).unwrap_or(u64::MAX)
}

/// Reports entries alone.
struct Entries<'a>(&'a (dyn Fn(u64) + Sync));

impl Progress for Entries<'_> {
    fn done(&self, _: Stage, entries: u64) {
        (self.0)(entries);
    }
}

/// Solves a board and counts its legal positions by ply, value and remoteness, which are kept beside the database as
/// [`write_kept`] does. First the sweep goes forward, then the solve backward. Both resume. Where
/// the board is solved and counted already, nothing is done.
///
/// Each rank of `all` calls this with the same settings. Where a rank returns an error, its caller has to end the whole job:
/// the others wait for it.
///
/// It takes the time of the solve, that of a count of legal positions, and a little for the tally. The bits of the sweep wait in
/// files, below the solve's scratch folder.
///
/// # Errors
/// [`CountError::Uncounted`] where an earlier solve of the board was not counted from the beginning; [`CountError::Solve`] for
/// those of the solve; otherwise those of [`Count::legal_on`].
///
/// ```
/// use fourbase_tiers::communicator::Alone;
/// use fourbase_tiers::counts::solve_and_count;
/// use fourbase_tiers::files::Disk;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let root = tempfile::tempdir()?;
/// let solve = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path());
/// let (report, counts) = solve_and_count(&solve, &Alone, &Disk, &())?;
/// assert_eq!((report.outcome.remoteness, counts.total().legal), (Some(16), 161_029));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_and_count(
    solve: &Solve,
    all: &dyn Communicator,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<(Report, Counts), CountError> {
    let (board, values) = (solve.board(), solve.values());
    let manifest = solve.manifest(storage)?.filter(|manifest| manifest.state == State::Complete);
    let kept = manifest.and_then(|complete| read_kept(storage, &solve.folder(), board, &complete).ok().flatten());
    let count = Count::new(board).memory(solve.memory_bytes()).kernel(solve.kernels()).root(solve.scratch_root());
    let folder = count.root.join(board.to_string()).join(format!("tally-{values}"));
    // Without its journal, a count has left nothing behind.
    let kept = match kept {
        Some(counts) if count.journal(values).read(storage, &folder)?.is_none() => Some(counts),
        _ => None,
    };
    let is_done = if kept.is_some() { "counted" } else { "not counted" };
    check_same_job(all, &format!("solve and count {board} {values}, {is_done} yet"))?;
    if let Some(counts) = kept {
        return Ok((solve.run_on(all, storage, progress)?, counts));
    }
    if !count.is_counted(solve, storage, &folder)? {
        return Err(CountError::Uncounted { folder: solve.folder(), board, values });
    }
    in_folder(all, storage, solve.existing(), &count.root, &folder, || {
        let (report, counts) = count.count_beside(solve, &folder, all, storage, progress)?;
        if all.is_root()
            && let Some(manifest) = Manifest::read(storage, &solve.folder(), board, values)?
        {
            write_kept(storage, &solve.folder(), &manifest, &counts)?;
        }
        finish(all, storage, &folder)?;
        Ok((report, counts))
    })
}

/// Makes the folder of a count, takes its lock and works there; then removes lock and folder. The root is never made if it is
/// `existing`.
fn in_folder<T>(
    all: &dyn Communicator,
    storage: &dyn Storage,
    existing: Option<&Path>,
    root: &Path,
    folder: &Path,
    work: impl FnOnce() -> Result<T, CountError>,
) -> Result<T, CountError> {
    let (mut made, lock) = (Vec::new(), folder.join("lock"));
    let locked = |made| {
        let held = lock_output(all, storage, existing, &[folder], &lock, made)?;
        let _held = held.map_err(|holder| CountError::Busy { folder: folder.to_path_buf(), holder })?;
        let done = match check_shared_folder(all, storage, folder)? {
            Ok(()) => Ok(work()?),
            Err(error) => Err(error.into()),
        };
        if all.is_root() {
            storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
        }
        done
    };
    let result = locked(&mut made).map_err(|error| match error {
        // The folder can be removed.
        CountError::File(source) if source.is_damage() => CountError::Damaged { folder: folder.to_path_buf(), source },
        error => error,
    });
    match &result {
        // The folder is the other process's.
        Err(CountError::Busy { .. }) => {}
        Err(_) => remove_folders(storage, &made),
        Ok(_) if all.is_root() => remove_folders_below(storage, root, folder, made),
        Ok(_) => {}
    }
    result
}

/// Removes the bits of the sweep and the journal, when no rank needs them any more.
fn finish(all: &dyn Communicator, storage: &dyn Storage, folder: &Path) -> Result<(), CountError> {
    all.barrier();
    if all.is_root() {
        segments::remove(storage, folder, Kind::Reached, |_| true)?;
        Journal::remove(storage, folder)?;
    }
    Ok(())
}
