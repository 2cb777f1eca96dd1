//! A solve makes the same files with any number of ranks and threads, even if a different number of ranks resumes it.
//! `tests/resume.rs` tests sizes of blocks and memory.

use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::{Solve, SolveError};
use crate::context::Context;
use crate::files::{Disk, Storage};
use crate::format::Manifest;
use crate::kernel::Values;
use crate::testing::{Stop, Threads, boards};

fn solve(board: &str, values: Values, root: &Path) -> Solve {
    // Makes many blocks, even on small boards.
    Solve::new(board.parse().unwrap(), values).root(root).memory(1 << 30).block_words(1 << 8)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = Disk.names(folder).unwrap().into_iter();
    names.map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn any_number_of_ranks_and_threads_makes_the_same_files() {
    for board in boards(&["4x4", "5x4", "4x4m"], &["5x5"]) {
        for values in [Values::Wdl, Values::Remoteness] {
            let alone = tempfile::tempdir().unwrap();
            let report = solve(board, values, alone.path()).run().unwrap();
            for (ranks, threads) in [(1, 2), (2, 1), (3, 2), (4, 1), (8, 1)] {
                let root = tempfile::tempdir().unwrap();
                let solve = solve(board, values, root.path()).scratch(Some(root.path().join("scratch")));
                let (reports, _) =
                    Threads::run(ranks, threads, |all| solve.run_on(&Context { all, ..Context::default() }).unwrap());
                let of = |report: &super::Report| (report.hash, report.outcome, report.bytes);
                assert!(reports.iter().all(|found| of(found) == of(&report)), "{board} {values} {ranks} {threads}");
                assert!(files(&report.folder) == files(&reports[0].folder), "{board} {values} {ranks} {threads}");
            }
        }
    }
}

#[test]
fn threads_for_which_there_is_too_little_memory_are_left_out() {
    let (alone, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let all = solve("4x4", Values::Wdl, alone.path()).run().unwrap();
    let solve = |limit| {
        solve("4x4", Values::Wdl, root.path()).scratch(Some(root.path().join("scratch"))).memory(limit).replace(true)
    };
    rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap().install(|| {
        let most = solve(1 << 30).plan().memory_bytes() as u64;
        let mut fits: Vec<usize> = Vec::new();
        for limit in (0..most + 1).rev().step_by(1 << 19) {
            let plan = solve(limit).plan().within(limit);
            match solve(limit).run() {
                Ok(report) => assert_eq!(report.hash, all.hash),
                Err(SolveError::Memory { needed, .. }) => {
                    assert_eq!((needed, plan.threads), (plan.memory_bytes(), 1));
                    break;
                }
                Err(error) => panic!("{error}"),
            }
            assert!(plan.memory_bytes() <= u128::from(limit) && plan.threads + plan.left_out == 8);
            fits.push(plan.threads);
        }
        fits.dedup();
        assert!(fits.first() == Some(&8) && fits.last() == Some(&1) && fits.is_sorted_by(|a, b| a > b), "{fits:?}");
    });
}

/// [`Threads`] treats up to three ranks as one machine, on which few tiers become checkpoints.
#[test]
fn a_stopped_solve_is_resumed_by_any_other_number_of_ranks() {
    let alone = tempfile::tempdir().unwrap();
    let expected = solve("4x4", Values::Remoteness, alone.path()).run().unwrap().hash;
    for checkpoint in [Duration::ZERO, Duration::from_secs(120)] {
        for (tiers, ranks) in [(1, 2), (2, 4), (7, 3), (12, 1), (16, 2)] {
            let root = tempfile::tempdir().unwrap();
            let solve = solve("4x4", Values::Remoteness, root.path()).checkpoint(checkpoint);
            let solve = solve.scratch(Some(root.path().join("scratch")));
            let stop = Stop(AtomicU32::new(tiers * ranks));
            let (stopped, _) = Threads::run(ranks, 1, |all| {
                solve.run_on(&Context { all, progress: &stop, ..Context::default() }).unwrap_err()
            });
            assert!(stopped.iter().all(|error| matches!(error, SolveError::Stopped { .. })), "{stopped:?}");
            let kept = Manifest::read(&Disk, &solve.folder()).unwrap().unwrap();
            assert!(kept.tiers.len() + 1 >= tiers as usize, "{ranks}");
            let never = Stop(AtomicU32::new(u32::MAX));
            let (reports, _) = Threads::run(5 - ranks, 1, |all| {
                solve.run_on(&Context { all, progress: &never, ..Context::default() }).unwrap()
            });
            assert!(reports.iter().all(|report| report.hash == expected), "{tiers} {ranks}");
        }
    }
}

#[test]
fn every_rank_reports_a_missing_file_of_an_earlier_solve() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("4x4", Values::Wdl, root.path());
    let folder = solve.run_on(&Context::default()).unwrap().folder;
    std::fs::remove_file(folder.join("tier-09")).unwrap();
    let (found, _) =
        Threads::run(2, 1, |all| solve.run_on(&Context { all, ..Context::default() }).unwrap_err().to_string());
    assert!(found.iter().all(|error| error.contains("the file is missing")), "{found:?}");
}

#[test]
fn a_replacement_takes_its_place_when_it_is_whole_and_resumes_where_it_was_stopped() {
    let root = tempfile::tempdir().unwrap();
    let old = solve("4x4", Values::Wdl, root.path()).keep_plies(Some(5));
    let report = old.run().unwrap();
    let before = files(&report.folder);
    let new = solve("4x4", Values::Wdl, root.path()).checkpoint(Duration::ZERO).replace(true);
    let beside = report.folder.with_extension("replacement");
    let mut tiers_done = 0;
    loop {
        match new.run_on(&Context { progress: &Stop(AtomicU32::new(6)), ..Context::default() }) {
            Err(SolveError::Stopped { done, .. }) => {
                assert!(done > tiers_done, "it resumes");
                tiers_done = done;
                assert!(files(&report.folder) == before && beside.exists());
                assert_eq!(crate::database::list(root.path()).unwrap().replacements[0].1.tiers.len(), done);
            }
            replaced => {
                assert_eq!(replaced.unwrap().keep_plies, None);
                break;
            }
        }
    }
    assert!(tiers_done > 0 && !beside.exists());
    let whole = tempfile::tempdir().unwrap();
    let expected = solve("4x4", Values::Wdl, whole.path()).run().unwrap();
    assert!(files(&report.folder) == files(&expected.folder));
    // A solve that was stopped between the exchange and the removal leaves the old database. The next solve removes it,
    // and nothing else.
    std::fs::create_dir(&beside).unwrap();
    std::fs::copy(report.folder.join("manifest"), beside.join("manifest")).unwrap();
    std::fs::write(beside.join("notes"), "mine").unwrap();
    assert!(solve("4x4", Values::Wdl, root.path()).run().unwrap().already_complete);
    assert!(!beside.exists() && std::fs::read(report.folder.join("notes")).unwrap() == b"mine");
}
