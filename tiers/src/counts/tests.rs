//! Checks counts against plain enumeration, and checks that all ways to count give the same counts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fourbase::{Outcome, Position, Value, notation};
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::communicator::Alone;
use crate::communicator::Communicator;
use crate::context::Context;
use crate::files::{Disk, FileError};
use crate::kernel::{Kernel, Values};
use crate::long;
use crate::progress::{Progress, Stage};
use crate::solve::{Plan, Solve, SolveError};
use crate::testing::{Threads, boards, plies};

/// What to count: `None` for legal positions without values, else the values.
type Kind = Option<Values>;

const KINDS: [Kind; 3] = [None, Some(Values::Wdl), Some(Values::Remoteness)];

fn solve(board: &str, values: Values, root: &Path) -> Solve {
    Solve::new(board.parse().unwrap(), values).root(root).memory(1 << 30)
}

/// Returns settings for a count in files below `root`, with blocks of `block_words` words.
fn in_files(board: &str, kind: Kind, block_words: usize, root: &Path) -> Solve {
    let solve = solve(board, kind.unwrap_or(Values::Wdl), root);
    solve.scratch(Some(root.to_path_buf())).block_words(block_words)
}

fn count(solve: &Solve, kind: Kind, all: &dyn Communicator, progress: &dyn Progress) -> Result<Counts, SolveError> {
    match kind {
        None => count_by_ply(solve, &Context { all, progress, ..Context::default() }),
        Some(_) => count_by_value(solve, &Context { all, progress, ..Context::default() }),
    }
}

/// Returns the smallest memory limit, in bytes, under which the count runs.
fn needed(solve: &Solve, kind: Kind) -> u64 {
    match count(&solve.clone().memory(0), kind, &Alone, &()) {
        Err(SolveError::Memory { needed, .. }) => needed as u64,
        other => panic!("{other:?}"),
    }
}

/// Returns the counts made in memory.
fn expected(board: &str, kind: Kind) -> Counts {
    count(&Solve::new(board.parse().unwrap(), kind.unwrap_or(Values::Wdl)), kind, &Alone, &()).unwrap()
}

/// A [`Progress`] that stops the work after `left` calls of `is_stopped`. Adds up the entries that are reported, and
/// records how many threads counted the last tier.
#[derive(Default)]
struct Patience {
    left: AtomicU64,
    begun: AtomicU64,
    done: AtomicU64,
    threads: AtomicU64,
}

impl Patience {
    fn new(left: u64) -> Patience {
        Patience { left: left.into(), ..Patience::default() }
    }
}

impl Progress for Patience {
    fn tier(&self, _: u32, entries: u64) {
        self.begun.fetch_add(entries, Relaxed);
        self.threads.store(rayon::current_num_threads() as u64, Relaxed);
    }

    fn done(&self, _: Stage, entries: u64) {
        self.done.fetch_add(entries, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Returns the outcome of every legal position. Works from the last ply down, because an outcome follows from those of
/// the children.
fn outcomes(plies: &[HashSet<Position>]) -> HashMap<Position, Outcome> {
    let mut outcomes: HashMap<Position, Outcome> = HashMap::new();
    for position in plies.iter().rev().flatten() {
        let children = position.moves().map(|column| outcomes[&position.drop_piece(column)].parent());
        let over = position.primitive().map(|value| Outcome { value, remoteness: Some(0) });
        outcomes.insert(*position, over.unwrap_or_else(|| children.min().expect("a move")));
    }
    outcomes
}

#[test]
fn counts_are_those_of_plain_enumeration() {
    let small = [
        "1x1", "1x8", "2x2c2", "3x3c1", "4x4", "4x4c3", "4x4m", "5x3", "1x1c1", "1x1c1m", "1x8c2", "2x3", "2x5c2m",
        "3x4c2", "3x4c3m", "4x4c2", "5x3c2", "5x3c3m", "6x2c3", "5x2c5",
    ];
    for name in boards(&small, &["8x2", "3x6", "4x5", "7x2c3"]) {
        let board = name.parse().unwrap();
        let plies = Vec::from_iter(plies(board));
        let outcomes = outcomes(&plies);
        for (found, positions) in expected(name, None).plies.iter().zip(&plies) {
            let over = Vec::from_iter(positions.iter().filter_map(Position::primitive));
            let with_line = over.iter().filter(|value| **value != Value::Tie).count();
            let numbers = [positions.len(), over.len(), with_line].map(|number| number as u64);
            assert_eq!([found.legal, found.primitive, found.with_line.unwrap()], numbers, "{name}, ply {}", found.ply);
        }
        for values in [Values::Wdl, Values::Remoteness] {
            let counts = expected(name, Some(values));
            let stored = |outcome: &Outcome| outcome.remoteness.filter(|_| values == Values::Remoteness);
            let mut rows: BTreeMap<(usize, String, Option<u32>), u64> = BTreeMap::new();
            for (position, outcome) in &outcomes {
                *rows.entry((position.ply(), outcome.value.to_string(), stored(outcome))).or_default() += 1;
            }
            let key = |row: &OutcomeCount| (row.ply as usize, row.value.to_string(), row.remoteness);
            assert_eq!(counts.outcomes.iter().map(|row| (key(row), row.legal)).collect::<BTreeMap<_, _>>(), rows);
            let legal = counts.sum(|ply| ply.legal);
            assert_eq!((legal, counts.plies.len()), (outcomes.len() as u64, plies.len()), "{name}");
            assert_eq!(counts.sum(|ply| ply.win + ply.lose + ply.tie), legal, "{name}");
            assert_eq!(counts.total_outcomes().iter().map(|row| row.legal).sum::<u64>(), legal, "{name}");
            for row in &counts.outcomes {
                let Some(moves) = &row.example else {
                    // Positions with a line get an example only if an example of the ply before leads to one of them.
                    assert!(row.remoteness.unwrap_or(0) == 0, "{name}: {row:?}");
                    assert!(row.remoteness.is_none() || name.contains('m'), "{name}: {row:?}");
                    continue;
                };
                let position = notation::parse(board, moves).unwrap();
                let outcome = outcomes.get(&position).unwrap_or_else(|| panic!("{name}: {row:?}"));
                assert_eq!((position.ply(), outcome.value.to_string(), stored(outcome)), key(row), "{name}");
            }
        }
    }
}

#[test]
fn finished_columns_may_take_more_words_than_the_columns_of_the_index() {
    let solve = Solve::new("6x4".parse().unwrap(), Values::Wdl);
    assert_eq!(count_by_ply(&solve, &Context::default()).unwrap().sum(|ply| ply.legal), 94_910_577);
}

#[test]
fn any_blocks_memory_ranks_threads_and_kernel_count_the_same() {
    let small = [("1x1", 1), ("3x3c1", 1), ("4x4", 1), ("4x4m", 64), ("3x6", 7)];
    for (board, block_words) in boards(&small, &[("6x3", 1 << 15), ("5x4", 200), ("5x5", 500)]) {
        for kind in KINDS {
            let (expected, root) = (expected(board, kind), tempfile::tempdir().unwrap());
            let files = in_files(board, kind, block_words, root.path());
            let least = files.clone().memory(needed(&files, kind));
            assert!(count(&least, kind, &Alone, &()).unwrap() == expected, "{board} {kind:?}: the least memory");
            for (ranks, threads) in [(1, 3), (2, 1), (3, 2), (5, 1)] {
                let (counted, _) = Threads::run(ranks, threads, |all| count(&files, kind, all, &()).unwrap());
                assert!(counted.iter().all(|counted| *counted == expected), "{board} {kind:?} {ranks}");
                assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "{board} {kind:?}: nothing is left");
            }
            for kernel in Kernel::all() {
                let memory = solve(board, kind.unwrap_or(Values::Wdl), root.path()).kernel(kernel);
                assert!(count(&memory, kind, &Alone, &()).unwrap() == expected, "{board} {kind:?} {kernel:?}");
            }
        }
    }
    let progress = Patience::new(u64::MAX);
    let solve = Solve::new("4x4".parse().unwrap(), Values::Wdl);
    count_by_value(&solve, &Context { progress: &progress, ..Context::default() }).unwrap();
    let entries = Plan::new(solve.board, Values::Wdl, u64::MAX).entries() as u64;
    // Every entry is reported twice: by the sweep and by the solve.
    assert_eq!((progress.begun.into_inner(), progress.done.into_inner()), (2 * entries, 2 * entries));
}

#[test]
fn a_solve_that_counts_makes_the_same_database_and_keeps_the_same_counts() {
    let small = ["1x1", "1x8", "2x2c2", "3x3c1", "3x2c1m", "4x3c5", "4x4", "4x4c3", "4x4m", "3x4c3m"];
    for board in boards(&small, &["7x2c3", "5x4"]) {
        for values in [Values::Wdl, Values::Remoteness] {
            let (root, expected) = (tempfile::tempdir().unwrap(), expected(board, Some(values)));
            let hash = solve(board, values, &root.path().join("alone")).run().unwrap().hash;
            for ranks in [1, 3] {
                let scratch = root.path().join("scratch");
                let solve = solve(board, values, &root.path().join(ranks.to_string())).scratch(Some(scratch.clone()));
                // The second call finds everything done.
                for is_again in [false, true] {
                    let solved = Threads::run(ranks, 2, |all| {
                        solve_and_count(&solve, &Context { all, ..Context::default() }).unwrap()
                    });
                    for (report, counts) in solved.0 {
                        assert_eq!((report.hash, report.already_complete), (hash, is_again), "{board} {values}");
                        assert!(counts == expected, "{board} {values}");
                    }
                }
                assert!(!scratch.exists(), "{board}: nothing temporary is left");
                let beside = std::fs::read_dir(solve.folder().parent().unwrap()).unwrap().count();
                assert_eq!(beside, 3, "{board}: the database, its lock, and the counts");
                let manifest = solve.manifest(&Disk).unwrap().unwrap();
                let kept = read_kept(&Disk, &solve.folder(), solve.board, &manifest).unwrap();
                assert!(kept.as_ref() == Some(&expected), "{board} {values}");
            }
        }
    }
}

/// Calls `run` with growing patience until it is not stopped. Returns its result, and how often it was stopped. The
/// patience has to grow, because a stopped ply begins again.
fn stop_again_and_again<T>(step: u64, run: impl Fn(&Patience) -> Result<T, SolveError>) -> (T, usize) {
    let mut stops = 0;
    loop {
        match run(&Patience::new((stops as u64 + 1) * step)) {
            Ok(done) => return (done, stops),
            Err(SolveError::Stopped { folder: Some(_), .. }) => stops += 1,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn counts_that_are_stopped_again_and_again_end_with_the_same_tables() {
    long::skips("a count with remoteness that is stopped, and two of three stops");
    let step = long::scale(60, 20);
    for kind in KINDS.into_iter().take(long::scale(2, 3)) {
        let (root, expected) = (tempfile::tempdir().unwrap(), expected("5x4", kind));
        let files = in_files("5x4", kind, 200, root.path());
        let (counted, stops) = stop_again_and_again(step, |patience| count(&files, kind, &Alone, patience));
        assert!(stops > long::scale(1, 3) && counted == expected, "{kind:?}: {stops} stops");
        count(&files, kind, &Alone, &Patience::new(4 * step)).unwrap_err();
        let (counted, _) = Threads::run(3, 1, |all| count(&files, kind, all, &()).unwrap());
        assert!(counted.into_iter().all(|found| found == expected), "{kind:?}: other ranks resume");
    }
    let root = tempfile::tempdir().unwrap();
    let solve = solve("5x4", Values::Wdl, root.path()).block_words(1 << 10);
    let run = |patience: &Patience| solve_and_count(&solve, &Context { progress: patience, ..Context::default() });
    let ((_, counts), stops) = stop_again_and_again(10, run);
    assert!(stops > 3 && kept_path(&solve.folder()).exists(), "{stops}");
    assert_eq!(counts, expected("5x4", KINDS[1]));
}

/// Calls `spoil` with every file in `folder` whose name begins with `prefix`. At least one such file must exist.
fn spoil(folder: &Path, prefix: &str, spoil: impl Fn(&Path)) {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let logs = paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(prefix));
    assert!(logs.inspect(|path| spoil(path)).count() > 0, "logs in {}", folder.display());
}

/// Changes the version number in a file to that of a newer program. A second call restores the number.
fn change_version(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[8] ^= 8;
    let end = 16 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let checksum = xxh3_64(&bytes[..end]).to_le_bytes();
    bytes[end..end + 8].copy_from_slice(&checksum);
    std::fs::write(path, bytes).unwrap();
}

fn damage(path: &Path) {
    std::fs::write(path, "nonsense").unwrap();
}

#[test]
fn files_of_another_count_or_of_chance_are_not_believed() {
    let (root, wdl) = (tempfile::tempdir().unwrap(), KINDS[1]);
    let (first, expected) = (in_files("5x4", wdl, 200, root.path()), expected("5x4", wdl));
    let legal = root.path().join("5x4/count-legal");
    let folder = root.path().join("5x4/count-wdl");
    let stop = |count: &Solve, kind, patience| self::count(count, kind, &Alone, &Patience::new(patience)).unwrap_err();
    let is_damaged = |error: SolveError, of: &Path| {
        assert!(matches!(&error, SolveError::Damaged { folder, .. } if folder == of), "{error}");
    };
    stop(&first, wdl, 400);
    assert!(count(&first.clone().block_words(300), wdl, &Alone, &()).unwrap() == expected, "other blocks");

    for journal in ["nonsense", "fourcou2, the journal of version 0.2.0"] {
        stop(&first, wdl, 400);
        std::fs::write(folder.join("count"), journal).unwrap();
        std::fs::write(folder.join("frontier-07.0"), "values that version 0.2.0 left").unwrap();
        assert!(count(&first, wdl, &Alone, &()).unwrap() == expected && !folder.exists(), "{journal}");
    }

    stop(&first, None, 100);
    for prefix in ["reached-", "count"] {
        spoil(&legal, prefix, change_version);
        let error = count(&first, None, &Alone, &()).unwrap_err();
        assert!(matches!(error, SolveError::File(FileError::Newer { .. })), "{error}");
        spoil(&legal, prefix, change_version);
    }
    spoil(&legal, "reached-", damage);
    is_damaged(count(&first, None, &Alone, &()).unwrap_err(), &legal);

    // With growing patience, the count is stopped first in the sweep and finally in the solve, which leaves logs.
    let database = folder.join("5x4/wdl");
    let has_log = || database.read_dir().is_ok_and(|names| names.count() > 1);
    assert!((100..).step_by(50).map(|patience| stop(&first, wdl, patience)).any(|_| has_log()));
    spoil(&folder.join("5x4/wdl"), "frontier-", |path| std::fs::remove_file(path).unwrap());
    is_damaged(count(&first, wdl, &Alone, &()).unwrap_err(), &folder);

    let solve = solve("5x4", Values::Wdl, root.path());
    let stop = |patience| {
        solve_and_count(&solve, &Context { progress: &Patience::new(patience), ..Context::default() }).unwrap_err()
    };
    assert!((30..).step_by(10).map(stop).any(|error| matches!(error, SolveError::Stopped { stage: Stage::Solve, .. })));
    let folder = root.path().join("5x4/tally-wdl");
    spoil(&folder, "reached-", damage);
    is_damaged(solve_and_count(&solve, &Context::default()).unwrap_err(), &folder);
}

#[test]
fn threads_for_which_there_is_too_little_memory_are_left_out() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for kind in KINDS {
        let (root, expected) = (tempfile::tempdir().unwrap(), expected("4x4", kind));
        let files = |limit| in_files("4x4", kind, 1 << 12, root.path()).memory(limit);
        let least = |threads| pool(threads).install(|| needed(&files(u64::MAX), kind));
        let limit = least(8);
        assert_eq!(limit, least(1), "{kind:?}");
        let used = |limit| {
            let used = Patience::new(u64::MAX);
            pool(8).install(|| assert!(count(&files(limit), kind, &Alone, &used).unwrap() == expected, "{kind:?}"));
            used.threads.into_inner()
        };
        assert_eq!([limit, 1 << 30].map(used), [1, 8], "{kind:?}");
        let (ranks, _) = Threads::run(2, 8, |all| count(&files(limit), kind, all, &()).map(|_| ()));
        assert!(matches!(ranks[..], [Err(SolveError::Memory { .. }), ..]), "{kind:?}: {ranks:?}");
        if let Some(values) = kind {
            let solve = solve("4x4", values, root.path()).memory(limit);
            let (_, counts) = pool(8).install(|| solve_and_count(&solve, &Context::default())).unwrap();
            assert!(counts == expected, "{kind:?}");
        }
    }
}

#[test]
fn a_folder_in_which_another_process_counts_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("4x4/count-legal");
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let error = count(&in_files("4x4", None, 200, root.path()), None, &Alone, &()).unwrap_err();
    assert!(matches!(error, SolveError::Busy { .. }), "{error}");
}

#[test]
fn tiers_that_were_solved_without_counting_are_not_left_out() {
    let root = tempfile::tempdir().unwrap();
    let solve = solve("4x4", Values::Wdl, root.path());
    solve.run_on(&Context { progress: &Patience::new(12), ..Context::default() }).unwrap_err();
    for _ in 0..2 {
        let error = solve_and_count(&solve, &Context::default()).unwrap_err();
        assert!(matches!(error, SolveError::Uncounted { .. }), "{error}");
        solve.run().unwrap();
    }
    let (_, counts) = solve_and_count(&solve.replace(true), &Context::default()).unwrap();
    assert_eq!(counts, expected("4x4", KINDS[1]));
}
