//! Positions to ask about: at random, or every one that is well formed.

use fourbase::Board;

use super::plain_game::PlainGame;
use super::random::Random;

/// Plays at random to the given ply; `None` where the game ends before.
pub fn random_game(board: Board, plies: usize, random: &mut Random) -> Option<PlainGame> {
    let mut game = PlainGame::start(board);
    while game.plies() < plies {
        if game.end().is_some() {
            return None;
        }
        let columns: Vec<usize> = game.columns_with_room().collect();
        game.drop_piece(columns[random.below(columns.len())]);
    }
    Some(game)
}

/// Sets every well-formed position of a board up, reached by play or not: each column is a bit string, and a `1` marks
/// its end.
pub fn every_well_formed_position(board: Board) -> Vec<PlainGame> {
    let strings = 1..2u64 << board.height();
    let fillings = (0..board.width()).fold(vec![0u64], |fillings, _| {
        let longer = |&filling: &u64| strings.clone().map(move |column| filling << (board.height() + 1) | column);
        fillings.iter().flat_map(longer).collect()
    });
    fillings.into_iter().filter_map(|filling| well_formed(board, filling)).collect()
}

fn well_formed(board: Board, filling: u64) -> Option<PlainGame> {
    let (mut key, mut firsts, mut seconds) = (0, 0, 0);
    for column in 0..board.width() {
        let string = filling >> (column * (board.height() + 1)) & ((2 << board.height()) - 1);
        let height = string.ilog2() as usize;
        for row in 0..height {
            let first = string >> row & 1 == 1;
            *if first { &mut firsts } else { &mut seconds } += 1;
            key |= if first { 1 } else { 2 } << (2 * (row * board.width() + column));
        }
    }
    let game = PlainGame::from_key(board, key);
    let in_turn = firsts == seconds || firsts == seconds + 1;
    (in_turn && !game.mover_has_line()).then_some(game)
}
