//! The database against the forward search, which shares no code with it: random positions of boards that are solved here,
//! and of whole 7x6 and 6x6 where there are any.
//!
//! A whole 7x6 takes an hour or more to solve, so its proofs need one that was made before: they run where the variable
//! `FOURBASE_7X6` (`FOURBASE_6X6`) names the folder of databases it is in, and say so where it does not. The same proofs are
//! tried on 5x5, which every run of the tests solves.

use std::env;
use std::path::Path;

use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Outcome, Position, Value};

use crate::support::databases::shared;
use crate::support::long;
use crate::support::positions::{Random, board};
use crate::support::proofs::{
    assert_outcomes, assert_remoteness, assert_searched, parse_scored, random_positions, spread, tally,
};
use crate::support::tiers::{Database, Values};
use crate::support::truth::{self, openings};

/// Compares as many random positions of every ply from `first` on.
fn assert_every_ply(database: &Database, first: usize, count: usize) {
    let board = database.board();
    for ply in first..board.cells() {
        assert_searched(database, &random_positions(board, ply, count, &mut Random::new(7 + ply as u64)));
    }
    println!("{board} {}: {count} positions of every ply from {first} on agree", database.values());
}

#[test]
fn random_positions_of_every_ply_have_the_outcome_that_the_search_finds() {
    long::skips("39 of 40 positions of 5x5, 6x4 and 4x6, and 6x4 without remoteness");
    for (name, kinds) in [("5x5", 2), ("4x6", 2), ("6x4", long::scale(1, 2))] {
        for values in [Values::Remoteness, Values::Wdl].into_iter().take(kinds) {
            // The search of the empty board is compared in the library.
            assert_every_ply(&shared(board(name), values), long::scale(4, 1), long::scale(20, 800));
        }
    }
}

#[test]
fn published_openings_of_5x5_have_the_outcome_and_the_remoteness_that_a_search_over_values_finds() {
    let openings = openings(board("5x5"));
    let count = long::scale(10, 100);
    for values in [Values::Wdl, Values::Remoteness] {
        let database = shared(board("5x5"), values);
        assert_outcomes(&database, &openings);
        let chosen = [Value::Win, Value::Tie, Value::Lose].map(|value| spread(&openings, value, count)).concat();
        assert_eq!(tally(chosen.iter().map(|(_, expected)| expected.value)), [count; 3]);
        assert_remoteness(&database, &chosen);
    }
    // The same author's table of values by ply says of all of them so too.
    let sums = tally(openings.iter().map(|(_, expected)| expected.value));
    assert!([[3067, 1393, 552], [15_432, 6_863, 2_765]].contains(&sums), "{sums:?}");
}

/// The search itself, without a database: Markus Böck's lists, and Pascal Pons' sets.
#[test]
fn the_search_finds_published_outcomes() {
    long::skips("nine of ten openings of 5x5, and seven and three openings of 7x6 on one thread and on two");
    let openings_of_5x5 = long::scale(500, usize::MAX);
    for (name, count, threads) in
        [("5x5", openings_of_5x5, 1), ("7x6", long::scale(3, 10), 1), ("7x6", long::scale(2, 5), 2)]
    {
        let openings = openings(board(name));
        let step = openings.len().div_ceil(count);
        let mut search = Search::new(board(name), SearchOptions { threads, ..SearchOptions::default() });
        for (position, expected) in openings.iter().step_by(step) {
            assert_eq!(search.solve(position), Ok(*expected), "{position}");
        }
    }
    let search = || Search::new(board("7x6"), SearchOptions::default());
    for name in ["Test_L3_R1", "Test_L2_R1"] {
        for line in &truth::list(&format!("pons/{name}")) {
            let (position, expected) = parse_scored(board("7x6"), line);
            assert_eq!(search().solve(&position), Ok(expected), "{line}");
            assert_eq!(search().value(&position), Ok(expected.value), "{line}");
            assert_eq!(search().remoteness(&position, expected.value, None).ok(), expected.remoteness, "{line}");
        }
    }
}

/// Opens a whole database; `None`, with a message, where the variable names no folder.
fn whole(variable: &str, board: Board) -> Option<Database> {
    let Some(root) = env::var_os(variable).filter(|root| !root.is_empty()) else {
        println!("skipped: {variable} names no folder with a database of {board}");
        return None;
    };
    let database = Database::find(Path::new(&root), board).expect("a database");
    assert!(database.is_complete(), "{} is not solved to the end", database.folder().display());
    Some(database)
}

/// The value of 6x6 is Tromp's; the game ends with the board.
#[test]
fn six_by_six_has_the_outcomes_that_the_search_finds() {
    let Some(database) = whole("FOURBASE_6X6", board("6x6")) else { return };
    assert_eq!(database.values(), Values::Remoteness);
    let root = database.probe(&Position::start(board("6x6"))).expect("an answer");
    assert_eq!(root, Outcome { value: Value::Lose, remoteness: Some(36) });
    assert_every_ply(&database, 11, 400);
}

/// The values are V. Allis', 1988, and J. Allen's; the 41 plies C. Steininger's and P. Pons'.
#[test]
fn seven_by_six_has_the_published_values_of_the_first_moves_and_outcomes_after_8_plies() {
    let Some(database) = whole("FOURBASE_7X6", board("7x6")) else { return };
    let empty = Position::start(board("7x6"));
    let root = database.probe(&empty).expect("an answer");
    assert_eq!(root.value, Value::Win);
    assert_eq!(database.manifest.root(), Some(root));
    assert!(database.values() == Values::Wdl || root.remoteness == Some(41));
    let value = |column| database.probe(&empty.drop_piece(column)).expect("an answer").parent().value;
    let expected = [Value::Lose, Value::Lose, Value::Tie, Value::Win, Value::Tie, Value::Lose, Value::Lose];
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(value), expected, "the values of the first moves");
    let openings = openings(board("7x6"));
    assert_outcomes(&database, &openings);
    if database.values() == Values::Remoteness {
        return;
    }
    // By search over values alone. Ties cost nothing, since they last until the board is full.
    for (value, count) in [(Value::Win, 150), (Value::Tie, 100), (Value::Lose, 150)] {
        let chosen = spread(&openings, value, count);
        assert_eq!(chosen.len(), count);
        assert_remoteness(&database, &chosen);
    }
}

#[test]
fn seven_by_six_has_the_outcomes_of_the_three_benchmark_sets_and_of_the_search() {
    let Some(database) = whole("FOURBASE_7X6", board("7x6")) else { return };
    for name in ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2"] {
        let lines = truth::list(&format!("pons/{name}"));
        assert_outcomes(&database, &Vec::from_iter(lines.iter().map(|line| parse_scored(board("7x6"), line))));
    }
    assert_every_ply(&database, 16, 1000);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_query_as_the_system_does_with_a_note_of_what_it_was_doing() {
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process};

    use crate::support::program::Program;

    let program = Program::new();
    let mut child = program.spawn("query 8x7 --search only --nodes 1e15");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut shown = String::new();
    // The first line says that the search goes on.
    errors.read_line(&mut shown).expect("a line");
    kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
    errors.read_to_string(&mut shown).expect("text");
    assert!(shown.ends_with("interrupted the query of 8x7; --seconds N shows what is known by then\n"), "{shown}");
    assert_eq!(child.wait().expect("the program ends").signal(), Some(Signal::INT.as_raw()));
}
