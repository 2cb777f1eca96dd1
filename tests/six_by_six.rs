//! 6x6 with remoteness against the exact search, where there is one: it takes minutes to solve.
//!
//! The environment variable `FOURBASE_6X6` names a folder of databases with a complete 6x6; without it nothing is done.

use std::env;
use std::path::Path;

use fourbase::{Outcome, Position, Value};

use crate::support::board::board;
use crate::support::long;
use crate::support::proofs::{assert_searched, random_positions};
use crate::support::random::Random;
use crate::support::shared::shared;
use crate::support::tiers::{Database, Values};

/// Names the folder of databases that a complete 6x6 is in.
const VARIABLE: &str = "FOURBASE_6X6";

/// Compares so many positions, as many of every ply from `first` to the last but one.
fn assert_many(database: &Database, first: usize, wanted: usize) {
    let (cells, mut all) = (database.board().cells(), 0);
    for ply in first..cells {
        let count = wanted / (cells - first);
        let positions = random_positions(database.board(), ply, count, &mut Random::new(ply as u64));
        println!("ply {ply}: {:?}", assert_searched(database, &positions));
        all += positions.len();
    }
    assert_eq!(all, wanted);
}

#[test]
fn ten_thousand_positions_of_6x6_have_the_outcome_that_the_search_finds() {
    let Some(root) = env::var_os(VARIABLE).filter(|root| !root.is_empty()) else {
        println!("skipped: {VARIABLE} names no folder with a database of 6x6");
        return;
    };
    let board = board("6x6");
    let database = Database::find(Path::new(&root), board).expect("a database of 6x6");
    assert!(database.is_complete() && database.values() == Values::Remoteness, "a whole 6x6 with remoteness");
    let root = database.probe(&Position::start(board)).expect("an answer");
    assert_eq!(root, Outcome { value: Value::Lose, remoteness: Some(36) }, "Tromp's value, and the end of the board");
    assert_many(&database, 11, 10_000);
}

#[test]
fn ten_thousand_positions_of_a_small_board_have_the_outcome_that_the_search_finds() {
    let database = shared(board("5x5"), Values::Remoteness);
    long::skips("9,600 of 10,000 positions of 5x5");
    assert_many(&database, 9, long::scale(400, 10_000));
}
