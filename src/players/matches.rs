//! Matches: two players play many games from openings. The two games of a pair have the same opening and exchanged
//! sides.
//!
//! Each game has its own stream of random numbers, so the result does not depend on the order of the games.

use std::collections::HashSet;

use rand::seq::SliceRandom;
use serde::Serialize;
use thiserror::Error;
use web_time::Instant;

use super::random::random_move;
use super::{ChooseError, Chooser, RandomSource, random_source};
use crate::analysis::Share;
use crate::{Board, Game, PerPlayer, Player, Position, Value};

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

/// The results of some games for one player.
#[expect(missing_docs, reason = "the names of the fields say it")]
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    pub wins: u64,
    pub ties: u64,
    pub losses: u64,
}

impl Score {
    /// Counts the results for the first of the two players, or for the second if `place` is 1, of the games in which it
    /// moved first, and of the others.
    pub fn of<'g>(games: impl Iterator<Item = &'g PlayedGame>, place: usize) -> PerPlayer<Score> {
        let mut scores = PerPlayer::<Score>::default();
        for game in games {
            let score = if game.began == (place == 0) { &mut scores.first } else { &mut scores.second };
            *match if place == 0 { game.value } else { game.value.flip() } {
                Value::Win => &mut score.wins,
                Value::Tie => &mut score.ties,
                Value::Lose => &mut score.losses,
            } += 1;
        }
        scores
    }

    /// Returns the sums.
    pub fn plus(self, other: Score) -> Score {
        let sums = [(self.wins, other.wins), (self.ties, other.ties), (self.losses, other.losses)];
        let [wins, ties, losses] = sums.map(|(one, other)| one + other);
        Score { wins, ties, losses }
    }

    /// Returns the share of the points: a win counts one point, and a tie half a point. The interval is that of
    /// [`Share::of_repeats`] for games that are drawn independently. `None` without games.
    pub fn points(self) -> Option<Share> {
        let Score { wins, ties, losses } = self;
        Share::of_repeats(2 * wins + ties, 4 * wins + ties, wins + ties + losses, 2, false)
    }
}

/// The result of a game of a match.
#[derive(Clone, Copy, Debug)]
pub struct PlayedGame {
    /// Whether the first of the two players played as [`Player::First`].
    pub began: bool,
    /// The result for the first of the two players.
    pub value: Value,
    /// Whether the loser chose a move that is not legal.
    pub is_illegal: bool,
    /// The number of plies.
    pub plies: u64,
    /// The number of moves that each of the two chose.
    pub moves: [u64; 2],
    /// The total time that each of the two took for its moves.
    pub nanoseconds: [u64; 2],
}

/// Why a game can't be played to its end: a player finds no move.
#[derive(Debug, Error)]
#[error("{name} finds no move {}", if moves.is_empty() { "on the empty board".into() } else { format!("after {moves}") })]
pub struct MatchError {
    /// The name of the player.
    name: String,
    /// The game so far.
    moves: String,
    /// Why the player finds no move.
    #[source]
    pub reason: ChooseError,
}

/// The games of a match, which are numbered from 0. The first of the two players moves first in those with even numbers.
#[derive(Debug)]
pub struct Match {
    /// The openings; a pair of games has the same.
    pub openings: DrawnOpenings,
    /// The number of games.
    pub games: u32,
    /// The seed of the openings, and of the players.
    pub seed: u64,
}

impl Match {
    /// Draws the openings. `None` for `games` means two from each opening, or `usual` as in [`Openings::usual_games`]. Returns
    /// `None` if all games, or nearly all random ones, are over after `plies`.
    pub fn new(board: Board, plies: u32, games: Option<u32>, usual: u32, seed: u64) -> Option<Match> {
        let openings = Openings::of(board, plies)?;
        let games = games.unwrap_or_else(|| openings.usual_games(usual));
        Some(Match { openings: openings.draw(games.div_ceil(2), seed)?, games, seed })
    }

    /// Plays a game between two players to its end, or up to a move that is not legal: the player who chooses it loses.
    /// Returns the game as well. The `names` appear in errors only.
    ///
    /// # Errors
    ///
    /// [`MatchError`] if a player finds no move.
    pub fn play(
        &self,
        number: u32,
        names: [&dyn ToString; 2],
        players: &mut [Box<dyn Chooser + '_>; 2],
    ) -> Result<(PlayedGame, Game), MatchError> {
        let (mut source, began) = (random_source(self.seed, number.into()), number.is_multiple_of(2));
        let (mut game, mut moves, mut nanoseconds, mut loser) =
            (self.openings.get(number / 2).clone(), [0; 2], [0; 2], None);
        while !game.is_over() && loser.is_none() {
            let player = usize::from((game.position().to_move() == Player::First) != began);
            let start = Instant::now();
            let choice = players[player].choose(game.position(), game.last(), &mut source);
            nanoseconds[player] += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            moves[player] += 1;
            let choice = choice.map_err(|reason| {
                let name = names[player].to_string();
                MatchError { name, moves: game.moves(), reason }
            })?;
            loser = game.play(choice.column).is_err().then_some(game.position().to_move());
        }
        let value = match game.winner().or(loser.map(Player::other)) {
            None => Value::Tie,
            Some(winner) if (winner == Player::First) == began => Value::Win,
            Some(_) => Value::Lose,
        };
        let is_illegal = loser.is_some();
        Ok((PlayedGame { began, value, is_illegal, plies: game.ply() as u64, moves, nanoseconds }, game))
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::{Choice, Reason};
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

    /// Plays in the rightmost column, also if it is full.
    struct Rightmost;

    impl Chooser for Rightmost {
        fn choose(&mut self, position: &Position, _: Option<usize>, _: &mut dyn Rng) -> Result<Choice, ChooseError> {
            Ok(Choice { column: position.board().width() - 1, reason: Reason::Promise })
        }
    }

    #[test]
    fn the_player_of_an_illegal_move_loses_whoever_began() {
        let of = Match::new("4x4".parse().unwrap(), 0, Some(2), 0, 1).unwrap();
        let player = || Box::new(Rightmost) as Box<dyn Chooser>;
        let played = [0, 1].map(|number| of.play(number, [&"a", &"b"], &mut [player(), player()]).unwrap());
        for (game, moves) in &played {
            assert_eq!((game.is_illegal, game.plies, moves.moves().as_str()), (true, 4, "4444"));
        }
        let scores = Score::of(played.iter().map(|(game, _)| game), 0);
        assert_eq!((scores.first.losses, scores.second.wins), (1, 1));
        let scores = Score::of(played.iter().map(|(game, _)| game), 1);
        assert_eq!((scores.first.losses, scores.second.wins), (1, 1));
    }

    #[test]
    fn the_interval_of_points_is_narrower_with_ties() {
        let of = |values: [u64; 3]| {
            let [wins, ties, losses] = values;
            Score { wins, ties, losses }.points().unwrap()
        };
        let (decided, tied) = (of([50, 0, 50]), of([10, 80, 10]));
        assert_eq!((decided.share, tied.share, of([3, 2, 0]).share), (0.5, 0.5, 0.8));
        // Half of 100 games: Wilson's interval is from 40.4 % to 59.6 %.
        assert!((decided.interval[0] - 0.404).abs() < 0.001 && tied.interval[0] > 0.45, "{decided:?} {tied:?}");
        assert!(Score::default().points().is_none());
    }

    #[test]
    fn long_openings_are_played_at_random_and_refused_where_hardly_a_game_lasts_so_long() {
        let draw = |plies, pairs| openings("7x6c3", plies).draw(pairs, 1);
        assert!(draw(38, 1).is_none() && draw(28, 1).is_some() && draw(28, 200).is_none());
        let drawn = openings("9x7", 20).draw(50, 1).unwrap();
        assert!(!drawn.is_all && drawn.games.iter().all(|game| game.ply() == 20));
    }
}
