//! Every legal position of small boards, and many of larger ones, against a plain memoised search.

use crate::support::board::board;
use crate::support::comparison::compare;
use crate::support::long;
use crate::support::plain_search::PlainSearch;
use crate::support::positions::{every_well_formed_position, random_game};
use crate::support::random::Random;

/// Compares every legal position of a board, of which there have to be as many as stated.
fn every_legal_position(name: &str, legal: usize) {
    let search = PlainSearch::of_all_positions(board(name));
    assert_eq!(search.positions(), legal, "legal positions of {name}");
    compare(&search);
    println!("{name}: all {legal} legal positions agree");
}

// The numbers of legal positions where four in a row count are Tromp's and Böck's; misère does not change them. The
// other numbers are the plain search's own.

#[test]
fn every_legal_position_of_5x4_has_the_answer_of_the_plain_search() {
    if long::skips("every legal position of 5x4 against the plain search") {
        return;
    }
    every_legal_position("5x4", 3_945_711);
}

#[test]
fn every_legal_position_of_4x5_has_the_answer_of_the_plain_search() {
    if long::skips("every legal position of 4x5 against the plain search") {
        return;
    }
    every_legal_position("4x5", 1_706_255);
}

#[test]
fn every_legal_position_of_4x4_has_the_answer_of_the_plain_search() {
    every_legal_position("4x4", 161_029);
}

#[test]
fn every_legal_position_of_3x6_has_the_answer_of_the_plain_search() {
    if long::skips("every legal position of 3x6 against the plain search") {
        return;
    }
    every_legal_position("3x6", 235_781);
}

#[test]
fn every_legal_position_where_three_in_a_row_count_has_the_answer_of_the_plain_search() {
    every_legal_position("4x4c3", 41_750);
    if !long::skips("every legal position of 5x4c3 against the plain search") {
        every_legal_position("5x4c3", 613_459);
    }
}

#[test]
fn every_legal_position_where_a_line_loses_has_the_answer_of_the_plain_search() {
    if !long::skips("every legal position of 4x4m against the plain search") {
        every_legal_position("4x4m", 161_029);
    }
    every_legal_position("5x3m", 158_911);
}

#[test]
fn every_legal_position_of_the_narrow_and_the_flat_has_the_answer_of_the_plain_search() {
    every_legal_position("1x8", 9);
    every_legal_position("1x1", 2);
    every_legal_position("6x2", 29_737);
    if !long::skips("every legal position of 8x2 against the plain search") {
        every_legal_position("8x2", 1_216_721);
    }
}

#[test]
fn every_legal_position_where_the_first_pieces_win_has_the_answer_of_the_plain_search() {
    every_legal_position("2x2c2", 13);
    every_legal_position("3x3c1", 4);
}

#[test]
fn every_legal_position_where_nobody_can_win_has_the_answer_of_the_plain_search() {
    every_legal_position("4x3c5", 12_304);
}

#[test]
fn positions_that_no_play_reaches_are_answered_as_the_plain_search_answers_them() {
    for (name, expected, unreachable) in [("5x3c3", 86_210, 15_296), ("4x3m", 12_657, 626), ("4x4", 176_500, 15_471)] {
        if name == "4x4" && long::skips("every well-formed position of 4x4 against the plain search") {
            return;
        }
        let board = board(name);
        let games = every_well_formed_position(board);
        let mut search = PlainSearch::of_all_positions(board);
        let legal = search.positions();
        for game in &games {
            search.solve(&mut game.clone());
        }
        assert_eq!((games.len(), games.len() - legal), (expected, unreachable), "{name}");
        assert_eq!(search.positions(), games.len(), "{name}: play from a well-formed position stays well formed");
        compare(&search);
        println!("{name}: all {expected} well-formed positions agree, {unreachable} of them out of reach");
    }
}

/// Compares positions of a larger board that random play reaches at a late ply, and all that follow from them.
fn late_positions(name: &str, plies: usize, all_games: usize) {
    let (board, games) = (board(name), long::scale(all_games / 20, all_games));
    long::skips(format_args!("{} of {all_games} positions of {name} and what follows from them", all_games - games));
    let mut search = PlainSearch::new(board);
    let mut random = Random::new(plies as u64);
    let mut sampled = 0;
    while sampled < games {
        if let Some(mut game) = random_game(board, plies, &mut random) {
            search.solve(&mut game);
            sampled += 1;
        }
    }
    compare(&search);
    let met = search.positions();
    println!("{name}: {games} positions of ply {plies} and what follows from them, {met} in all, agree");
}

#[test]
fn late_positions_of_5x5_have_the_answers_of_the_plain_search() {
    late_positions("5x5", 12, 60);
}

#[test]
fn late_positions_of_6x4_have_the_answers_of_the_plain_search() {
    late_positions("6x4", 12, 60);
}

#[test]
fn late_positions_of_4x6_have_the_answers_of_the_plain_search() {
    late_positions("4x6", 12, 200);
}
