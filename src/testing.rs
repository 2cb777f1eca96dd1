//! Strategies for random boards and positions, shared by the tests of this package.

use proptest::prelude::*;

use crate::{Board, Position};

/// Any board within the limits, small and odd ones as likely as usual ones.
pub(crate) fn any_board() -> impl Strategy<Value = Board> {
    let named = prop_oneof![Just((7, 6)), Just((9, 7)), Just((8, 8)), Just((1, 64)), Just((32, 2)), Just((4, 4))];
    let any_size = (1_usize..=32).prop_flat_map(|width| (Just(width), 1..=64 / width));
    let connect = prop_oneof![4 => Just(4_usize), 4 => 1_usize..=9, 1 => 1_usize..=255];
    (prop_oneof![named, any_size], connect, any::<bool>())
        .prop_map(|((width, height), connect, misere)| Board::new(width, height, connect, misere).unwrap())
}

/// A position of any board that random play reaches, from the empty board to the end of the game.
pub(crate) fn any_position() -> impl Strategy<Value = Position> {
    (any_board(), proptest::collection::vec(any::<u8>(), 0..=64)).prop_map(|(board, choices)| {
        choices.into_iter().fold(Position::start(board), |position, choice| {
            let moves = position.moves().collect::<Vec<_>>();
            if moves.is_empty() { position } else { position.drop_piece(moves[usize::from(choice) % moves.len()]) }
        })
    })
}
