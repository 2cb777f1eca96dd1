//! Tests of the rules: every operation against a plain walk over cells. (`tests/oracle.rs` and `tests/grade.rs` have the known counts
//! of positions.)

use proptest::prelude::*;

use super::{MoveError, PiecesError, Position};
use crate::{Board, Player, Value, lines};

fn board(name: &str) -> Board {
    name.parse().unwrap()
}

fn play(name: &str, columns: &[usize]) -> Position {
    columns.iter().fold(Position::start(board(name)), |position, &column| position.play(column).unwrap())
}

#[test]
fn moves_that_cannot_be_played_are_refused() {
    let position = play("2x2", &[0, 0]);
    assert_eq!(position.play(0), Err(MoveError::Full { column: 1, rows: 2 }));
    assert_eq!(position.play(2), Err(MoveError::Outside { column: 3, columns: 2 }));
    assert_eq!(position.play(usize::MAX), Err(MoveError::Outside { column: usize::MAX, columns: 2 }));
    assert_eq!(play("2x2c1", &[0]).play(1), Err(MoveError::Over { winner: Player::First, ply: 1 }));
    assert_eq!(play("2x2c1m", &[0]).play(1), Err(MoveError::Over { winner: Player::Second, ply: 1 }));
}

#[test]
fn columns_and_rows_outside_the_board_are_empty() {
    let position = play("2x2", &[0, 1]);
    assert_eq!([2, usize::MAX].map(|column| position.height(column)), [0, 0]);
    assert_eq!([2, usize::MAX].map(|column| position.can_play(column)), [false, false]);
    assert_eq!([(2, 0), (0, 2), (usize::MAX, usize::MAX)].map(|(column, row)| position.piece(column, row)), [None; 3]);
}

#[test]
fn pieces_that_make_no_position_are_refused() {
    let refused = |name: &str, first, second| Position::from_bitboards(board(name), first, second).unwrap_err();
    assert_eq!(refused("2x2", 0b1_0000, 0), PiecesError::Outside { board: board("2x2"), bit: 4 });
    assert_eq!(refused("2x2", 0b0100, 0b0100), PiecesError::Overlap { column: 2, row: 1 });
    assert_eq!(refused("2x2", 0b0001, 0b1000), PiecesError::Floating { column: 2, row: 2 });
    assert_eq!(refused("2x2", 0b0101, 0), PiecesError::Counts { first: 2, second: 0 });
    assert_eq!(refused("2x2", 0, 0b0001), PiecesError::Counts { first: 0, second: 1 });
    assert_eq!(refused("2x2c2", 0b0101, 0b1010), PiecesError::BothLines);
    assert_eq!(refused("4x1c2", 0b0011, 0b1100), PiecesError::BothLines);
    assert_eq!(refused("4x2c2", 0b0000_0101, 0b0100_0010), PiecesError::EarlierLine(Player::First));
    assert_eq!(refused("7x1c2", 0b101_0100, 0b000_0011), PiecesError::EarlierLine(Player::Second));
    let message = |first, second| refused("2x2", first, second).to_string();
    assert_eq!(message(1 << 63, 0), "bit 63 of a bitboard is outside the board 2x2; bits 0 to 3 are cells");
    assert_eq!(
        message(0b0101, 0),
        "X has 2 and O 0 pieces; players move in turn, so X, who moves first, must have as many as O or one more"
    );
}

/// Lists the column and row of every cell, and the player whose piece is in it.
fn cell_by_cell(position: &Position) -> Vec<Vec<Option<Player>>> {
    let board = position.board();
    let column = |column| (0..board.height()).map(|row| position.piece(column, row)).collect();
    (0..board.width()).map(column).collect()
}

proptest! {
    #[test]
    fn mirroring_reverses_the_columns_and_twice_changes_nothing(position in any_position()) {
        let mut cells = cell_by_cell(&position);
        cells.reverse();
        prop_assert_eq!(cell_by_cell(&position.mirror()), cells);
        prop_assert_eq!(position.mirror().mirror(), position);
        prop_assert_eq!(position.mirror().primitive(), position.primitive());
    }

    #[test]
    fn a_move_adds_one_piece_of_the_mover_on_top_of_its_column(position in any_position()) {
        for column in position.moves() {
            let child = position.play(column).unwrap();
            let mut cells = cell_by_cell(&position);
            cells[column][position.height(column)] = Some(position.to_move());
            prop_assert_eq!(cell_by_cell(&child), cells);
            prop_assert_eq!(child.ply(), position.ply() + 1);
            prop_assert_eq!(child.to_move(), position.to_move().other());
        }
    }

    #[test]
    fn moves_are_the_columns_that_play_accepts(position in any_position()) {
        let accepted = (0..40).filter(|&column| position.play(column).is_ok()).collect::<Vec<_>>();
        prop_assert_eq!(position.moves().collect::<Vec<_>>(), accepted);
        prop_assert_eq!(position.moves().count() == 0, position.primitive().is_some());
    }

    #[test]
    fn the_game_is_over_with_a_listed_line_or_a_full_board(position in any_position()) {
        let mover = position.pieces(position.to_move().other());
        let has_line = lines(position.board()).any(|line| line & mover == line);
        let is_full = position.ply() == position.board().cells();
        prop_assert_eq!(position.primitive(), match (has_line, position.board().is_misere()) {
            (true, false) => Some(Value::Lose),
            (true, true) => Some(Value::Win),
            (false, _) => is_full.then_some(Value::Tie),
        });
    }

    #[test]
    fn any_two_words_are_a_position_or_an_error(board in any_board(), first: u64, second: u64) {
        if let Ok(position) = Position::from_bitboards(board, first, second) {
            prop_assert_eq!(position.occupied(), first | second);
        }
    }
}

/// Generates boards within all limits; half of them have one of six chosen sizes, the others any size.
pub(crate) fn any_board() -> impl Strategy<Value = Board> {
    let named = prop_oneof![Just((7, 6)), Just((9, 7)), Just((8, 8)), Just((1, 64)), Just((32, 2)), Just((4, 4))];
    let any_size = (1_usize..=32).prop_flat_map(|width| (Just(width), 1..=64 / width));
    let connect = prop_oneof![4 => Just(4_usize), 4 => 1_usize..=9, 1 => 1_usize..=255];
    (prop_oneof![named, any_size], connect, any::<bool>())
        .prop_map(|((width, height), connect, misere)| Board::new(width, height, connect, misere).unwrap())
}

/// Generates positions that random play reaches on any board, from the empty board to the end of the game.
pub(crate) fn any_position() -> impl Strategy<Value = Position> {
    (any_board(), proptest::collection::vec(any::<u8>(), 0..=64)).prop_map(|(board, choices)| {
        choices.into_iter().fold(Position::start(board), |position, choice| {
            let moves = position.moves().collect::<Vec<_>>();
            if moves.is_empty() { position } else { position.drop_piece(moves[usize::from(choice) % moves.len()]) }
        })
    })
}
