//! A whole count: planned, then made in memory where it fits, and otherwise in files.
//!
//! ```text
//! <root>/<board>/count-legal/count          how far the count has come
//!                count-wdl   reached-NN.S   the reached bits of a ply
//!                ...         frontier-NN.S  the values of a ply
//!                            lock           held by the process that counts
//! ```
//!
//! Counting legal positions alone needs the bits of two plies at a time. Values are solved from the full board down, so
//! the bits of all plies wait for them; they compress well. A count in memory keeps them in "files" in memory, and is
//! otherwise the same. All files are removed when the count is done.

use std::path::{Path, PathBuf};

use fourbase::{Outcome, Value};

use super::error::CountError;
use super::finished::FinishedLists;
use super::journal::Journal;
use super::options::{Count, Counted};
use super::pull::Positions;
use super::sweep::sweep_tier;
use super::table::PlyLegal;
use super::tally::{Tallied, tally};
use crate::crew::{CrewError, exchange_numbers};
use crate::files::{
    Disk, FileError, Memory, Storage, create_folder, has_room, io_error, remove_folders, remove_folders_below,
};
use crate::index::{Index, TierDirectory};
use crate::kernel::{Coding, Values};
use crate::solve::{Plan, Progress, solve_tier, watching};
use crate::tier::log::segments;
use crate::tier::{Content, Home, InLogs, InMemory, Kind, LogTier, Logs, Reached, Room, Store};

impl Count {
    /// Counts. Runs on rayon's current pool.
    ///
    /// In memory it takes two tiers, as a solve does, and with values the compressed bits of all tiers, which are 0.17 bits
    /// an entry on 6x5, 0.21 on 7x4, 0.56 on 5x5.
    ///
    /// # Errors
    /// [`CountError::Memory`], [`CountError::Disk`] and [`CountError::Index`] before anything is made;
    /// [`CountError::Busy`] where another process counts in the same folder; [`CountError::File`] for files.
    pub fn run(&self) -> Result<Counted, CountError> {
        self.run_with(&())
    }

    /// Runs like [`Count::run`] and reports every tier to `progress` once, or with values twice: from the empty board
    /// to the full one, and back.
    ///
    /// # Errors
    /// Returns the errors of [`Count::run`], and [`CountError::Stopped`] if `progress` stops it.
    pub fn run_with(&self, progress: &dyn Progress) -> Result<Counted, CountError> {
        self.run_on(&Disk, progress)
    }

    /// Runs like [`Count::run_with`], with files in the given storage.
    ///
    /// # Errors
    /// Returns the errors of [`Count::run_with`].
    pub fn run_on(&self, storage: &dyn Storage, progress: &dyn Progress) -> Result<Counted, CountError> {
        run(self, progress, storage)
    }
}

/// Runs a count.
///
/// # Errors
/// See [`Count::run_with`].
fn run(count: &Count, progress: &dyn Progress, storage: &dyn Storage) -> Result<Counted, CountError> {
    let Count { values, memory_bytes, .. } = *count;
    let (plan, index) = planned(count)?;
    if !count.in_files && whole_bytes(&plan, values) <= u128::from(memory_bytes) {
        let counted = in_memory(count, progress, &index, &plan);
        // How well the bits compress is not known before.
        if !matches!(counted, Err(CountError::Memory { .. })) {
            return counted;
        }
    }
    let folder = count.folder();
    let mut made = Vec::new();
    let result = in_files(count, progress, storage, &index, plan, &folder, &mut made);
    match &result {
        // The folders are the other process's.
        Err(CountError::Busy { .. }) => {}
        Err(_) => remove_folders(storage, &made),
        Ok(_) => remove_folders_below(storage, &count.root, &folder, made),
    }
    result.map_err(|error| in_folder(error, &folder))
}

/// Makes an error of a damaged file name the folder of the count, which can be removed.
pub(super) fn in_folder(error: CountError, folder: &Path) -> CountError {
    match error {
        CountError::File(source) if source.is_damage() => CountError::Damaged { folder: folder.to_path_buf(), source },
        error => error,
    }
}

/// Counts the legal positions by ply, in memory. `done` is told of entries as they are passed, each once.
///
/// # Errors
/// [`CountError::Index`] and [`CountError::File`] where the tiers cannot be made or read.
pub(crate) fn count_legal(index: &Index, done: &(dyn Fn(u64) + Sync)) -> Result<Counted, CountError> {
    in_memory(&Count::new(index.board(), None), &Passed(done), index, &Plan::legal(index))
}

/// Returns the memory that [`count_legal`] takes.
pub(crate) fn legal_bytes(index: &Index) -> u64 {
    u64::try_from(Plan::legal(index).memory_bytes).unwrap_or(u64::MAX)
}

/// Tells of the entries that are passed.
struct Passed<'a>(&'a (dyn Fn(u64) + Sync));

impl Progress for Passed<'_> {
    fn solved(&self, entries: u64) {
        (self.0)(entries);
    }
}

/// Plans a count, and makes the index. Files are planned even where none are needed.
pub(super) fn planned(count: &Count) -> Result<(Plan, Index), CountError> {
    let Count { board, values, memory_bytes: limit_bytes, kernel, .. } = *count;
    let (estimate, index) = Plan::counted(board, values.unwrap_or(Values::Wdl), limit_bytes, kernel);
    let needed_bytes = estimate.memory_bytes;
    let index = match index {
        Some(index) => index,
        None if needed_bytes > u128::from(limit_bytes) => {
            return Err(CountError::Memory { board, needed_bytes, limit_bytes });
        }
        None => Index::new(board, kernel)?,
    };
    let plan = values.map_or_else(|| Plan::legal(&index), |values| Plan::counting(&index, values));
    Ok((plan, index))
}

/// Returns the memory of a count in memory. With values, half a bit an entry for the compressed bits is more than most
/// boards need.
fn whole_bytes(plan: &Plan, values: Option<Values>) -> u128 {
    plan.memory_bytes + if values.is_some() { plan.entries / 16 } else { 0 }
}

/// Counts in memory.
fn in_memory(count: &Count, progress: &dyn Progress, index: &Index, plan: &Plan) -> Result<Counted, CountError> {
    let files = Memory::default();
    let room = Room { block_words: count.block_words, cache_bytes: 0, slice_words: usize::MAX, wide: None };
    let logs = Logs { storage: &files, folder: Path::new("count"), index, room, crew: None };
    let journal = Journal::new(count.board, count.values, count.block_words);
    let bounded = Some((&files, plan.memory_bytes));
    let mut run = Run { count, progress, logs, list_bytes: u64::MAX, memory: bounded, journal };
    progress.planned(plan, 0);
    run.sweep(InMemory::new(logs, Reached))?;
    if let Some(values) = count.values {
        run.solve(InMemory::new(logs, Coding::new(count.board, values, 0)))?;
    }
    Ok(run.counted())
}

/// Counts in files, resuming an earlier run, and clears the folder. Folders that it makes are added to `made`.
fn in_files(
    count: &Count,
    progress: &dyn Progress,
    storage: &dyn Storage,
    index: &Index,
    plan: Plan,
    folder: &Path,
    made: &mut Vec<PathBuf>,
) -> Result<Counted, CountError> {
    let Count { board, values, block_words, .. } = *count;
    let whole_bytes = if count.in_files { u128::MAX } else { whole_bytes(&plan, values) };
    let (plan, room, list_bytes) = bounded(count, index, plan, whole_bytes)?;
    let mut journal = Journal::new(board, values, block_words);
    if journal.read(storage, folder)?.is_none() {
        check_room(storage, &plan, folder)?;
    }
    create_folder(storage, None, folder, made)?;
    let lock = folder.join("lock");
    let held = storage.lock(&lock).map_err(io_error(&lock, "lock"))?;
    let _held = held.map_err(|holder| CountError::Busy { folder: folder.to_path_buf(), holder })?;
    if let Some(found) = journal.read(storage, folder)? {
        journal = found;
    }
    let logs = Logs { storage, folder, index, room, crew: None };
    let mut run = Run { count, progress, logs, list_bytes, memory: None, journal };
    progress.planned(&plan, run.entries_done());
    run.sweep(InLogs::new(logs, Reached))?;
    if let Some(values) = values {
        run.solve(InLogs::new(logs, Coding::new(board, values, 0)))?;
        logs.remove(Kind::Values(values), &[])?;
    }
    logs.remove(Kind::Reached, &[])?;
    Journal::remove(storage, folder)?;
    storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
    Ok(run.counted())
}

/// Plans a count in files: the plan, the room for blocks, and the bytes for lists of finished colourings. In memory it takes
/// `whole_bytes`.
pub(super) fn bounded(
    count: &Count,
    index: &Index,
    plan: Plan,
    whole_bytes: u128,
) -> Result<(Plan, Room, u64), CountError> {
    let Count { board, memory_bytes, block_words, .. } = *count;
    let mut plan = plan.bounded();
    plan.memory_bytes += FinishedLists::slot_bytes(index) as u128;
    let Some(rest) = u128::from(memory_bytes).checked_sub(plan.memory_bytes) else {
        // A small board needs less in memory.
        let needed_bytes = plan.memory_bytes.min(whole_bytes);
        return Err(CountError::Memory { board, needed_bytes, limit_bytes: memory_bytes });
    };
    // Half of the rest is for lists of finished colourings, the other half for blocks.
    let list_bytes = (rest / 2) as u64;
    let room = Room { block_words, ..plan.room(memory_bytes - list_bytes) };
    Ok((plan, room, list_bytes))
}

/// Refuses a count whose files do not fit on the disk.
pub(super) fn check_room(storage: &dyn Storage, plan: &Plan, folder: &Path) -> Result<(), CountError> {
    let needed = plan.scratch_bytes;
    has_room(storage, folder, needed).map_err(|free| CountError::Disk {
        folder: folder.to_path_buf(),
        board: plan.board,
        needed,
        free,
    })
}

/// A count that is running.
pub(super) struct Run<'a> {
    pub count: &'a Count,
    pub progress: &'a dyn Progress,
    pub logs: Logs<'a>,
    /// The memory for lists of finished colourings.
    pub list_bytes: u64,
    /// Of a count in memory: its files, and the memory of everything else.
    pub memory: Option<(&'a Memory, u128)>,
    pub journal: Journal,
}

impl<'a> Run<'a> {
    /// Sweeps from the ply after those that are done to the full board.
    pub fn sweep<H: Home<'a, Content = Reached>>(&mut self, mut home: H) -> Result<(), CountError> {
        let Count { board, values, .. } = *self.count;
        let (logs, progress) = (self.logs, self.progress);
        let done = self.journal.legal.len() as u32;
        // The positions of an unfinished ply were not recorded.
        self.remove(Kind::Reached, |ply| ply >= done)?;
        self.meet();
        let plies = done..board.cells() as u32 + 1;
        let last = done.checked_sub(1).filter(|_| !plies.is_empty());
        let mut parents = last.map(|ply| home.adopt(logs.open(Reached, ply)?)).transpose()?;
        for ply in plies {
            let mut tier = home.make(ply, parents.as_ref())?;
            progress.tier(ply, tier.entries());
            let list_bytes = self.list_bytes;
            let positions =
                watching(progress, |watch| sweep_tier(logs.index, &mut tier, parents.as_ref(), list_bytes, watch))?;
            let positions = self.sum(positions.ok_or_else(|| self.stopped(ply as usize))?)?;
            if H::SAVES_PARTS || values.is_some() {
                home.save(&tier)?;
                // The journal must not name what other members have not saved.
                self.meet();
            }
            self.add_ply(ply, positions);
            self.write_journal()?;
            if values.is_none() {
                self.remove(Kind::Reached, |of| of < ply)?;
            }
            self.check_memory()?;
            if progress.is_stopped() {
                return Err(self.stopped(ply as usize + 1));
            }
            parents.replace(tier).into_iter().for_each(|old| home.reuse(old));
        }
        Ok(())
    }

    /// Solves from the ply before those that are done to the empty board, and tallies each.
    pub fn solve<H: Home<'a, Content = Coding>>(&mut self, mut home: H) -> Result<(), CountError> {
        let (board, logs, progress) = (self.count.board, self.logs, self.progress);
        // The memory for expanded blocks is the values'.
        let reached_logs = Logs { room: Room { cache_bytes: 0, ..logs.room }, ..logs };
        let done = self.journal.solved;
        let mut child = done.map(|ply| self.solved(&mut home, ply)).transpose()?;
        for ply in (0..done.unwrap_or(board.cells() as u32 + 1)).rev() {
            let stopped = |run: &Run| run.stopped(board.cells() - ply as usize);
            if progress.is_stopped() {
                return Err(stopped(self));
            }
            let mut tier = home.make(ply, child.as_ref())?;
            progress.tier(ply, tier.entries());
            if !watching(progress, |watch| solve_tier(logs.index, &mut tier, child.as_ref(), watch))? {
                if H::SAVES_PARTS {
                    home.save(&tier)?;
                }
                return Err(stopped(self));
            }
            // The memory of the child's expanded blocks goes to the tally.
            child.iter().for_each(Store::pass_all);
            for Tallied { outcome, positions, example } in
                tally(logs.index, &reached_logs.open(Reached, ply)?, &tier, logs.crew)?
            {
                self.journal.tables.add(ply, outcome, positions, example);
            }
            self.journal.solved = Some(ply);
            if H::SAVES_PARTS {
                home.save(&tier)?;
                self.meet();
                self.write_journal()?;
                self.remove(tier.content().kind(), |of| of > ply)?;
            }
            self.remove(Kind::Reached, |of| of >= ply)?;
            child.replace(tier).into_iter().for_each(|old| home.reuse(old));
        }
        Ok(())
    }

    /// Takes a solved tier that an earlier run has left.
    fn solved<H: Home<'a, Content = Coding>>(&self, home: &mut H, ply: u32) -> Result<H::Tier, FileError> {
        let values = self.count.values.unwrap_or(Values::Wdl);
        let log: LogTier<'a> = self.logs.open(Coding::new(self.count.board, values, ply), ply)?;
        home.adopt(log)
    }

    /// Records the positions of a ply.
    fn add_ply(&mut self, ply: u32, positions: Positions) {
        let legal = PlyLegal::new(self.count.board, ply, positions);
        self.journal.legal.push(legal);
        self.journal.tables.push(legal);
        if let Some(values) = self.count.values {
            let value = if self.count.board.is_misere() { Value::Win } else { Value::Lose };
            let finished = Outcome { value, remoteness: (values == Values::Remoteness).then_some(0) };
            self.journal.tables.add(ply, finished, positions.with_line, None);
        }
    }

    /// Counts the entries that earlier runs have passed, on the way forward and on the way back.
    pub fn entries_done(&self) -> u64 {
        let entries = |ply: u32| TierDirectory::new(self.logs.index, ply).entries();
        let end = self.count.board.cells() as u32 + 1;
        let back = self.journal.solved.unwrap_or(end)..end;
        (0..self.journal.legal.len() as u32).chain(back).map(entries).sum()
    }

    /// Tells whether this process keeps the journal and removes files: it counts alone, or is the first of its crew.
    fn is_first(&self) -> bool {
        self.logs.crew.is_none_or(|crew| crew.number() == 0)
    }

    /// Waits for all members of the crew.
    pub fn meet(&self) {
        self.logs.crew.iter().for_each(|crew| drop(crew.exchange(&[])));
    }

    /// Adds up what all members of the crew have counted. Waits for them.
    fn sum(&self, own: Positions) -> Result<Positions, CountError> {
        let Some(crew) = self.logs.crew else { return Ok(own) };
        let mut sum = Positions::default();
        for (member, told) in exchange_numbers(crew, &[own.without_line, own.with_line])?.iter().enumerate() {
            let &[without_line, with_line] = told.as_slice() else {
                return Err(CrewError::Told { member: member as u32 }.into());
            };
            sum += Positions { without_line, with_line };
        }
        Ok(sum)
    }

    fn write_journal(&self) -> Result<(), FileError> {
        if self.is_first() { self.journal.write(self.logs.storage, self.logs.folder) } else { Ok(()) }
    }

    /// Removes the logs of one kind of content of some plies, which no member needs any more.
    fn remove(&self, kind: Kind, is_old: impl Fn(u32) -> bool) -> Result<(), FileError> {
        if self.is_first() { segments::remove(self.logs.storage, self.logs.folder, kind, is_old) } else { Ok(()) }
    }

    /// Refuses a count in memory whose compressed bits have outgrown the limit.
    fn check_memory(&self) -> Result<(), CountError> {
        let Some((files, fixed_bytes)) = self.memory else { return Ok(()) };
        let (needed_bytes, limit_bytes) = (fixed_bytes + u128::from(files.bytes()), self.count.memory_bytes);
        if needed_bytes > u128::from(limit_bytes) {
            return Err(CountError::Memory { board: self.count.board, needed_bytes, limit_bytes });
        }
        Ok(())
    }

    fn stopped(&self, plies: usize) -> CountError {
        let board = self.count.board;
        CountError::Stopped { board, plies, all: board.cells() + 1, in_files: self.memory.is_none() }
    }

    pub fn counted(self) -> Counted {
        let Journal { legal, tables, .. } = self.journal;
        match self.count.values {
            None => Counted::Legal(legal),
            Some(values) => Counted::Values(tables.finish(self.count.board, values)),
        }
    }
}
