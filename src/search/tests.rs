//! Compares the search with a plain search that shares no code with it, and with published answers.

use std::sync::Arc;

use rand::RngExt;

use super::grid::{ANY_HEIGHT, Grid, State};
use super::pairing;
use super::score::Scale;
use super::{Monitor, Search, SearchError, SearchOptions};
use crate::plain_game::PlainGame;
use crate::plain_search::{Answer, PlainSearch};
use crate::players::random_source;
use crate::{Board, Outcome, Position, Value, long, notation};

fn outcome((value, plies): (i8, u8)) -> Outcome {
    Answer { value, plies }.outcome()
}

/// Returns a board, and every legal position of it with its outcome by the plain search.
fn solved(name: &str) -> (Board, Vec<(Position, Outcome)>) {
    let board = name.parse().unwrap();
    let answers = PlainSearch::of_all_positions(board).answers().into_iter();
    let position = |key| PlainGame::from_key(board, key).to_position();
    (board, answers.map(|(key, answer)| (position(key), answer.outcome())).collect())
}

/// Checks that both searches agree on every legal position of a board. The search keeps its table from one position to
/// the next.
fn agrees_everywhere(name: &str) {
    let (board, outcomes) = solved(name);
    let mut search = Search::new(board, SearchOptions::default());
    for (position, expected) in outcomes {
        assert_eq!(search.solve(&position), Ok(expected), "{name} {position}");
    }
}

#[test]
fn every_position_of_small_boards_is_right() {
    let usual = ["4x4", "5x3", "3x5", "4x3", "6x2", "2x7"];
    let connects = ["3x3c1", "3x3c2", "3x3c3", "4x3c3", "3x4c3", "4x4c3", "4x4c2", "5x3c3", "3x3c4", "2x2c3", "3x3c9"];
    let misere = ["4x4m", "3x3c1m", "3x3c2m", "3x3c3m", "4x3c3m", "3x4c3m", "4x4c3m", "5x3m", "2x2c3m"];
    usual.into_iter().chain(connects).chain(misere).for_each(agrees_everywhere);
    for rules in ["c1", "c2", "c3", "", "c5", "c12", "c1m", "c2m", "c3m", "m", "c5m"] {
        for size in ["1x1", "1x2", "2x1", "1x9", "9x1", "7x1", "1x12", "2x5", "5x2"] {
            agrees_everywhere(&format!("{size}{rules}"));
        }
    }
}

/// For four in a row, the expected outcomes come from Christophe Steininger's perfect games: the table of last moves in
/// <https://github.com/ChristopheSteininger/c4>.
#[test]
fn empty_boards_are_solved() {
    let published = "4x4 0 16, 5x4 0 20, 6x4 -1 24, 7x4 0 28, 4x5 0 20, 5x5 0 25, 4x6 0 24";
    let at_the_limits = "1x64 0 64, 1x63c2 0 63, 1x64c1 1 1, 1x64c1m -1 1, 32x1c1 1 1, 32x2c1m -1 1, 32x2c2 1 3, 8x8c1 1 1, \
        8x8c9 0 64, 32x2c33 0 64, 9x7c255 0 63, 9x7c2 1 3, 1x1 0 1";
    for answer in published.split(", ").chain(at_the_limits.split(", ")) {
        let [name, value, plies] = answer.split(' ').collect::<Vec<_>>()[..] else { panic!("{answer}") };
        let expected = outcome((value.parse().unwrap(), plies.parse().unwrap()));
        let board = name.parse::<Board>().unwrap();
        assert_eq!(Search::new(board, SearchOptions::default()).solve(&Position::start(board)), Ok(expected), "{name}");
    }
}

#[test]
fn late_positions_of_the_largest_boards_agree_with_a_plain_search() {
    for name in ["9x7", "8x8", "8x7", "9x6", "16x4", "9x7c5", "8x8m", "9x7c3m", "32x2c3m", "16x4c3"] {
        let board = name.parse::<Board>().unwrap();
        let mut search = Search::new(board, SearchOptions::default());
        // Play random moves that do not end the game; solve the position once eight cells are empty.
        let mut random = random_source(long::seed(1), 0);
        for _ in 0..39 {
            let mut game = PlainGame::start(board);
            while game.plies() + 8 < board.cells() {
                let mut children = game.children();
                children.retain(|child| child.end().is_none());
                let Some(count) = children.len().checked_sub(1) else { break };
                game = children.swap_remove(random.random_range(0..=count));
            }
            // Play stops earlier if every move would end the game; skip such positions.
            if game.plies() + 8 >= board.cells() {
                let (position, expected) = (game.to_position(), PlainSearch::new(board).solve(&game).outcome());
                assert_eq!(search.solve(&position), Ok(expected), "{name} {position}");
            }
        }
    }
}

/// Compares the bound of `pairing` with the plain search in every unfinished position of a board. Returns how many of
/// the bounds are ties and how many are losses.
fn bounds_hold_everywhere(name: &str) -> [usize; 2] {
    let (board, outcomes) = solved(name);
    let grid = Grid::<u64, ANY_HEIGHT, 32>::new(board);
    let scale = Scale::new(board);
    let mut bounded = [0; 2];
    for (position, expected) in outcomes.into_iter().filter(|(position, _)| position.primitive().is_none()) {
        let (mine, all) = grid.pieces(&position);
        let state = State::new(&grid, mine, all);
        let bound = pairing::upper_bound(&grid, scale, &state);
        if bound <= 0 {
            bounded[usize::from(bound < 0)] += 1;
            // An outcome that is better for the player to move compares as smaller.
            assert!(expected >= scale.outcome(bound, state.ply), "{name} {position}: bound {bound}");
        }
    }
    bounded
}

#[test]
fn the_bound_of_following_up_holds_on_every_position() {
    for name in ["4x4", "5x3", "3x5", "4x4c3", "5x3c3", "3x5c3", "3x4c3", "4x3c3", "2x7"] {
        let [ties, losses] = bounds_hold_everywhere(name);
        assert!(ties > 0, "{name} has no bounds");
        // A bound below a tie needs a line with a cell that is not playable yet, so the line can't be vertical. On 3x5
        // and 2x7 all lines are vertical.
        assert_eq!(losses > 0, !["3x5", "2x7"].contains(&name), "{name}: {losses} bounds below a tie");
    }
}

#[test]
fn the_value_alone_and_the_remoteness_alone_are_those_of_both_together() {
    for name in ["4x4", "4x4m", "4x4c3"] {
        let (board, outcomes) = solved(name);
        for (position, expected) in outcomes.into_iter().step_by(101) {
            let fresh = || Search::new(board, SearchOptions::default());
            assert_eq!(fresh().value(&position), Ok(expected.value));
            assert_eq!(fresh().remoteness(&position, expected.value, None), Ok(expected.remoteness.unwrap()));
        }
    }
}

#[test]
fn a_limit_that_is_too_small_is_an_error_and_never_an_answer() {
    let board = "6x4".parse::<Board>().unwrap();
    let start = Position::start(board);
    let mut needed = None;
    for limit in [0, 1, 2, 100, 8191, 8192, 8193, 20_000, 1_000_000] {
        let mut search = Search::new(board, SearchOptions { node_limit: Some(limit), ..SearchOptions::default() });
        match search.solve(&start) {
            Ok(found) => {
                assert_eq!(found, outcome((-1, 24)));
                needed = needed.or(Some(limit));
            }
            Err(error) => {
                assert_eq!(error, SearchError::NodeLimit { nodes: limit });
                assert_eq!(search.nodes(), limit);
                assert_eq!(needed, None);
            }
        }
    }
    assert!(needed.is_some());
    // A search that has reached its limit continues when it is asked again.
    let mut search = Search::new(board, SearchOptions { node_limit: Some(20_000), ..SearchOptions::default() });
    let answer = (0..100).find_map(|_| search.solve(&start).ok());
    assert_eq!(answer, Some(outcome((-1, 24))));
}

#[test]
fn a_limit_holds_for_all_threads_together() {
    let board = "7x6".parse::<Board>().unwrap();
    for threads in [1, 2] {
        let options = SearchOptions { node_limit: Some(1_000_000), threads, ..SearchOptions::default() };
        let mut search = Search::new(board, options);
        assert_eq!(search.solve(&Position::start(board)), Err(SearchError::NodeLimit { nodes: 1_000_000 }));
    }
}

#[test]
fn a_tiny_table_costs_time_and_not_the_answer() {
    let board = "5x5".parse::<Board>().unwrap();
    let mut search = Search::new(board, SearchOptions { table_bytes: 0, ..SearchOptions::default() });
    let position = notation::parse(board, "33332").unwrap();
    let expected = Search::new(board, SearchOptions::default()).solve(&position);
    assert_eq!(search.solve(&position), expected);
}

#[test]
fn a_monitor_sees_the_nodes_and_stops_the_search() {
    let board = "7x6".parse::<Board>().unwrap();
    let monitor = Arc::new(Monitor::default());
    let options = SearchOptions { monitor: Some(Arc::clone(&monitor)), ..SearchOptions::default() };
    let mut search = Search::new(board, options);
    let watcher = std::thread::spawn({
        let monitor = Arc::clone(&monitor);
        move || {
            while monitor.nodes() < 100_000 {
                std::thread::yield_now();
            }
            monitor.cancel();
        }
    });
    assert!(matches!(search.solve(&Position::start(board)), Err(SearchError::Cancelled { nodes }) if nodes >= 100_000));
    watcher.join().unwrap();
    monitor.resume();
    let late = notation::parse(board, "2252576253462244111563365343671351441").unwrap();
    assert_eq!(search.solve(&late), Ok(outcome((-1, 4))));
    assert_eq!(monitor.nodes(), search.nodes());
}

#[test]
fn a_position_of_another_board_is_refused() {
    let [board, other] = ["4x4", "4x4m"].map(|name| name.parse::<Board>().unwrap());
    let mut search = Search::new(board, SearchOptions::default());
    let error = SearchError::OtherBoard(crate::OtherBoard { expected: board, found: other });
    assert_eq!(search.solve(&Position::start(other)), Err(error));
}

#[test]
fn a_wrong_value_is_noticed_where_it_contradicts_the_search() {
    let board = "4x4".parse::<Board>().unwrap();
    let mut search = Search::new(board, SearchOptions::default());
    let winning = notation::parse(board, "121212").unwrap();
    for claimed in [Value::Tie, Value::Lose] {
        assert_eq!(search.remoteness(&winning, claimed, None), Err(SearchError::OtherValue { claimed }));
    }
    let finished = notation::parse(board, "1212121").unwrap();
    assert_eq!(search.remoteness(&finished, Value::Lose, None), Ok(0));
    assert_eq!(search.remoteness(&finished, Value::Win, None), Err(SearchError::OtherValue { claimed: Value::Win }));
}
