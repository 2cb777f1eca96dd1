//! Counts are the same whichever way they are made: in memory or in files, alone or beside the solve of a database, by any number
//! of threads and ranks, with any kernel, and however often they were stopped.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{counts_of, legal_of};
use crate::communicator::{Alone, Communicator};
use crate::counts::pull::share;
use crate::counts::{Count, CountError, Counts, PlyLegal, kept_path, read_kept, solve_and_count};
use crate::files::Disk;
use crate::kernel::{Kernel, Values};
use crate::long;
use crate::progress::{Progress, Stage};
use crate::solve::{Plan, Report, Solve, SolveError};
use crate::testing::Threads;

/// What was counted, with values or without.
type Counted = Result<Counts, Vec<PlyLegal>>;

/// Counts in files below `root`, with every block of so many words.
fn in_files(board: &str, block_words: usize, root: &Path) -> Count {
    Count::new(board.parse().unwrap()).memory(1 << 30).root(root).in_files(true).block_words(block_words)
}

fn count(
    count: &Count,
    values: Option<Values>,
    all: &dyn Communicator,
    progress: &dyn Progress,
) -> Result<Counted, CountError> {
    match values {
        None => Ok(Err(count.legal_on(all, &Disk, progress)?)),
        Some(values) => Ok(Ok(count.by_value_on(values, all, &Disk, progress)?)),
    }
}

fn expected(board: &str, values: Option<Values>) -> Counted {
    values.map_or_else(|| Err(legal_of(board)), |values| Ok(counts_of(board, values)))
}

const KINDS: [Option<Values>; 3] = [None, Some(Values::Wdl), Some(Values::Remoteness)];

fn solve(board: &str, values: Values, root: &Path) -> Solve {
    Solve::new(board.parse().unwrap(), values).root(root).memory(1 << 30)
}

/// Lets this many questions pass, then stops; notes the entries that are reported.
#[derive(Default)]
struct Patience {
    left: AtomicU64,
    begun: AtomicU64,
    done: AtomicU64,
}

impl Patience {
    fn new(left: u64) -> Patience {
        Patience { left: left.into(), ..Patience::default() }
    }
}

impl Progress for Patience {
    fn tier(&self, _: u32, entries: u64) {
        self.begun.fetch_add(entries, Relaxed);
    }

    fn done(&self, _: Stage, entries: u64) {
        self.done.fetch_add(entries, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn counts_in_files_are_those_in_memory_however_small_the_blocks_and_the_memory() {
    let boards = [
        ("1x1", 1),
        ("1x8", 1),
        ("8x2", 30),
        ("2x2c2", 1),
        ("3x3c1", 1),
        ("4x4", 1),
        ("4x4c3", 3),
        ("4x4m", 64),
        ("3x6", 7),
        ("6x3", 1 << 15),
        ("4x5", 200),
        ("5x4", 64),
        ("3x4c3m", 1),
        ("4x6", 500),
        ("7x2c3", 5),
    ];
    for (board, block_words) in boards {
        if ["8x2", "5x4", "4x5", "4x6"].contains(&board) && long::skips(format_args!("a count of {board} in files")) {
            continue;
        }
        for values in KINDS {
            let root = tempfile::tempdir().unwrap();
            let ample = in_files(board, block_words, root.path());
            let CountError::Memory { needed_bytes, .. } =
                count(&ample.clone().memory(0), values, &Alone, &()).unwrap_err()
            else {
                panic!("too little memory")
            };
            for memory_bytes in [needed_bytes as u64, 1 << 30] {
                let counted = count(&ample.clone().memory(memory_bytes), values, &Alone, &()).unwrap();
                assert!(counted == expected(board, values), "{board} {values:?} {block_words} {memory_bytes}");
                assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "nothing is left");
            }
        }
    }
}

#[test]
fn any_number_of_ranks_and_threads_counts_the_same_with_every_kernel() {
    for board in ["4x4", "5x4", "4x4m", "3x6", "5x5"] {
        if ["5x4", "5x5"].contains(&board) && long::skips(format_args!("{board}, counted by ranks")) {
            continue;
        }
        for values in KINDS {
            let expected = expected(board, values);
            for (ranks, threads) in [(1, 3), (2, 1), (3, 2), (5, 1)] {
                let root = tempfile::tempdir().unwrap();
                let files = in_files(board, 1 << 8, root.path());
                let (counted, _) = Threads::run(ranks, threads, |all| count(&files, values, all, &()).unwrap());
                assert!(counted.iter().all(|counted| *counted == expected), "{board} {values:?} {ranks}");
                assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "{board} {values:?}");
            }
            for kernel in Kernel::all() {
                let memory = Count::new(board.parse().unwrap()).kernel(kernel);
                assert!(count(&memory, values, &Alone, &()).unwrap() == expected, "{board} {values:?} {kernel:?}");
            }
        }
    }
}

#[test]
fn a_count_that_is_stopped_again_and_again_ends_with_the_same_counts_for_any_number_of_ranks() {
    long::skips("a count with remoteness that is stopped, and two of three stops");
    let step = long::scale(60, 20);
    for values in KINDS.into_iter().take(long::scale(2, 3)) {
        let root = tempfile::tempdir().unwrap();
        let files = in_files("5x4", 200, root.path());
        let (mut stops, mut patience) = (0, step);
        let counted = loop {
            match count(&files, values, &Alone, &Patience::new(patience)) {
                Ok(counted) => break counted,
                Err(CountError::Stopped { in_files: true, .. }) => stops += 1,
                Err(error) => panic!("{error}"),
            }
            // A ply of the sweep that is stopped begins anew: with the same patience it would never end.
            patience += step;
        };
        assert!(stops > long::scale(1, 3), "{stops}");
        assert!(counted == expected("5x4", values), "{values:?}");
        count(&files, values, &Alone, &Patience::new(4 * step)).unwrap_err();
        let (counted, _) = Threads::run(3, 1, |all| count(&files, values, all, &()).unwrap());
        assert!(counted.into_iter().all(|found| found == expected("5x4", values)), "{values:?}");
    }
}

#[test]
fn the_counts_and_the_database_are_the_same_as_apart() {
    for board in ["1x1", "1x8", "2x2c2", "3x3c1", "4x4", "4x4c3", "4x4m", "3x4c3m", "7x2c3", "5x4"] {
        if ["5x4", "7x2c3"].contains(&board) && long::skips(format_args!("{board}, solved and counted")) {
            continue;
        }
        for values in [Values::Wdl, Values::Remoteness] {
            let root = tempfile::tempdir().unwrap();
            let hash = solve(board, values, &root.path().join("alone")).run().unwrap().hash;
            for ranks in [1, 3, 4] {
                let scratch = root.path().join("scratch");
                let solve = solve(board, values, &root.path().join(ranks.to_string())).scratch(Some(scratch.clone()));
                // The second time it is done already.
                for is_again in [false, true] {
                    let solved = Threads::run(ranks, 2, |all| solve_and_count(&solve, all, &Disk, &()).unwrap());
                    for (report, counts) in solved.0 {
                        assert_eq!((report.hash, report.already_complete), (hash, is_again), "{board} {values}");
                        assert!(counts == counts_of(board, values), "{board} {values}");
                    }
                }
                assert!(!scratch.exists(), "{board}: nothing temporary is left");
                let beside = std::fs::read_dir(solve.folder().parent().unwrap()).unwrap().count();
                assert_eq!(beside, 3, "{board}: the database, its lock, and the counts");
                let manifest = solve.manifest(&Disk).unwrap().unwrap();
                assert!(read_kept(&Disk, &solve.folder(), solve.board(), &manifest).unwrap().is_some());
            }
        }
    }
}

#[test]
fn sweeps_and_solves_that_are_stopped_again_and_again_end_with_the_same_counts() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("5x4", Values::Wdl, root.path()).block_words(1 << 10);
    let (mut sweeps, mut solves, mut patience) = (0, 0, 10);
    let (report, counts): (Report, Counts) = loop {
        match solve_and_count(&solve, &Alone, &Disk, &Patience::new(patience)) {
            Ok(done) => break done,
            Err(CountError::Stopped { in_files: true, .. }) => sweeps += 1,
            Err(CountError::Solve(SolveError::Stopped { .. })) => solves += 1,
            Err(error) => panic!("{error}"),
        }
        patience += 5;
    };
    assert!(sweeps > 1 && solves > 1, "{sweeps} {solves}");
    assert_eq!(counts, counts_of("5x4", Values::Wdl));
    assert!(report.hash.is_some() && kept_path(&solve.folder()).exists());
}

#[test]
fn tiers_that_were_solved_without_counting_are_not_left_out() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("4x4", Values::Wdl, root.path());
    solve.run_on(&Alone, &Disk, &Patience::new(12)).unwrap_err();
    for _ in 0..2 {
        let error = solve_and_count(&solve, &Alone, &Disk, &()).unwrap_err();
        assert!(matches!(error, CountError::Uncounted { .. }), "{error}");
        solve.run().unwrap();
    }
    let (_, counts) = solve_and_count(&solve.replace(true), &Alone, &Disk, &()).unwrap();
    assert_eq!(counts, counts_of("4x4", Values::Wdl));
}

/// Damages all bits of a sweep in a folder.
fn damage(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("reached-") {
            std::fs::write(path, "nonsense").unwrap();
        }
    }
}

#[test]
fn files_of_another_count_or_of_chance_are_not_believed() {
    let root = tempfile::tempdir().unwrap();
    let (first, values) = (in_files("5x4", 200, root.path()), Some(Values::Wdl));
    let stop =
        |count: &Count, values, patience| self::count(count, values, &Alone, &Patience::new(patience)).unwrap_err();
    stop(&first, values, 400);
    let other = first.clone().block_words(300);
    assert!(count(&other, values, &Alone, &()).unwrap() == expected("5x4", values), "other blocks");

    stop(&first, values, 400);
    std::fs::write(first.folder(values).join("count"), "nonsense").unwrap();
    assert!(count(&first, values, &Alone, &()).unwrap() == expected("5x4", values), "no journal");

    stop(&first, None, 100);
    damage(&first.folder(None));
    let error = count(&first, None, &Alone, &()).unwrap_err();
    assert!(matches!(&error, CountError::Damaged { folder, .. } if *folder == first.folder(None)), "{error}");

    let solve = solve("5x4", Values::Wdl, root.path());
    // Stopped in the sweep first, in the end in the solve.
    let stop = |patience| solve_and_count(&solve, &Alone, &Disk, &Patience::new(patience)).unwrap_err();
    let mut errors = (30..).step_by(10).map(stop);
    assert!(errors.any(|error| matches!(error, CountError::Solve(SolveError::Stopped { .. }))));
    let folder = root.path().join("5x4/tally-wdl");
    damage(&folder);
    let error = solve_and_count(&solve, &Alone, &Disk, &()).unwrap_err();
    assert!(matches!(&error, CountError::Damaged { folder: found, .. } if *found == folder), "{error}");
}

#[test]
fn a_count_is_refused_before_anything_is_made() {
    let root = tempfile::tempdir().unwrap();
    for (board, memory_bytes) in [("5x4", 1000), ("5x4", 24 << 20), ("8x8", 1 << 30)] {
        for values in KINDS {
            let error =
                count(&in_files(board, 200, root.path()).memory(memory_bytes), values, &Alone, &()).unwrap_err();
            match error {
                CountError::Memory { needed_bytes, limit_bytes, .. } => {
                    assert!(needed_bytes > memory_bytes.into() && limit_bytes == memory_bytes, "{error}");
                }
                CountError::Index(_) => {}
                error => panic!("{error}"),
            }
        }
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    let held = in_files("4x4", 200, root.path());
    std::fs::create_dir_all(held.folder(None)).unwrap();
    let lock = std::fs::File::create(held.folder(None).join("lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(held.legal().unwrap_err(), CountError::Busy { .. }));
}

#[test]
fn every_entry_is_reported_twice_once_each_way() {
    let progress = Patience::new(u64::MAX);
    Count::new("4x4".parse().unwrap()).by_value_on(Values::Wdl, &Alone, &Disk, &progress).unwrap();
    let entries = Plan::new("4x4".parse().unwrap(), Values::Wdl, u64::MAX).entries() as u64;
    assert_eq!((progress.begun.into_inner(), progress.done.into_inner()), (2 * entries, 2 * entries));
}

#[test]
#[ignore = "some minutes and a gigabyte of files: run it when the sweep changes"]
fn the_totals_of_6x6_and_7x5_are_the_published_ones() {
    for (board, total) in [("6x6", 69_173_028_785), ("7x5", 112_829_665_923)] {
        let root = tempfile::tempdir().unwrap();
        let plies = in_files(board, crate::tier::BLOCK_WORDS, root.path()).memory(4 << 30).legal().unwrap();
        assert_eq!(plies.iter().map(|ply| ply.legal).sum::<u64>(), total, "{board}");
    }
}

#[test]
fn the_pieces_of_a_large_matrix_share_out_all_finished_rows() {
    for all in [1usize, 512, 513, 3000, 6435] {
        for finished in [0usize, 1, 63, 64, 65, 700, 6435, 20_000] {
            let mut next = 0;
            for start in (0..all).step_by(512) {
                let share = share(finished, &(start..all.min(start + 512)), all);
                assert_eq!(share.start, next, "{finished} of {all}");
                assert!(share.start.is_multiple_of(64) || share.is_empty(), "{finished} of {all}");
                next = share.end;
            }
            assert_eq!(next, finished, "{finished} of {all}");
        }
    }
    assert_eq!(share(70, &(0..0), 0), 0..70, "a matrix without rows has its finished rows all the same");
}
