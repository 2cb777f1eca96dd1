//! Matches: two players play many games from openings. The two games of a pair have the same opening and exchanged
//! sides.
//!
//! Each game has its own stream of random numbers, so the result does not depend on the order of the games.

use std::collections::HashSet;

use rand::seq::SliceRandom;
use thiserror::Error;
use web_time::Instant;

use super::random::random_move;
use super::{ChooseError, Chooser, RandomSource, random_source};
use crate::{Board, Game, MoveError, Player, Position, Value};

/// The most openings that are listed. If there are more, random play draws them.
const MOST_LISTED: usize = 100_000;

/// The most random games that are played to draw openings: the first number, plus the second number for each pair of
/// games of the match.
const MOST_TRIES: (u64, u64) = (100_000, 1000);

/// The number of the random stream that draws the openings. The games use streams with lower numbers.
const STREAM: u64 = u64::MAX;

/// All openings of one length: the unfinished positions after that many plies, with moves that lead to them.
#[derive(Debug)]
pub struct Openings {
    board: Board,
    plies: u32,
    /// The openings; `None` if there are too many to list.
    listed: Option<Vec<Game>>,
}

impl Openings {
    /// Lists the unfinished positions after `plies`, mirror images included. Each comes with the moves that lead to it,
    /// in the lexicographically smallest order. Returns `None` if every game is over by then.
    pub fn of(board: Board, plies: u32) -> Option<Openings> {
        if plies as usize >= board.cells() {
            return None;
        }
        let mut tier = vec![Game::start(Position::start(board))];
        for _ in 0..plies {
            let (mut next, mut met) = (Vec::new(), HashSet::new());
            for (game, column) in tier.iter().flat_map(|game| game.position().moves().map(move |column| (game, column)))
            {
                let child = game.position().drop_piece(column);
                if child.primitive().is_none() && met.insert(child) {
                    if next.len() == MOST_LISTED {
                        return Some(Openings { board, plies, listed: None });
                    }
                    let mut game = game.clone();
                    game.push(column);
                    next.push(game);
                }
            }
            tier = next;
        }
        (!tier.is_empty()).then_some(Openings { board, plies, listed: Some(tier) })
    }

    /// Returns the default number of games: two for each opening; `usual` for the empty board, and if there are too
    /// many openings to list.
    pub fn usual_games(&self, usual: u32) -> u32 {
        match &self.listed {
            Some(listed) if self.plies > 0 => 2 * listed.len() as u32,
            _ => usual,
        }
    }

    /// Chooses an opening for each pair of games. If there are at least as many pairs as openings, the pairs take all
    /// openings in turn. If there are fewer pairs, openings are drawn from the list without repetition. If there are
    /// too many openings to list, random play draws them, perhaps with repetition. Returns `None` if nearly every
    /// random game is over by that length.
    pub fn draw(self, pairs: u32, seed: u64) -> Option<DrawnOpenings> {
        let Openings { board, plies, listed } = self;
        let (mut source, pairs) = (random_source(seed, STREAM), pairs as usize);
        let is_all = listed.as_ref().is_some_and(|listed| listed.len() <= pairs);
        let games = match listed {
            Some(games) if is_all => games,
            Some(mut games) => {
                games.shuffle(&mut source);
                games.truncate(pairs);
                games
            }
            None => {
                let tries = 0..MOST_TRIES.0 + MOST_TRIES.1 * pairs as u64;
                let drawn = tries.filter_map(|_| random_game(board, plies as usize, &mut source));
                Some(drawn.take(pairs).collect::<Vec<_>>()).filter(|drawn| drawn.len() == pairs)?
            }
        };
        Some(DrawnOpenings { plies, games, is_all })
    }
}

/// Plays `plies` random moves. Returns `None` if the game is over by then.
fn random_game(board: Board, plies: usize, source: &mut RandomSource) -> Option<Game> {
    let mut game = Game::start(Position::start(board));
    while game.ply() < plies && !game.is_over() {
        game.push(random_move(game.position(), source)?);
    }
    (game.ply() == plies && !game.is_over()).then_some(game)
}

/// The openings of the games of a match.
#[derive(Debug)]
pub struct DrawnOpenings {
    /// The number of plies of each opening.
    pub plies: u32,
    /// The openings, as games.
    pub games: Vec<Game>,
    /// Whether these are all openings of this length.
    pub is_all: bool,
}

impl DrawnOpenings {
    /// Returns the opening for the pair of games with the number `pair`, from 0.
    pub fn get(&self, pair: u32) -> &Game {
        &self.games[pair as usize % self.games.len()]
    }
}

/// The result of a game of a match.
#[derive(Clone, Copy, Debug)]
pub struct PlayedGame {
    /// Whether the first of the two players played as [`Player::First`].
    pub began: bool,
    /// The result for the first of the two players.
    pub value: Value,
    /// The number of plies.
    pub plies: u64,
    /// The number of moves that each of the two chose.
    pub moves: [u64; 2],
    /// The total time that each of the two took for its moves.
    pub nanoseconds: [u64; 2],
}

/// Why a game can't be played to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// A player finds no move.
    #[error("{} finds no move {}", names[*player], if moves.is_empty() { "on the empty board".into() } else { format!("after {moves}") })]
    NoMove {
        /// The names of both players.
        names: [String; 2],
        /// The index of the player that finds no move.
        player: usize,
        /// The game so far.
        moves: String,
        /// Why the player finds no move.
        #[source]
        reason: ChooseError,
    },
    /// A player plays a move that is not legal.
    #[error(transparent)]
    Illegal(#[from] MoveError),
}

/// Plays a game between two players from an opening to its end. The first of the two plays as [`Player::First`] if
/// `began` is set. The `names` appear in errors only.
///
/// # Errors
///
/// [`MatchError`] if a player finds no move, or plays one that is not legal.
pub fn play_game(
    opening: &Game,
    names: [&dyn ToString; 2],
    players: &mut [Box<dyn Chooser + '_>; 2],
    began: bool,
    source: &mut RandomSource,
) -> Result<PlayedGame, MatchError> {
    let mut game = opening.clone();
    let (mut moves, mut nanoseconds) = ([0; 2], [0; 2]);
    while !game.is_over() {
        let player = usize::from((game.position().to_move() == Player::First) != began);
        let start = Instant::now();
        let choice = players[player].choose(game.position(), game.last(), source);
        nanoseconds[player] += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        moves[player] += 1;
        let no_move = |reason| {
            let names = names.map(ToString::to_string);
            MatchError::NoMove { names, player, moves: game.moves(), reason }
        };
        let column = choice.map_err(no_move)?.column;
        game.play(column)?;
    }
    let value = match game.winner() {
        None => Value::Tie,
        Some(winner) if (winner == Player::First) == began => Value::Win,
        Some(_) => Value::Lose,
    };
    Ok(PlayedGame { began, value, plies: game.ply() as u64, moves, nanoseconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(board: &str, plies: u32) -> Openings {
        Openings::of(board.parse().unwrap(), plies).unwrap()
    }

    #[test]
    fn openings_are_all_unfinished_positions_of_a_ply() {
        // The counts of 7x6 are John Tromp's. On the two boards after the loop, every game is over by the given ply.
        for (board, plies, count) in [("7x6", 0, 1), ("7x6", 1, 7), ("7x6", 2, 49), ("7x6", 3, 238), ("7x6", 4, 1120)] {
            assert_eq!(openings(board, plies).draw(1_000_000, 1).unwrap().games.len(), count, "{board} {plies}");
        }
        assert!(Openings::of("2x2c1".parse().unwrap(), 1).is_none());
        assert!(Openings::of("4x4".parse().unwrap(), 16).is_none());
    }

    #[test]
    fn the_seed_draws_openings_and_none_twice() {
        let games = |seed| openings("7x6", 4).draw(100, seed).unwrap().games;
        let moves = |seed| games(seed).iter().map(Game::moves).collect::<Vec<_>>();
        assert_eq!(moves(1), moves(1));
        assert_ne!(moves(1), moves(2));
        assert_eq!(moves(1).into_iter().collect::<HashSet<_>>().len(), 100);
    }

    #[test]
    fn long_openings_are_played_at_random_and_refused_where_hardly_a_game_lasts_so_long() {
        let draw = |plies, pairs| openings("7x6c3", plies).draw(pairs, 1);
        assert!(draw(38, 1).is_none() && draw(28, 1).is_some() && draw(28, 200).is_none());
        let drawn = openings("9x7", 20).draw(50, 1).unwrap();
        assert!(!drawn.is_all && drawn.games.iter().all(|game| game.ply() == 20));
    }
}
