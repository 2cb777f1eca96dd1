//! A whole database against answers of others and against the exact search. The board is a parameter, so that the
//! proofs of a board that takes an hour to solve are themselves tried on one that takes none.

use std::sync::Arc;

use fourbase::analysis::{Analyst, Budget, SearchPool};
use fourbase::players::{random_play, random_source};
use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Outcome, Player, Position, Value, notation};
use rayon::prelude::*;

use super::positions::Random;
use super::tiers::{Database, Values};
use super::truth::Opening;

/// Counts how often each value occurs: win, tie, lose.
pub fn tally(values: impl Iterator<Item = Value> + Clone) -> [usize; 3] {
    [Value::Win, Value::Tie, Value::Lose].map(|counted| values.clone().filter(|value| *value == counted).count())
}

/// Looks every position up, and its mirror image: the value, and where the database has it the remoteness.
pub fn assert_outcomes(database: &Database, openings: &[Opening]) {
    let mirrored: Vec<Opening> = openings.iter().map(|(position, expected)| (position.mirror(), *expected)).collect();
    let all = [openings, &mirrored].concat();
    let found = database.probe_many(&Vec::from_iter(all.iter().map(|(position, _)| *position)));
    assert_eq!(found.len(), all.len());
    for (found, (position, expected)) in found.into_iter().zip(all) {
        assert_eq!(stored(database, found.expect("an answer")), stored(database, expected), "{position}");
    }
}

/// Takes from an outcome what the database stores of it. Values alone tell some remoteness, seen on the board.
pub fn stored(database: &Database, outcome: Outcome) -> Outcome {
    let remoteness = outcome.remoteness.filter(|_| database.values() == Values::Remoteness);
    Outcome { remoteness, ..outcome }
}

/// Takes `count` positions of one value, evenly spread over the list, whatever they cost.
pub fn spread(openings: &[Opening], value: Value, count: usize) -> Vec<Opening> {
    let all: Vec<&Opening> = openings.iter().filter(|(_, expected)| expected.value == value).collect();
    let count = count.min(all.len());
    (0..count).map(|number| *all[number * all.len() / count]).collect()
}

/// Finds the remoteness of every position by search over the database.
pub fn assert_remoteness(database: &Database, openings: &[Opening]) {
    let pool = Arc::new(SearchPool::new(SearchOptions::default()));
    let analyst = Analyst::new(database.board(), Some(database), Some(pool));
    openings.par_iter().for_each(|(position, expected)| {
        let found = analyst.outcome(position, &mut Budget::default()).expect("an answer");
        assert_eq!(found, *expected, "{position}");
    });
}

/// Reads a line of Pascal Pons' sets: moves, then the score. Its sign is the value. A win has 22 less the winner's pieces at
/// the end, so that it is larger the sooner it comes; a loss has the same with a minus.
pub fn parse_scored(board: Board, line: &str) -> Opening {
    let (moves, score) = line.split_once(' ').expect("moves and a score");
    let position = notation::parse(board, moves).expect("a position");
    let score: i32 = score.trim().parse().expect("a score");
    let value = [Value::Lose, Value::Tie, Value::Win][(score.signum() + 1) as usize];
    let is_first_winner = (value == Value::Win) == (position.to_move() == Player::First);
    let pieces = board.cells() as u32 / 2 + 1 - score.unsigned_abs();
    let end = if value == Value::Tie { board.cells() as u32 } else { 2 * pieces - u32::from(is_first_winner) };
    (position, Outcome { value, remoteness: Some(end - position.ply() as u32) })
}

/// Plays random games until `count` of them last for `ply` plies and go on.
pub fn random_positions(board: Board, ply: usize, count: usize, random: &mut Random) -> Vec<Position> {
    let mut source = random_source(random.next(), 0);
    let games = std::iter::repeat_with(|| random_play(board, ply, &mut source)).flatten();
    games.take(count).collect()
}

/// Compares what the database says of every position with the exact search, which knows nothing of the database: the
/// value, and where the database has it the remoteness.
pub fn assert_searched(database: &Database, positions: &[Position]) {
    let search = || Search::new(database.board(), SearchOptions::default());
    let compare = |search: &mut Search, position: &Position| {
        let expected = match database.values() {
            Values::Wdl => Outcome { value: search.value(position).expect("an answer"), remoteness: None },
            Values::Remoteness => search.solve(position).expect("an answer"),
        };
        let found = database.probe(position).expect("an answer");
        assert_eq!(stored(database, found), expected, "{position}");
    };
    positions.par_iter().for_each_init(search, compare);
}
