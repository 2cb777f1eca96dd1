//! A whole solve by several processes: every member of a crew runs this, tier after tier in step.
//!
//! All live tiers are in logs in the scratch folder, which all members see. Member 0 keeps the lock and the manifest, and removes
//! what is no longer needed. All values are in the logs after every tier. On several machines each tier is a checkpoint; on one machine a
//! checkpoint is made as often as by a process alone, because writing to the disk takes time.

use std::path::Path;
use std::time::{Duration, Instant};

use super::all_solved::AllSolved;
use super::alone::{check_kept, is_enough, no_root, report, root_code};
use super::checkpoints::Checkpoints;
use super::disk_space::check_disk_space;
use super::error::SolveError;
use super::options::{Report, Solve};
use super::progress::{Progress, watching};
use super::step::solve_tier;
use super::witness::Witness;
use crate::crew::{Crew, greet, hold, share_folder};
use crate::files::{FileError, Storage, Written, publish};
use crate::format::{Manifest, State, TierRecord, lock_path, remove_leftovers, write_tier_together};
use crate::index::Index;
use crate::kernel::Coding;
use crate::tier::log::segments;
use crate::tier::{Kind, LogTier, Logs, Store};

/// Runs a solve as a member of a crew.
///
/// # Errors
/// See [`Solve::run_together`].
pub(super) fn together<W: Witness>(
    solve: &Solve,
    witness: &W,
    crew: &dyn Crew,
    storage: &dyn Storage,
    progress: &dyn Progress,
) -> Result<Report, SolveError> {
    let (folder, scratch) = (solve.folder(), solve.scratch_folder());
    greet(crew, &greeting(solve))?;
    let held = hold(Some(crew), storage, solve.existing(), &[&folder, &scratch], &lock_path(&folder), &mut Vec::new())?;
    let held = held.map_err(|holder| SolveError::Busy { folder: folder.clone(), holder })?;
    share_folder(crew, storage, &scratch)??;
    share_folder(crew, storage, &folder)??;
    let solved = Together { solve, witness, crew, storage, progress, folder: &folder, scratch: &scratch }.run();
    drop(held);
    solved
}

/// Says what a member does.
fn greeting(solve: &Solve) -> String {
    let Solve { board, values, keep_plies, knobs, replace, .. } = solve;
    let begin = if *replace { "solve again" } else { "solve" };
    format!("{begin} {board} {values} keeping {keep_plies:?} in blocks of {} words", knobs.block_words)
}

/// On one machine the logs hold deltas, which take about so many halves of the bytes that are planned: 2.0 times on 6x5, 2.3 on 6x6.
const DELTA_HALVES: u128 = 5;

/// A solve by a crew.
struct Together<'a, W> {
    solve: &'a Solve,
    witness: &'a W,
    crew: &'a dyn Crew,
    storage: &'a dyn Storage,
    progress: &'a dyn Progress,
    folder: &'a Path,
    scratch: &'a Path,
}

impl<W: Witness> Together<'_, W> {
    fn is_first(&self) -> bool {
        self.crew.number() == 0
    }

    /// Waits for all members.
    fn meet(&self) {
        self.crew.exchange(&[]);
    }

    fn run(&self) -> Result<Report, SolveError> {
        let Together { solve, crew, storage, folder, .. } = *self;
        if solve.replace && self.is_first() {
            crate::format::remove_database(storage, folder)?;
            self.remove_logs(|_| true)?;
        }
        self.meet();
        let found = Manifest::read(storage, folder, solve.board, solve.values)?;
        if let Some(manifest) = &found {
            check_kept(solve, folder, manifest)?;
            manifest.check_files(storage, folder)?;
        }
        if let Some(manifest) = found.as_ref().filter(|manifest| manifest.state == State::Complete) {
            return report(solve, manifest, true);
        }
        let (plan, index) = solve.counted_plan();
        let mut plan = plan.bounded();
        if crew.is_on_one_machine() {
            plan.scratch_bytes = plan.scratch_bytes / 2 * DELTA_HALVES;
        }
        plan.check(solve.memory_bytes)?;
        let index = index.map_or_else(|| Index::new(solve.board, solve.kernel), Ok)?;
        if self.is_first() && found.is_none() {
            check_disk_space(storage, &plan, folder, self.scratch)?;
        }
        if let Some(manifest) = &found {
            self.check_hashes(manifest)?;
        }
        let mut manifest = found.unwrap_or_else(|| Manifest::new(solve.board, solve.values, solve.keep_plies));
        let mut room = plan.room(solve.memory_bytes);
        room.block_words = solve.knobs.block_words;
        let logs = Logs { storage, folder: self.scratch, index: &index, room, crew: Some(self.crew) };
        let coding = Coding::new(solve.board, solve.values, 0);
        let child = self.resume(&logs, coding, &mut manifest)?;
        if self.is_first() {
            remove_leftovers(storage, folder)?;
            if manifest.tiers.is_empty() {
                manifest.write(storage, folder)?;
            }
        }
        // Members that have read other files would go on from other tiers.
        greet(crew, &format!("going on from ply {:?} with {} tiers", manifest.checkpoint, manifest.tiers.len()))?;
        self.progress.planned(&plan, manifest.entries());
        self.tiers(&logs, coding, child, &mut manifest)?;
        self.meet();
        let manifest = Manifest::read(storage, folder, solve.board, solve.values)?;
        report(solve, &manifest.unwrap_or_else(|| Manifest::new(solve.board, solve.values, solve.keep_plies)), false)
    }

    /// Reads the files of an earlier solve through, each member a part.
    fn check_hashes(&self, manifest: &Manifest) -> Result<(), SolveError> {
        let Together { crew, storage, progress, folder, .. } = *self;
        let bytes: u64 = manifest.tiers.iter().map(|tier| tier.bytes).sum();
        progress.checks(bytes / u64::from(crew.size()));
        let goes_on = |bytes| {
            progress.checked(bytes);
            !progress.is_stopped()
        };
        let part = (crew.number() as usize, crew.size() as usize);
        if manifest.check_hashes(storage, folder, part, &goes_on)? { Ok(()) } else { Err(self.stopped(manifest)) }
    }

    /// Finds the tier to go on from. Without one, the solve begins with the full board.
    fn resume<'s>(
        &self,
        logs: &Logs<'s>,
        coding: Coding,
        manifest: &mut Manifest,
    ) -> Result<Option<LogTier<'s>>, SolveError> {
        let Some(ply) = manifest.checkpoint else {
            *manifest = Manifest::new(self.solve.board, self.solve.values, self.solve.keep_plies);
            return Ok(None);
        };
        let last = logs.open(coding, ply)?;
        if last.is_complete() || (ply > 0 && is_enough(&last, &logs.open(coding, ply - 1)?)) {
            return Ok(Some(last));
        }
        if !last.has_files() {
            let (scratch, folder) = (self.scratch.to_path_buf(), self.folder.to_path_buf());
            return Err(SolveError::Scratch { scratch, folder, ply });
        }
        let file = segments::path_of(self.scratch, Kind::Values(self.solve.values), ply, 0);
        let what = "incomplete: some blocks cannot be read";
        self.progress.starts_over(&FileError::Damaged { file, offset: 0, what });
        *manifest = Manifest::new(self.solve.board, self.solve.values, self.solve.keep_plies);
        Ok(None)
    }

    /// Solves the missing tiers.
    fn tiers<'s>(
        &self,
        logs: &Logs<'s>,
        coding: Coding,
        mut child: Option<LogTier<'s>>,
        manifest: &mut Manifest,
    ) -> Result<(), SolveError> {
        let Together { solve, crew, storage, progress, folder, .. } = *self;
        let all = AllSolved::new(progress, crew);
        // Of several machines the tiers are on the disk anyway.
        let least = if crew.is_on_one_machine() { solve.checkpoint } else { Duration::ZERO };
        let (mut unpublished, mut checkpoints) = (Vec::new(), Checkpoints::new(least));
        // See the solve alone, which may have left so few blocks.
        let mut is_due = child.as_ref().is_some_and(|last| !last.is_complete());
        while let Some(ply) = manifest.next_ply(solve.board) {
            let mut tier: LogTier<'s> = logs.open(coding, ply)?;
            if let Some(child) = &child {
                child.share_room(&mut tier);
            } else {
                tier.take_room();
            }
            all.tier(ply, tier.entries());
            let begun = all.begin();
            if !watching(&all, |watch| solve_tier(logs.index, &mut tier, child.as_ref(), watch))? {
                tier.sync()?;
                drop(tier);
                if let Some(child) = child.filter(|child| manifest.checkpoint != Some(child.ply())) {
                    self.commit(logs, &child, unpublished, manifest)?;
                }
                return Err(self.stopped(manifest));
            }
            child.iter().for_each(Store::pass_all);
            self.witness.solved(logs.index, &tier)?;
            let file =
                if manifest.keeps(ply) { write_tier_together(storage, folder, logs.index, &tier, crew)? } else { None };
            let bytes = file.as_ref().map_or(0, |file| file.written.bytes);
            let hash = file.as_ref().map(|file| file.hash);
            let record = TierRecord { ply, entries: tier.entries(), bytes, hash };
            unpublished.extend(file.map(|file| file.written));
            manifest.tiers.push(record);
            progress.tier_done(&record);
            let written = tier.written_bytes();
            // What is not read any more is closed everywhere before member 0 removes it.
            drop(child.replace(tier));
            all.end(ply, written, begun);
            if let Some(tier) =
                child.as_ref().filter(|_| self.hears_of_first(ply == 0 || is_due || checkpoints.is_due()))
            {
                let begun = Instant::now();
                self.commit(logs, tier, std::mem::take(&mut unpublished), manifest)?;
                checkpoints.made(begun);
                is_due = false;
            } else if self.is_first() {
                self.remove_logs(|of| of > ply && Some(of) != manifest.checkpoint)?;
            }
        }
        if self.is_first() {
            remove_leftovers(storage, folder)?;
        }
        Ok(())
    }

    /// Tells the others what member 0 decides.
    fn hears_of_first(&self, own: bool) -> bool {
        self.crew.exchange(&[u8::from(own)]).first().is_some_and(|first| first == &[1])
    }

    /// Makes what is done durable, like a solve alone: all values of the last tier at all members; then the files of the database; then
    /// the manifest that names them. Then older logs go.
    fn commit(
        &self,
        logs: &Logs,
        last: &LogTier,
        files: Vec<Written>,
        manifest: &mut Manifest,
    ) -> Result<(), SolveError> {
        let (ply, storage, folder) = (last.ply(), self.storage, self.folder);
        last.sync()?;
        self.meet();
        manifest.checkpoint = Some(ply);
        if !self.is_first() {
            return Ok(());
        }
        publish(storage, folder, files)?;
        if ply == 0 {
            let root = root_code(logs.index, last)?.and_then(|code| last.content().decode(code));
            manifest.complete(root.ok_or_else(|| no_root(folder))?);
        }
        manifest.write(storage, folder)?;
        // The tier before it may be half solved already.
        Ok(self.remove_logs(|of| ply == 0 || of != ply && of != ply - 1)?)
    }

    fn remove_logs(&self, is_old: impl Fn(u32) -> bool) -> Result<(), FileError> {
        segments::remove(self.storage, self.scratch, Kind::Values(self.solve.values), is_old)
    }

    fn stopped(&self, manifest: &Manifest) -> SolveError {
        let Solve { board, values, .. } = *self.solve;
        SolveError::Stopped {
            folder: self.folder.to_path_buf(),
            board,
            values,
            keep_plies: manifest.keep_plies(),
            done: manifest.tiers.len(),
            tiers: board.cells() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use fourbase::Board;

    use super::*;
    use crate::crew::Threads;
    use crate::files::Disk;
    use crate::kernel::Values;
    use crate::long;
    use crate::solve::options::Knobs;

    fn solve(board: &str, values: Values, root: &Path) -> Solve {
        let board: Board = board.parse().unwrap();
        let solve = Solve::new(board, values).root(root).memory(1 << 30);
        // Many blocks, also on small boards.
        Solve { knobs: Knobs { block_words: 1 << 8 }, ..solve }
    }

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let names = Disk.names(folder).unwrap();
        names
            .iter()
            .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
            .filter(|(name, _)| name != "lock")
            .collect()
    }

    #[test]
    fn any_number_of_members_and_threads_makes_the_same_files() {
        let large = ["4x4", "5x4", "4x4m", "5x5"];
        let boards = if long::skips("5x5") { &large[..3] } else { &large[..] };
        for board in boards {
            for values in [Values::Wdl, Values::Remoteness] {
                let alone = tempfile::tempdir().unwrap();
                let report = solve(board, values, alone.path()).run().unwrap();
                for (members, threads) in [(1, 1), (1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
                    let root = tempfile::tempdir().unwrap();
                    let scratch = root.path().join("scratch");
                    let (reports, bytes) = Threads::run(members, threads, |crew| {
                        let solve = solve(board, values, root.path()).scratch(Some(scratch.clone()));
                        solve.run_together(crew, &Disk, &()).unwrap()
                    });
                    for found in &reports {
                        assert_eq!(
                            (found.hash, found.outcome, found.bytes),
                            (report.hash, report.outcome, report.bytes)
                        );
                    }
                    assert_eq!(
                        files(&report.folder),
                        files(&reports[0].folder),
                        "{board} {values} {members} {threads}"
                    );
                    println!("{board} {values}: {members} members have told each other {bytes} bytes");
                }
            }
        }
    }

    /// Stops after some tiers.
    struct Stop(AtomicU32);

    impl Progress for Stop {
        fn is_stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed) == 0
        }

        fn tier(&self, _: u32, _: u64) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_solve_that_was_stopped_alone_is_gone_on_with_by_members() {
        let expected = solve("5x4", Values::Wdl, tempfile::tempdir().unwrap().path()).run().unwrap().hash;
        for tiers in [3, 9] {
            let root = tempfile::tempdir().unwrap();
            let scratch = Some(root.path().join("scratch"));
            let solve = || solve("5x4", Values::Wdl, root.path()).scratch(scratch.clone()).memory(100 << 20);
            let stopped = solve().run_with(&Stop(AtomicU32::new(tiers)));
            assert!(matches!(stopped, Err(SolveError::Stopped { .. })));
            let (reports, _) = Threads::run(2, 1, |crew| solve().run_together(crew, &Disk, &NotAgain).unwrap());
            assert!(reports.iter().all(|report| report.hash == expected), "{tiers}");
        }
    }

    #[test]
    fn a_missing_file_of_an_earlier_solve_is_found() {
        let root = tempfile::tempdir().unwrap();
        let solve = || solve("4x4", Values::Wdl, root.path());
        let folder = solve().run().unwrap().folder;
        std::fs::remove_file(folder.join("tier-09")).unwrap();
        let (found, _) = Threads::run(2, 1, |crew| solve().run_together(crew, &Disk, &()).unwrap_err().to_string());
        assert!(found.iter().all(|error| error.contains("the file is missing")), "{found:?}");
    }

    /// Does not start over.
    struct NotAgain;

    impl Progress for NotAgain {
        fn starts_over(&self, why: &FileError) {
            panic!("{why}");
        }
    }

    /// Up to three members are on one machine, where few tiers are checkpoints.
    #[test]
    fn a_solve_that_was_stopped_is_gone_on_with_by_other_numbers_of_members() {
        let alone = tempfile::tempdir().unwrap();
        let expected = solve("4x4", Values::Remoteness, alone.path()).run().unwrap().hash;
        for checkpoint in [Duration::ZERO, Duration::from_secs(120)] {
            for (tiers, members) in [(1, 2), (2, 4), (7, 3), (12, 1), (16, 2)] {
                let root = tempfile::tempdir().unwrap();
                let scratch = root.path().join("scratch");
                let solve = || {
                    let solve = solve("4x4", Values::Remoteness, root.path()).scratch(Some(scratch.clone()));
                    solve.checkpoint(checkpoint)
                };
                let (stopped, _) = Threads::run(members, 1, |crew| {
                    solve().run_together(crew, &Disk, &Stop(AtomicU32::new(tiers))).unwrap_err()
                });
                for error in stopped {
                    assert!(matches!(error, SolveError::Stopped { done, .. } if done == tiers as usize - 1), "{error}");
                }
                let folder = solve().folder();
                let kept = Manifest::read_any(&Disk, &folder).unwrap().unwrap();
                assert_eq!(kept.0.tiers.len(), tiers as usize - 1, "{members}");
                let again = 5 - members;
                let (reports, _) = Threads::run(again, 1, |crew| solve().run_together(crew, &Disk, &()).unwrap());
                assert!(reports.iter().all(|report| report.hash == expected), "{tiers} {members}");
            }
        }
    }
}
