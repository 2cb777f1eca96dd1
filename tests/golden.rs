//! Published answers, each with its source, and the same bytes whatever the kernels and the threads. (`solve.rs` has limits of
//! memory, `resume.rs` checkpoints and the disk.)

use std::collections::BTreeMap;

use fourbase::{Outcome, Position, Value};
use rayon::ThreadPoolBuilder;

use crate::support::databases::shared;
use crate::support::files::assert_same;
use crate::support::long;
use crate::support::positions::board;
use crate::support::solves::{MEMORY_BYTES, Runs};
use crate::support::tiers::{Kernel, Plan, Solve, Values};
use crate::support::truth;

/// More than any affordable board has cells.
const MOST_CELLS: usize = 30;

fn assert_root(name: &str, value: Value, remoteness: u32) {
    let start = Position::start(board(name));
    let database = shared(board(name), Values::Remoteness);
    let expected = Outcome { value, remoteness: Some(remoteness) };
    assert_eq!(database.probe(&start).expect("an answer"), expected, "{name}");
    let line = database.best_line(&start).expect("a line").expect("a line where remoteness is known");
    assert_eq!(line.len(), remoteness as usize, "{name}: the length of the best line");
}

/// Values: John Tromp, <https://tromp.github.io/c4/c4.html>. A tie lasts until the board is full; that the second player
/// needs the whole of 6x4 to win has no source, but follows from every position of it (`oracle.rs`).
#[test]
fn the_empty_board_has_its_published_value_and_remoteness() {
    assert_root("4x4", Value::Tie, 16);
    assert_root("5x4", Value::Tie, 20);
    assert_root("5x5", Value::Tie, 25);
    assert_root("6x4", Value::Lose, 24);
    assert_root("4x6", Value::Tie, 24);
}

/// Values and the move on which a perfect game ends: Christophe Steininger, c4.
#[test]
#[ignore = "takes a minute and 2 GiB of memory"]
fn the_empty_board_of_larger_boards_has_its_published_value_and_remoteness() {
    assert_root("5x6", Value::Tie, 30);
    assert_root("6x5", Value::Tie, 30);
    assert_root("7x4", Value::Tie, 28);
}

/// Columns: w, h, k, value for the first player as `+`, `=` or `-`, and fields that these boards leave empty.
#[test]
fn every_affordable_board_has_its_published_value() {
    let most = long::scale(20_000_000, 200_000_000);
    long::skips("the values of boards of more than 20 million entries");
    let mut solved = Vec::new();
    for row in truth::rows("values.csv") {
        let fields: Vec<&str> = row.split(',').collect();
        let [width, height, connect, value] = fields[..4] else { panic!("a row of four fields: {row}") };
        let board = board(&format!("{width}x{height}c{connect}"));
        // A plan of a large board takes its time, and none of more cells is affordable.
        let entries = || Plan::new(board, Values::Wdl, MEMORY_BYTES).entries();
        if solved.contains(&board.to_string()) || board.cells() > MOST_CELLS || entries() > most {
            continue;
        }
        let expected = Outcome { value: truth::value_of(value, ["+", "=", "-"]), remoteness: None };
        let found = shared(board, Values::Wdl).probe(&Position::start(board));
        assert_eq!(found.expect("an answer"), expected, "{row}");
        solved.push(board.to_string());
    }
    let all = ["4x4", "4x5", "4x6", "4x7", "5x4", "5x5", "6x4"];
    assert_eq!(solved, long::scale(&["4x4", "4x5", "4x6", "5x4"][..], &all));
}

/// The hashes in `docs/reference/boards.md`, by board and values.
fn published_hashes() -> BTreeMap<(String, Values), String> {
    let page = include_str!("../docs/reference/boards.md");
    let fields = |line: &str| line.split('|').map(|field| field.trim().to_owned()).collect::<Vec<_>>();
    let rows = page.lines().map(fields).filter_map(|fields| match &fields[..] {
        [_, board, values, .., hash, _] if hash.len() == 66 => {
            let name = board.trim_start_matches('[').split(']').next()?;
            Some(((name.to_owned(), values.parse().ok()?), hash.trim_matches('`').to_owned()))
        }
        _ => None,
    });
    rows.collect()
}

/// The hash as `docs/reference/file-format.md` defines it.
fn hash_of(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (_, bytes) in files.iter().filter(|(name, _)| name.starts_with("tier-")) {
        hasher.update(blake3::hash(bytes).as_bytes());
    }
    hasher.finalize().to_string()
}

/// Boards of even and of odd width, on which the first pieces win, or nobody.
const SMALL: [&str; 12] =
    ["4x4", "2x9", "4x4c3", "4x4m", "1x8", "7x2", "5x4c3", "5x3m", "1x1", "2x2c2", "3x3c1", "4x3c5"];

#[test]
fn every_kernel_and_thread_count_gives_the_same_files_with_the_published_hash() {
    let hashes = published_hashes();
    assert!(hashes.len() >= 6, "{hashes:?}");
    let both = |name: &&str| [Values::Wdl, Values::Remoteness].map(|values| ((*name).to_owned(), values));
    let mut boards: Vec<(String, Values)> =
        hashes.keys().filter(|(name, _)| board(name).cells() <= 20).cloned().collect();
    boards.extend(SMALL.iter().flat_map(both));
    boards.push(("6x4".to_owned(), long::scale(Values::Wdl, Values::Remoteness)));
    if long::skips("4x5, 8x2, 5x4, 3x6 and 5x5 with every kernel, and 6x4 with remoteness") {
        boards.retain(|(name, _)| !["4x5", "3x6", "8x2"].contains(&name.as_str()));
    } else {
        boards.extend(["4x5", "8x2", "5x4", "3x6"].iter().flat_map(both));
        boards.push(("5x5".to_owned(), Values::Wdl));
    }
    boards.sort_by_key(|(name, values)| format!("{name} {values}"));
    boards.dedup();
    for (name, values) in boards {
        let base = Solve::new(board(&name), values);
        let solve_on = |threads: usize, kernel| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| base.clone().kernel(kernel).whole())
        };
        let expected = solve_on(1, Kernel::portable());
        assert!(expected.contains_key("manifest"), "{name}: {:?}", expected.keys());
        // Three threads share out what two do, and one was enough for what is expected.
        for (kernel, threads) in
            Kernel::all().into_iter().flat_map(|kernel| long::scale(3..=3, 1..=3).map(move |threads| (kernel, threads)))
        {
            let what = format!("{name} {values}, {} kernels, {threads} threads", kernel.name());
            assert_same(&solve_on(threads, kernel), &expected, &what);
        }
        if let Some(hash) = hashes.get(&(name.clone(), values)) {
            assert_eq!(hash_of(&expected), *hash, "{name} {values}");
        }
    }
}
