//! Files that cannot be written or read, processes that die and power that goes: the solve says which file and why, leaves
//! nothing half-written under a final name, and the next solve ends with the same bytes; a probe reports it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourbase::Position;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use tempfile::TempDir;

use crate::support::files::{assert_same, flipped, folder_files, of_version};
use crate::support::long;
use crate::support::memory_disk::{Fault, MemoryDisk};
use crate::support::positions::Random;
use crate::support::progress::{Listener, StopAfter};
use crate::support::solves::{Runs, in_files, in_files_at_once, stepwise};
use crate::support::tiers::{CHECKPOINT, FileError, Kernel, Solve, SolveError, Storage, Values};

/// What is in the way of a solve.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// An operation fails, and those after it go well.
    Once,
    /// The process dies: all that it wrote is there.
    Death,
    /// The power goes: what was not synced is there or not.
    PowerCut,
    /// The disk is full after so many bytes.
    Full,
}

/// A solve, with what it makes on a disk like `before` if nothing is in its way.
struct Undisturbed {
    solve: Solve,
    name: String,
    before: BTreeMap<String, Vec<u8>>,
    expected: BTreeMap<String, Vec<u8>>,
    /// Every file that ever had a final name.
    whole: BTreeSet<(PathBuf, Vec<u8>)>,
    /// Operations and written bytes.
    done: [u64; 2],
}

impl Undisturbed {
    fn new(solve: Solve, before: BTreeMap<String, Vec<u8>>, name: String) -> Undisturbed {
        let disk = solve.disk_with(&before);
        solve.solve_on(&disk).expect("a solve without faults");
        let (whole, before_whole) = (disk.published(), solve.disk_with(&before).files().into_iter());
        Undisturbed {
            whole: whole.into_iter().chain(before_whole).collect(),
            done: disk.done(),
            expected: solve.files_on(&disk),
            solve,
            name,
            before,
        }
    }

    /// Solves with trouble at one place, checks the failure, and solves to the end with other kernels.
    fn survives(&self, trouble: Trouble, at: u64) {
        let what = format!("{}: {trouble:?} at {at}", self.name);
        let disk = self.solve.disk_with(&self.before);
        disk.set_fault(match trouble {
            Trouble::Once => Fault::Once(at),
            Trouble::Death | Trouble::PowerCut => Fault::From(at),
            Trouble::Full => Fault::Full(at),
        });
        let listener = Listener::default();
        let error = self.solve.run_heard_on(&listener, &disk).expect_err(&what);
        assert!(listener.told().is_empty(), "{what}: it is no damage");
        let SolveError::File(FileError::Io { file, source, .. }) = &error else { panic!("{what}: {error}") };
        let message = error.to_string();
        assert!(message.contains(&file.display().to_string()) && message.contains(&source.to_string()), "{message}");
        assert!(file.starts_with("db") || "db".starts_with(&*file.to_string_lossy()), "{what}: {message}");
        assert_eq!(source.kind() == ErrorKind::StorageFull, matches!(trouble, Trouble::Full), "{what}: {message}");
        for (path, bytes) in disk.files() {
            // A frontier file is a log: its whole records count.
            let name = path.file_name().expect("a name").to_string_lossy();
            let is_final = !name.contains("frontier-") && !name.ends_with(".new") && name != "replacement";
            // Once a replacement is whole its files are in the folder of the database.
            let is_whole = |place: PathBuf| self.whole.contains(&(place, bytes.clone()));
            let beside = PathBuf::from(path.to_string_lossy().replace("/wdl/", "/wdl.replacement/"));
            assert!(!is_final || is_whole(path.clone()) || is_whole(beside), "{what}: {} is not whole", path.display());
        }
        if let Trouble::PowerCut = trouble {
            disk.cut_power(&mut Random::new(at));
        }
        disk.set_fault(Fault::Never);
        let again = self.solve.clone().kernel(Kernel::portable());
        again.solve_on(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same(&self.solve.files_on(&disk), &self.expected, &what);
    }
}

/// Solves that are disturbed at each of their operations: in memory, without checkpoints, from the middle on, over an older database, in files
/// whose blocks are written at once, and in files whose blocks stay in memory.
fn disturbed() -> Vec<(Solve, BTreeMap<String, Vec<u8>>)> {
    let replace = stepwise("4x4", Values::Wdl).replace(true);
    let (older, half) = (replace.whole(), replace.files_on(&half_solved(&stepwise("4x4", Values::Wdl))));
    let none = BTreeMap::new;
    vec![
        (stepwise("4x4", Values::Remoteness), none()),
        (stepwise("5x3", Values::Wdl), none()),
        (stepwise("4x4", Values::Remoteness).checkpoint(CHECKPOINT), none()),
        (stepwise("4x4", Values::Wdl), half),
        (replace.clone(), older),
        (replace, none()),
        (in_files_at_once("3x3c3", Values::Remoteness), none()),
        (in_files("3x3c3", Values::Remoteness), none()),
        (in_files_at_once("4x3", Values::Wdl), none()),
        (in_files("4x3", Values::Wdl), none()),
    ]
}

/// Disturbs each solve at every operation, or where the disk is full after every byte, or in the short run at every `stride`th; each on
/// one thread, so that its operations have an order.
fn disturb(solves: Vec<(Solve, BTreeMap<String, Vec<u8>>)>, troubles: &[Trouble], stride: usize) {
    solves.into_par_iter().enumerate().for_each(|(number, (solve, before))| {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        pool.install(|| {
            let name = format!("{} {}, solve {number}", solve.board, solve.values);
            let undisturbed = Undisturbed::new(solve, before, name);
            let [operations, bytes] = undisturbed.done;
            let all = Vec::from_iter(0..if matches!(troubles, [Trouble::Full]) { bytes } else { operations });
            println!("{}: {troubles:?} at each of {} places", undisturbed.name, all.len());
            for at in long::every(stride, all, format_args!("places of {}", undisturbed.name)) {
                troubles.iter().for_each(|trouble| undisturbed.survives(*trouble, at));
            }
        });
    });
}

#[test]
fn trouble_at_any_file_operation_is_reported_and_the_next_solve_ends_with_the_same_bytes() {
    disturb(disturbed(), &[Trouble::Once, Trouble::Death, Trouble::PowerCut], 23);
}

#[test]
fn a_disk_that_is_full_after_any_number_of_bytes_is_reported_and_the_solve_goes_on_later() {
    let solves = [
        stepwise("3x3c3", Values::Remoteness),
        stepwise("3x3c3", Values::Wdl),
        stepwise("4x3", Values::Remoteness),
        in_files_at_once("3x3c3", Values::Wdl),
    ];
    disturb(solves.map(|solve| (solve, BTreeMap::new())).to_vec(), &[Trouble::Full], 101);
}

/// More operations than a solve that resumes takes before it has made another tier durable: it reads all finished ones, and
/// each block of the last twice.
const MOST_OPERATIONS: usize = 500;

#[test]
fn a_solve_that_loses_power_again_and_again_goes_on_to_the_same_bytes() {
    let solve = stepwise("5x3", Values::Remoteness);
    let expected = solve.whole();
    let mut cuts = 0;
    let solves = long::scale(4, 100);
    long::skips("96 of 100 solves that lose power again and again");
    for seed in 0..solves {
        let mut random = Random::new(seed);
        let disk = MemoryDisk::default();
        disk.set_fault(Fault::From(random.below(MOST_OPERATIONS) as u64));
        while solve.solve_on(&disk).is_err() {
            disk.cut_power(&mut random);
            disk.set_fault(Fault::From(random.below(MOST_OPERATIONS) as u64));
            cuts += 1;
        }
        // What a fault kept from being tidied up in a complete database goes the next time.
        disk.set_fault(Fault::Never);
        solve.solve_on(&disk).expect("a complete database");
        assert_same(&solve.files_on(&disk), &expected, &format!("seed {seed}"));
    }
    println!("5x3 remoteness: {solves} solves, {cuts} power cuts");
}

#[test]
fn a_solve_that_has_ended_outlives_a_loss_of_power() {
    for checkpoint in [Duration::ZERO, CHECKPOINT] {
        let solve = stepwise("4x4", Values::Wdl).checkpoint(checkpoint);
        let expected = solve.whole();
        long::skips("96 of 100 solves that lose power at the end");
        for seed in 0..long::scale(4, 100) {
            let disk = MemoryDisk::default();
            solve.solve_on(&disk).expect("a solve");
            disk.cut_power(&mut Random::new(seed));
            assert!(solve.solve_on(&disk).expect("a complete database").already_complete, "seed {seed}");
            assert_same(&solve.files_on(&disk), &expected, &format!("seed {seed}"));
        }
    }
}

#[test]
fn reads_and_writes_that_do_a_byte_or_are_interrupted_change_nothing() {
    for values in [Values::Remoteness, Values::Wdl] {
        let solve = stepwise("4x4", values);
        let expected = solve.whole();
        // From the middle, so that the checkpoint is read as well.
        for (solve, disk) in [
            (&solve, MemoryDisk::default()),
            (&solve, half_solved(&solve)),
            (&in_files("4x4", values), MemoryDisk::default()),
        ] {
            disk.set_fault(Fault::Drip);
            solve.solve_on(&disk).expect("a solve");
            assert_same(&solve.files_on(&disk), &expected, "4x4");
            assert!(solve.open_on(disk).expect("a database").check_files().is_empty());
        }
    }
}

#[test]
fn a_read_that_fails_is_reported_and_the_next_probe_is_right() {
    let solve = stepwise("4x4", Values::Remoteness);
    let disk = solve.solved();
    let empty = Position::start(solve.board);
    let expected = solve.open_on(disk.clone()).expect("a database").moves(&empty).expect("moves");
    for operation in 0.. {
        disk.set_fault(Fault::Once(operation));
        let asked = solve.open_on(disk.clone()).and_then(|database| {
            let found = database.moves(&empty);
            assert_eq!(database.moves(&empty).expect("moves"), expected);
            found
        });
        match asked {
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
    let disk = MemoryDisk::default();
    let stop = StopAfter::tiers(solve.board.cells() / 2);
    let stopped = solve.run_heard_on(&stop, &disk).expect_err("a solve that is stopped");
    assert!(matches!(stopped, SolveError::Stopped { .. }), "{stopped}");
    disk
}

/// A disk with these files, one of them with other bytes, or gone.
fn damaged(files: &BTreeMap<PathBuf, Vec<u8>>, path: &Path, bytes: Option<&[u8]>) -> MemoryDisk {
    let disk = MemoryDisk::default();
    files.iter().for_each(|(path, bytes)| disk.put(path, bytes));
    disk.take(path);
    if let Some(bytes) = bytes {
        disk.put(path, bytes);
    }
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
    let flips = (0..8 * bytes.len()).map(|bit| flipped(bytes, bit));
    let cuts = (0..bytes.len()).map(|length| bytes[..length].to_vec());
    let damages: Vec<_> = flips.chain(cuts).collect();
    let damages = long::every(101, damages, "bits and lengths of a checkpoint");
    damages.par_iter().enumerate().for_each(|(number, damage)| {
        let disk = damaged(&files, checkpoint, Some(damage));
        let listener = Listener::default();
        solve.run_heard_on(&listener, &disk).unwrap_or_else(|error| panic!("damage {number}: {error}"));
        let told = listener.told();
        assert!(told.len() == 1 && told[0].contains("frontier-"), "damage {number}: {told:?}");
        assert_same(&solve.files_on(&disk), &expected, &format!("damage {number}"));
    });
    let (listener, old) = (Listener::default(), damaged(&files, checkpoint, Some(&of_version(bytes, 4))));
    solve.run_heard_on(&listener, &old).expect("a solve from the start");
    assert!(listener.told()[0].contains("4 (of an older fourbase)"));
    // One that is gone may be elsewhere: it is asked for.
    half.take(checkpoint);
    let error = solve.solve_on(&half).expect_err("a solve that cannot go on");
    assert!(matches!(error, SolveError::Scratch { .. }), "{error}");
    solve.clone().replace(true).solve_on(&half).expect("a solve from the start");
    assert_same(&solve.files_on(&half), &expected, "from the start");
    println!("4x3: a checkpoint of {} bytes damaged in {} ways, each found", bytes.len(), damages.len());
}

#[test]
fn what_a_newer_program_has_written_is_an_error_and_stays() {
    let solve = stepwise("4x3", Values::Remoteness);
    let (again, names) = (solve.clone().replace(true), ["manifest", "frontier-", "tier-"]);
    let cases = [(half_solved(&solve), &solve, 2), (half_solved(&again), &again, 3), (solve.solved(), &again, 3)];
    for (disk, solve, count) in cases {
        let files = disk.files();
        let is_changed = |path: &Path| names[..count].iter().any(|name| path.to_string_lossy().contains(name));
        for (path, bytes) in files.iter().filter(|(path, _)| is_changed(path)) {
            let disk = damaged(&files, path, Some(&of_version(bytes, 7)));
            let error = solve.solve_on(&disk).expect_err("a newer version");
            assert!(matches!(error, SolveError::File(FileError::Newer { .. })), "{}: {error}", path.display());
            assert!(files.iter().all(|(other, bytes)| other == path || disk.files().get(other) == Some(bytes)));
        }
    }
}

#[test]
fn a_solve_notices_finished_tiers_that_are_missing_cut_or_changed() {
    let solve = stepwise("4x4", Values::Remoteness);
    for (disk, is_half) in [(solve.solved(), false), (half_solved(&solve), true)] {
        let files = disk.files();
        for (path, bytes) in files.iter().filter(|(path, _)| path.to_string_lossy().contains("/tier-")) {
            let cut = bytes[..bytes.len() - 1].to_vec();
            // A complete database is not read.
            let places = [0, bytes.len() / 2, bytes.len() - 1].into_iter().filter(|_| is_half);
            let changed = places.map(|byte| (Some(flipped(bytes, 8 * byte)), "the hash is"));
            for (damage, says) in
                [(None, "the file is missing"), (Some(cut), "the length is")].into_iter().chain(changed)
            {
                let error =
                    solve.solve_on(&damaged(&files, path, damage.as_deref())).expect_err("a solve that notices");
                let error = error.to_string();
                assert!(error.contains(says) && error.contains(&path.display().to_string()), "{error}");
            }
        }
        solve.solve_on(&disk).expect("a solve of sound files");
    }
}

#[test]
fn a_solve_that_is_refused_for_memory_or_tables_makes_nothing() {
    for (name, memory_bytes) in [("4x4", 1 << 10), ("1x24", u64::MAX), ("1x40", u64::MAX), ("7x7", 1 << 30)] {
        let disk = MemoryDisk::default();
        let refused = stepwise(name, Values::Wdl).memory(memory_bytes);
        let error = refused.solve_on(&disk).expect_err("a solve that is refused");
        assert!(matches!(error, SolveError::Memory { .. } | SolveError::Index(_)), "{name}: {error}");
        assert!(disk.is_empty(), "{name}: {:?}", disk.files().keys());
    }
}

#[test]
fn a_folder_that_is_held_is_refused_and_a_complete_one_is_not_locked() {
    let solve = stepwise("4x3", Values::Wdl);
    let disk = solve.solved();
    let lock = solve.folder().with_extension("lock");
    let held = disk.lock(&lock).expect("a disk").expect("a lock that is free");
    solve.solve_on(&disk).expect("a complete database");
    let replace = solve.clone().replace(true);
    let refused = replace.solve_on(&disk).expect_err("a folder that is held");
    assert!(matches!(&refused, SolveError::Busy { .. }) && refused.to_string().contains("somebody"), "{refused}");
    assert_same(&solve.files_on(&disk), &solve.whole(), "nothing is touched");
    drop(held);
    replace.solve_on(&disk).expect("a folder that is free");
}

#[test]
fn what_stopped_solves_left_is_removed_and_nothing_else() {
    let root = TempDir::new().expect("a temporary folder");
    let solve = stepwise("4x3", Values::Wdl).root(root.path());
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
        solve.clone().replace(replace).run().expect("a solve");
        assert_same(&folder_files(&folder), &expected, "4x3 wdl");
    }
}
