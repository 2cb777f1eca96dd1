//! Counts the legal positions of a board by ply, or by ply, value and remoteness. A count by value is made during the
//! solve of a database, or without keeping a database.

use std::sync::Arc;
use std::time::Duration;

use super::folder::{Count, Journal};
use super::kept::{read_kept, write_kept};
use super::sweep::{fit, plan_sweep, sweep};
use super::table::Counts;
use super::tally::{count_codes, outcomes};
use crate::communicator::gather;
use crate::context::Context;
use crate::files::{FileError, Memory, io_error, remove_folders_below};
use crate::format::{Manifest, lock_path, remove_database};
use crate::index::Index;
use crate::solve::{Report, Solve, SolveError};
use crate::tier::{BlockMemory, Kind, Tier, TierFolder, segments};

/// Counts the legal positions of a board by ply. Uses the board, the memory limit, the kernel and the folders of
/// `solve`. Works in files if a scratch folder is set, if the count does not fit into memory, or if there are several
/// ranks. Runs on rayon's current pool. A single process uses fewer threads if all of them would need too much memory;
/// several ranks always use all threads.
///
/// A count that uses files resumes an earlier count that was stopped, even if that count had another number of ranks.
///
/// # Errors
/// [`SolveError::Memory`] and [`SolveError::Index`] before anything is created; [`SolveError::Disk`];
/// [`SolveError::Busy`] if another process counts in the same folder; [`SolveError::Stopped`] if the progress in
/// `context` stops the count; [`SolveError::Communicator`] if the ranks don't fit together; [`SolveError::File`] if a
/// file can't be read or written; [`SolveError::Threads`] if threads can't be started.
///
/// ```
/// use fourbase_tiers::context::Context;
/// use fourbase_tiers::counts::count_by_ply;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let counts = count_by_ply(&Solve::new("4x4".parse()?, Values::Wdl), &Context::default())?;
/// assert_eq!((counts.sum(|ply| ply.legal), counts.plies[3].legal), (161_029, 52));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_by_ply(solve: &Solve, context: &Context) -> Result<Counts, SolveError> {
    context.check_same_job(&format!("count {} in blocks of {} words", solve.board, solve.block_words))?;
    let planned = plan_sweep(solve, context, solve.scratch.is_some())?;
    let (files, in_files) = (Memory::default(), planned.1.is_bounded);
    let context = &Context { storage: if in_files { context.storage } else { &files }, ..*context };
    let count = Count { solve, values: None, context, folder: Count::folder(solve, "count-legal"), in_files };
    let swept = |journal| Ok(sweep(&count, journal, planned)?.swept);
    let swept = count.in_folder(swept)?;
    Ok(Counts::of_swept(solve.board, None, swept, Vec::new()))
}

/// Counts the legal positions of a board by ply, value and remoteness. Solves the board into a temporary folder, and
/// counts during this solve as [`solve_and_count`] does. The use of `solve`, files and ranks is as in [`count_by_ply`].
///
/// # Errors
/// The errors of [`count_by_ply`] and of [`Solve::run_on`].
///
/// ```
/// use fourbase_tiers::context::Context;
/// use fourbase_tiers::counts::count_by_value;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let counts = count_by_value(&Solve::new("4x4".parse()?, Values::Wdl), &Context::default())?;
/// assert_eq!(counts.sum(|ply| ply.win), 38_675);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_by_value(solve: &Solve, context: &Context) -> Result<Counts, SolveError> {
    let (all, (plan, _)) = (context.all, solve.counted_plan()?);
    // The bytes of everything in memory: the solve, and at most one reached bit for each entry.
    let whole_bytes = plan.memory_bytes() + plan.entries() / 8;
    let in_files = !all.is_alone() || plan.is_bounded || whole_bytes > u128::from(solve.memory_bytes);
    let plan = fit(if in_files { plan.bounded() } else { plan }, solve.memory_bytes, context)?;
    let files = Memory::default();
    let storage = if in_files { context.storage } else { &files };
    let folder = Count::folder(solve, &format!("count-{}", solve.values));
    let context = &Context { storage, ..*context };
    let count = Count { solve, values: Some(solve.values), context, folder, in_files };
    let temporary = solve.clone().root(&count.folder).keep_plies(Some(1));
    let temporary = temporary.scratch(in_files.then(|| count.folder.clone()));
    // Checkpoints in memory would be useless.
    let temporary = if in_files { temporary } else { temporary.checkpoint(Duration::MAX) };
    count.check_disk(&count.journal()?, plan.scratch_bytes() + plan.reached_bytes())?;
    let counted = count.in_folder(|journal| {
        let is_counted = journal.has_counted(temporary.manifest(storage)?);
        let (_, counts) = sweep_and_solve(&count, journal, &temporary.clone().replace(!is_counted))?;
        count.on_root(|| {
            let (database, lock) = (temporary.folder(), lock_path(&temporary.folder()));
            remove_database(storage, &database)?;
            storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
            remove_folders_below(storage, &count.folder, &database);
            Ok::<_, SolveError>(())
        })?;
        Ok(counts)
    });
    // The user did not ask for the temporary database, so report its errors as errors of the count.
    counted.map_err(|error| match error {
        SolveError::Stopped { board, keep_plies, stage, done, .. } => {
            let folder = in_files.then(|| count.folder.clone());
            SolveError::Stopped { folder, board, keep_plies, stage, done }
        }
        SolveError::Scratch { scratch, ply, .. } => {
            let log = segments::path_of(&scratch, Kind::Values(solve.values), ply, 0);
            let source = FileError::damaged(&log, 0, "the file is missing");
            SolveError::Damaged { folder: count.folder.clone(), source }
        }
        error => error,
    })
}

/// Solves a board and counts its legal positions by ply, value and remoteness. Writes the counts beside the database as
/// [`write_kept`] does. First the sweep goes forward, then the solve goes backward. Both resume after a stop. If the
/// board is already solved and counted, returns the stored counts.
///
/// Takes as long as the solve and a count of legal positions together, and a little longer for the tally. The bits of
/// the sweep are kept in files, below the scratch folder or, if none was set, below the folder of all databases.
///
/// # Errors
/// [`SolveError::Uncounted`] if an earlier solve of the board was not counted from the beginning; else the errors of
/// [`count_by_ply`] and of [`Solve::run_on`].
///
/// ```
/// use fourbase_tiers::context::Context;
/// use fourbase_tiers::counts::solve_and_count;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let root = tempfile::tempdir()?;
/// let solve = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path());
/// let (report, counts) = solve_and_count(&solve, &Context::default())?;
/// assert_eq!((report.outcome.remoteness, counts.sum(|ply| ply.legal)), (Some(16), 161_029));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_and_count(solve: &Solve, context: &Context) -> Result<(Report, Counts), SolveError> {
    let (board, values) = (solve.board, solve.values);
    let folder = Count::folder(solve, &format!("tally-{values}"));
    let count = Count { solve, values: Some(values), context, folder, in_files: true };
    let storage = context.storage;
    let manifest = solve.manifest(storage)?.filter(|manifest| manifest.is_complete());
    let kept = manifest.map(|complete| read_kept(storage, &solve.folder(), board, &complete));
    let kept = kept.map(FileError::unless_damaged).transpose()?.flatten().flatten();
    let journal = count.journal()?;
    // The journal is removed only after the counts are written. So if it still exists, the count is not finished.
    let kept = kept.filter(|_| journal.swept.is_empty());
    let is_done = if kept.is_some() { "counted" } else { "not counted" };
    context.check_same_job(&format!("solve and count {board} {values}, {is_done} yet"))?;
    if let Some(counts) = kept {
        return Ok((solve.run_on(context)?, counts));
    }
    if !journal.has_counted(solve.manifest(storage)?) {
        return Err(SolveError::Uncounted { folder: solve.folder(), board });
    }
    count.in_folder(|journal| {
        let (report, counts) = sweep_and_solve(&count, journal, solve)?;
        count.on_root(|| match Manifest::read(storage, &solve.folder())? {
            Some(manifest) => write_kept(storage, &solve.folder(), &manifest, &counts),
            None => Ok(()),
        })?;
        Ok((report, counts))
    })
}

/// Sweeps forward, then solves backward and tallies every solved tier. The bits of the sweep are kept in the folder of
/// the count.
fn sweep_and_solve(count: &Count, mut journal: Journal, solve: &Solve) -> Result<(Report, Counts), SolveError> {
    let Count { context, ref folder, .. } = *count;
    let Context { storage, all, .. } = *context;
    if journal.swept.len() <= solve.board.cells() {
        journal = sweep(count, journal, plan_sweep(solve, context, false)?)?;
    }
    // Enough for reading a tier from front to back, one block at a time.
    let memory = Arc::new(BlockMemory::new(solve.block_words, usize::MAX, 0, 16 << 20));
    let reached = TierFolder { storage, folder, memory, all };
    let mut observer = |index: &Index, tier: &Tier| {
        let ply = tier.ply();
        if journal.solved <= ply {
            return Ok::<_, SolveError>(());
        }
        let own = count_codes(index, &reached.open(index, Kind::Reached, ply)?, tier)?;
        journal.outcomes.extend(outcomes(&gather(all, &own)?, index, tier)?);
        journal.solved = ply;
        count.on_root(|| {
            journal.write(storage, folder)?;
            Ok(segments::remove(storage, folder, Kind::Reached, |of| of >= ply)?)
        })
    };
    let report = solve.run_observed(&mut observer, context)?;
    Ok((report, Counts::of_swept(solve.board, Some(solve.values), journal.swept, journal.outcomes)))
}
