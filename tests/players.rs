//! The players of the library against a database and the search.

use std::collections::HashSet;

use crate::support::databases::shared;
use crate::support::long;
use crate::support::positions::board;
use crate::support::tiers::{Database, Values};
use fourbase::players::{Chooser, Kind, Match, Outcomes, Reason, nothing_known, random_source};
use fourbase::puzzles::{Puzzle, Puzzles};
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

#[test]
fn a_level_plays_the_same_from_a_database_and_from_a_search() {
    let board = board("5x4");
    let database = shared(board, Values::Remoteness);
    for (seed, levels) in [["level:1", "level:5"], ["level:4", "level:2"], ["level:3", "level:3"]].iter().enumerate() {
        let known = game(board, &mut levels.map(|name| player(name, board, by_database(&database))), seed as u64);
        let searched = game(board, &mut levels.map(|name| player(name, board, by_search(board))), seed as u64);
        assert_eq!(known, searched, "{levels:?}");
    }
}

#[test]
fn higher_levels_beat_lower_ones_and_the_lowest_beats_random() {
    let board = board("5x4");
    let database = shared(board, Values::Remoteness);
    for [stronger, weaker] in [["level:1", "random"], ["level:3", "level:1"], ["level:5", "level:3"]] {
        let games = Match::new(board, 2, Some(200), 0, 1).expect("openings");
        let mut players = [stronger, weaker].map(|name| player(name, board, by_database(&database)));
        let mut result = |number: u32| games.play(number, [&stronger, &weaker], &mut players).expect("a game").0.value;
        let mut count = [0; 3];
        (0..200).for_each(|number| count[result(number) as usize] += 1);
        let [wins, losses] = [Value::Win, Value::Lose].map(|value| count[value as usize]);
        assert!(wins > losses + losses / 2, "{stronger} wins {wins} and loses {losses} of 200 games against {weaker}");
    }
}

/// Draws the first puzzles of a board.
fn puzzles(board: Board, outcomes: Outcomes<'_>, count: usize, seed: u64) -> Vec<Puzzle> {
    Puzzles::new(board, outcomes, seed).take(count).collect::<Result<_, _>>().expect("puzzles")
}

#[test]
fn exactly_one_move_of_a_puzzle_keeps_its_value_and_no_puzzle_comes_twice() {
    for (name, count) in [("5x4", 300), ("4x4", 300), ("4x4m", 100), ("5x4c3", 50)] {
        let board = board(name);
        let database = shared(board, Values::Remoteness);
        let outcome = |position: &Position| database.probe(position).expect("an outcome");
        let (drawn, mut met) = (puzzles(board, by_database(&database), count, 3), HashSet::new());
        for Puzzle { game, outcome: claimed, solution, replies, level } in &drawn {
            let position = game.position();
            assert_eq!((*claimed, position.winning_move()), (outcome(position), None), "{position}");
            assert!(met.insert(*position) && (met.insert(position.mirror()) || position.mirror() == *position));
            let keeps = |column: &usize| outcome(&position.drop_piece(*column)).value == claimed.value.flip();
            assert_eq!(position.moves().filter(keeps).collect::<Vec<_>>(), [*solution], "{position}");
            assert!(claimed.value != Value::Lose && position.moves().count() > 1, "{position}");
            assert!(*replies <= board.width() && level.is_none_or(|level| (1..=5).contains(&level)));
        }
        assert!(drawn.len() > 2, "{name}: {}", drawn.len());
    }
    // A small board has only so many puzzles.
    assert!((1..100).contains(&puzzles(board("3x3c3"), by_search(board("3x3c3")), 1000, 1).len()));
}

#[test]
fn a_seed_draws_the_same_puzzles_from_a_database_and_from_a_search() {
    let board = board("5x4");
    let database = shared(board, Values::Remoteness);
    let known = puzzles(board, by_database(&database), 20, 7);
    assert_eq!(known, puzzles(board, by_search(board), 20, 7));
    assert_ne!(known, puzzles(board, by_database(&database), 20, 8));
    // No game of this board meets a puzzle.
    assert_eq!(puzzles("1x1c1".parse().expect("a board"), nothing_known(), 1, 1), []);
}
