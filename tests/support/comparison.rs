//! A database against the plain search: values, remotenesses, lists of moves, best lines.

use fourbase::{Outcome, Position};
use rayon::prelude::*;

use super::databases::shared;
use super::long;
use super::plain_game::PlainGame;
use super::plain_search::{Answer, PlainSearch};
use super::positions::Random;
use super::proofs::stored;
use super::tiers::{Cache, Database, DatabaseError, Values};

/// So many positions are asked for without a cache.
const MOST_UNCACHED: usize = 500;

/// Solves the board both ways, and asks for the answer of every position that the search has met, in an order that has
/// nothing to do with that of the index. One thread, or without remoteness many, asks a database that was just opened; then
/// many ask the warm one for lists of moves; then all positions are asked at once, and some where nothing stays in memory.
pub fn compare(search: &PlainSearch) {
    let (mut answers, mut random) = (search.answers(), Random::new(1));
    answers.sort_by_cached_key(|_| random.next());
    let position = |key| PlainGame::from_key(search.board(), key).to_position();
    let cases: Vec<(Position, Answer)> = answers.par_iter().map(|&(key, answer)| (position(key), answer)).collect();
    for values in [Values::Remoteness, Values::Wdl] {
        let open = || shared(search.board(), values);
        let database = open();
        match values {
            Values::Remoteness => {
                cases.iter().for_each(|case| compare_probe(&database, case));
                let cold = open();
                cases.par_iter().for_each(|case| compare_probe(&cold, case));
            }
            Values::Wdl => cases.par_iter().for_each(|case| compare_probe(&database, case)),
        }
        compare_lists(search, &database);
        let found = open().probe_many(&Vec::from_iter(cases.iter().map(|&(position, _)| position)));
        assert_eq!(found.len(), cases.len());
        cases.iter().zip(found).for_each(|(case, found)| assert_answer(&database, case, found));
        let uncached = open().with_cache(&Cache::new(0));
        cases.iter().take(MOST_UNCACHED).for_each(|case| compare_probe(&uncached, case));
    }
}

fn compare_probe(database: &Database, case: &(Position, Answer)) {
    assert_answer(database, case, database.probe(&case.0));
}

fn assert_answer(database: &Database, (position, answer): &(Position, Answer), found: Result<Outcome, DatabaseError>) {
    assert_eq!(found.expect("an answer"), stored(database, answer.outcome()), "{} {position}", position.board());
}

/// Of large boards not every position has its list of moves and its best line compared.
fn compare_lists(search: &PlainSearch, database: &Database) {
    let answers = search.answers();
    let stride = answers.len().div_ceil(long::scale(10_000, 400_000));
    answers.par_iter().step_by(stride).for_each(|&(key, _)| compare_moves(search, database, key));
    let stride = answers.len().div_ceil(long::scale(2_000, 40_000));
    answers.par_iter().step_by(stride).for_each(|&(key, _)| compare_best_line(search, database, key));
}

fn compare_moves(search: &PlainSearch, database: &Database, key: u128) {
    let game = PlainGame::from_key(search.board(), key);
    let position = game.to_position();
    let values = database.values();
    let mut expected = search.moves(&game);
    if values == Values::Wdl {
        // Without remoteness all wins are alike, all ties and all losses.
        expected.sort_by_key(|&(column, answer)| (-answer.value, column));
    }
    let expected: Vec<_> =
        expected.iter().map(|&(column, answer)| (column, stored(database, answer.outcome()))).collect();
    assert_eq!(database.moves(&position).expect("moves"), expected, "{} {position}", search.board());
}

fn compare_best_line(search: &PlainSearch, database: &Database, key: u128) {
    let mut game = PlainGame::from_key(search.board(), key);
    let position = game.to_position();
    let line = database.best_line(&position).expect("a line");
    let remoteness = stored(database, search.answer(&game).outcome()).remoteness;
    let length = line.as_ref().map(|line| line.len() as u32);
    assert_eq!(length, remoteness, "{} {position}: a line where remoteness is known", search.board());
    let Some(line) = line else { return };
    for column in line {
        let best = search.moves(&game).first().map(|&(column, _)| column);
        assert_eq!(Some(column), best, "{} {position}: the leftmost of the best moves", search.board());
        game.drop_piece(column);
    }
    assert!(game.end().is_some(), "{} {position}: the line goes on to the end", search.board());
}
