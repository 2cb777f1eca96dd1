//! A solve that stops anywhere goes on later and ends with the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use fourbase_tiers::database::folder_of;
use fourbase_tiers::kernel::{Kernel, Values};
use fourbase_tiers::solve::{CHECKPOINT, Options, run};
use tempfile::TempDir;

use support::files::{assert_same, folder_files};
use support::in_memory::{database_files, solve_in_memory, whole_database};
use support::memory_disk::{Fault, MemoryDisk};
use support::options::options;
use support::random::Random;

mod support {
    pub mod files;
    pub mod in_memory;
    #[expect(dead_code, reason = "whole operations fail here")]
    pub mod memory_disk;
    pub mod options;
    pub mod random;
}

/// The options of a solve that can be gone on with after every tier.
fn stepwise(name: &str, values: Values) -> Options {
    let board = name.parse().expect("a board");
    Options { checkpoint: Duration::ZERO, ..options("db".as_ref(), board, values) }
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
