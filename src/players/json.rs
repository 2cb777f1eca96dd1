//! Questions for the move of a player, the players of a board and a random position, and their answers as JSON.
//! `docs/reference/http.md` describes the fields.

use rand::RngExt;
use serde::Serialize;
use thiserror::Error;

use super::random::GOLDEN;
use super::{Choice, ChooseError, Kind, Outcomes, Reason, random_play, random_source};
use crate::analysis::json::PositionJson;
use crate::{Board, Game};

/// The players that choose moves.
const PLAYERS: [&str; 7] = ["level", "perfect", "random", "pomakis", "window", "rating", "follow-up"];

/// The largest allowed number of move sequences within a player's horizon. Alpha-beta skips most of the sequences, so a
/// move takes some tenths of a second.
const MOST_ORDERS: u64 = 10_000_000_000;

/// The most random games that are played to reach a position of the requested ply.
const TRIES: u64 = 1000;

/// Returns how many plies ahead a player may look if its search can't be interrupted.
fn most_plies(board: Board) -> u32 {
    // On a board of one column every game has at most 64 moves.
    MOST_ORDERS.checked_ilog(board.width() as u64).unwrap_or(64)
}

/// A question for the next move of a game.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// The game.
    pub game: Game,
    /// The player who moves next.
    pub kind: Kind,
    /// The same position and the same seed give the same move.
    pub seed: u64,
}

impl MoveRequest {
    /// Checks that the player is a program whose move takes some tenths of a second at most, besides the outcomes that
    /// it asks for.
    ///
    /// # Errors
    ///
    /// [`ChooseError::Human`] and [`ChooseError::TooFar`].
    pub fn check(&self) -> Result<(), ChooseError> {
        let (board, kind) = (self.game.board(), self.kind);
        let most = most_plies(board);
        match kind {
            Kind::Human => Err(ChooseError::Human),
            _ if kind.looks_ahead() > most => Err(ChooseError::TooFar { kind, board, most }),
            _ => Ok(()),
        }
    }

    /// Asks the player, who gets exact outcomes from `outcomes`.
    ///
    /// # Errors
    ///
    /// Those of [`MoveRequest::check`], of the player and of `outcomes`.
    pub fn answer(&self, outcomes: Outcomes) -> Result<MoveJson, ChooseError> {
        Ok(MoveJson::of(&self.game, self.kind, self.seed, self.choose(outcomes)?))
    }

    /// Does the same as [`MoveRequest::answer`], but returns the bare choice.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn choose(&self, outcomes: Outcomes) -> Result<Choice, ChooseError> {
        self.check()?;
        let game = &self.game;
        let mut chooser = self.kind.chooser(game.board(), outcomes).ok_or(ChooseError::Human)?;
        let [first, second] = game.position().bitboards();
        // A stream of its own for each position: other positions of the ply get other draws.
        let mut random = random_source(self.seed, first.wrapping_mul(GOLDEN).rotate_left(32) ^ second);
        chooser.choose(game.position(), game.last(), &mut random)
    }
}

/// The move of a player.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MoveJson {
    board: String,
    position: PositionJson,
    player: String,
    seed: u64,
    /// The column, from 1.
    column: usize,
    /// Why, in words.
    reason: String,
    /// Whether a rule of play chose the column; false if the rule has no reply.
    rule: bool,
    /// What to know about the strength of the player on this board; null if there is nothing.
    note: Option<&'static str>,
}

impl MoveJson {
    /// Makes the JSON of a player's choice in the current position of a game.
    fn of(game: &Game, kind: Kind, seed: u64, choice: Choice) -> MoveJson {
        MoveJson {
            board: game.board().to_string(),
            position: PositionJson::typed(game.position(), &game.to_text()),
            player: kind.to_string(),
            seed,
            column: choice.column + 1,
            reason: choice.reason.to_string(),
            rule: matches!(choice.reason, Reason::Rule { .. }),
            note: kind.note(game.board()),
        }
    }
}

/// The players of a board.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayersJson {
    board: String,
    players: Vec<PlayerJson>,
}

/// A player.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlayerJson {
    player: &'static str,
    /// The highest level that is allowed on the board; null for a player without levels.
    levels: Option<u32>,
}

impl PlayersJson {
    /// Lists the players with the levels that are allowed on a board.
    pub fn of(board: Board) -> PlayersJson {
        let players = PLAYERS.map(|player| PlayerJson { player, levels: highest_level(player, board) }).into();
        PlayersJson { board: board.to_string(), players }
    }
}

/// Returns the highest level of a player that is allowed on a board; `None` for a player without levels.
fn highest_level(player: &str, board: Board) -> Option<u32> {
    let of_level = |level: u32| format!("{player}:{level}").parse::<Kind>().ok();
    of_level(1)?;
    (1..)
        .map_while(of_level)
        .zip(1..)
        .take_while(|(kind, _)| kind.looks_ahead() <= most_plies(board))
        .map(|(_, level)| level)
        .last()
}

/// A random position.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RandomJson {
    board: String,
    position: PositionJson,
    /// The same seed gives the same position.
    seed: u64,
}

/// Why there is no random position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RandomError {
    /// Every position of the ply fills the board.
    #[error("ply {ply} has no unfinished position of {board}; ask for one from 0 to {}", board.cells() - 1)]
    Ply {
        /// The ply.
        ply: u64,
        /// The board.
        board: Board,
    },
    /// All random games were over before the ply.
    #[error("{TRIES} random games of {board} ended too soon; ask for an earlier ply")]
    TooShort {
        /// The board.
        board: Board,
    },
}

impl RandomJson {
    /// Plays random moves up to `ply`, or up to a random ply if `ply` is `None`.
    ///
    /// # Errors
    ///
    /// A ply that is too late for the board, or for random games.
    pub fn of(board: Board, ply: Option<u64>, seed: u64) -> Result<RandomJson, RandomError> {
        if let Some(ply) = ply.filter(|ply| *ply >= board.cells() as u64) {
            return Err(RandomError::Ply { ply, board });
        }
        let draw = |game| {
            let mut source = random_source(seed, game);
            let ply = ply.unwrap_or_else(|| source.random_range(0..board.cells() as u32).into());
            random_play(board, ply as usize, &mut source)
        };
        let position = (0..TRIES).find_map(draw).ok_or(RandomError::TooShort { board })?;
        Ok(RandomJson { board: board.to_string(), position: PositionJson::of(&position), seed })
    }
}
