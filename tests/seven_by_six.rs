//! The proofs that a database of 7x6 is right: against what others have published, and against the exact search.
//!
//! A whole 7x6 takes an hour or more to solve, so these tests need one that was made before: they run where the variable
//! `FOURBASE_7X6` names the folder of databases it is in, and say so where it does not. The database may have remoteness,
//! which is then compared too, or values alone. What the tests do is first tried on 5x5, which every run of the tests
//! solves.

use std::env;
use std::path::Path;

use fourbase::{Outcome, Player, Position, Value};

use crate::support::board::board;
use crate::support::long;
use crate::support::openings::{Opening, openings};
use crate::support::proofs::{
    assert_outcomes, assert_remoteness, assert_searched, parse_scored, random_positions, spread, tally,
};
use crate::support::random::Random;
use crate::support::shared::shared;
use crate::support::tiers::{Database, Values};
use crate::support::truth;

/// Names the folder of databases that a complete 7x6 is in.
const VARIABLE: &str = "FOURBASE_7X6";

/// The seed of the random positions.
const SEED: u64 = 7;

/// Opens the whole 7x6; `None`, with a message, where there is none.
fn seven_by_six() -> Option<Database> {
    let Some(root) = env::var_os(VARIABLE).filter(|root| !root.is_empty()) else {
        println!("skipped: {VARIABLE} names no folder with a database of 7x6");
        return None;
    };
    let database = Database::find(Path::new(&root), board("7x6")).expect("a database of 7x6");
    assert!(database.is_complete(), "{} is not solved to the end", database.folder().display());
    Some(database)
}

#[test]
fn the_proofs_hold_on_a_small_board() {
    let board = board("5x5");
    let mut random = Random::new(SEED);
    let count = long::scale(20, 200);
    long::skips("nine of ten random positions and openings of 5x5");
    for values in [Values::Wdl, Values::Remoteness] {
        let database = shared(board, values);
        for ply in [6, 9, 16, 21, 24] {
            let positions = random_positions(board, ply, count, &mut random);
            let tally = assert_searched(&database, &positions);
            assert!(tally.iter().sum::<usize>() == count && tally[0] > 0, "{ply}: {tally:?}");
        }
        let Some(openings) = openings(board) else { return };
        assert_outcomes(&database, &openings);
        let chosen = [Value::Win, Value::Tie, Value::Lose].map(|value| spread(&openings, value, count / 2)).concat();
        assert_eq!(tally(chosen.iter().map(|(_, expected)| expected.value)), [count / 2; 3]);
        assert_remoteness(&database, &chosen);
    }
}

/// A win in 1 of the first player, a loss in 2 of the second, each with its pieces at the end, and a tie.
#[test]
fn a_score_tells_the_plies_to_the_end() {
    let board = board("7x6");
    let of = |line: &str| parse_scored(board, line).1;
    let outcome = |value, plies| Outcome { value, remoteness: Some(plies) };
    assert_eq!(of("112233 18"), outcome(Value::Win, 1));
    assert_eq!(of("44335 -18"), outcome(Value::Lose, 2));
    assert_eq!(of("44444 0"), outcome(Value::Tie, 37));
    assert_eq!(of("- 1"), outcome(Value::Win, 41));
}

#[test]
#[should_panic(expected = "or its mirror image")]
fn a_wrong_value_is_noticed() {
    let board = board("4x4");
    let win = Outcome { value: Value::Win, remoteness: None };
    assert_outcomes(&shared(board, Values::Wdl), &[(Position::start(board), win)]);
}

#[test]
#[should_panic(expected = "or its mirror image")]
fn a_wrong_stored_remoteness_is_noticed() {
    let board = board("4x4");
    let tie = Outcome { value: Value::Tie, remoteness: Some(15) };
    assert_outcomes(&shared(board, Values::Remoteness), &[(Position::start(board), tie)]);
}

#[test]
#[should_panic(expected = "left: Outcome")]
fn a_wrong_remoteness_is_noticed() {
    let board = board("5x5");
    // 2 2 3 3 4: the first player threatens both ends of three in a row, so the game ends in 2.
    let position =
        [1, 1, 2, 2, 3].into_iter().fold(Position::start(board), |position, column| position.drop_piece(column));
    assert_eq!(position.to_move(), Player::Second);
    assert_remoteness(&shared(board, Values::Wdl), &[(position, Outcome { value: Value::Lose, remoteness: Some(4) })]);
}

/// The values are V. Allis', 1988, and J. Allen's; the 41 plies C. Steininger's and P. Pons'.
#[test]
fn the_first_player_wins_7x6_in_the_centre_and_nowhere_else() {
    let Some(database) = seven_by_six() else { return };
    let empty = Position::start(board("7x6"));
    let root = database.probe(&empty).expect("an answer");
    assert_eq!(root.value, Value::Win);
    assert_eq!(database.manifest().root(), Some(root));
    if database.values() == Values::Remoteness {
        assert_eq!(root.remoteness, Some(41));
    }
    let values = (0..7).map(|column| database.probe(&empty.drop_piece(column)).expect("an answer").parent().value);
    let values: Vec<Value> = values.collect();
    println!("first moves: {values:?}");
    assert_eq!(
        values,
        [Value::Lose, Value::Lose, Value::Tie, Value::Win, Value::Tie, Value::Lose, Value::Lose],
        "the values of the first moves"
    );
}

#[test]
fn every_position_of_7x6_after_8_plies_has_its_published_outcome() {
    let Some(database) = seven_by_six() else { return };
    let Some(openings) = openings(board("7x6")) else { return };
    assert_eq!(openings.len(), 184_275);
    assert_outcomes(&database, &openings);
    println!("{} positions, {:?}", openings.len(), tally(openings.iter().map(|(_, expected)| expected.value)));
}

/// By search over values alone. Of each value so many, evenly spread over the file. Ties cost nothing, since they last until
/// the board is full.
#[test]
fn four_hundred_positions_of_7x6_after_8_plies_have_their_published_remoteness() {
    let Some(database) = seven_by_six().filter(|database| database.values() == Values::Wdl) else { return };
    let Some(openings) = openings(board("7x6")) else { return };
    for (value, count) in [(Value::Win, 150), (Value::Tie, 100), (Value::Lose, 150)] {
        let chosen = spread(&openings, value, count);
        assert_eq!(chosen.len(), count);
        println!("{count} positions, {value}:");
        assert_remoteness(&database, &chosen);
    }
}

#[test]
fn every_position_of_the_three_benchmark_sets_has_the_outcome_of_its_score() {
    let Some(database) = seven_by_six() else { return };
    for name in ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2"] {
        let Some(lines) = truth::lines(&format!("pons/{name}")) else { return };
        let positions: Vec<Opening> = lines.iter().map(|line| parse_scored(board("7x6"), line)).collect();
        assert_eq!(positions.len(), 1000);
        assert_outcomes(&database, &positions);
        println!("{name}: {:?}", tally(positions.iter().map(|(_, expected)| expected.value)));
    }
}

#[test]
fn a_thousand_random_positions_of_every_ply_from_16_on_have_the_outcome_that_the_search_finds() {
    let Some(database) = seven_by_six() else { return };
    for ply in 16..=41 {
        let mut random = Random::new(SEED + ply as u64);
        let positions = random_positions(board("7x6"), ply, 1000, &mut random);
        println!("ply {ply}: {:?}", assert_searched(&database, &positions));
    }
}
