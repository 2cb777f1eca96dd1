//! The players of the library against a database and the search.

use crate::support::databases::shared;
use crate::support::long;
use crate::support::positions::board;
use crate::support::tiers::{Database, Values};
use fourbase::players::{Chooser, Kind, Outcomes, Reason, nothing_known, random_source};
use fourbase::search::{Search, SearchOptions};
use fourbase::{Board, Position, Value, notation};

fn by_database(database: &Database) -> Outcomes<'_> {
    Box::new(|position| Ok(database.moves(position)?))
}

fn by_search(board: Board) -> Outcomes<'static> {
    let mut search = Search::new(board, SearchOptions::default());
    Box::new(move |position| {
        let outcome = |column| Ok((column, search.solve(&position.drop_piece(column))?.parent()));
        position.moves().map(outcome).collect()
    })
}

fn player<'a>(name: &str, board: Board, outcomes: Outcomes<'a>) -> Box<dyn Chooser + 'a> {
    name.parse::<Kind>().expect("a player").chooser(board, outcomes).expect("a program")
}

/// Plays a game and returns its last position.
fn game(board: Board, players: &mut [Box<dyn Chooser + '_>; 2], seed: u64) -> Position {
    let (mut position, mut last, mut source) = (Position::start(board), None, random_source(seed, 0));
    while position.primitive().is_none() {
        let mover = &mut players[position.ply() % 2];
        let choice = mover.choose(&position, last, &mut source).expect("a move");
        (position, last) = (position.play(choice.column).expect("a legal move"), Some(choice.column));
    }
    position
}

#[test]
fn perfect_is_the_same_from_a_database_and_from_a_search() {
    let board = board("5x4");
    let database = shared(board, Values::Remoteness);
    for name in ["perfect", "perfect:first"] {
        for seed in (0..10).map(long::seed) {
            let known = game(board, &mut [0, 1].map(|_| player(name, board, by_database(&database))), seed);
            let searched = game(board, &mut [0, 1].map(|_| player(name, board, by_search(board))), seed);
            assert_eq!(known, searched, "{name} {seed}");
            assert_eq!(known.primitive(), Some(Value::Tie));
        }
    }
}

#[test]
fn a_win_or_loss_that_pomakis_sees_is_exact() {
    let board = board("5x4");
    let database = shared(board, Values::Remoteness);
    let (mut pomakis, mut seen) = (player("pomakis:6", board, nothing_known()), 0);
    let games = long::scale(60, 300);
    long::skips("240 of 300 games against a database");
    for seed in (0..games).map(long::seed) {
        let mut source = random_source(seed, 0);
        let mut position = Position::start(board);
        while position.primitive().is_none() {
            let choice = pomakis.choose(&position, None, &mut source).expect("a move");
            let outcome = database.probe(&position).expect("an outcome");
            let found = match choice.reason {
                Reason::WinSeen { plies } => Some((Value::Win, plies)),
                Reason::LossSeen { plies } => Some((Value::Lose, plies)),
                _ => None,
            };
            if let Some(found) = found {
                seen += 1;
                assert_eq!(found, (outcome.value, outcome.remoteness), "{}", notation::to_bits(&position));
            } else {
                // What it does not see is farther away than it looks, or a tie.
                assert!(outcome.value == Value::Tie || outcome.remoteness > Some(6), "{position}");
            }
            let mut random = player("random", board, nothing_known());
            let column = random.choose(&position, None, &mut source).expect("a move").column;
            position = position.play(column).expect("a legal move");
        }
    }
    assert!(seen > 5 * games / 3, "{seen}");
}
