//! Boards that are too large for the plain search: every position is worth its best move, by rules written twice.
//!
//! If that holds in every legal position, finished ones included, then by induction from the full board every value
//! and remoteness is right. The whole of a board takes minutes; the tests that are not ignored take random games.

use rayon::prelude::*;

use crate::support::answer::Answer;
use crate::support::board::board;
use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::random::Random;
use crate::support::shared::shared;
use crate::support::tiers::{Database, Values};

/// The answer of a database with remoteness.
fn probe(database: &Database, game: &PlainGame) -> Answer {
    Answer::of_outcome(database.probe(&game.to_position()).expect("an answer"))
}

/// Checks that a position has the answer of its end or of its best move.
fn check(database: &Database, game: &PlainGame) {
    let expected = game.end().map(Answer::of_end).unwrap_or_else(|| {
        let answers = game.children().into_iter().map(|child| probe(database, &child).before_the_move());
        let best = answers.reduce(|best, answer| if answer.is_better_than(best) { answer } else { best });
        best.expect("a game that goes on has a move")
    });
    assert_eq!(probe(database, game), expected, "{}", game.to_position());
}

/// Checks every position of random games from the empty board to the end.
fn random_games(name: &str) {
    let games: u64 = long::scale(300, 20_000);
    long::skips(format_args!("19,700 of 20,000 random games of {name}"));
    let board = board(name);
    let database = shared(board, Values::Remoteness);
    let positions: usize = (0..games)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(seed);
            let mut game = PlainGame::start(board);
            loop {
                check(&database, &game);
                let mut next = game.children();
                if next.is_empty() {
                    return game.plies() + 1;
                }
                game = next.swap_remove(random.below(next.len()));
            }
        })
        .sum();
    println!("{name}: {games} random games, {positions} positions, each is worth its best move");
}

/// Checks every legal position, tier by tier from the empty board, of which there have to be as many as stated.
fn every_legal_position(name: &str, legal: usize) {
    let board = board(name);
    let database = shared(board, Values::Remoteness);
    let mut tier = vec![PlainGame::start(board).key()];
    let mut positions = 0;
    while !tier.is_empty() {
        positions += tier.len();
        let next_keys = |&key: &u64| {
            let game = PlainGame::from_key(board, key);
            check(&database, &game);
            game.children().iter().map(PlainGame::key).collect::<Vec<_>>()
        };
        let mut next: Vec<u64> = tier.par_iter().flat_map_iter(next_keys).collect();
        next.par_sort_unstable();
        next.dedup();
        tier = next;
    }
    assert_eq!(positions, legal, "legal positions of {name}");
    println!("{name}: all {legal} legal positions are worth their best moves");
}

#[test]
fn every_position_of_random_games_on_5x5_is_worth_its_best_move() {
    random_games("5x5");
}

#[test]
fn every_position_of_random_games_on_6x4_is_worth_its_best_move() {
    random_games("6x4");
}

#[test]
fn every_position_of_random_games_on_4x6_is_worth_its_best_move() {
    random_games("4x6");
}

// The numbers of legal positions are Tromp's and Böck's.

#[test]
fn every_legal_position_of_4x6_is_worth_its_best_move() {
    if long::skips("every legal position of 4x6 is worth its best move") {
        return;
    }
    every_legal_position("4x6", 15_835_683);
}

#[test]
#[ignore = "takes minutes"]
fn every_legal_position_of_5x5_is_worth_its_best_move() {
    every_legal_position("5x5", 69_763_700);
}

#[test]
#[ignore = "takes minutes"]
fn every_legal_position_of_6x4_is_worth_its_best_move() {
    every_legal_position("6x4", 94_910_577);
}
