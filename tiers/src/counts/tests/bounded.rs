//! Counts in files are those in memory, however small the blocks and wherever they were stopped.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::{counts_of, legal_of};
use crate::counts::sweep::sweep_tier;
use crate::counts::{Count, CountError, Counted, PlyLegal};
use crate::files::Memory;
use crate::index::Index;
use crate::kernel::{Kernel, Values};
use crate::long;
use crate::solve::{Plan, Progress};
use crate::tier::{Home, InLogs, Logs, Reached, Room, Watch};

/// Boards of every kind, and sizes of blocks that cut them into many.
const BOARDS: [(&str, usize); 15] = [
    ("1x1", 1),
    ("1x8", 1),
    ("8x2", 30),
    ("2x2c2", 1),
    ("3x3c1", 1),
    ("4x4", 1),
    ("4x4c3", 3),
    ("4x4m", 64),
    ("3x6", 7),
    ("4x5", 200),
    ("5x4", 64),
    ("5x4", 1 << 15),
    ("3x4c3m", 1),
    ("4x6", 500),
    ("7x2c3", 5),
];

fn count(board: &str, values: Option<Values>, block_words: usize, root: &Path) -> Count {
    Count::new(board.parse().unwrap(), values).memory(1 << 30).root(root).in_files(true).block_words(block_words)
}

/// What a count with values or without has to find.
fn expected(board: &str, values: Option<Values>) -> Counted {
    match values {
        None => Counted::Legal(legal_of(board)),
        Some(values) => Counted::Values(counts_of(board, values)),
    }
}

#[test]
fn counts_in_files_are_those_in_memory_however_small_the_blocks() {
    for (board, block_words) in BOARDS {
        if ["8x2", "5x4", "4x5", "4x6"].contains(&board) && long::skips(format_args!("a count of {board} in files")) {
            continue;
        }
        for values in [None, Some(Values::Wdl), Some(Values::Remoteness)] {
            let root = tempfile::tempdir().unwrap();
            let count = count(board, values, block_words, root.path());
            assert_eq!(count.run().unwrap(), expected(board, values), "{board} {values:?} {block_words}");
            assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0, "nothing is left");
        }
    }
}

#[test]
fn any_number_of_threads_counts_the_same_in_files() {
    long::skips("5x4; takes 4x4");
    let board = long::scale("4x4", "5x4");
    for threads in [1, 2, 3] {
        let root = tempfile::tempdir().unwrap();
        let count = count(board, Some(Values::Wdl), 100, root.path());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let counted = pool.install(|| count.run().unwrap());
        assert_eq!(counted, expected(board, Some(Values::Wdl)), "{threads} threads");
    }
}

/// Lets this many questions pass, then stops.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn is_stopped(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_count_that_is_stopped_again_and_again_ends_with_the_same_counts() {
    long::skips("a count with remoteness that is stopped, and two of three stops");
    let few = [None, Some(Values::Wdl)];
    let step = long::scale(60, 20);
    for &values in long::scale(&few[..], &[None, Some(Values::Wdl), Some(Values::Remoteness)]) {
        let root = tempfile::tempdir().unwrap();
        let count = count("5x4", values, 200, root.path());
        let (mut stops, mut patience) = (0, step);
        let counted = loop {
            match count.run_with(&Patience(patience.into())) {
                Ok(counted) => break counted,
                Err(CountError::Stopped { .. }) => stops += 1,
                Err(error) => panic!("{error}"),
            }
            // A ply of the sweep that is stopped begins anew: with the same patience it would never end.
            patience += step;
        };
        assert!(stops > long::scale(1, 3), "{stops}");
        assert_eq!(counted, expected("5x4", values), "{values:?}");
    }
}

#[test]
fn what_another_count_or_chance_has_left_in_the_folder_is_not_believed() {
    let root = tempfile::tempdir().unwrap();
    let first = count("5x4", Some(Values::Wdl), 200, root.path());
    first.run_with(&Patience(400.into())).unwrap_err();
    assert_eq!(first.clone().block_words(300).run().unwrap(), expected("5x4", Some(Values::Wdl)), "other blocks");

    first.run_with(&Patience(400.into())).unwrap_err();
    std::fs::write(first.folder().join("count"), "nonsense").unwrap();
    assert_eq!(first.run().unwrap(), expected("5x4", Some(Values::Wdl)), "no journal");

    let legal = count("5x4", None, 200, root.path());
    legal.run_with(&Patience(100.into())).unwrap_err();
    for entry in std::fs::read_dir(legal.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("reached-") {
            std::fs::write(path, "nonsense").unwrap();
        }
    }
    let error = legal.run().unwrap_err();
    assert!(matches!(&error, CountError::Damaged { folder, .. } if *folder == legal.folder()), "{error}");
}

#[test]
fn a_folder_that_another_count_holds_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let count = count("4x4", None, 200, root.path());
    std::fs::create_dir_all(count.folder()).unwrap();
    let lock = std::fs::File::create(count.folder().join("lock")).unwrap();
    lock.lock().unwrap();
    let error = count.run().unwrap_err();
    assert!(matches!(error, CountError::Busy { .. }), "{error}");
}

#[test]
fn memory_that_is_too_small_for_files_too_is_refused_before_anything_is_made() {
    let root = tempfile::tempdir().unwrap();
    for (board, memory_bytes) in [("5x4", 1000), ("8x8", 1 << 30)] {
        let error = count(board, None, 200, root.path()).memory(memory_bytes).run().unwrap_err();
        let too_small = matches!(error, CountError::Memory { .. } | CountError::Index(_));
        assert!(too_small, "{error}");
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

/// Notes whether the plan was one in files, and stops at once.
#[derive(Default)]
struct Planned(AtomicBool);

impl Progress for Planned {
    fn planned(&self, plan: &Plan, _: u64) {
        self.0.store(plan.is_bounded, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn files_are_used_where_memory_does_not_do() {
    let root = tempfile::tempdir().unwrap();
    // A plane of the two widest tiers takes about 200 MiB.
    for (memory_bytes, is_bounded) in [(1 << 30, false), (90 << 20, true)] {
        let count = Count::new("6x5".parse().unwrap(), None).memory(memory_bytes).root(root.path());
        let planned = Planned::default();
        count.run_with(&planned).unwrap_err();
        assert_eq!(planned.0.into_inner(), is_bounded);
    }
}

#[test]
#[ignore = "some minutes and a gigabyte of files: run it when the sweep changes"]
fn the_totals_of_6x6_and_7x5_are_the_published_ones() {
    for (board, total) in [("6x6", 69_173_028_785), ("7x5", 112_829_665_923)] {
        let root = tempfile::tempdir().unwrap();
        let count = Count::new(board.parse().unwrap(), None).memory(4 << 30).root(root.path()).in_files(true);
        let Counted::Legal(plies) = count.run().unwrap() else { panic!("legal positions") };
        assert_eq!(plies.iter().map(|ply| ply.legal).sum::<u64>(), total, "{board}");
    }
}

#[test]
fn matrices_that_are_read_across_in_slices_lead_to_the_same_positions() {
    long::skips("5x4 and 4x6 in slices");
    let few = [("6x3", 1 << 15, 0), ("4x5", 500, 40)];
    let all = [("4x5", 1, 0), ("5x4", 64, 0), ("6x3", 1 << 15, 0), ("4x6", 500, 40)];
    for &(name, block_words, slice_words) in long::scale(&few[..], &all) {
        let board = name.parse().unwrap();
        let index = Index::new(board, Kernel::detect()).unwrap();
        let files = Memory::default();
        let room = Room { block_words, cache_bytes: 1 << 16, slice_words, wide: None };
        let mut home =
            InLogs::new(Logs { storage: &files, folder: "logs".as_ref(), index: &index, room, crew: None }, Reached);
        let (mut parents, mut plies) = (None, Vec::new());
        for ply in 0..=board.cells() as u32 {
            let mut tier = home.make(ply, None).unwrap();
            let positions = sweep_tier(&index, &mut tier, parents.as_ref(), 1 << 20, &Watch::none()).unwrap().unwrap();
            plies.push(PlyLegal::new(board, ply, positions));
            parents = Some(tier);
        }
        assert_eq!(plies, legal_of(name), "{name}");
    }
}
