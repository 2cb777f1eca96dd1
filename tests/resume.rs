//! A solve that stops anywhere goes on later and ends with the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::support::files::{assert_same, folder_files};
use crate::support::long;
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::progress::{StopAfterEntries, StopAtFiles};
use crate::support::random::Random;
use crate::support::shared;
use crate::support::solves::{MEMORY_BYTES, Solve, in_files, in_files_at_once, least_bytes, stepwise};
use crate::support::tiers::{CHECKPOINT, Kernel, SolveError, Values};

/// What happens between a solve that failed and the next.
#[derive(Clone, Copy, Debug)]
enum Between {
    /// The process ended: all that it wrote is there.
    ProcessEnds,
    /// The power went: what was not synced is there or not.
    PowerGoes,
}

/// Lets a solve on a disk like `before` die at its first operation, at its second and so on, and checks after each that
/// the next solve ends with the `expected` bytes. Returns how many operations there are.
fn die_at_every_operation(
    first: &Solve,
    before: &dyn Fn() -> MemoryDisk,
    expected: &BTreeMap<String, Vec<u8>>,
    between: Between,
) -> u64 {
    let stride: u64 = long::scale(23, 1);
    for operation in (0..).step_by(stride as usize) {
        let disk = before();
        disk.set_fault(Fault::From(operation));
        let died = first.run_on(&disk).is_err();
        if !died {
            let operations = disk.operations();
            assert!((operations..operations + stride).contains(&operation), "a solve that succeeds met no fault");
            long::skips(format_args!("all but every {stride}th of {operations} operations"));
            return operations.div_ceil(stride);
        }
        if let Between::PowerGoes = between {
            disk.cut_power(&mut Random::new(operation));
        }
        disk.set_fault(Fault::Never);
        // Other kernels go on: they too give the same bytes.
        let second = first.with_kernel(Kernel::portable()).with_replace(false);
        let report = second.run_on(&disk);
        assert!(report.is_ok(), "{between:?} at operation {operation}: {report:?}");
        assert_same(&first.files_on(&disk), expected, &format!("{between:?} at operation {operation}"));
    }
    unreachable!("the solve succeeds without a fault")
}

#[test]
fn a_solve_that_dies_at_any_file_operation_goes_on_to_the_same_bytes() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let solve = stepwise(name, values);
        let expected = solve.whole();
        let operations = die_at_every_operation(&solve, &MemoryDisk::new, &expected, Between::ProcessEnds);
        println!("{name} {values}: died at each of {operations} operations");
    }
}

#[test]
fn a_solve_that_loses_power_at_any_file_operation_goes_on_to_the_same_bytes() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let solve = stepwise(name, values);
        let expected = solve.whole();
        let operations = die_at_every_operation(&solve, &MemoryDisk::new, &expected, Between::PowerGoes);
        println!("{name} {values}: lost power at each of {operations} operations");
    }
}

#[test]
fn a_solve_in_files_that_stops_at_any_file_operation_goes_on_to_the_same_bytes() {
    // One thread, so that the operations have an order.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (name, values) in [("3x3c3", Values::Remoteness), ("4x3", Values::Wdl)] {
        let expected = stepwise(name, values).whole();
        for solve in [in_files_at_once(name, values), in_files(name, values)] {
            for between in [Between::ProcessEnds, Between::PowerGoes] {
                let stop = || die_at_every_operation(&solve, &MemoryDisk::new, &expected, between);
                println!("{name} {values} in files: {between:?} at each of {} operations", pool.install(stop));
            }
        }
    }
}

#[test]
fn a_replacement_that_stops_at_any_file_operation_leaves_nothing_that_is_taken_for_whole() {
    let replace = stepwise("4x4", Values::Wdl).with_replace(true);
    let expected = replace.whole();
    let solved_before = || {
        let disk = MemoryDisk::new();
        let folder = replace.folder();
        for (name, bytes) in &expected {
            disk.put(&folder.join(name), bytes);
        }
        disk
    };
    for between in [Between::ProcessEnds, Between::PowerGoes] {
        let operations = die_at_every_operation(&replace, &solved_before, &expected, between);
        println!("4x4 wdl: {between:?} at each of {operations} operations of a replacement");
    }
}

#[test]
fn a_fault_that_passes_stops_the_solve_or_leaves_no_trace() {
    let solve = stepwise("4x4", Values::Remoteness);
    let expected = solve.whole();
    long::skips("all but every 23rd operation that fails once");
    for operation in (0..).step_by(long::scale(23, 1)) {
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Once(operation));
        let result = solve.run_on(&disk);
        if disk.operations() <= operation {
            println!("4x4 remoteness: each of {operation} operations failed once");
            break;
        }
        if result.is_err() {
            solve.run_on(&disk).expect("a solve without a fault");
        }
        assert_same(&solve.files_on(&disk), &expected, &format!("operation {operation} failed once"));
    }
}

/// More operations than a solve that resumes takes before it has made another tier durable: it reads all finished ones, and
/// the blocks of the last one by one.
const MOST_OPERATIONS: usize = 300;

#[test]
fn a_solve_that_loses_power_again_and_again_goes_on_to_the_same_bytes() {
    let solve = stepwise("5x3", Values::Remoteness);
    let expected = solve.whole();
    let mut cuts = 0;
    let solves = long::scale(4, 100);
    long::skips("96 of 100 solves that lose power again and again");
    for seed in 0..solves {
        let mut random = Random::new(seed);
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::From(random.below(MOST_OPERATIONS) as u64));
        while solve.run_on(&disk).is_err() {
            disk.cut_power(&mut random);
            disk.set_fault(Fault::From(random.below(MOST_OPERATIONS) as u64));
            cuts += 1;
        }
        // What a fault kept from being tidied up in a complete database goes the next time.
        disk.set_fault(Fault::Never);
        solve.run_on(&disk).expect("a complete database");
        assert_same(&solve.files_on(&disk), &expected, &format!("seed {seed}"));
    }
    println!("5x3 remoteness: {solves} solves, {cuts} power cuts");
}

#[test]
fn a_solve_that_has_ended_outlives_a_loss_of_power() {
    for (name, checkpoint) in [("4x4", Duration::ZERO), ("4x4", CHECKPOINT)] {
        let solve = stepwise(name, Values::Wdl).with_checkpoint(checkpoint);
        let expected = solve.whole();
        long::skips("96 of 100 solves that lose power at the end");
        for seed in 0..long::scale(4, 100) {
            let disk = MemoryDisk::new();
            solve.run_on(&disk).expect("a solve");
            disk.cut_power(&mut Random::new(seed));
            let report = solve.run_on(&disk).expect("a complete database");
            assert!(report.already_complete, "seed {seed}");
            assert_same(&solve.files_on(&disk), &expected, &format!("seed {seed}"));
        }
    }
}

#[test]
fn a_solve_without_checkpoints_starts_again_and_ends_with_the_same_bytes() {
    let solve = stepwise("4x4", Values::Remoteness).with_checkpoint(CHECKPOINT);
    let expected = solve.whole();
    for between in [Between::ProcessEnds, Between::PowerGoes] {
        let operations = die_at_every_operation(&solve, &MemoryDisk::new, &expected, between);
        println!("4x4 remoteness without checkpoints: {between:?} at each of {operations} operations");
    }
}

/// Stops a solve in memory after `most` entries; checks that it has lost no more than the tier that it was at, and that
/// the next solve ends with the `expected` bytes. Returns the entries that are lost, or `None` where nothing was left to
/// stop.
fn stop_and_go_on(solve: &Solve, most: u64, expected: &BTreeMap<String, Vec<u8>>) -> Option<u64> {
    let (disk, stop) = (MemoryDisk::new(), StopAfterEntries::new(most));
    let error = solve.run_heard_on(&stop, &disk).err()?;
    let (tiers, kept) = (stop.tiers.into_inner(), stop.entries.into_inner());
    assert!(matches!(error, SolveError::Stopped { done, .. } if done == tiers), "{error}, {tiers} tiers");
    let files = solve.files_on(&disk);
    assert!(!files.keys().any(|name| name.ends_with(".new")), "{:?}", files.keys());
    let go_on = StopAfterEntries::never();
    solve.run_heard_on(&go_on, &disk).expect("a solve that goes on");
    assert_eq!(go_on.before.into_inner(), kept, "it goes on after the tiers that were done");
    assert_same(&solve.files_on(&disk), expected, &format!("{}, stopped after {most}", solve.board()));
    Some(stop.solved.into_inner() - kept)
}

#[test]
fn a_solve_in_memory_that_is_stopped_anywhere_loses_only_the_tier_that_it_was_at() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        for checkpoint in [CHECKPOINT, Duration::ZERO] {
            let solve = stepwise(name, values).with_checkpoint(checkpoint);
            let expected = solve.whole();
            let stride = long::scale(5065, 1013);
            let stops = (0..).step_by(stride).map_while(|most| stop_and_go_on(&solve, most, &expected)).count();
            assert!(stops > long::scale(4, 20), "{stops}");
            long::skips("four of five moments to stop");
            println!("{name} {values}: stopped at {stops} moments, after every {stride} entries");
        }
    }
}

#[test]
fn a_solve_in_files_that_is_stopped_anywhere_loses_no_tier_and_goes_on_in_files_or_in_memory() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let ample = in_files(name, values).with_checkpoint(CHECKPOINT);
        let expected = ample.whole();
        let least = least_bytes(&ample);
        // No blocks stay in memory, some, and all: then those that the rest of a tier does not need are lost.
        for solve in [least, least + 3000, least + 20_000, MEMORY_BYTES].map(|bytes| ample.with_memory_bytes(bytes)) {
            for (number, most) in (0..).step_by(long::scale(5065, 1013)).enumerate() {
                let disk = MemoryDisk::new();
                let Some(_) = stop_and_go_on(&solve, most, &expected) else { break };
                solve.run_heard_on(&StopAfterEntries::new(most), &disk).expect_err("a solve that is stopped");
                // It is stopped again in the same tier or the next, and goes on elsewhere.
                let _ = solve.run_heard_on(&StopAfterEntries::new(most + 300), &disk);
                let go_on = if number % 2 == 0 { solve.in_memory() } else { solve.with_memory_bytes(least) };
                go_on.run_on(&disk).expect("a solve that goes on");
                assert_same(&go_on.files_on(&disk), &expected, &format!("{name} {values}, stopped after {most} twice"));
            }
        }
    }
}

#[test]
fn a_solve_in_files_that_was_stopped_dies_later_and_goes_on_from_where_it_was_stopped() {
    // One thread, so that the operations have an order.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let solve = in_files("4x3", Values::Wdl).with_checkpoint(CHECKPOINT);
    let (expected, mut deaths) = (solve.whole(), 0);
    let entries = pool.install(|| {
        let all = StopAfterEntries::never();
        solve.run_heard_on(&all, &MemoryDisk::new()).expect("a solve");
        all.solved.into_inner()
    });
    pool.install(|| {
        for most in (1..entries).step_by(entries as usize / 12) {
            for operation in (0..).step_by(long::scale(11, 2)) {
                let (disk, stop) = (MemoryDisk::new(), StopAfterEntries::new(most));
                if solve.run_heard_on(&stop, &disk).is_ok() {
                    break;
                }
                disk.set_fault(Fault::From(operation));
                if solve.run_on(&disk).is_ok() {
                    break;
                }
                deaths += 1;
                disk.set_fault(Fault::Never);
                let go_on = StopAfterEntries::never();
                let what = format!("stopped after {most} entries, died {operation} operations later");
                let report = solve.run_heard_on(&go_on, &disk).unwrap_or_else(|error| panic!("{what}: {error}"));
                let kept = go_on.before.into_inner() >= stop.entries.into_inner();
                assert!(report.already_complete || kept, "{what}: finished tiers are solved again");
                assert_same(&solve.files_on(&disk), &expected, &what);
            }
        }
    });
    assert!(deaths > 50, "{deaths}");
}

#[test]
fn a_solve_that_resumes_tells_of_the_files_that_it_reads_and_can_be_stopped_there() {
    let solve = stepwise("4x4", Values::Remoteness);
    let (disk, begun, stop) = (MemoryDisk::new(), StopAfterEntries::new(50_000), StopAtFiles::default());
    solve.run_heard_on(&begun, &disk).expect_err("a solve that is stopped");
    let before = solve.files_on(&disk);
    let error = solve.run_heard_on(&stop, &disk).expect_err("a solve that is stopped");
    assert!(matches!(error, SolveError::Stopped { done, .. } if done == begun.tiers.into_inner()), "{error}");
    let (all, read) = (stop.all.into_inner(), stop.read.into_inner());
    assert!(0 < read && read <= all, "{read} of {all} bytes");
    assert_same(&solve.files_on(&disk), &before, "a solve that was stopped while it read");
    solve.run_heard_on(&StopAfterEntries::never(), &disk).expect("a solve that goes on");
    assert_same(&solve.files_on(&disk), &solve.whole(), "a solve that goes on");
}

#[test]
fn a_solve_in_memory_does_not_wait_for_the_end_of_a_tier() {
    let solve = stepwise("5x5", Values::Wdl).with_checkpoint(CHECKPOINT);
    let expected = shared::files(solve.board(), solve.values());
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    // The middle of a tier of 6,000,000 entries, by pieces of about 500,000.
    long::skips("five of six moments in the middle of a tier");
    for most in (20_000_000..26_000_000).step_by(long::scale(6_000_000, 1_000_000)) {
        let stop = StopAfterEntries::new(most);
        one_thread.install(|| solve.run_heard_on(&stop, &MemoryDisk::new())).expect_err("a solve that is stopped");
        assert!(stop.solved.into_inner() < most + 1_600_000, "it stops after a piece");
        one_thread.install(|| stop_and_go_on(&solve, most, &expected)).expect("a solve that is stopped");
    }
}

#[test]
fn what_stopped_solves_left_is_removed_and_nothing_else() {
    let root = TempDir::new().expect("a temporary folder");
    let solve = stepwise("4x3", Values::Wdl).with_root(root.path());
    let folder = solve.folder();
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["tier-11.new", "tier-03.new", "manifest.new", "frontier-05.0", "frontier-04.1"] {
        fs::write(folder.join(name), "half").expect("a file");
    }
    // Not ours.
    let others = ["notes.new", "manifest.backup", "tier-list", "tier-03.new.old"];
    others.iter().for_each(|name| fs::write(folder.join(name), "mine").expect("a file"));
    let mut expected = stepwise("4x3", Values::Wdl).whole();
    expected.extend(others.map(|name| (name.to_owned(), b"mine".to_vec())));
    for replace in [false, true] {
        solve.with_replace(replace).run().expect("a solve");
        assert_same(&folder_files(&folder), &expected, "4x3 wdl");
    }
}
