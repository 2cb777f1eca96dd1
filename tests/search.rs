//! Searching forward: against the database, which shares no code with it, and as `fourbase query --search` does it.

use std::collections::HashSet;

use fourbase::Position;
use fourbase::search::{Options, Search};
use rayon::prelude::*;

use crate::support::board::board;
use crate::support::long;
use crate::support::plain_game::PlainGame;
use crate::support::positions::random_game;
use crate::support::tiers::{Database, Values};

use crate::support::random::Random;
use crate::support::shared::shared;

/// How many positions one search solves, one after the other.
const SEARCHED_IN_A_ROW: usize = 1000;

/// Checks that search and database agree on some positions, in value and remoteness.
fn compare(database: &Database, positions: &[Position]) {
    positions.par_chunks(SEARCHED_IN_A_ROW).for_each(|positions| {
        let mut search = Search::new(database.board(), Options::default());
        for position in positions {
            let found = search.solve(position).expect("an answer");
            assert_eq!(found, database.probe(position).expect("an answer"), "{} {position}", position.board());
        }
    });
}

/// Compares every legal position, of which there have to be as many as stated.
fn every_legal_position(name: &str, legal: usize) {
    let board = board(name);
    let database = shared(board, Values::Remoteness);
    let mut tier = vec![PlainGame::start(board).key()];
    let mut count = 0;
    while !tier.is_empty() {
        count += tier.len();
        let games = tier.into_par_iter().map(|key| PlainGame::from_key(board, key)).collect::<Vec<_>>();
        compare(&database, &games.par_iter().map(PlainGame::to_position).collect::<Vec<_>>());
        tier = games
            .par_iter()
            .flat_map_iter(|game| game.children().iter().map(PlainGame::key).collect::<Vec<_>>())
            .collect();
        tier.par_sort_unstable();
        tier.dedup();
    }
    assert_eq!(count, legal, "legal positions of {name}");
}

/// Compares so many different positions of random games, from the empty board on.
fn random_positions(name: &str) {
    let positions = long::scale(1_000, 20_000);
    long::skips(format_args!("a search of 19,000 of 20,000 random positions of {name}"));
    let board = board(name);
    let database = shared(board, Values::Remoteness);
    let (mut random, mut met) = (Random::new(4), HashSet::new());
    let mut cases = Vec::with_capacity(positions);
    while cases.len() < positions {
        let plies = random.below(board.cells() + 1);
        if let Some(game) = random_game(board, plies, &mut random)
            && met.insert(game.key())
        {
            cases.push(game.to_position());
        }
    }
    compare(&database, &cases);
}

#[test]
fn every_legal_position_of_4x4_has_the_answer_of_the_database() {
    every_legal_position("4x4", 161_029);
}

// The number of legal positions is of `counts.csv`, as in `oracle.rs`.
#[test]
fn every_legal_position_of_5x4_has_the_answer_of_the_database() {
    if long::skips("a search of every legal position of 5x4") {
        return;
    }
    every_legal_position("5x4", 3_945_711);
}

#[test]
fn every_legal_position_of_4x4_where_a_line_loses_has_the_answer_of_the_database() {
    every_legal_position("4x4m", 161_029);
}

#[test]
fn random_positions_of_5x5_have_the_answers_of_the_database() {
    random_positions("5x5");
}

#[test]
fn random_positions_of_6x4_have_the_answers_of_the_database() {
    random_positions("6x4");
}
