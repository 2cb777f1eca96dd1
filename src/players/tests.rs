//! Compares the players with slow versions that are written from the same descriptions and share no code with them.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::rating::strategy_value;
use super::{Choice, ChooseError, Kind, RatingPlayer, Reason, nothing_known, random_source};
use crate::position::tests::any_position;
use crate::{Board, OtherBoard, Player, Position, Value, lines, notation};

/// Every player that needs no outcomes, at levels that look ahead at least to the opponent's reply.
const PLAYERS: &str = "random pomakis:2 pomakis:3 pomakis:5 window:2 window:3 window:4 rating:1 rating:2 rating:1:3 \
                       rating:2:4 follow-up";

fn board(name: &str) -> Board {
    name.parse().unwrap()
}

fn position(board_name: &str, moves: &str) -> Position {
    notation::parse(board(board_name), moves).unwrap()
}

fn choose(name: &str, position: &Position, seed: u64) -> Choice {
    let mut player = name.parse::<Kind>().unwrap().chooser(position.board(), nothing_known()).unwrap();
    player.choose(position, None, &mut random_source(seed, 0)).unwrap()
}

#[test]
fn cell_values_are_those_computed_by_hand() {
    // Cells are (column, row), both from 1. 4x4 has 10 lines of four cells.
    let value = |number, column| {
        let mut standing = super::standing::Standing::new(board("4x4"));
        standing.set_up(&position("4x4", "2311"));
        strategy_value(number, &mut standing, column)
    };
    // After 2311, X has (2,1) and (1,1), O has (3,1) and (1,2), and X is to move.
    // Cell (2,2): column 2 has one X, row 2 has one O, and the diagonal from (1,1) has one X. No falling diagonal of
    // four cells goes through this cell.
    assert_eq!([1, 2, 3].map(|strategy| value(strategy, 1)), [2, 1, 3]);
    // Cell (3,2): column 3 has one O, row 2 has one O, and the falling diagonal (1,4)-(4,1) has no piece.
    assert_eq!([1, 2, 3].map(|strategy| value(strategy, 2)), [0, 2, 2]);
    // The cell above (2,2) is (2,3). After the move, column 2 has two X, and row 3 and the falling diagonal no piece.
    assert_eq!([4, 5, 6, 7].map(|strategy| value(strategy, 1)), [3 - 2, 2, 1 - 2, 3 - 2]);
}

#[test]
fn pomakis_plays_the_middle_of_the_empty_7x6_without_a_search() {
    assert_eq!(choose("pomakis:20", &position("7x6", "-"), 1), Choice { column: 3, reason: Reason::Middle });
    assert!(matches!(choose("pomakis:1", &position("7x5", "-"), 1).reason, Reason::Score { .. }));
}

#[test]
fn window_starts_from_a_random_column_among_equals() {
    // 4x4c9 has no lines, so only pieces in the centre column count, and all other columns are equal.
    let cases = [("window:1", "-", &[2_usize][..]), ("window:2", "33", &[2]), ("window:2", "3333", &[0, 1, 3])];
    for (name, moves, expected) in cases {
        let start = position("4x4c9", moves);
        let columns = (0..50).map(|seed| choose(name, &start, seed).column).collect::<BTreeSet<_>>();
        assert!(columns.iter().eq(expected), "{name} {moves}: {columns:?}");
    }
}

#[test]
fn follow_up_follows_as_the_second_player_and_says_where_it_does_not() {
    let mut player = Kind::FollowUp.chooser(board("6x4"), nothing_known()).unwrap();
    let mut reply = |moves: &str, last| {
        let choice = player.choose(&position("6x4", moves), last, &mut random_source(1, 0));
        choice.map(|choice| (choice.column, choice.reason))
    };
    let (rule, no_rule) = (Reason::Rule { name: "follow-up" }, Reason::NoRule { name: "follow-up" });
    assert_eq!(reply("1", Some(0)).unwrap(), (0, rule));
    assert_eq!(reply("3", Some(2)).unwrap(), (3, rule));
    assert_eq!(reply("-", None).unwrap(), (2, no_rule));
    assert_eq!(reply("1", None).unwrap(), (2, no_rule));
    assert!(reply("1212121", Some(0)).is_err());
}

/// The score of `pomakis`, computed from its description, line by line.
fn plain_pomakis(position: &Position) -> i64 {
    let sum = |player: Player| -> i64 {
        let (mine, yours) = (position.pieces(player), position.pieces(player.other()));
        lines(position.board()).filter(|line| line & yours == 0).map(|line| 1 << (line & mine).count_ones()).sum()
    };
    let score = sum(position.to_move()) - sum(position.to_move().other());
    if position.board().is_misere() { -score } else { score }
}

/// Returns the score of `window` for the player `me`.
fn plain_window(position: &Position, me: Player) -> i64 {
    let board = position.board();
    let (mine, yours) = (position.pieces(me), position.pieces(me.other()));
    let mut score = 3 * i64::from((mine & board.column_cells(board.width() / 2)).count_ones());
    for line in lines(board) {
        let (own, other) = ((line & mine).count_ones() as usize, (line & yours).count_ones() as usize);
        score += match (board.connect() - own, other) {
            (0, 0) => 100,
            (1, 0) => 5,
            (2, 0) => 2,
            // The pattern `1..` leaves out an empty line of one cell, which counts nothing.
            (missing, 1..) if missing == other + 1 && own == 0 => -4,
            _ => 0,
        };
    }
    if board.is_misere() { -score } else { score }
}

/// Minimax without any cutoff. `win` returns the worth of a win that is a given number of plies away.
fn minimax(position: &Position, depth: u32, away: i64, win: fn(i64) -> i64, leaf: &dyn Fn(&Position) -> i64) -> i64 {
    match position.primitive() {
        Some(Value::Win) => win(away),
        Some(Value::Lose) => -win(away),
        Some(Value::Tie) => 0,
        None if depth == 0 => leaf(position),
        None => best(&moves_by(position, |child| minimax(child, depth - 1, away + 1, win, leaf))).0,
    }
}

fn moves_by(position: &Position, worth: impl Fn(&Position) -> i64) -> Vec<(usize, i64)> {
    position.moves().map(|column| (column, -worth(&position.drop_piece(column)))).collect()
}

/// Returns the most that a move is worth, and the columns of all moves worth that much.
fn best(moves: &[(usize, i64)]) -> (i64, Vec<usize>) {
    let most = moves.iter().map(|(_, worth)| *worth).max().unwrap();
    (most, moves.iter().filter(|(_, worth)| *worth == most).map(|(column, _)| *column).collect())
}

/// Returns the largest depth up to `wanted` at which the game tree is small enough to search without cutoffs.
fn small_depth(board: Board, wanted: u32) -> u32 {
    (1..=wanted).rev().find(|&depth| board.width().pow(depth) <= 3000).unwrap_or(1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn pomakis_is_plain_minimax(position in any_position(), wanted in 1_u32..=5) {
        prop_assume!(position.primitive().is_none() && position.board().width() <= 9);
        let depth = small_depth(position.board(), wanted);
        let moves = moves_by(&position, |child| minimax(child, depth - 1, 1, |away| (1 << 60) - away, &plain_pomakis));
        let found = choose(&format!("pomakis:{depth}"), &position, 1);
        if found.reason != Reason::Middle {
            let (most, best) = best(&moves);
            let central = position.board().central_columns();
            let first = central.into_iter().find(|column| best.contains(column)).unwrap();
            prop_assert_eq!(found.column, first, "{:?} {:?}", moves, found);
            if let Reason::Score { score, .. } = found.reason {
                prop_assert_eq!(score, most);
            }
        }
    }

    #[test]
    fn window_is_plain_minimax(position in any_position(), wanted in 1_u32..=5, seed in 0_u64..100) {
        prop_assume!(position.primitive().is_none() && position.board().width() <= 9);
        let (depth, me) = (small_depth(position.board(), wanted), position.to_move());
        let leaf = |position: &Position| {
            let score = plain_window(position, me);
            if position.to_move() == me { score } else { -score }
        };
        let moves = moves_by(&position, |child| minimax(child, depth - 1, 1, |_| 9_999_999, &leaf));
        let (most, best) = best(&moves);
        let found = choose(&format!("window:{depth}"), &position, seed);
        prop_assert!(best.contains(&found.column), "{moves:?} {found:?}");
        if let Reason::Score { score, .. } = found.reason {
            prop_assert_eq!(score, most);
        }
    }

    #[test]
    fn rating_is_plain_minimax(position in any_position(), level in 1_u32..=2, seed in 0_u64..100) {
        prop_assume!(position.primitive().is_none() && position.board().width().pow(2 * level + 1) <= 20_000);
        // The plain minimax scores only the end of the game: a nearer win and a farther loss are worth more.
        let moves = moves_by(&position, |child| minimax(child, 2 * level, 1, |away| 1000 - away, &|_| 0));
        let grades = RatingPlayer::new(position.board(), level, 0).grades(&position).unwrap();
        for (&(column, grade), &(_, worth)) in grades.iter().zip(&moves) {
            let expected = match worth {
                0 => 10,
                1.. => 20 - (1000 - worth) / 2,
                _ => (1000 + worth) / 2 + (1000 + worth) % 2,
            };
            prop_assert_eq!(i64::from(grade), expected, "column {} {:?}", column, moves);
        }
        let most = grades.iter().map(|(_, grade)| *grade).max().unwrap();
        for strategy in ["", ":1", ":2", ":3", ":4", ":5", ":6", ":7"] {
            let found = choose(&format!("rating:{level}{strategy}"), &position, seed);
            prop_assert!(grades.contains(&(found.column, most)), "{grades:?} {found:?}");
        }
    }

    #[test]
    fn every_player_plays_a_legal_move_anywhere(position in any_position(), seed in 0_u64..1000) {
        for player in PLAYERS.split(' ') {
            let mut chooser = player.parse::<Kind>().unwrap().chooser(position.board(), nothing_known()).unwrap();
            let last = position.moves().next();
            // The widest boards are slow to search.
            if position.board().width() > 9 && (player.ends_with('5') || player.contains(":2") || player.contains(":4")) {
                continue;
            }
            let choice = chooser.choose(&position, last, &mut random_source(seed, 0));
            let is_legal = |choice: Choice| position.play(choice.column).is_ok();
            prop_assert!(choice.map_or(position.primitive().is_some(), is_legal), "{player}");
        }
    }
}

#[test]
fn a_position_of_another_board_is_refused_and_changes_nothing() {
    let boards = ["7x6", "4x4", "4x5", "5x4", "4x4c3", "4x4m", "1x8", "8x1", "9x7", "12x2"];
    for name in PLAYERS.split(' ').filter(|name| *name != "random") {
        for (own, other) in boards.iter().flat_map(|own| boards.map(|other| (*own, other))) {
            let mut player = name.parse::<Kind>().unwrap().chooser(board(own), nothing_known()).unwrap();
            for moves in ["-", "1", "11"] {
                let foreign = position(other, if other == "8x1" { "-" } else { moves });
                let last = foreign.ply().checked_sub(1).map(|_| 0);
                let choice = player.choose(&foreign, last, &mut random_source(1, 0));
                if own == other {
                    assert!(choice.is_ok(), "{name} {own}");
                    continue;
                }
                let error = choice.unwrap_err();
                let is_told = matches!(error, ChooseError::OtherBoard(OtherBoard { expected, found })
                    if (expected, found) == (board(own), board(other)));
                assert!(is_told && error.to_string().ends_with(&format!("make a player for {other}")), "{error}");
            }
            let start = Position::start(board(own));
            let choice = player.choose(&start, None, &mut random_source(1, 0)).unwrap();
            assert_eq!(choice, choose(name, &start, 1), "{name} {own} after {other}");
        }
    }
    let foreign = position("4x4", "1");
    assert!(RatingPlayer::new(board("7x6"), 2, 0).grades(&foreign).is_err());
}
