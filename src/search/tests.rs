//! Compares the search with a plain search that shares no code with it, and with published answers.

use std::collections::HashMap;
use std::sync::Arc;

use super::grid::{ANY_HEIGHT, Grid, State};
use super::pairing;
use super::score::Scale;
use super::{Monitor, Search, SearchError, SearchOptions};
use crate::{Board, Outcome, Position, Value, notation};

#[allow(dead_code)]
#[path = "../../tests/support/long.rs"]
mod long;

/// A game played on a grid of characters, solved by trying everything.
struct Plain {
    width: usize,
    height: usize,
    connect: usize,
    misere: bool,
    /// The answer of [`Plain::solve`] for each solved position. The key lists the columns from left to right, and the
    /// pieces of each column from the bottom up.
    known: HashMap<Vec<Vec<u8>>, (i32, u32)>,
}

impl Plain {
    fn of(board: Board) -> Plain {
        let [width, height, connect] = [board.width(), board.height(), board.connect()];
        Plain { width, height, connect, misere: board.is_misere(), known: HashMap::new() }
    }

    /// Solves every legal position of a board.
    fn whole(name: &str) -> (Board, Plain) {
        let board = name.parse::<Board>().unwrap();
        let mut plain = Plain::of(board);
        plain.solve(&mut vec![Vec::new(); board.width()]);
        (board, plain)
    }

    fn has_line(&self, columns: &[Vec<u8>], player: u8) -> bool {
        let at = |column: i32, row: i32| {
            usize::try_from(column).ok().and_then(|c| columns.get(c)?.get(usize::try_from(row).ok()?)) == Some(&player)
        };
        (0..self.width as i32).any(|column| {
            (0..self.height as i32).any(|row| {
                [(1, 0), (0, 1), (1, 1), (1, -1)]
                    .iter()
                    .any(|(right, up)| (0..self.connect as i32).all(|step| at(column + step * right, row + step * up)))
            })
        })
    }

    /// Returns the value for the player to move as 1, 0 or -1, and the plies to the end.
    fn solve(&mut self, columns: &mut Vec<Vec<u8>>) -> (i32, u32) {
        if let Some(&answer) = self.known.get(columns) {
            return answer;
        }
        let ply = columns.iter().map(Vec::len).sum::<usize>();
        let (mover, other) = if ply % 2 == 0 { (b'x', b'o') } else { (b'o', b'x') };
        let answer = if self.has_line(columns, other) {
            (if self.misere { 1 } else { -1 }, 0)
        } else if ply == self.width * self.height {
            (0, 0)
        } else {
            let mut best: Option<(i32, u32)> = None;
            for column in 0..self.width {
                if columns[column].len() < self.height {
                    columns[column].push(mover);
                    let (value, plies) = self.solve(columns);
                    columns[column].pop();
                    let candidate = (-value, plies + 1);
                    let better = |(best_value, best_plies): (i32, u32)| match candidate.0 - best_value {
                        0 if candidate.0 == 1 => candidate.1 < best_plies,
                        0 => candidate.1 > best_plies,
                        difference => difference > 0,
                    };
                    if best.is_none_or(better) {
                        best = Some(candidate);
                    }
                }
            }
            best.unwrap()
        };
        self.known.insert(columns.clone(), answer);
        answer
    }
}

fn outcome((value, plies): (i32, u32)) -> Outcome {
    let value = match value {
        1 => Value::Win,
        0 => Value::Tie,
        _ => Value::Lose,
    };
    Outcome { value, remoteness: Some(plies) }
}

fn position(board: Board, columns: &[Vec<u8>]) -> Position {
    let mut pieces = [0; 2];
    for (column, cells) in columns.iter().enumerate() {
        for (row, player) in cells.iter().enumerate() {
            pieces[usize::from(*player == b'o')] |= 1 << board.cell(column, row);
        }
    }
    Position::from_bitboards(board, pieces[0], pieces[1]).unwrap()
}

/// Checks that both searches agree on every legal position of a board. The search keeps its table from one position to
/// the next.
fn agrees_everywhere(name: &str) {
    let (board, plain) = Plain::whole(name);
    let mut search = Search::new(board, SearchOptions::default());
    for (columns, &answer) in &plain.known {
        let position = position(board, columns);
        assert_eq!(search.solve(&position), Ok(outcome(answer)), "{name} {position}");
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
        let first = long::seed(1);
        for seed in (0..39).map(|game| first.wrapping_add(game)) {
            let mut position = Position::start(board);
            let mut state = seed;
            while position.ply() + 8 < board.cells() && position.primitive().is_none() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let moves = position.moves().filter(|&column| position.drop_piece(column).primitive().is_none());
                let moves = moves.collect::<Vec<_>>();
                let Some(&column) = moves.get((state >> 33) as usize % moves.len().max(1)) else { break };
                position = position.drop_piece(column);
            }
            let mut columns = (0..board.width())
                .map(|column| {
                    let piece = |row| position.piece(column, row);
                    let name = |player| if player == crate::Player::First { b'x' } else { b'o' };
                    (0..board.height()).map_while(piece).map(name).collect::<Vec<_>>()
                })
                .collect::<Vec<_>>();
            // Play stops earlier if every move would end the game; skip such positions.
            if position.ply() + 8 >= board.cells() {
                let expected = Plain::of(board).solve(&mut columns);
                assert_eq!(search.solve(&position), Ok(outcome(expected)), "{name} {position}");
            }
        }
    }
}

/// Compares the bound of `pairing` with the plain search in every unfinished position of a board. Returns how many of
/// the bounds are ties and how many are losses.
fn bounds_hold_everywhere(name: &str) -> [usize; 2] {
    let (board, plain) = Plain::whole(name);
    let grid = Grid::<u64, ANY_HEIGHT, 32>::new(board);
    let scale = Scale::new(board);
    let mut bounded = [0; 2];
    for (columns, &answer) in &plain.known {
        let position = position(board, columns);
        if position.primitive().is_some() {
            continue;
        }
        let (mine, all) = grid.pieces(&position);
        let state = State::new(&grid, mine, all);
        let bound = pairing::upper_bound(&grid, scale, &state);
        if bound <= 0 {
            bounded[usize::from(bound < 0)] += 1;
            // An outcome that is better for the player to move compares as smaller.
            assert!(outcome(answer) >= scale.outcome(bound, state.ply), "{name} {position}: bound {bound}");
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
        let (board, plain) = Plain::whole(name);
        for (columns, &answer) in plain.known.iter().step_by(101) {
            let position = position(board, columns);
            let expected = outcome(answer);
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
