//! Counts beside a solve are those of a count alone, and the database is that of a solve alone.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::counts_of;
use crate::counts::{CountError, Counts, read_kept, solve_and_count};
use crate::files::Disk;
use crate::kernel::Values;
use crate::long;
use crate::solve::{Progress, Report, Solve, SolveError};

fn solve(board: &str, values: Values, root: &Path) -> Solve {
    Solve::new(board.parse().unwrap(), values).root(root)
}

/// Solves a board without counting.
fn solved(board: &str, values: Values) -> Report {
    let root = tempfile::tempdir().unwrap();
    solve(board, values, root.path()).run().unwrap()
}

/// Reads the counts that are beside a database.
fn kept(solve: &Solve) -> Option<Counts> {
    let manifest = crate::format::Manifest::read(&Disk, &solve.folder(), solve.board(), solve.values()).unwrap();
    read_kept(&Disk, &solve.folder(), solve.board(), &manifest?).unwrap()
}

/// Lets this many questions pass, then stops.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn is_stopped(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn the_counts_and_the_database_are_the_same_as_apart() {
    for board in ["1x1", "1x8", "2x2c2", "3x3c1", "4x4", "4x4c3", "4x4m", "3x4c3m", "7x2c3", "5x4"] {
        if ["5x4", "7x2c3"].contains(&board) && long::skips(format_args!("{board}, solved and counted")) {
            continue;
        }
        for values in [Values::Wdl, Values::Remoteness] {
            for in_files in [false, true] {
                let root = tempfile::tempdir().unwrap();
                let scratch = root.path().join("scratch");
                let solve = solve(board, values, &root.path().join("db")).scratch(in_files.then(|| scratch.clone()));
                let (report, counts) = solve_and_count(&solve, None, &Disk, &(), &()).unwrap();
                assert_eq!(counts, counts_of(board, values), "{board} {values}");
                assert_eq!(report.hash, solved(board, values).hash, "{board} {values}");
                assert_eq!(kept(&solve), Some(counts), "{board} {values}");
                assert!(!scratch.exists(), "{board}: nothing temporary is left");
                let beside = std::fs::read_dir(solve.folder().parent().unwrap()).unwrap().count();
                assert_eq!(beside, 3, "{board}: the database, its lock, and the counts");
            }
        }
    }
}

#[test]
fn sweeps_and_solves_that_are_stopped_again_and_again_end_with_the_same_counts() {
    let board = "5x4";
    for in_files in [false, true] {
        let root = tempfile::tempdir().unwrap();
        let scratch = in_files.then(|| root.path().join("scratch"));
        let solve = solve(board, Values::Wdl, root.path()).scratch(scratch);
        let (mut sweeps, mut solves, mut patience) = (0, 0, 10);
        let (report, counts) = loop {
            let progress = [Patience(patience.into()), Patience(patience.into())];
            match solve_and_count(&solve, None, &Disk, &progress[0], &progress[1]) {
                Ok(done) => break done,
                Err(CountError::Stopped { in_files: true, .. }) => sweeps += 1,
                Err(CountError::Solve(SolveError::Stopped { .. })) => solves += 1,
                Err(error) => panic!("{error}"),
            }
            patience += 5;
        };
        assert!(sweeps > 1 && solves > 1, "{sweeps} {solves}");
        assert_eq!(counts, counts_of(board, Values::Wdl), "in files: {in_files}");
        assert_eq!(report.hash, solved(board, Values::Wdl).hash);
    }
}

#[test]
fn tiers_that_were_solved_without_counting_are_not_left_out() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("5x4", Values::Wdl, root.path());
    solve.run_with(&Patience(20.into())).unwrap_err();
    let error = solve_and_count(&solve, None, &Disk, &(), &()).unwrap_err();
    assert!(matches!(error, CountError::Untold { .. }), "{error}");
    solve.run().unwrap();
    let error = solve_and_count(&solve, None, &Disk, &(), &()).unwrap_err();
    assert!(matches!(error, CountError::Untold { .. }), "{error}");
    let (_, counts) = solve_and_count(&solve.replace(true), None, &Disk, &(), &()).unwrap();
    assert_eq!(counts, counts_of("5x4", Values::Wdl));
}

#[test]
fn what_is_solved_and_counted_is_not_done_again() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("4x4", Values::Wdl, root.path());
    let first = solve_and_count(&solve, None, &Disk, &(), &()).unwrap();
    let never = || Patience(0.into());
    let again = solve_and_count(&solve, None, &Disk, &never(), &never()).unwrap();
    assert!(again.0.already_complete && !first.0.already_complete);
    assert_eq!(again.1, first.1);
}

#[test]
fn damaged_bits_of_the_sweep_are_told_with_their_folder() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("5x4", Values::Wdl, root.path());
    let error = solve_and_count(&solve, None, &Disk, &(), &Patience(30.into())).unwrap_err();
    assert!(matches!(error, CountError::Solve(SolveError::Stopped { .. })), "{error}");
    let folder = root.path().join("5x4/count-wdl");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("reached-") {
            std::fs::write(path, "nonsense").unwrap();
        }
    }
    let error = solve_and_count(&solve, None, &Disk, &(), &()).unwrap_err();
    assert!(matches!(&error, CountError::Damaged { folder: found, .. } if *found == folder), "{error}");
}
