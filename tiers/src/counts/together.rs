//! A whole count by several processes: every member of a crew runs this, tier after tier in step.
//!
//! It is a count in files. Member 0 keeps the lock and the journal, and removes what no member needs any more; what the members
//! have counted of a tier is added up before any goes on.

use super::error::CountError;
use super::journal::Journal;
use super::options::{Count, Counted};
use super::run::{Run, bounded, check_room, in_folder, planned};
use crate::crew::{Crew, greet, hold, share_folder};
use crate::files::{Storage, io_error, remove_folders_below};
use crate::kernel::Coding;
use crate::solve::{AllSolved, Progress};
use crate::tier::{InLogs, Kind, Logs, Reached};

impl Count {
    /// Counts together with the other members of a crew, each of which calls this with the same settings, in files. Resumes an
    /// earlier count in files of any number of processes.
    ///
    /// Where a member returns an error, its caller has to end the whole job: the others wait for it.
    ///
    /// # Errors
    /// Those of [`Count::run_with`]; [`CountError::Crew`] where the members do not fit together.
    pub fn run_together(
        &self,
        crew: &dyn Crew,
        storage: &dyn Storage,
        progress: &dyn Progress,
    ) -> Result<Counted, CountError> {
        let Count { board, values, block_words, .. } = *self;
        let what = values.map_or_else(|| "legal positions".to_owned(), |values| values.to_string());
        greet(crew, &format!("count {board} {what} in blocks of {block_words} words"))?;
        let folder = self.folder();
        let (plan, index) = planned(self)?;
        let (plan, room, list_bytes) = bounded(self, &index, plan, u128::MAX)?;
        let begun = Journal::new(board, values, block_words);
        if crew.number() == 0 && begun.read(storage, &folder)?.is_none() {
            check_room(storage, &plan, &folder)?;
        }
        let (mut made, lock) = (Vec::new(), folder.join("lock"));
        let held = hold(Some(crew), storage, None, &[&folder], &lock, &mut made)?;
        let held = held.map_err(|holder| CountError::Busy { folder: folder.clone(), holder })?;
        share_folder(crew, storage, &folder)??;
        let journal = begun.read(storage, &folder)?.unwrap_or(begun);
        let logs = Logs { storage, folder: &folder, index: &index, room, crew: Some(crew) };
        let all = AllSolved::new(progress, crew);
        let mut run = Run { count: self, progress: &all, logs, list_bytes, memory: None, journal };
        all.planned(&plan, run.entries_done());
        let damaged = |error| in_folder(error, &folder);
        run.sweep(InLogs::new(logs, Reached)).map_err(damaged)?;
        if let Some(values) = values {
            run.solve(InLogs::new(logs, Coding::new(board, values, 0))).map_err(damaged)?;
        }
        run.meet();
        if crew.number() == 0 {
            for kind in values.map(Kind::Values).into_iter().chain([Kind::Reached]) {
                logs.remove(kind, &[])?;
            }
            Journal::remove(storage, &folder)?;
            storage.remove(&lock).map_err(io_error(&lock, "remove"))?;
            drop(held);
            remove_folders_below(storage, &self.root, &folder, made);
        }
        Ok(run.counted())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use fourbase::Board;

    use super::*;
    use crate::counts::solve_and_count;
    use crate::crew::Threads;
    use crate::files::Disk;
    use crate::kernel::Values;
    use crate::long;
    use crate::solve::Solve;

    #[test]
    fn any_number_of_members_counts_what_one_process_counts() {
        let boards = ["4x4", "5x4", "4x4m", "3x6", "5x5"];
        for board in &boards[..if long::skips("5x5") { 4 } else { 5 }] {
            let board: Board = board.parse().unwrap();
            for values in [None, Some(Values::Wdl), Some(Values::Remoteness)] {
                let expected = Count::new(board, values).run().unwrap();
                for (members, threads) in [(1, 2), (2, 1), (3, 2), (5, 1)] {
                    let root = tempfile::tempdir().unwrap();
                    let count = Count::new(board, values).memory(1 << 30).root(root.path()).block_words(1 << 8);
                    let (counted, _) =
                        Threads::run(members, threads, |crew| count.run_together(crew, &Disk, &()).unwrap());
                    assert!(counted.iter().all(|counted| *counted == expected), "{board} {values:?} {members}");
                    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "{board} {values:?}");
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
    fn a_count_that_was_stopped_is_gone_on_with_by_other_numbers_of_members() {
        let board: Board = "4x4".parse().unwrap();
        for values in [None, Some(Values::Remoteness)] {
            let expected = Count::new(board, values).run().unwrap();
            for tiers in [1, 5, 12, 17, 18, 25, 33] {
                let root = tempfile::tempdir().unwrap();
                let count = Count::new(board, values).memory(1 << 30).root(root.path()).block_words(1 << 6);
                let count = count.in_files(true);
                let stopped = count.run_on(&Disk, &Stop(AtomicU32::new(tiers)));
                assert!(stopped.is_err() || values.is_none(), "{tiers}");
                let (counted, _) = Threads::run(3, 1, |crew| count.run_together(crew, &Disk, &()).unwrap());
                assert!(counted.iter().all(|counted| *counted == expected), "{values:?} {tiers}");
            }
        }
    }

    #[test]
    fn members_that_solve_and_count_keep_the_database_and_the_counts_of_one_process() {
        for (board, values) in [("4x4", Values::Wdl), ("4x4m", Values::Remoteness), ("5x4", Values::Wdl)] {
            let root = tempfile::tempdir().unwrap();
            let solve =
                |name: &str| Solve::new(board.parse().unwrap(), values).root(&root.path().join(name)).memory(1 << 30);
            let (report, counts) = solve_and_count(&solve("one"), None, &Disk, &(), &()).unwrap();
            for members in [1, 3, 4] {
                let solve = solve(&members.to_string());
                let count = |crew: &Threads| solve_and_count(&solve, Some(crew), &Disk, &(), &()).unwrap();
                // The second time it is done already.
                for _ in 0..2 {
                    for (found, of) in Threads::run(members, 2, count).0 {
                        assert_eq!((found.hash, of.total().legal), (report.hash, counts.total().legal), "{board}");
                        assert!(of == counts, "{board} {members}");
                    }
                }
            }
        }
    }
}
