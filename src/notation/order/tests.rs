//! Tests of the search for the smallest order: against all play on small boards, and its worst cases on large ones.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{Column, Interleaver, smallest_order};
use crate::notation::{NotationError, parse};
use crate::position::tests::any_position;
use crate::{Board, MoveError, Position};

/// Plays all games, and returns every position with its smallest order. If two orders reach the same position, only
/// the smaller one is continued.
fn smallest_orders_by_play(board: Board) -> HashMap<Position, Vec<usize>> {
    let mut all = HashMap::new();
    let mut tier = HashMap::from([(Position::start(board), Vec::new())]);
    while !tier.is_empty() {
        let mut next: HashMap<Position, Vec<usize>> = HashMap::new();
        for (position, order) in &tier {
            for column in position.moves() {
                let mut longer = order.clone();
                longer.push(column);
                let child = next.entry(position.drop_piece(column)).or_insert_with(|| longer.clone());
                if longer < *child {
                    *child = longer;
                }
            }
        }
        all.extend(std::mem::replace(&mut tier, next));
    }
    all
}

/// Lists every well-formed position.
fn all_positions(board: Board) -> Vec<Position> {
    let all = board.all_cells();
    let pairs = (0..=all)
        .flat_map(|first| (0..=all).filter(move |second| first & second == 0).map(move |second| (first, second)));
    pairs.filter_map(|(first, second)| Position::from_bitboards(board, first, second).ok()).collect()
}

#[test]
fn every_position_of_small_boards_has_the_order_that_play_finds() {
    for name in ["1x6", "2x5", "2x6c3", "3x3c3", "3x3c2", "3x3c1", "4x3", "4x3c3m", "6x2c3", "5x2c5", "3x4c9", "12x1c2"]
    {
        let board = name.parse::<Board>().unwrap();
        let played = smallest_orders_by_play(board);
        let positions = all_positions(board);
        assert!(positions.len() >= played.len());
        for position in positions {
            let expected = played.get(&position).cloned().ok_or(NotationError::Unreachable);
            assert_eq!(smallest_order(&position), expected, "{board} {position}");
        }
    }
}

#[test]
fn positions_after_the_end_of_the_game_are_reached_by_no_play() {
    let over = parse("4x4c2".parse().unwrap(), "112").unwrap();
    assert!(over.primitive().is_some());
    assert_eq!(smallest_order(&over.drop_piece(0)), Err(NotationError::Unreachable));
}

/// Full boards, given as the first player's pieces, on which the search is longest: hill climbing found them, and they
/// have up to 196,000 dead ends.
#[test]
fn the_hardest_known_colourings_are_decided_or_given_up_after_some_dead_ends() {
    let hardest = [
        ("8x8c64", 0x171e_1d9f_1f1b_2426),
        ("7x9c64", 0x67c7_e541_e138_762c),
        ("9x7c64", 0x6ce1_cb83_0d5a_f8f0),
        ("6x10c64", 0x09e8_7c1b_4aa1_5c76),
    ];
    for (name, first) in hardest {
        let board = name.parse::<Board>().unwrap();
        let position = Position::from_bitboards(board, first, board.all_cells() & !first).unwrap();
        assert_eq!(smallest_order(&position), Err(NotationError::Unreachable), "{board}");
        let mut interleaver = Interleaver { max_dead_ends: 3, ..Interleaver::new(board) };
        assert_eq!(interleaver.smallest(&position), Err(NotationError::Undecided(3)));
    }
}

#[test]
fn a_column_gives_back_the_pieces_it_was_made_of() {
    for (pieces, first) in [(0, 0), (1, 1), (3, 0b010), (63, 5), (64, u64::MAX), (64, 0)] {
        let column = Column::new(pieces, first);
        assert_eq!((column.len(), column.pieces()), (pieces, first));
    }
    assert_eq!(Column::new(2, 0b1101), Column::new(2, 0b01));
}

/// Generates any colouring of a full large board without a line.
fn any_full_board() -> impl Strategy<Value = Position> {
    let sizes = [(8, 8), (9, 7), (7, 9), (32, 2), (21, 3), (16, 4), (12, 5), (5, 12), (4, 16), (2, 32)];
    proptest::sample::select(sizes.to_vec()).prop_flat_map(|(width, height)| {
        let board = Board::new(width, height, 255, false).unwrap();
        let cells = board.cells();
        proptest::sample::subsequence((0..cells).collect::<Vec<_>>(), cells.div_ceil(2)).prop_map(move |chosen| {
            let first = chosen.into_iter().fold(0, |first, cell| first | 1_u64 << cell);
            Position::from_bitboards(board, first, board.all_cells() & !first).unwrap()
        })
    })
}

/// Plays the smallest order of a position, and returns the position that it reaches.
fn played(position: &Position) -> Result<Result<Position, MoveError>, NotationError> {
    let play = |before: Position, column: &usize| before.play(*column);
    smallest_order(position).map(|order| order.iter().try_fold(Position::start(position.board()), play))
}

proptest! {
    #[test]
    fn a_position_from_play_gets_an_order_that_plays_to_it(position in any_position()) {
        prop_assert_eq!(played(&position), Ok(Ok(position)));
    }

    #[test]
    fn full_boards_of_any_colouring_are_decided(position in any_full_board()) {
        let found = played(&position);
        prop_assert!(found == Ok(Ok(position)) || found == Err(NotationError::Unreachable), "{found:?}");
    }
}
