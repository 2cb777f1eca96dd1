//! Databases of boards with large tables of which nothing is true but the checksums: whoever opens one is told, soon, and
//! without more memory than its files are long.

#![cfg(target_os = "linux")]

use rayon::prelude::*;

use crate::support::long;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::tiers::{Forged, forge};

/// Boards with many shapes, with large tables, or with tables that are too large for any memory.
const BOARDS: [&str; 9] = ["20x2", "10x5", "8x6", "9x5", "11x4", "1x23", "3x14", "9x7", "8x7"];

/// What the program may have of memory that is written to, 96 MiB: some threads have some of that, and the rest is little.
const LIMIT: &str = "-d 98304";

#[test]
fn forged_databases_of_large_boards_cost_those_who_open_them_little() {
    let boards = long::every(8, BOARDS.to_vec(), "boards with forged databases");
    long::skips("forged databases in large blocks");
    let refused: u64 = boards.par_iter().map(|name| attempts_refused(name)).sum();
    println!("{refused} attempts at forged databases refused");
    assert!(refused > long::scale(10, 20) * boards.len() as u64, "{refused}");
}

/// Forges databases of a board and lets the program open each; returns how often it was refused.
fn attempts_refused(name: &str) -> u64 {
    let board = board(name);
    let cells = board.cells() as u32;
    // A position with up to two pieces in every column: the player to move has no win in sight.
    let columns: String = (1..=board.width() as u32).filter_map(|column| char::from_digit(column, 36)).collect();
    let middle = columns.repeat((board.height() / 2).min(2));
    let mut refused = 0;
    for (solved_to, keep_plies) in [(1, None), (cells / 2, None), (0, None), (0, Some((cells / 2) | 1))] {
        for &block_bytes in long::scale(&[60][..], &[60, 100_000]) {
            let program = Program::new();
            let forged = Forged { board, solved_to, keep_plies, block_bytes };
            forge(&program.path("db"), &forged).expect("forged");
            for arguments in [
                format!("query {name} --search never"),
                format!("query {name} {middle} --search never"),
                format!("verify {name} --threads 1"),
                format!("verify {name} --threads 1 --sample 10"),
            ] {
                let (code, said) = program.run_limited(LIMIT, &arguments).ended();
                // With one column a probe sees the value of some positions without a file.
                if code == Some(0) && arguments.starts_with("query") && board.width() == 1 {
                    continue;
                }
                let is_told = said.starts_with("error: ") || said.contains("NOT sound");
                assert!(is_told && matches!(code, Some(1 | 2)), "{forged:?}, {arguments}: {code:?} {said}");
                refused += 1;
            }
            let (code, said) = program.run_limited(LIMIT, "list").ended();
            assert_eq!(code, Some(0), "{forged:?}: {said}");
        }
    }
    refused
}

#[test]
fn the_memory_limit_of_these_tests_is_one() {
    let program = Program::new();
    let (code, said) = program.run_limited(LIMIT, "query 1x4 --search never --cache 64M").ended();
    assert_eq!(code, Some(1), "{said}");
    // Two tiers of 6x5 alone take more, and so the program is ended.
    let (code, said) = program.run_limited(LIMIT, "solve 6x5 --values wdl --memory 2G --threads 1").ended();
    assert_eq!(code, None, "{said}");
}
