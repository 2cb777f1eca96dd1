//! Every legal position of small boards, and many of larger ones, against a plain memoised search; and where that would take
//! too much memory, every position against its best move, by rules written twice.

use fourbase::{Outcome, Value};
use rayon::prelude::*;

use crate::support::comparison::compare;
use crate::support::databases::shared;
use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::plain_search::{Answer, PlainSearch};
use crate::support::positions::{Random, board, every_well_formed_position, random_game};
use crate::support::tiers::Values;

/// Boards with their numbers of legal positions; the short run takes the first eight. Where four in a row count, the numbers are
/// Tromp's and Böck's, which misère does not change; the others are the plain search's own.
const BOARDS: [(&str, usize); 15] = [
    ("4x4", 161_029),
    ("4x4c3", 41_750),
    ("6x2", 29_737),
    // Nobody can win.
    ("4x3c5", 12_304),
    // The first pieces win.
    ("2x2c2", 13),
    ("3x3c1", 4),
    ("1x8", 9),
    ("1x1", 2),
    ("5x4", 3_945_711),
    ("4x5", 1_706_255),
    ("8x2", 1_216_721),
    ("5x4c3", 613_459),
    ("3x6", 235_781),
    // Misère; the short run has every well-formed position of 4x3m.
    ("4x4m", 161_029),
    ("5x3m", 158_911),
];

#[test]
fn every_legal_position_has_the_answer_of_the_plain_search() {
    long::skips("every legal position of 5x4, 4x5, 8x2, 5x4c3, 3x6, 4x4m and 5x3m against the plain search");
    for (name, legal) in BOARDS.into_iter().take(long::scale(8, 15)) {
        let search = PlainSearch::of_all_positions(board(name));
        assert_eq!(search.positions(), legal, "legal positions of {name}");
        compare(&search);
        println!("{name}: all {legal} legal positions agree");
    }
}

#[test]
fn positions_that_no_play_reaches_are_answered_as_the_plain_search_answers_them() {
    let boards = [("3x4c3", 4_163, 1_448), ("4x3m", 12_657, 626), ("5x3c3", 86_210, 15_296), ("4x4", 176_500, 15_471)];
    long::skips("every well-formed position of 5x3c3 and 4x4 against the plain search");
    for (name, expected, unreachable) in boards.into_iter().take(long::scale(2, 4)) {
        let board = board(name);
        let games = every_well_formed_position(board);
        let mut search = PlainSearch::of_all_positions(board);
        let legal = search.positions();
        for game in &games {
            search.solve(game);
        }
        assert_eq!((games.len(), games.len() - legal), (expected, unreachable), "{name}");
        assert_eq!(search.positions(), games.len(), "{name}: play from a well-formed position stays well formed");
        compare(&search);
        println!("{name}: all {expected} well-formed positions agree, {unreachable} of them out of reach");
    }
}

/// Positions that random play reaches at ply 12, and all that follow from them.
#[test]
fn late_positions_of_larger_boards_have_the_answers_of_the_plain_search() {
    for (name, all_games) in [("5x5", 60), ("6x4", 60), ("4x6", 200)] {
        let (board, games) = (board(name), long::scale(all_games / 20, all_games));
        long::skips(format_args!("{} of {all_games} positions of {name} and what follows them", all_games - games));
        let (mut search, mut random) = (PlainSearch::new(board), Random::new(12));
        for game in std::iter::repeat_with(|| random_game(board, 12, &mut random)).flatten().take(games) {
            search.solve(&game);
        }
        compare(&search);
    }
}

/// Checks every legal position, tier by tier from the empty board, of which there have to be as many as stated. If each is
/// worth its best move, then by induction from the full board every value and remoteness is right.
fn every_position_is_worth_its_best_move(name: &str, legal: usize) {
    let board = board(name);
    let database = shared(board, Values::Remoteness);
    let probe = |game: &PlainGame| {
        let Outcome { value, remoteness } = database.probe(&game.to_position()).expect("an answer");
        let value = [Value::Lose, Value::Tie, Value::Win].iter().position(|of| *of == value).expect("a value");
        Answer { value: value as i8 - 1, plies: remoteness.expect("a remoteness") as u8 }
    };
    let mut tier = vec![PlainGame::start(board).key()];
    let mut positions = 0;
    while !tier.is_empty() {
        positions += tier.len();
        let next_keys = |&key: &u128| {
            let game = PlainGame::from_key(board, key);
            let children = game.children();
            let best = children.iter().map(|child| probe(child).before_the_move()).max_by_key(|of| of.rank());
            let expected = game.end().map(|value| Answer { value, plies: 0 }).or(best);
            assert_eq!(Some(probe(&game)), expected, "{}", game.to_position());
            Vec::from_iter(children.iter().map(PlainGame::key))
        };
        let mut next: Vec<u128> = tier.par_iter().flat_map_iter(next_keys).collect();
        next.par_sort_unstable();
        next.dedup();
        tier = next;
    }
    assert_eq!(positions, legal, "legal positions of {name}");
    println!("{name}: all {legal} legal positions are worth their best moves");
}

// The numbers of legal positions are Tromp's and Böck's.

#[test]
fn every_legal_position_of_4x6_is_worth_its_best_move() {
    if !long::skips("every legal position of 4x6 is worth its best move") {
        every_position_is_worth_its_best_move("4x6", 15_835_683);
    }
}

#[test]
#[ignore = "takes minutes"]
fn every_legal_position_of_5x5_and_6x4_is_worth_its_best_move() {
    every_position_is_worth_its_best_move("5x5", 69_763_700);
    every_position_is_worth_its_best_move("6x4", 94_910_577);
}
