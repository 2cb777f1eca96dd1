//! Boards by name, and positions to ask about: at random, or every one that is well formed.

use fourbase::Board;

use super::long;
use super::plain_game::{FIRST, PlainGame, SECOND};

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

/// Sets every well-formed position of a board up, reached by play or not.
pub fn every_well_formed_position(board: Board) -> Vec<PlainGame> {
    let mut keys = vec![0u128];
    for column in 0..board.width() {
        let (mut columns, mut tops) = (vec![0u128], vec![0u128]);
        for row in 0..board.height() {
            let bit = 2 * (row * board.width() + column);
            tops = tops.iter().flat_map(|key| [FIRST, SECOND].map(|piece| key | u128::from(piece) << bit)).collect();
            columns.extend(&tops);
        }
        keys = keys.iter().flat_map(|key| columns.iter().map(move |column| key | column)).collect();
    }
    let is_well_formed = |game: &PlainGame| {
        let firsts = (0..board.cells()).filter(|cell| game.key() >> (2 * cell) & 3 == u128::from(FIRST)).count();
        firsts == game.plies().div_ceil(2) && !game.has_line(game.mover())
    };
    keys.into_iter().map(|key| PlainGame::from_key(board, key)).filter(is_well_formed).collect()
}
