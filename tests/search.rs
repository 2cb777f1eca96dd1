//! Searching forward: against the database, which shares no code with it, and as `fourbase query --search` does it.

use std::collections::HashSet;

use fourbase::Position;
use fourbase::search::{Options, Search};
use fourbase_tiers::database::Database;
use fourbase_tiers::kernel::Values;
use rayon::prelude::*;

use crate::support::plain_game::PlainGame;
use crate::support::positions::random_game;

use crate::support::random::Random;
use crate::support::solved::Solved;

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

fn solved(name: &str) -> Solved {
    Solved::new(name.parse().expect("a board"), Values::Remoteness)
}

/// Compares every legal position, of which there have to be as many as stated.
fn every_legal_position(name: &str, legal: usize) {
    let solved = solved(name);
    let (database, board) = (solved.open(), solved.open().board());
    let mut tier = vec![PlainGame::start(board).key()];
    let mut count = 0;
    while !tier.is_empty() {
        count += tier.len();
        let games = tier.into_par_iter().map(|key| PlainGame::from_key(board, key)).collect::<Vec<_>>();
        compare(&database, &games.par_iter().map(PlainGame::to_position).collect::<Vec<_>>());
        tier = games.par_iter().flat_map_iter(children).collect();
        tier.par_sort_unstable();
        tier.dedup();
    }
    assert_eq!(count, legal, "legal positions of {name}");
}

/// Lists the keys of the positions after each move; none once the game is over.
fn children(game: &PlainGame) -> Vec<u64> {
    if game.end().is_some() {
        return Vec::new();
    }
    let after = |column| {
        let mut child = game.clone();
        child.drop_piece(column);
        child.key()
    };
    game.columns_with_room().map(after).collect()
}

/// Compares so many different positions of random games, from the empty board on.
fn random_positions(name: &str, positions: usize) {
    let solved = solved(name);
    let database = solved.open();
    let (board, mut random, mut met) = (database.board(), Random::new(4), HashSet::new());
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
    every_legal_position("5x4", 3_945_711);
}

#[test]
fn every_legal_position_of_4x4_where_a_line_loses_has_the_answer_of_the_database() {
    every_legal_position("4x4m", 161_029);
}

#[test]
fn random_positions_of_5x5_have_the_answers_of_the_database() {
    random_positions("5x5", 20_000);
}

#[test]
fn random_positions_of_6x4_have_the_answers_of_the_database() {
    random_positions("6x4", 20_000);
}
