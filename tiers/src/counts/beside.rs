//! Counting by value beside a solve: the database and its counts for little more than the solve.
//!
//! A count by value alone sweeps forward, solves every tier, and tallies it. Here the solve of the database makes the tiers,
//! and each is tallied before the database has it. So a solve that is stopped and resumed has tallied all tiers that it
//! need not solve again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::error::CountError;
use super::journal::Journal;
use super::kept::{read_kept, write_kept};
use super::options::Count;
use super::run::{Run, bounded, planned};
use super::table::Counts;
use super::tally::{Tallied, tally};
use crate::crew::{Crew, greet, hold, share_folder};
use crate::files::{FileError, Storage, has_room, io_error, remove_folders, remove_folders_below};
use crate::format::{Manifest, State};
use crate::index::Index;
use crate::kernel::Coding;
use crate::solve::{AllSolved, Plan, Progress, Report, Solve, Witness};
use crate::tier::log::segments;
use crate::tier::{BLOCK_WORDS, InLogs, InMemory, Kind, Logs, Reached, Room, Store};

/// Solves a board and counts its legal positions by ply, value and remoteness, which are kept beside the database as
/// [`write_kept`] does. First the sweep goes forward and reports to `sweeping`, then the solve to `solving`. Both
/// resume. Where the board is solved and counted already, nothing is done.
///
/// With a crew each member calls this with the same settings. Where a member returns an error, its caller has to end the whole job:
/// the others wait for it.
///
/// It takes the time of the solve, that of a count of legal positions, and a little for the tally. The bits of the sweep wait
/// in files, below the solve's scratch folder.
///
/// # Errors
/// [`CountError::Untold`] where an earlier solve of the board was not counted from the beginning; [`CountError::Solve`] for
/// those of the solve; [`CountError::Crew`] where members do not fit together; otherwise those of [`Count::run_with`].
///
/// ```
/// use fourbase_tiers::counts::solve_and_count;
/// use fourbase_tiers::files::Disk;
/// use fourbase_tiers::kernel::Values;
/// use fourbase_tiers::solve::Solve;
///
/// let root = tempfile::tempdir()?;
/// let solve = Solve::new("4x4".parse()?, Values::Remoteness).root(root.path());
/// let (report, counts) = solve_and_count(&solve, None, &Disk, &(), &())?;
/// assert_eq!((report.outcome.remoteness, counts.total().legal), (Some(16), 161_029));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_and_count(
    solve: &Solve,
    crew: Option<&dyn Crew>,
    storage: &dyn Storage,
    sweeping: &dyn Progress,
    solving: &dyn Progress,
) -> Result<(Report, Counts), CountError> {
    let (board, values, folder) = (solve.board(), solve.values(), solve.folder());
    if let Some(crew) = crew {
        greet(crew, &format!("solve and count {board} {values}"))?;
    }
    let manifest = if solve.replaces() { None } else { Manifest::read(storage, &folder, board, values)? };
    if let Some(complete) = manifest.as_ref().filter(|manifest| manifest.state == State::Complete)
        && let Ok(Some(counts)) = read_kept(storage, &folder, board, complete)
    {
        return Ok((solve.run_before(&(), crew, storage, solving)?, counts));
    }
    let count = Count::new(board, Some(values)).memory(solve.memory_bytes()).kernel(solve.kernels());
    let count = count.root(solve.scratch_root());
    let mut made = Vec::new();
    let result = in_folder(solve, &count, manifest.as_ref(), storage, [sweeping, solving], crew, &mut made);
    match &result {
        // The folders are the other process's.
        Err(CountError::Busy { .. }) => {}
        Err(_) => remove_folders(storage, &made),
        Ok(_) => remove_folders_below(storage, solve.scratch_root(), &count.folder(), made),
    }
    result
}

/// Solves and counts, with the bits of the sweep in the folder of `count`. Folders that it makes are added to `made`.
fn in_folder(
    solve: &Solve,
    count: &Count,
    manifest: Option<&Manifest>,
    storage: &dyn Storage,
    [sweeping, solving]: [&dyn Progress; 2],
    crew: Option<&dyn Crew>,
    made: &mut Vec<PathBuf>,
) -> Result<(Report, Counts), CountError> {
    let (board, values, folder) = (solve.board(), solve.values(), count.folder());
    let is_first = crew.is_none_or(|crew| crew.number() == 0);
    let mut journal = Journal::beside(board, values, BLOCK_WORDS);
    let begun = journal.read(storage, &folder)?;
    let solved = manifest.and_then(|manifest| manifest.tiers.last()).map(|tier| tier.ply);
    if solved.is_some_and(|ply| !begun.as_ref().is_some_and(|journal| journal.has_counted(ply))) {
        return Err(CountError::Untold { folder: solve.folder(), board, values });
    }
    let lock = folder.join("lock");
    let held = hold(crew, storage, solve.existing(), &[&folder], &lock, made)?;
    let _held = held.map_err(|holder| CountError::Busy { folder: folder.clone(), holder })?;
    if let Some(crew) = crew {
        share_folder(crew, storage, &folder)??;
    }
    if let Some(found) = journal.read(storage, &folder)? {
        journal = found;
    }
    let journal = match crew {
        Some(crew) => swept(count, storage, &folder, journal, &AllSolved::new(sweeping, crew), Some(crew))?,
        None => swept(count, storage, &folder, journal, sweeping, None)?,
    };
    let tallier = Tallier { storage, folder: folder.clone(), crew, found: Mutex::new(Found { journal, error: None }) };
    let report = solve.run_before(&tallier, crew, storage, solving);
    let Found { journal, error } = tallier.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let report = error.map_or(report.map_err(CountError::from), Err)?;
    let counts = journal.tables.finish(board, values);
    if !is_first {
        return Ok((report, counts));
    }
    if let Some(manifest) = Manifest::read(storage, &solve.folder(), board, values)? {
        write_kept(storage, &solve.folder(), &manifest, &counts)?;
    }
    segments::remove_all(storage, &folder, Kind::Reached, &[])?;
    Journal::remove(storage, &folder)?;
    storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
    Ok((report, counts))
}

/// Sweeps forward from where the journal is, and returns the journal with all plies.
fn swept(
    count: &Count,
    storage: &dyn Storage,
    folder: &Path,
    journal: Journal,
    progress: &dyn Progress,
    crew: Option<&dyn Crew>,
) -> Result<Journal, CountError> {
    if journal.legal.len() > count.board.cells() {
        return Ok(journal);
    }
    let (counting, index) = planned(count)?;
    if journal.legal.is_empty() {
        let needed = counting.reached_bytes();
        has_room(storage, folder, needed).map_err(|free| CountError::Disk {
            folder: folder.to_path_buf(),
            board: count.board,
            needed,
            free,
        })?;
    }
    let plan = Plan::legal(&index);
    if crew.is_none() && plan.memory_bytes <= u128::from(count.memory_bytes) {
        let logs = Logs { storage, folder, index: &index, room: READING, crew: None };
        let mut run = Run { count, progress, logs, list_bytes: u64::MAX, memory: None, journal };
        progress.planned(&plan, run.entries_done());
        run.sweep(InMemory::new(logs, Reached))?;
        return Ok(run.journal);
    }
    let (plan, room, list_bytes) = bounded(count, &index, plan, plan.memory_bytes)?;
    let logs = Logs { storage, folder, index: &index, room, crew };
    let mut run = Run { count, progress, logs, list_bytes, memory: None, journal };
    progress.planned(&plan, run.entries_done());
    run.sweep(InLogs::new(logs, Reached))?;
    Ok(run.journal)
}

/// Reads reached bits from front to back, without memory for more than a block.
const READING: Room = Room { block_words: BLOCK_WORDS, cache_bytes: 0, slice_words: usize::MAX, wide: None };

/// Tallies the tiers of a solve.
struct Tallier<'a> {
    storage: &'a dyn Storage,
    folder: PathBuf,
    crew: Option<&'a dyn Crew>,
    found: Mutex<Found>,
}

struct Found {
    journal: Journal,
    /// Why a tier was not tallied, which ended the solve.
    error: Option<CountError>,
}

impl Witness for Tallier<'_> {
    fn solved<T: Store<Content = Coding>>(&self, index: &Index, tier: &T) -> Result<(), FileError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let ply = tier.ply();
        if found.journal.has_counted(ply) {
            return Ok(());
        }
        let logs = Logs { storage: self.storage, folder: &self.folder, index, room: READING, crew: self.crew };
        let reached = logs.open(Reached, ply)?;
        let tallied = tally(index, &reached, tier, self.crew).map_err(|error| {
            found.error = Some(match error {
                CountError::File(source) if source.is_damage() => {
                    CountError::Damaged { folder: self.folder.clone(), source }
                }
                error => error,
            });
            // Ends the solve; the caller is told the other one.
            FileError::Damaged { file: self.folder.clone(), offset: 0, what: "the tier was not counted" }
        })?;
        for Tallied { outcome, positions, example } in tallied {
            found.journal.tables.add(ply, outcome, positions, example);
        }
        found.journal.solved = Some(ply);
        if self.crew.is_some_and(|crew| crew.number() != 0) {
            return Ok(());
        }
        found.journal.write(self.storage, &self.folder)?;
        logs.remove(Kind::Reached, &Vec::from_iter(0..ply))
    }
}
