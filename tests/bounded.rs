//! Solves whose tiers are in files: the same bytes as in memory, whatever stops them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::support::board::board;
use crate::support::counting::Counting;
use crate::support::files::{assert_same, flip_a_bit, folder_files};
use crate::support::long;
use crate::support::progress::{Listener, StopAfterEntries};
use crate::support::shared::{self, Files};
use crate::support::small_disk::SmallDisk;
use crate::support::solves::{MEMORY_BYTES, Solve, least_bytes};
use crate::support::tiers::{CountError, Plan, Progress, SolveError, Stage, Values};

/// Blocks so small that the tiers of small boards have many.
const SMALL_BLOCKS: usize = 40;

/// The options of a solve in files.
fn in_files(root: &Path, name: &str, values: Values) -> Solve {
    let solve = Solve::new(board(name), values).with_root(root);
    solve.with_scratch(root.join("scratch")).with_block_words(SMALL_BLOCKS)
}

/// The files of a solve in memory.
fn expected(name: &str, values: Values) -> Files {
    shared::files(board(name), values)
}

/// Asserts that a database is as expected and that nothing is left in the scratch folder.
fn assert_done(solve: &Solve, expected: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert_same(&folder_files(&solve.folder()), expected, what);
    let scratch = solve.scratch().expect("a solve in files");
    assert!(!scratch.join(solve.board().to_string()).exists(), "{what}: files or folders are left");
}

#[test]
fn a_solve_in_files_writes_the_bytes_of_one_in_memory() {
    let few = [("4x4", 40), ("4x4c3", 1), ("5x3m", 1 << 15), ("1x8", 1)];
    let all = [("4x4", 1), ("5x4", 200), ("4x5", 1 << 15), ("5x3m", 40), ("4x4c3", 40), ("1x8", 1)];
    long::skips("solves of 5x4 and 4x5 in files");
    for &(name, block_words) in long::scale(&few[..], &all) {
        for values in [Values::Wdl, Values::Remoteness] {
            let expected = expected(name, values);
            for (threads, is_ample) in [(1, false), (3, false), (3, true)] {
                let root = TempDir::new().expect("a folder");
                let solve = in_files(root.path(), name, values).with_block_words(block_words);
                // With the least memory each block goes into its file at once; with plenty none does.
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let bytes = if is_ample { MEMORY_BYTES } else { pool.install(|| least_bytes(&solve)) };
                let solve = solve.with_memory_bytes(bytes);
                let report = pool.install(|| solve.run()).expect("a solve");
                assert!(!report.already_complete);
                assert_done(&solve, &expected, &format!("{name} {values}, {threads} threads"));
            }
        }
    }
}

#[test]
fn a_solve_in_files_goes_on_within_the_tier_at_which_it_was_stopped() {
    let (name, values) = ("5x4", Values::Remoteness);
    let expected = expected(name, values);
    let root = TempDir::new().expect("a folder");
    let solve = in_files(root.path(), name, values);
    let widest = 500_000;
    let mut runs = 0;
    loop {
        runs += 1;
        // Blocks that are there count as solved too: a run has to pass over those of its tier and then do more.
        let most = 100_000 * (1 + runs % 7);
        let stop = StopAfterEntries::new(most);
        match solve.run_heard(&stop) {
            Ok(_) => break,
            Err(SolveError::Stopped { .. }) => assert!(runs < 200, "it never ends"),
            Err(error) => panic!("{error}"),
        }
        assert!(stop.solved.into_inner() < most + widest, "it stops soon");
    }
    assert!(runs > 3, "{runs} runs");
    assert_done(&solve, &expected, "stopped and resumed");
}

#[test]
fn a_solve_goes_on_in_files_from_memory_and_in_memory_from_files() {
    let (name, values) = ("5x4", Values::Wdl);
    let expected = expected(name, values);
    for files_first in [false, true] {
        let root = TempDir::new().expect("a folder");
        // Without a folder of their own the files are with the database.
        let memory = Solve::new(board(name), values).with_root(root.path()).with_block_words(SMALL_BLOCKS);
        let files = memory.with_scratch(root.path());
        for turn in 0.. {
            // A run has to pass over the blocks that are there, of up to 500,000 entries, and then do more.
            let stop = StopAfterEntries::new(100_000 * (1 + turn % 7));
            let in_files = (turn % 2 == 0) == files_first;
            let solve = if in_files { &files } else { &memory };
            match solve.run_heard(&stop) {
                Ok(report) => {
                    assert!(turn > 2, "{turn}");
                    assert_same(&folder_files(&report.folder), &expected, "in turns");
                    break;
                }
                Err(SolveError::Stopped { .. }) => assert!(turn < 100, "it never ends"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Stops a solve when all values of a tier are there and its file is to be written.
struct StopAtFile {
    ply: u32,
    /// Entries of that tier to come.
    left: AtomicI64,
}

impl Progress for StopAtFile {
    fn tier(&self, ply: u32, entries: u64) {
        self.left.store(if ply == self.ply { entries as i64 } else { i64::MAX }, Ordering::Relaxed);
    }

    fn done(&self, _: Stage, entries: u64) {
        self.left.fetch_sub(entries as i64, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.left.load(Ordering::Relaxed) <= 0
    }
}

#[test]
fn a_solve_does_not_wait_for_the_end_of_a_tiers_file() {
    let (name, values) = ("5x4", Values::Remoteness);
    let expected = expected(name, values);
    let board = board(name);
    for is_in_files in [false, true] {
        long::skips("a stop at the files of eight of ten plies of 5x4");
        for ply in (1..board.cells() as u32).step_by(long::scale(10, 2)) {
            let root = TempDir::new().expect("a folder");
            let in_memory = Solve::new(board, values).with_root(root.path()).with_block_words(SMALL_BLOCKS);
            let solve = if is_in_files { in_memory.with_scratch(root.path()) } else { in_memory };
            let stop = StopAtFile { ply, left: AtomicI64::new(i64::MAX) };
            let error = solve.run_heard(&stop).expect_err("a solve that is stopped");
            let before = board.cells() - ply as usize;
            assert!(matches!(error, SolveError::Stopped { done, .. } if done == before), "ply {ply}: {error}");
            let folder = solve.folder();
            let names = Vec::from_iter(folder_files(&folder).into_keys());
            assert!(!names.iter().any(|name| name.ends_with(".new")), "ply {ply}: {names:?}");
            // The tier is kept.
            assert!(names.contains(&format!("frontier-{ply:02}.0")), "ply {ply}: {names:?}");
            solve.run().expect("a solve that goes on");
            assert_same(&folder_files(&folder), &expected, &format!("stopped at the file of ply {ply}"));
        }
    }
}

#[test]
fn files_that_are_elsewhere_are_asked_for_rather_than_solved_again() {
    let root = TempDir::new().expect("a folder");
    let solve = in_files(root.path(), "5x4", Values::Wdl);
    let stop = StopAfterEntries::new(1_000_000);
    assert!(matches!(solve.run_heard(&stop), Err(SolveError::Stopped { .. })));
    let elsewhere = solve.with_scratch(root.path().join("elsewhere"));
    let error = elsewhere.run().expect_err("the files are not there");
    assert!(matches!(error, SolveError::Scratch { .. }), "{error}");
    solve.run().expect("a solve");
    assert_done(&solve, &expected("5x4", Values::Wdl), "resumed where it was");
}

#[test]
fn a_block_that_is_damaged_is_noticed_and_its_tier_solved_again() {
    let root = TempDir::new().expect("a folder");
    let solve = in_files(root.path(), "5x4", Values::Wdl);
    let stop = StopAfterEntries::new(1_000_000);
    assert!(matches!(solve.run_heard(&stop), Err(SolveError::Stopped { .. })));
    let scratch = solve.scratch_folder();
    for name in folder_files(&scratch).keys() {
        flip_a_bit(&scratch.join(name));
    }
    let listener = Listener::default();
    solve.run_heard(&listener).expect("a solve");
    assert_eq!(listener.told().len(), 1, "said once");
    assert_done(&solve, &expected("5x4", Values::Wdl), "solved again");
}

#[test]
fn a_disk_that_is_too_small_is_found_before_the_start() {
    let root = TempDir::new().expect("a folder");
    long::skips("a disk that is too small for 5x4; takes 4x4");
    let solve = in_files(root.path(), long::scale("4x4", "5x4"), Values::Remoteness).with_root(root.path().join("db"));
    let plan = Plan::new(solve.board(), solve.values(), MEMORY_BYTES).bounded();
    // With a margin for the estimate of the database; that of the files has one.
    let enough = plan.database_bytes() / 4 * 5 + plan.scratch_bytes();
    let enough = u64::try_from(enough).expect("a small board");
    let error = solve.run_on(&SmallDisk { free_bytes: enough - 1 }).expect_err("a disk that is too small");
    let SolveError::Disk { needed, free, .. } = error else { panic!("{error}") };
    assert_eq!((needed, free), (u128::from(enough), enough - 1));
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0, "nothing is made");
    solve.run_on(&SmallDisk { free_bytes: enough }).expect("a disk that is just large enough");

    for values in [None, Some(Values::Wdl)] {
        let counting = Counting::in_files(solve.board(), values, root.path());
        let count = |free_bytes| counting.run_on(&SmallDisk { free_bytes });
        let error = count(0).expect_err("a disk that is too small");
        let CountError::Disk { needed, free: 0, .. } = error else { panic!("{error}") };
        assert!(!counting.folder().exists(), "nothing is made");
        let enough = u64::try_from(needed).expect("a small board");
        assert!(count(enough - 1).is_err());
        count(enough).expect("a disk that is just large enough");
    }
}

#[test]
fn boards_far_larger_than_memory_are_planned_in_files() {
    let plan = Plan::new(board("7x6"), Values::Wdl, 4 << 30);
    assert!(plan.is_bounded && plan.exact);
    assert_eq!(plan.entries(), 2_577_410_467_496);
    plan.check(4 << 30).expect("it fits");
    let plan = Plan::new(board("6x5"), Values::Wdl, 1 << 30);
    assert!(!plan.is_bounded, "a board that fits stays in memory");
}
