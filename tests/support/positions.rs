//! Boards by name, and positions to ask about: at random, or every one that is well formed.

use fourbase::Board;

use super::long;
use super::plain_game::PlainGame;

/// The board of this name.
pub fn board(name: &str) -> Board {
    name.parse().expect("a board")
}

/// A small seeded generator, so that what a test samples is the same on every machine: Sebastiano Vigna's SplitMix64
/// (<https://prng.di.unimi.it/splitmix64.c>).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence of a seed, or the one that takes its place in a run with another seed.
    pub fn new(seed: u64) -> Random {
        Random(long::seed(seed))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

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
    (in_turn && !game.has_line(game.mover())).then_some(game)
}
