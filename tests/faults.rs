//! Files that cannot be written or read: the solve says which and why, leaves nothing half-written under a final name,
//! and goes on later; a probe reports it.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

use fourbase::Position;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::support::files::assert_same;
use crate::support::long;
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::progress::{Listener, StopAfterTiers};
use crate::support::solves::{Solve, in_files, in_files_at_once, stepwise};
use crate::support::tiers::{Database, FileError, SolveError, Storage, Values};

/// Checks that a solve has failed for its files and says which and why, and that what has a final name is whole.
fn assert_clean_failure(
    result: Result<impl std::fmt::Debug, SolveError>,
    disk: &MemoryDisk,
    whole: &BTreeSet<(PathBuf, Vec<u8>)>,
    what: &str,
) {
    let error = result.expect_err(what);
    let SolveError::File(FileError::Io { file, source, .. }) = &error else { panic!("{what}: {error}") };
    let message = error.to_string();
    assert!(message.contains(&file.display().to_string()) && message.contains(&source.to_string()), "{message}");
    assert!(file.starts_with("db") || "db".starts_with(&*file.to_string_lossy()), "{what}: {message}");
    for (path, bytes) in disk.files() {
        // A frontier file is a log: its whole records count.
        let is_log = path.to_string_lossy().contains("frontier-");
        let is_final = !is_log && path.extension().is_none_or(|extension| extension != "new");
        assert!(!is_final || whole.contains(&(path.clone(), bytes)), "{what}: {} is not whole", path.display());
    }
}

/// Solves without a fault, and returns every file that ever had a final name, with the disk.
fn solve_whole(solve: &Solve) -> (MemoryDisk, BTreeSet<(PathBuf, Vec<u8>)>) {
    let disk = solve.solved();
    let whole = disk.published();
    (disk, whole)
}

#[test]
fn a_failure_of_any_file_operation_is_reported_and_leaves_only_whole_files() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let solve = stepwise(name, values);
        let (disk, whole) = solve_whole(&solve);
        let (operations, expected) = (disk.operations(), solve.files_on(&disk));
        for fault in [Fault::Once as fn(u64) -> Fault, Fault::From] {
            let operations =
                long::every(23, Vec::from_iter(0..operations), format_args!("operations of {name} {values}"));
            operations.into_par_iter().for_each(|operation| {
                let disk = MemoryDisk::new();
                disk.set_fault(fault(operation));
                let what = format!("{name} {values}: {:?}", fault(operation));
                assert_clean_failure(solve.run_on(&disk), &disk, &whole, &what);
                disk.set_fault(Fault::Never);
                solve.run_on(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_same(&solve.files_on(&disk), &expected, &what);
            });
        }
        println!("{name} {values}: {operations} operations failed alone and with all after them");
    }
}

#[test]
fn a_failure_of_any_file_operation_of_a_solve_in_files_is_reported_and_leaves_only_whole_files() {
    // One thread, so that the operations have an order.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (name, values) in [("3x3c3", Values::Remoteness), ("4x3", Values::Wdl)] {
        let solve = in_files_at_once(name, values);
        let (disk, whole) = pool.install(|| solve_whole(&solve));
        let (operations, expected) = (disk.operations(), solve.files_on(&disk));
        for fault in [Fault::Once as fn(u64) -> Fault, Fault::From] {
            let all = Vec::from_iter(0..operations);
            for operation in long::every(23, all, format_args!("operations of {name} {values} in files")) {
                let disk = MemoryDisk::new();
                disk.set_fault(fault(operation));
                let what = format!("{name} {values} in files: {:?}", fault(operation));
                let result = pool.install(|| solve.run_on(&disk));
                assert_clean_failure(result, &disk, &whole, &what);
                disk.set_fault(Fault::Never);
                pool.install(|| solve.run_on(&disk)).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_same(&solve.files_on(&disk), &expected, &what);
            }
        }
        println!("{name} {values} in files: {operations} operations failed alone and with all after them");
    }
}

#[test]
fn a_disk_that_is_full_after_any_number_of_bytes_of_a_solve_in_files_is_reported() {
    let solve = in_files_at_once("3x3c3", Values::Wdl);
    let (disk, whole) = solve_whole(&solve);
    let (bytes, expected) = (disk.written_bytes(), solve.files_on(&disk));
    for limit in long::every(101, Vec::from_iter(0..bytes), "bytes of 3x3c3 in files") {
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Full(limit));
        let what = format!("3x3c3 in files: full after {limit} bytes");
        assert_clean_failure(solve.run_on(&disk), &disk, &whole, &what);
        disk.set_fault(Fault::Never);
        solve.run_on(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same(&solve.files_on(&disk), &expected, &what);
    }
    println!("3x3c3 wdl in files: full after each of {bytes} bytes");
}

#[test]
fn a_disk_that_is_full_after_any_number_of_bytes_is_reported_and_the_solve_goes_on_later() {
    for (name, values) in [("3x3c3", Values::Remoteness), ("3x3c3", Values::Wdl), ("4x3", Values::Remoteness)] {
        let solve = stepwise(name, values);
        let (disk, whole) = solve_whole(&solve);
        let (bytes, expected) = (disk.written_bytes(), solve.files_on(&disk));
        let limits = long::every(101, Vec::from_iter(0..bytes), format_args!("bytes of {name} {values}"));
        limits.into_par_iter().for_each(|limit| {
            let disk = MemoryDisk::new();
            disk.set_fault(Fault::Full(limit));
            let what = format!("{name} {values}: full after {limit} bytes");
            let result = solve.run_on(&disk);
            let is_full = |error: &SolveError| {
                matches!(error, SolveError::File(FileError::Io { source, .. })
                    if source.kind() == ErrorKind::StorageFull)
            };
            assert!(result.as_ref().is_err_and(is_full), "{what}: {result:?}");
            assert_clean_failure(result, &disk, &whole, &what);
            disk.set_fault(Fault::Never);
            solve.run_on(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_same(&solve.files_on(&disk), &expected, &what);
        });
        println!("{name} {values}: full after each of {bytes} bytes");
    }
}

#[test]
fn reads_and_writes_that_do_a_byte_or_are_interrupted_change_nothing() {
    for values in [Values::Remoteness, Values::Wdl] {
        let solve = stepwise("4x4", values);
        let expected = solve.whole();
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Drip);
        solve.run_on(&disk).expect("a solve");
        assert_same(&solve.files_on(&disk), &expected, "4x4");
        // From the middle, so that the checkpoint is read as well.
        let half = half_solved(&solve);
        half.set_fault(Fault::Drip);
        solve.run_on(&half).expect("a solve that goes on");
        assert_same(&solve.files_on(&half), &expected, "4x4");
        let database = solve.open_on(disk).expect("a database");
        assert!(database.check_files().is_empty());
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Drip);
        in_files("4x4", values).run_on(&disk).expect("a solve in files");
        assert_same(&solve.files_on(&disk), &expected, "4x4 in files");
        println!("4x4 {values}: solved, resumed and read by bytes");
    }
}

#[test]
fn a_read_that_fails_is_reported_and_the_next_probe_is_right() {
    let solve = stepwise("4x4", Values::Remoteness);
    let (disk, _) = solve_whole(&solve);
    let empty = Position::start(solve.board());
    let ask = |database: &Database| database.moves(&empty);
    let expected = ask(&solve.open_on(disk.clone()).expect("a database"));
    let expected = expected.expect("moves");
    for operation in 0.. {
        disk.set_fault(Fault::Once(operation));
        let database = match solve.open_on(disk.clone()) {
            Ok(database) => database,
            Err(error) => {
                assert!(error.to_string().contains("a fault on purpose"), "{error}");
                continue;
            }
        };
        let failed = ask(&database);
        assert_eq!(ask(&database).expect("moves"), expected);
        match failed {
            Err(error) => assert!(error.to_string().contains("a fault on purpose"), "{error}"),
            Ok(moves) => {
                assert_eq!(moves, expected);
                println!("4x4: each of {operation} operations of a reader failed once");
                break;
            }
        }
    }
}

/// A disk with a solve that was stopped in the middle.
fn half_solved(solve: &Solve) -> MemoryDisk {
    let disk = MemoryDisk::new();
    let stop = StopAfterTiers::new(solve.board().cells() / 2);
    let stopped = solve.run_heard_on(&stop, &disk).expect_err("a solve that is stopped");
    assert!(matches!(stopped, SolveError::Stopped { .. }), "{stopped}");
    disk
}

#[test]
fn a_checkpoint_that_is_damaged_anywhere_is_told_and_the_solve_starts_over() {
    let solve = stepwise("4x3", Values::Remoteness);
    let expected = solve.whole();
    let half = half_solved(&solve);
    let files = half.files();
    let (checkpoint, bytes) =
        files.iter().find(|(path, _)| path.to_string_lossy().contains("frontier-")).expect("a checkpoint");
    let flips = (0..8 * bytes.len()).map(|bit| {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    });
    let cuts = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let damages: Vec<_> = flips.chain(cuts).collect();
    let damages = long::every(101, damages, "bits and lengths of a checkpoint");
    damages.par_iter().enumerate().for_each(|(number, damage)| {
        let disk = MemoryDisk::new();
        for (path, bytes) in &files {
            disk.put(path, bytes);
        }
        disk.put(checkpoint, damage);
        let listener = Listener::default();
        solve.run_heard_on(&listener, &disk).unwrap_or_else(|error| panic!("damage {number}: {error}"));
        let told = listener.told();
        assert!(told.len() == 1 && told[0].contains("frontier-"), "damage {number}: {told:?}");
        assert_same(&solve.files_on(&disk), &expected, &format!("damage {number}"));
    });
    // One that is gone may be elsewhere: it is asked for.
    half.take(checkpoint);
    let error = solve.run_on(&half).expect_err("a solve that cannot go on");
    assert!(matches!(error, SolveError::Scratch { .. }), "{error}");
    let again = solve.with_replace(true);
    again.run_on(&half).expect("a solve from the start");
    assert_same(&solve.files_on(&half), &expected, "from the start");
    println!("4x3: a checkpoint of {} bytes damaged in {} ways, each found", bytes.len(), damages.len());
}

#[test]
fn a_checkpoint_that_cannot_be_read_is_not_taken_for_a_damaged_one() {
    let solve = stepwise("4x4", Values::Wdl);
    let expected = solve.whole();
    let before = half_solved(&solve).files();
    long::skips("all but every 7th operation of a solve that goes on");
    for operation in (0..).step_by(long::scale(7, 1)) {
        let disk = MemoryDisk::new();
        before.iter().for_each(|(path, bytes)| disk.put(path, bytes));
        disk.set_fault(Fault::Once(operation));
        let listener = Listener::default();
        let result = solve.run_heard_on(&listener, &disk);
        assert!(listener.told().is_empty(), "operation {operation} is no damage");
        if result.is_ok() {
            assert_same(&solve.files_on(&disk), &expected, "4x4 wdl");
            println!("4x4 wdl: each of {operation} operations of a solve that goes on failed once");
            break;
        }
    }
}

#[test]
fn a_solve_notices_tiers_that_are_missing_or_cut() {
    let solve = stepwise("4x4", Values::Remoteness);
    let (complete, _) = solve_whole(&solve);
    for disk in [complete, half_solved(&solve)] {
        let files = disk.files();
        for (path, bytes) in files.iter().filter(|(path, _)| path.to_string_lossy().contains("/tier-")) {
            for (damage, says) in [(None, "the file is missing"), (Some(&bytes[..bytes.len() - 1]), "the length is")] {
                let damaged = MemoryDisk::new();
                files.iter().for_each(|(path, bytes)| damaged.put(path, bytes));
                damaged.take(path);
                if let Some(bytes) = damage {
                    damaged.put(path, bytes);
                }
                let error = solve.run_on(&damaged).expect_err("a solve that notices").to_string();
                assert!(error.contains(says) && error.contains(&path.display().to_string()), "{error}");
            }
        }
    }
}

#[test]
fn a_solve_that_goes_on_notices_a_flipped_bit_of_a_finished_tier() {
    let solve = stepwise("4x4", Values::Remoteness);
    let half = half_solved(&solve);
    let files = half.files();
    let tiers = files.iter().filter(|(path, _)| path.to_string_lossy().contains("/tier-"));
    let mut flips = 0;
    for (path, bytes) in tiers {
        for byte in [0, bytes.len() / 2, bytes.len() - 1] {
            let damaged = MemoryDisk::new();
            files.iter().for_each(|(path, bytes)| damaged.put(path, bytes));
            let mut flipped = bytes.clone();
            flipped[byte] ^= 1;
            damaged.put(path, &flipped);
            let error = solve.run_on(&damaged).expect_err("a solve that notices").to_string();
            assert!(error.contains("the hash is") && error.contains(&path.display().to_string()), "{error}");
            flips += 1;
        }
    }
    assert!(flips >= 9, "{flips}");
    solve.run_on(&half).expect("a solve that goes on");
}

#[test]
fn a_solve_that_is_refused_for_memory_or_tables_makes_nothing() {
    for (name, memory_bytes) in [("4x4", 1 << 10), ("1x24", u64::MAX), ("1x40", u64::MAX), ("7x7", 1 << 30)] {
        let disk = MemoryDisk::new();
        let refused = stepwise(name, Values::Wdl).with_memory_bytes(memory_bytes);
        let error = refused.run_on(&disk).expect_err("a solve that is refused");
        assert!(matches!(error, SolveError::Memory { .. } | SolveError::Index(_)), "{name}: {error}");
        assert!(disk.is_empty(), "{name}: {:?}", disk.files().keys());
    }
}

#[test]
fn a_folder_that_is_held_is_refused_and_a_complete_one_is_not_locked() {
    let solve = stepwise("4x3", Values::Wdl);
    let (disk, _) = solve_whole(&solve);
    let lock = solve.folder().with_extension("lock");
    let held = disk.lock(&lock).expect("a disk").expect("a lock that is free");
    solve.run_on(&disk).expect("a complete database");
    let replace = solve.with_replace(true);
    let refused = replace.run_on(&disk).expect_err("a folder that is held");
    assert!(matches!(&refused, SolveError::Busy { .. }) && refused.to_string().contains("somebody"), "{refused}");
    assert_same(&solve.files_on(&disk), &solve.whole(), "nothing is touched");
    drop(held);
    replace.run_on(&disk).expect("a folder that is free");
}
