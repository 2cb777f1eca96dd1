//! A solve that is stopped anywhere, in memory or in files, goes on later in either and ends with the same bytes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fourbase_tiers::counts::{count_by_ply, count_by_value};
use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::support::databases;
use crate::support::files::{assert_same, flip_a_bit, folder_files};
use crate::support::long;
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::positions::board;
use crate::support::progress::{Listener, StopAfter, StopAtFiles};
use crate::support::solves::{MEMORY_BYTES, Runs, in_files, least_bytes, stepwise};
use crate::support::tiers::{CHECKPOINT, Context, Plan, Solve, SolveError, Values};

/// Blocks so small that the tiers of small boards have many.
const SMALL_BLOCKS: usize = 40;

/// A solve in files on disk, apart from the database.
fn on_disk(root: &Path, name: &str, values: Values) -> Solve {
    let solve = Solve::new(board(name), values).root(root);
    solve.scratch(Some(root.join("scratch"))).block_words(SMALL_BLOCKS)
}

/// Asserts that a database is that of a solve in memory, and that nothing is left in the scratch folder.
fn assert_done(solve: &Solve, what: &str) {
    assert_same(&folder_files(&solve.folder()), &databases::files(solve.board, solve.values), what);
    let scratch = solve.folder().join("../../../scratch");
    assert!(!scratch.join(solve.board.to_string()).exists(), "{what}: files or folders are left");
}

#[test]
fn a_solve_in_files_writes_the_bytes_of_one_in_memory() {
    let few = [("4x4c3", 40), ("3x3c3", 1), ("4x3m", 1 << 15), ("1x8", 1)];
    let all = [("4x4", 1), ("5x4", 200), ("4x5", 1 << 15), ("5x3m", 40), ("4x4c3", 40), ("1x8", 1)];
    long::skips("solves of 4x4, 5x4, 4x5 and 5x3m in files");
    for &(name, block_words) in long::scale(&few[..], &all) {
        for values in [Values::Wdl, Values::Remoteness] {
            for (threads, is_ample) in [(1, false), (3, false), (3, true)].into_iter().skip(long::scale(1, 0)) {
                let root = TempDir::new().expect("a folder");
                let solve = on_disk(root.path(), name, values).block_words(block_words);
                // With the least memory each block goes into its file at once; with plenty none does.
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                let bytes = if is_ample { MEMORY_BYTES } else { pool.install(|| least_bytes(&solve)) };
                let report = pool.install(|| solve.clone().memory(bytes).run()).expect("a solve");
                assert!(!report.already_complete);
                assert_done(&solve, &format!("{name} {values}, {threads} threads"));
            }
        }
    }
}

/// Stops a solve after `most` entries; checks that it has lost no more than the tier that it was at, and that the next solve
/// ends with the `expected` bytes. Returns `None` where nothing was left to stop.
fn stop_and_go_on(solve: &Solve, most: u64, expected: &BTreeMap<String, Vec<u8>>) -> Option<()> {
    let (disk, stop) = (MemoryDisk::default(), StopAfter::entries(most));
    let error = solve.run_heard_on(&stop, &disk).err()?;
    let (tiers, kept) = (stop.done_tiers.into_inner(), stop.done_entries.into_inner());
    assert!(matches!(error, SolveError::Stopped { done, .. } if done == tiers), "{error}, {tiers} tiers");
    let files = solve.files_on(&disk);
    assert!(!files.keys().any(|name| name.ends_with(".new")), "{:?}", files.keys());
    let go_on = StopAfter::never();
    solve.run_heard_on(&go_on, &disk).expect("a solve that goes on");
    assert_eq!(go_on.before.into_inner(), kept, "it goes on after the tiers that were done");
    assert_same(&solve.files_on(&disk), expected, &format!("{}, stopped after {most}", solve.board));
    Some(())
}

#[test]
fn a_solve_in_memory_that_is_stopped_anywhere_loses_only_the_tier_that_it_was_at() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        // Checkpoints do not show in the files.
        let expected = databases::files(board(name), values);
        for checkpoint in [CHECKPOINT, Duration::ZERO] {
            let solve = stepwise(name, values).checkpoint(checkpoint);
            let stride = long::scale(5065, 1013);
            let stops = (0..).step_by(stride).map_while(|most| stop_and_go_on(&solve, most, &expected)).count();
            assert!(stops > long::scale(4, 20), "{stops}");
            long::skips("four of five moments to stop");
            println!("{name} {values}: stopped at {stops} moments, after every {stride} entries");
        }
    }
}

#[test]
fn a_solve_in_memory_does_not_wait_for_the_end_of_a_tier() {
    let solve = stepwise("5x5", Values::Wdl).checkpoint(CHECKPOINT);
    let expected = databases::files(solve.board, solve.values);
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    // The middle of a tier of 6,000,000 entries, by pieces of about 500,000.
    long::skips("five of six moments in the middle of a tier");
    for most in (20_000_000..26_000_000).step_by(long::scale(6_000_000, 1_000_000)) {
        let (disk, stop) = (MemoryDisk::default(), StopAfter::entries(most));
        one_thread.install(|| solve.run_heard_on(&stop, &disk)).expect_err("a solve that is stopped");
        assert!(stop.solved.into_inner() < most + 1_600_000, "it stops after a piece");
        one_thread.install(|| solve.solve_on(&disk)).expect("a solve that goes on");
        assert_same(&solve.files_on(&disk), &expected, "5x5");
    }
}

#[test]
fn a_solve_in_files_that_is_stopped_anywhere_loses_no_tier_and_goes_on_in_files_or_in_memory() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let ample = in_files(name, values).checkpoint(CHECKPOINT);
        let expected = ample.whole();
        let least = least_bytes(&ample);
        // No blocks stay in memory, some, and all: then those that the rest of a tier does not need are lost.
        for solve in [least, least + 3000, least + 20_000, MEMORY_BYTES].map(|bytes| ample.clone().memory(bytes)) {
            for (number, most) in (0..).step_by(long::scale(5065, 1013)).enumerate() {
                let disk = MemoryDisk::default();
                let Some(()) = stop_and_go_on(&solve, most, &expected) else { break };
                solve.run_heard_on(&StopAfter::entries(most), &disk).expect_err("a solve that is stopped");
                // It is stopped again in the same tier or the next, and goes on elsewhere.
                let _ = solve.run_heard_on(&StopAfter::entries(most + 300), &disk);
                let go_on = if number % 2 == 0 { solve.in_memory() } else { solve.clone().memory(least) };
                go_on.solve_on(&disk).expect("a solve that goes on");
                assert_same(&go_on.files_on(&disk), &expected, &format!("{name} {values}, stopped after {most} twice"));
            }
        }
    }
}

#[test]
fn a_solve_in_files_that_was_stopped_dies_later_and_goes_on_from_where_it_was_stopped() {
    // One thread, so that the operations have an order.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let solve = in_files("4x3", Values::Wdl).checkpoint(CHECKPOINT);
    let (expected, mut deaths) = (solve.whole(), 0);
    pool.install(|| {
        let all = StopAfter::never();
        solve.run_heard_on(&all, &MemoryDisk::default()).expect("a solve");
        let entries = all.solved.into_inner();
        for most in (1..entries).step_by(entries as usize / 12) {
            for operation in (0..).step_by(long::scale(11, 2)) {
                let (disk, stop) = (MemoryDisk::default(), StopAfter::entries(most));
                if solve.run_heard_on(&stop, &disk).is_ok() {
                    break;
                }
                disk.set_fault(Fault::From(operation));
                if solve.solve_on(&disk).is_ok() {
                    break;
                }
                deaths += 1;
                disk.set_fault(Fault::Never);
                let go_on = StopAfter::never();
                let what = format!("stopped after {most} entries, died {operation} operations later");
                let report = solve.run_heard_on(&go_on, &disk).unwrap_or_else(|error| panic!("{what}: {error}"));
                let kept = go_on.before.into_inner() >= stop.done_entries.into_inner();
                assert!(report.already_complete || kept, "{what}: finished tiers are solved again");
                assert_same(&solve.files_on(&disk), &expected, &what);
            }
        }
    });
    assert!(deaths > 50, "{deaths}");
}

#[test]
fn a_solve_goes_on_within_a_tier_in_files_and_in_memory_by_turns() {
    for (values, turns) in
        [(Values::Remoteness, [true, true]), (Values::Wdl, [true, false]), (Values::Wdl, [false, true])]
    {
        let root = TempDir::new().expect("a folder");
        // Without a folder of their own the files are with the database.
        let memory = Solve::new(board("5x4"), values).root(root.path()).block_words(SMALL_BLOCKS);
        let files = memory.clone().scratch(Some(root.path().into()));
        for turn in 0.. {
            // Blocks that are there count as solved too: a run has to pass over those of its tier, of up to 500,000 entries,
            // and then do more.
            let most = 100_000 * (1 + turn % 7);
            let stop = StopAfter::entries(most);
            let solve = if turns[turn as usize % 2] { &files } else { &memory };
            let result = solve.run_heard(&stop);
            if let Ok(report) = &result {
                assert!(turn > 2, "{turn}");
                assert_same(&folder_files(&report.folder), &databases::files(solve.board, values), "in turns");
                break;
            }
            assert!(turn < 200 && matches!(result, Err(SolveError::Stopped { .. })), "{turn}: {result:?}");
            assert!(stop.solved.into_inner() < most + 500_000, "it stops soon");
        }
    }
}

#[test]
fn a_solve_does_not_wait_for_the_end_of_a_tiers_file() {
    let solve = stepwise("5x4", Values::Remoteness).checkpoint(CHECKPOINT).block_words(SMALL_BLOCKS);
    let plan = Plan::new(solve.board, solve.values, MEMORY_BYTES);
    let expected = databases::files(solve.board, solve.values);
    for solve in [solve.clone(), solve.scratch(Some("db".into()))] {
        long::skips("a stop at the files of eight of ten plies of 5x4");
        for ply in (1..solve.board.cells() as u32).step_by(long::scale(10, 2)) {
            // All values of the tier are there, and its file is to be written.
            let entries = plan.tiers.iter().filter(|tier| tier.ply >= ply).map(|tier| tier.entries as u64).sum();
            let (disk, stop) = (MemoryDisk::default(), StopAfter::entries(entries));
            let error = solve.run_heard_on(&stop, &disk).expect_err("a solve that is stopped");
            let before = solve.board.cells() - ply as usize;
            assert!(matches!(error, SolveError::Stopped { done, .. } if done == before), "ply {ply}: {error}");
            let names = Vec::from_iter(solve.files_on(&disk).into_keys());
            assert!(!names.iter().any(|name| name.ends_with(".new")), "ply {ply}: {names:?}");
            // The tier is kept.
            assert!(names.contains(&format!("frontier-{ply:02}.0")), "ply {ply}: {names:?}");
            solve.solve_on(&disk).expect("a solve that goes on");
            assert_same(&solve.files_on(&disk), &expected, &format!("stopped at the file of ply {ply}"));
        }
    }
}

#[test]
fn a_solve_that_resumes_tells_of_the_files_that_it_reads_and_can_be_stopped_there() {
    let solve = stepwise("4x4", Values::Remoteness);
    let (disk, begun, stop) = (MemoryDisk::default(), StopAfter::entries(50_000), StopAtFiles::default());
    solve.run_heard_on(&begun, &disk).expect_err("a solve that is stopped");
    let before = solve.files_on(&disk);
    let error = solve.run_heard_on(&stop, &disk).expect_err("a solve that is stopped");
    assert!(matches!(error, SolveError::Stopped { done, .. } if done == begun.done_tiers.into_inner()), "{error}");
    let (all, read) = (stop.all.into_inner(), stop.read.into_inner());
    assert!(0 < read && read <= all, "{read} of {all} bytes");
    assert_same(&solve.files_on(&disk), &before, "a solve that was stopped while it read");
}

#[test]
fn blocks_that_are_elsewhere_are_asked_for_and_damaged_ones_are_solved_again() {
    let root = TempDir::new().expect("a folder");
    let solve = on_disk(root.path(), "5x4", Values::Wdl);
    assert!(matches!(solve.run_heard(&StopAfter::entries(1_000_000)), Err(SolveError::Stopped { .. })));
    let error = solve.clone().scratch(Some(root.path().join("elsewhere"))).run().expect_err("the files are not there");
    assert!(matches!(error, SolveError::Scratch { .. }), "{error}");
    let scratch = solve.scratch_folder();
    for name in folder_files(&scratch).keys() {
        flip_a_bit(&scratch.join(name));
    }
    let listener = Listener::default();
    solve.run_heard(&listener).expect("a solve");
    assert_eq!(listener.told().len(), 1, "said once");
    assert_done(&solve, "solved again");
}

#[test]
fn a_disk_that_is_too_small_is_found_before_the_start() {
    long::skips("a disk that is too small for 5x4; takes 4x4");
    let solve = Solve::new(board(long::scale("4x4", "5x4")), Values::Remoteness).scratch(Some("scratch".into()));
    let solve = solve.block_words(SMALL_BLOCKS);
    let plan = Plan::new(solve.board, solve.values, MEMORY_BYTES).bounded();
    // With a margin for the estimate of the database; that of the files has one.
    let enough = (plan.database_bytes() / 4 * 5 + plan.scratch_bytes()) as u64;
    let small = MemoryDisk::with_free_bytes(enough - 1);
    let error = solve.solve_on(&small).expect_err("a disk that is too small");
    let SolveError::Disk { needed, free, .. } = error else { panic!("{error}") };
    assert_eq!((needed, free), (u128::from(enough), enough - 1));
    assert!(small.is_empty(), "nothing is made");
    solve.solve_on(&MemoryDisk::with_free_bytes(enough)).expect("a disk that is just large enough");

    let counted = Solve::new(solve.board, Values::Wdl).memory(MEMORY_BYTES).scratch(Some("scratch".into()));
    for is_legal in [true, false] {
        let count = |disk: &MemoryDisk| {
            let legal =
                is_legal.then(|| count_by_ply(&counted, &Context { storage: disk, ..Context::default() }).map(drop));
            legal
                .unwrap_or_else(|| count_by_value(&counted, &Context { storage: disk, ..Context::default() }).map(drop))
        };
        let full = MemoryDisk::with_free_bytes(0);
        let error = count(&full).expect_err("a disk that is too small");
        let SolveError::Disk { needed, free: 0, .. } = error else { panic!("{error}") };
        assert!(full.is_empty(), "nothing is made");
        let enough = needed as u64;
        assert!(count(&MemoryDisk::with_free_bytes(enough - 1)).is_err());
        count(&MemoryDisk::with_free_bytes(enough)).expect("a disk that is just large enough");
    }
}

#[test]
fn boards_far_larger_than_memory_are_planned_in_files() {
    let plan = Plan::new(board("7x6"), Values::Wdl, 4 << 30);
    assert_eq!((plan.is_bounded, plan.exact, plan.entries()), (true, true, 2_577_410_467_496));
    plan.check(4 << 30).expect("it fits");
    assert!(!Plan::new(board("6x5"), Values::Wdl, 1 << 30).is_bounded, "6x5 fits the memory whole");
}
