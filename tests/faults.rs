//! Files that cannot be written or read: the solve says which and why, leaves nothing half-written under a final name,
//! and goes on later; a probe reports it.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fourbase::Position;
use fourbase_tiers::database::{Database, DatabaseError, Storage, TierRecord, folder_of};
use fourbase_tiers::error::SolveError;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::{Options, Progress, run_on};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::support::files::assert_same;
use crate::support::in_memory::{database_files, solve_in_memory, whole_database};
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::options::options;

/// The options of a solve that can be gone on with after every tier.
fn stepwise(name: &str, values: Values) -> Options {
    Options { checkpoint: Duration::ZERO, ..options("db".as_ref(), name.parse().expect("a board"), values) }
}

/// The same with the tiers that are being solved in files, in blocks so small that each has many.
fn in_files(name: &str, values: Values) -> Options {
    let options = stepwise(name, values);
    Options { scratch: Some(options.root.clone()), block_words: 20, ..options }
}

fn folder(options: &Options) -> PathBuf {
    folder_of(&options.root, options.board, options.values)
}

/// Checks that a solve has failed for its files and says which and why, and that what has a final name is whole.
fn assert_clean_failure(
    result: Result<impl std::fmt::Debug, SolveError>,
    disk: &MemoryDisk,
    whole: &BTreeSet<(PathBuf, Vec<u8>)>,
    what: &str,
) {
    let error = result.expect_err(what);
    let SolveError::Database(DatabaseError::Io { file, source, .. }) = &error else { panic!("{what}: {error}") };
    let message = error.to_string();
    assert!(message.contains(&file.display().to_string()) && message.contains(&source.to_string()), "{message}");
    assert!(file.starts_with("db") || "db".starts_with(&*file.to_string_lossy()), "{what}: {message}");
    for (path, bytes) in disk.files() {
        // A frontier is a log, of which what is whole counts.
        let is_log = path.to_string_lossy().contains("frontier-");
        let is_final = !is_log && path.extension().is_none_or(|extension| extension != "new");
        assert!(!is_final || whole.contains(&(path.clone(), bytes)), "{what}: {} is not whole", path.display());
    }
}

/// Solves without a fault, and returns every file that ever had a final name, with the disk.
fn solve_whole(options: &Options) -> (MemoryDisk, BTreeSet<(PathBuf, Vec<u8>)>) {
    let disk = MemoryDisk::new();
    solve_in_memory(options, &disk).expect("a solve");
    let whole = disk.published();
    (disk, whole)
}

#[test]
fn a_failure_of_any_file_operation_is_reported_and_leaves_only_whole_files() {
    for (name, values) in [("4x4", Values::Remoteness), ("5x3", Values::Wdl)] {
        let options = stepwise(name, values);
        let (disk, whole) = solve_whole(&options);
        let (operations, expected) = (disk.operations(), database_files(&options, &disk));
        for fault in [Fault::Once as fn(u64) -> Fault, Fault::From] {
            (0..operations).into_par_iter().for_each(|operation| {
                let disk = MemoryDisk::new();
                disk.set_fault(fault(operation));
                let what = format!("{name} {values}: {:?}", fault(operation));
                assert_clean_failure(solve_in_memory(&options, &disk), &disk, &whole, &what);
                disk.set_fault(Fault::Never);
                solve_in_memory(&options, &disk).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_same(&database_files(&options, &disk), &expected, &what);
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
        let options = in_files(name, values);
        let (disk, whole) = pool.install(|| solve_whole(&options));
        let (operations, expected) = (disk.operations(), database_files(&options, &disk));
        for fault in [Fault::Once as fn(u64) -> Fault, Fault::From] {
            for operation in 0..operations {
                let disk = MemoryDisk::new();
                disk.set_fault(fault(operation));
                let what = format!("{name} {values} in files: {:?}", fault(operation));
                let result = pool.install(|| solve_in_memory(&options, &disk));
                assert_clean_failure(result, &disk, &whole, &what);
                disk.set_fault(Fault::Never);
                pool.install(|| solve_in_memory(&options, &disk)).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_same(&database_files(&options, &disk), &expected, &what);
            }
        }
        println!("{name} {values} in files: {operations} operations failed alone and with all after them");
    }
}

#[test]
fn a_disk_that_is_full_after_any_number_of_bytes_of_a_solve_in_files_is_reported() {
    let options = in_files("3x3c3", Values::Wdl);
    let (disk, whole) = solve_whole(&options);
    let (bytes, expected) = (disk.written_bytes(), database_files(&options, &disk));
    for limit in 0..bytes {
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Full(limit));
        let what = format!("3x3c3 in files: full after {limit} bytes");
        assert_clean_failure(solve_in_memory(&options, &disk), &disk, &whole, &what);
        disk.set_fault(Fault::Never);
        solve_in_memory(&options, &disk).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same(&database_files(&options, &disk), &expected, &what);
    }
    println!("3x3c3 wdl in files: full after each of {bytes} bytes");
}

#[test]
fn a_disk_that_is_full_after_any_number_of_bytes_is_reported_and_the_solve_goes_on_later() {
    for (name, values) in [("3x3c3", Values::Remoteness), ("3x3c3", Values::Wdl), ("4x3", Values::Remoteness)] {
        let options = stepwise(name, values);
        let (disk, whole) = solve_whole(&options);
        let (bytes, expected) = (disk.written_bytes(), database_files(&options, &disk));
        (0..bytes).into_par_iter().for_each(|limit| {
            let disk = MemoryDisk::new();
            disk.set_fault(Fault::Full(limit));
            let what = format!("{name} {values}: full after {limit} bytes");
            let result = solve_in_memory(&options, &disk);
            let is_full = |error: &SolveError| {
                matches!(error, SolveError::Database(DatabaseError::Io { source, .. })
                    if source.kind() == ErrorKind::StorageFull)
            };
            assert!(result.as_ref().is_err_and(is_full), "{what}: {result:?}");
            assert_clean_failure(result, &disk, &whole, &what);
            disk.set_fault(Fault::Never);
            solve_in_memory(&options, &disk).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_same(&database_files(&options, &disk), &expected, &what);
        });
        println!("{name} {values}: full after each of {bytes} bytes");
    }
}

#[test]
fn reads_and_writes_that_do_a_byte_or_are_interrupted_change_nothing() {
    for values in [Values::Remoteness, Values::Wdl] {
        let options = stepwise("4x4", values);
        let expected = whole_database(&options);
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Drip);
        solve_in_memory(&options, &disk).expect("a solve");
        assert_same(&database_files(&options, &disk), &expected, "4x4");
        // From the middle, so that the checkpoint is read as well.
        let half = half_solved(&options);
        half.set_fault(Fault::Drip);
        solve_in_memory(&options, &half).expect("a solve that goes on");
        assert_same(&database_files(&options, &half), &expected, "4x4");
        let database = Database::open_on(Arc::new(disk), &folder(&options)).expect("a database");
        assert!(database.check_files().is_empty());
        let disk = MemoryDisk::new();
        disk.set_fault(Fault::Drip);
        solve_in_memory(&in_files("4x4", values), &disk).expect("a solve in files");
        assert_same(&database_files(&options, &disk), &expected, "4x4 in files");
        println!("4x4 {values}: solved, gone on with and read by bytes");
    }
}

#[test]
fn a_read_that_fails_is_reported_and_the_next_probe_is_right() {
    let options = stepwise("4x4", Values::Remoteness);
    let (disk, _) = solve_whole(&options);
    let empty = Position::start(options.board);
    let ask = |database: &Database| database.moves(&empty);
    let expected = ask(&Database::open_on(Arc::new(disk.clone()), &folder(&options)).expect("a database"));
    let expected = expected.expect("moves");
    for operation in 0.. {
        disk.set_fault(Fault::Once(operation));
        let database = match Database::open_on(Arc::new(disk.clone()), &folder(&options)) {
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

/// Stops a solve after so many tiers.
struct StopAfter {
    most: usize,
    done: AtomicUsize,
}

impl Progress for StopAfter {
    fn tier_done(&self, _: &TierRecord) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.most
    }
}

/// A disk with a solve that was stopped in the middle.
fn half_solved(options: &Options) -> MemoryDisk {
    let disk = MemoryDisk::new();
    let stop = StopAfter { most: options.board.cells() / 2, done: AtomicUsize::new(0) };
    let stopped = run_on(options, &stop, &disk).expect_err("a solve that is stopped");
    let message = stopped.to_string();
    assert!(
        message.contains("go on with: fourbase solve ") && matches!(stopped, SolveError::Stopped { .. }),
        "{message}"
    );
    disk
}

/// Notes why a solve starts over.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Progress for Listener {
    fn starts_over(&self, why: &DatabaseError) {
        self.0.lock().expect("a lock").push(why.to_string());
    }
}

#[test]
fn a_checkpoint_that_is_damaged_anywhere_is_told_and_the_solve_starts_over() {
    let options = stepwise("4x3", Values::Remoteness);
    let expected = whole_database(&options);
    let half = half_solved(&options);
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
    damages.par_iter().enumerate().for_each(|(number, damage)| {
        let disk = MemoryDisk::new();
        for (path, bytes) in &files {
            disk.put(path, bytes);
        }
        disk.put(checkpoint, damage);
        let listener = Listener::default();
        run_on(&options, &listener, &disk).unwrap_or_else(|error| panic!("damage {number}: {error}"));
        let told = listener.0.into_inner().expect("a lock");
        assert!(told.len() == 1 && told[0].contains("frontier-"), "damage {number}: {told:?}");
        assert_same(&database_files(&options, &disk), &expected, &format!("damage {number}"));
    });
    // One that is gone may be elsewhere: it is asked for.
    half.take(checkpoint);
    let error = solve_in_memory(&options, &half).expect_err("a solve that cannot go on");
    assert!(matches!(error, SolveError::Scratch { .. }) && error.to_string().contains("--scratch"), "{error}");
    let again = Options { replace: true, ..options.clone() };
    solve_in_memory(&again, &half).expect("a solve from the start");
    assert_same(&database_files(&options, &half), &expected, "from the start");
    println!("4x3: a checkpoint of {} bytes damaged in {} ways, each found", bytes.len(), damages.len());
}

#[test]
fn a_checkpoint_that_cannot_be_read_is_not_taken_for_a_damaged_one() {
    let options = stepwise("4x4", Values::Wdl);
    let expected = whole_database(&options);
    let before = half_solved(&options).files();
    for operation in 0.. {
        let disk = MemoryDisk::new();
        before.iter().for_each(|(path, bytes)| disk.put(path, bytes));
        disk.set_fault(Fault::Once(operation));
        let listener = Listener::default();
        let result = run_on(&options, &listener, &disk);
        assert!(listener.0.into_inner().expect("a lock").is_empty(), "operation {operation} is no damage");
        if result.is_ok() {
            assert_same(&database_files(&options, &disk), &expected, "4x4 wdl");
            println!("4x4 wdl: each of {operation} operations of a solve that goes on failed once");
            break;
        }
    }
}

#[test]
fn a_solve_notices_tiers_that_are_missing_or_cut() {
    let options = stepwise("4x4", Values::Remoteness);
    let (complete, _) = solve_whole(&options);
    for disk in [complete, half_solved(&options)] {
        let files = disk.files();
        for (path, bytes) in files.iter().filter(|(path, _)| path.to_string_lossy().contains("/tier-")) {
            for (damage, says) in [(None, "the file is missing"), (Some(&bytes[..bytes.len() - 1]), "the length is")] {
                let damaged = MemoryDisk::new();
                files.iter().for_each(|(path, bytes)| damaged.put(path, bytes));
                damaged.take(path);
                if let Some(bytes) = damage {
                    damaged.put(path, bytes);
                }
                let error = solve_in_memory(&options, &damaged).expect_err("a solve that notices").to_string();
                let remedy = "fourbase solve 4x4 --values remoteness --replace";
                assert!(error.contains(says) && error.contains(remedy), "{error}");
                assert!(error.contains(&path.display().to_string()), "{error}");
            }
        }
    }
}

#[test]
fn a_solve_that_is_refused_for_memory_or_tables_makes_nothing() {
    for (name, memory_bytes) in [("4x4", 1 << 10), ("1x24", u64::MAX), ("1x40", u64::MAX), ("7x7", 1 << 30)] {
        let disk = MemoryDisk::new();
        let refused = Options { memory_bytes, ..stepwise(name, Values::Wdl) };
        let error = solve_in_memory(&refused, &disk).expect_err("a solve that is refused");
        assert!(matches!(error, SolveError::Memory { .. } | SolveError::Index(_)), "{name}: {error}");
        assert!(disk.is_empty(), "{name}: {:?}", disk.files().keys());
    }
}

#[test]
fn a_folder_that_is_held_is_refused_and_a_complete_one_is_not_locked() {
    let options = stepwise("4x3", Values::Wdl);
    let (disk, _) = solve_whole(&options);
    let lock = folder(&options).with_extension("lock");
    let held = disk.lock(&lock).expect("a disk").expect("a lock that is free");
    solve_in_memory(&options, &disk).expect("a complete database");
    let replace = Options { replace: true, ..options.clone() };
    let refused = solve_in_memory(&replace, &disk).expect_err("a folder that is held");
    assert!(matches!(&refused, SolveError::Busy { .. }) && refused.to_string().contains("somebody"), "{refused}");
    assert_same(&database_files(&options, &disk), &whole_database(&options), "nothing is touched");
    drop(held);
    solve_in_memory(&replace, &disk).expect("a folder that is free");
}
