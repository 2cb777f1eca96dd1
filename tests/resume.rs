//! A solve that stops anywhere goes on later and ends with the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use fourbase_tiers::database::{DatabaseError, TierRecord, folder_of};
use fourbase_tiers::error::SolveError;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::plan::Plan;
use fourbase_tiers::solve::{CHECKPOINT, Options, Progress, run, run_on};
use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::support::files::{assert_same, folder_files};
use crate::support::in_memory::{database_files, solve_in_memory, whole_database};
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::options::options;
use crate::support::random::Random;

/// The options of a solve that can be gone on with after every tier.
fn stepwise(name: &str, values: Values) -> Options {
    let board = name.parse().expect("a board");
    Options { checkpoint: Duration::ZERO, ..options("db".as_ref(), board, values) }
}

/// The same with the tiers that are being solved in files, in blocks so small that each has many.
fn in_files(name: &str, values: Values) -> Options {
    let options = stepwise(name, values);
    Options { scratch: Some(options.root.clone()), block_words: 20, ..options }
}

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
    first: &Options,
    before: &dyn Fn() -> MemoryDisk,
    expected: &BTreeMap<String, Vec<u8>>,
    between: Between,
) -> u64 {
    for operation in 0.. {
        let disk = before();
        disk.set_fault(Fault::From(operation));
        let died = solve_in_memory(first, &disk).is_err();
        if !died {
            assert_eq!(disk.operations(), operation, "a solve that succeeds has done nothing after a fault");
            return operation;
        }
        if let Between::PowerGoes = between {
            disk.cut_power(&mut Random::new(operation));
        }
        disk.set_fault(Fault::Never);
        // Other kernels go on: they too give the same bytes.
        let second = Options { kernel: Kernel::portable(), replace: false, ..first.clone() };
        let report = solve_in_memory(&second, &disk);
        assert!(report.is_ok(), "{between:?} at operation {operation}: {report:?}");
        assert_same(&database_files(first, &disk), expected, &format!("{between:?} at operation {operation}"));
    }
    unreachable!("the solve succeeds without a fault")
}

#[test]
fn a_solve_that_dies_at_any_file_operation_goes_on_to_the_same_bytes() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let options = stepwise(name, values);
        let expected = whole_database(&options);
        let operations = die_at_every_operation(&options, &MemoryDisk::new, &expected, Between::ProcessEnds);
        println!("{name} {values}: died at each of {operations} operations");
    }
}

#[test]
fn a_solve_that_loses_power_at_any_file_operation_goes_on_to_the_same_bytes() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let options = stepwise(name, values);
        let expected = whole_database(&options);
        let operations = die_at_every_operation(&options, &MemoryDisk::new, &expected, Between::PowerGoes);
        println!("{name} {values}: lost power at each of {operations} operations");
    }
}

#[test]
fn a_solve_in_files_that_stops_at_any_file_operation_goes_on_to_the_same_bytes() {
    // One thread, so that the operations have an order.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (name, values) in [("3x3c3", Values::Remoteness), ("4x3", Values::Wdl)] {
        let options = in_files(name, values);
        let expected = whole_database(&stepwise(name, values));
        for between in [Between::ProcessEnds, Between::PowerGoes] {
            let stop = || die_at_every_operation(&options, &MemoryDisk::new, &expected, between);
            println!("{name} {values} in files: {between:?} at each of {} operations", pool.install(stop));
        }
    }
}

#[test]
fn a_replacement_that_stops_at_any_file_operation_leaves_nothing_that_is_taken_for_whole() {
    let replace = Options { replace: true, ..stepwise("4x4", Values::Wdl) };
    let expected = whole_database(&replace);
    let solved_before = || {
        let disk = MemoryDisk::new();
        let folder = folder_of(&replace.root, replace.board, replace.values);
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
    let options = stepwise("4x4", Values::Remoteness);
    let expected = whole_database(&options);
    for operation in 0.. {
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Once(operation));
        let result = solve_in_memory(&options, &disk);
        if disk.operations() <= operation {
            println!("4x4 remoteness: each of {operation} operations failed once");
            break;
        }
        if result.is_err() {
            solve_in_memory(&options, &disk).expect("a solve without a fault");
        }
        assert_same(&database_files(&options, &disk), &expected, &format!("operation {operation} failed once"));
    }
}

#[test]
fn a_solve_that_loses_power_again_and_again_goes_on_to_the_same_bytes() {
    let options = stepwise("5x3", Values::Remoteness);
    let expected = whole_database(&options);
    let mut cuts = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::From(random.below(60) as u64));
        while solve_in_memory(&options, &disk).is_err() {
            disk.cut_power(&mut random);
            disk.set_fault(Fault::From(random.below(60) as u64));
            cuts += 1;
        }
        // What a fault kept from being tidied up in a complete database goes the next time.
        disk.set_fault(Fault::Never);
        solve_in_memory(&options, &disk).expect("a complete database");
        assert_same(&database_files(&options, &disk), &expected, &format!("seed {seed}"));
    }
    println!("5x3 remoteness: 100 solves, {cuts} power cuts");
}

#[test]
fn a_solve_that_has_ended_outlives_a_loss_of_power() {
    for (name, checkpoint) in [("4x4", Duration::ZERO), ("4x4", CHECKPOINT)] {
        let options = Options { checkpoint, ..stepwise(name, Values::Wdl) };
        let expected = whole_database(&options);
        for seed in 0..100 {
            let disk = MemoryDisk::new();
            solve_in_memory(&options, &disk).expect("a solve");
            disk.cut_power(&mut Random::new(seed));
            let report = solve_in_memory(&options, &disk).expect("a complete database");
            assert!(report.already_complete, "seed {seed}");
            assert_same(&database_files(&options, &disk), &expected, &format!("seed {seed}"));
        }
    }
}

#[test]
fn a_solve_without_checkpoints_starts_again_and_ends_with_the_same_bytes() {
    let options = Options { checkpoint: CHECKPOINT, ..stepwise("4x4", Values::Remoteness) };
    let expected = whole_database(&options);
    for between in [Between::ProcessEnds, Between::PowerGoes] {
        let operations = die_at_every_operation(&options, &MemoryDisk::new, &expected, between);
        println!("4x4 remoteness without checkpoints: {between:?} at each of {operations} operations");
    }
}

/// Stops a solve after so many entries, or not; notes what was done when it was asked to.
#[derive(Default)]
struct StopAfter {
    most: u64,
    solved: AtomicU64,
    /// Entries that an earlier solve had done.
    before: AtomicU64,
    tiers: AtomicUsize,
    entries: AtomicU64,
}

impl Progress for StopAfter {
    fn planned(&self, _: &Plan, entries_done: u64) {
        self.before.store(entries_done, Ordering::Relaxed);
    }

    fn solved(&self, entries: u64) {
        self.solved.fetch_add(entries, Ordering::Relaxed);
    }

    fn tier_done(&self, tier: &TierRecord) {
        self.tiers.fetch_add(1, Ordering::Relaxed);
        self.entries.fetch_add(tier.entries, Ordering::Relaxed);
    }

    fn starts_over(&self, why: &DatabaseError) {
        panic!("started over: {why}");
    }

    fn is_stopped(&self) -> bool {
        self.solved.load(Ordering::Relaxed) >= self.most
    }
}

/// Stops a solve in memory after `most` entries; checks that it has lost no more than the tier that it was at, and that
/// the next solve ends with the `expected` bytes. Returns the entries that are lost, or `None` where nothing was left to
/// stop.
fn stop_and_go_on(options: &Options, most: u64, expected: &BTreeMap<String, Vec<u8>>) -> Option<u64> {
    let (disk, stop) = (MemoryDisk::new(), StopAfter { most, ..StopAfter::default() });
    let error = run_on(options, &stop, &disk).err()?;
    let (tiers, kept) = (stop.tiers.into_inner(), stop.entries.into_inner());
    assert!(matches!(error, SolveError::Stopped { done, .. } if done == tiers), "{error}, {tiers} tiers");
    let files = database_files(options, &disk);
    assert!(!files.keys().any(|name| name.ends_with(".new")), "{:?}", files.keys());
    let go_on = StopAfter { most: u64::MAX, ..StopAfter::default() };
    run_on(options, &go_on, &disk).expect("a solve that goes on");
    assert_eq!(go_on.before.into_inner(), kept, "it goes on after the tiers that were done");
    assert_same(&database_files(options, &disk), expected, &format!("{}, stopped after {most}", options.board));
    Some(stop.solved.into_inner() - kept)
}

#[test]
fn a_solve_in_memory_that_is_stopped_anywhere_loses_only_the_tier_that_it_was_at() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        for checkpoint in [CHECKPOINT, Duration::ZERO] {
            let options = Options { checkpoint, ..stepwise(name, values) };
            let expected = whole_database(&options);
            let stops = (0..).step_by(1013).map_while(|most| stop_and_go_on(&options, most, &expected)).count();
            assert!(stops > 20, "{stops}");
            println!("{name} {values}: stopped at {stops} moments");
        }
    }
}

#[test]
fn a_solve_in_memory_does_not_wait_for_the_end_of_a_tier() {
    let options = Options { checkpoint: CHECKPOINT, ..stepwise("5x5", Values::Wdl) };
    let expected = whole_database(&options);
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    // The middle of a tier of 6,000,000 entries, by pieces of about 500,000.
    for most in (20_000_000..26_000_000).step_by(1_000_000) {
        let stop = StopAfter { most, ..StopAfter::default() };
        one_thread.install(|| run_on(&options, &stop, &MemoryDisk::new())).expect_err("a solve that is stopped");
        assert!(stop.solved.into_inner() < most + 1_600_000, "it stops after a piece");
        one_thread.install(|| stop_and_go_on(&options, most, &expected)).expect("a solve that is stopped");
    }
}

#[test]
fn what_stopped_solves_left_is_removed() {
    let root = TempDir::new().expect("a temporary folder");
    let options = Options { root: root.path().to_path_buf(), ..stepwise("4x3", Values::Wdl) };
    let folder = folder_of(root.path(), options.board, options.values);
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["tier-11.new", "tier-03.new", "manifest.new", "frontier-05.0", "frontier-04.1"] {
        fs::write(folder.join(name), "half").expect("a file");
    }
    run(&options, &()).expect("a solve");
    let expected = whole_database(&stepwise("4x3", Values::Wdl));
    assert_same(&folder_files(&folder), &expected, "4x3 wdl");
}
