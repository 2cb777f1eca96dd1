//! The openings of a match: positions after some plies, with moves that lead to them.

use std::collections::HashSet;

use anyhow::ensure;
use fourbase::players::Source;
use fourbase::{Board, Position};
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::failure::BadInput;
use crate::number::counted;

/// If there are more openings than this, random ones are played instead of a list.
const MOST_LISTED: usize = 100_000;

/// The stream of the seed for drawing openings; games have the lower streams.
const STREAM: u64 = u64::MAX;

/// All openings of one length.
pub struct Openings {
    board: Board,
    plies: u32,
    /// The moves of each; `None` if there are too many.
    listed: Option<Vec<Vec<usize>>>,
}

impl Openings {
    /// Lists the unfinished positions after `plies`, mirror images included, each with the first moves that lead to it.
    ///
    /// # Errors
    ///
    /// Bad input: every game ends before.
    pub fn of(board: Board, plies: u32) -> anyhow::Result<Openings> {
        ensure!((plies as usize) < board.cells(), no_opening(board, plies));
        let mut tier = vec![(Position::start(board), Vec::new())];
        for _ in 0..plies {
            let (mut next, mut met) = (Vec::new(), HashSet::new());
            for (position, moves) in &tier {
                for column in position.moves() {
                    let child = position.drop_piece(column);
                    if child.primitive().is_none() && met.insert(child) {
                        let moves = moves.iter().copied().chain([column]).collect::<Vec<_>>();
                        next.push((child, moves));
                    }
                }
            }
            if next.len() > MOST_LISTED {
                return Ok(Openings { board, plies, listed: None });
            }
            tier = next;
        }
        ensure!(!tier.is_empty(), no_opening(board, plies));
        Ok(Openings { board, plies, listed: Some(tier.into_iter().map(|(_, moves)| moves).collect()) })
    }

    /// Returns the default number of games: two from every opening; `usual` from the empty board and for unlisted
    /// openings.
    pub fn usual_games(&self, usual: u32) -> u32 {
        match &self.listed {
            Some(listed) if self.plies > 0 => 2 * listed.len() as u32,
            _ => usual,
        }
    }

    /// Chooses an opening for each pair of games: all in turn if there are enough pairs, else random ones. Listed openings
    /// are drawn without repetition.
    pub fn draw(self, pairs: u32, seed: u64) -> Drawn {
        let mut source = Source::new(seed, STREAM);
        let (plies, pairs) = (self.plies, pairs as usize);
        match self.listed {
            Some(mut moves) => {
                let all = moves.len() <= pairs;
                if !all {
                    moves.shuffle(&mut source);
                    moves.truncate(pairs);
                }
                Drawn { plies, moves, all }
            }
            None => {
                let moves = (0..pairs).map(|_| random_moves(self.board, plies, &mut source)).collect();
                Drawn { plies, moves, all: false }
            }
        }
    }
}

fn no_opening(board: Board, plies: u32) -> BadInput {
    BadInput(format!("every game of {board} is over after {}; take shorter openings", counted(plies, "ply")))
}

/// Plays random games until one is unfinished after `plies`. Such games are many: too many to list.
fn random_moves(board: Board, plies: u32, source: &mut Source) -> Vec<usize> {
    loop {
        let (mut position, mut moves) = (Position::start(board), Vec::new());
        while moves.len() < plies as usize && position.primitive().is_none() {
            let columns = position.moves().collect::<Vec<_>>();
            let column = columns[source.random_range(0..columns.len() as u32) as usize];
            moves.push(column);
            position = position.drop_piece(column);
        }
        if moves.len() == plies as usize && position.primitive().is_none() {
            return moves;
        }
    }
}

/// The openings of the games.
pub struct Drawn {
    pub plies: u32,
    moves: Vec<Vec<usize>>,
    /// Whether these are all openings of this length.
    pub all: bool,
}

impl Drawn {
    /// Returns the opening of a pair of games.
    pub fn get(&self, pair: u32) -> &[usize] {
        &self.moves[pair as usize % self.moves.len()]
    }

    /// Returns the number of openings.
    pub fn count(&self) -> usize {
        self.moves.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(board: &str, plies: u32) -> Openings {
        Openings::of(board.parse().unwrap(), plies).unwrap()
    }

    #[test]
    fn openings_are_all_unfinished_positions_of_a_ply() {
        // Tromp's counts of 7x6, and 3x3c2 where games end early.
        for (board, plies, count) in [("7x6", 0, 1), ("7x6", 1, 7), ("7x6", 2, 49), ("7x6", 3, 238), ("7x6", 4, 1120)] {
            assert_eq!(openings(board, plies).draw(1_000_000, 1).count(), count, "{board} {plies}");
        }
        assert!(Openings::of("2x2c1".parse().unwrap(), 1).is_err());
        assert!(Openings::of("4x4".parse().unwrap(), 16).is_err());
    }

    #[test]
    fn the_seed_draws_openings_and_none_twice() {
        let moves = |seed| openings("7x6", 4).draw(100, seed).moves;
        assert_eq!(moves(1), moves(1));
        assert_ne!(moves(1), moves(2));
        assert_eq!(moves(1).into_iter().collect::<HashSet<_>>().len(), 100);
    }

    #[test]
    fn long_openings_are_played_at_random() {
        let drawn = openings("9x7", 20).draw(50, 1);
        assert!(!drawn.all && drawn.moves.iter().all(|moves| moves.len() == 20));
    }
}
