//! The move of a player, the players of a board and a random position as JSON. `docs/reference/http.md` describes the
//! fields.

use rand::RngExt;
use serde::Serialize;

use super::{Choice, Kind, Reason, random_play, random_source};
use crate::analysis::json::PositionJson;
use crate::{Board, Game};

/// The players that choose moves.
const PLAYERS: [&str; 6] = ["perfect", "random", "pomakis", "window", "rating", "follow-up"];

/// The largest allowed number of move sequences within a player's horizon. Alpha-beta skips most of the sequences, so a
/// move takes some tenths of a second.
const MOST_ORDERS: u64 = 10_000_000_000;

/// The most random games that are played to reach a position of the requested ply.
pub const TRIES: u64 = 1000;

/// Returns how many plies ahead a player may look if its search can't be interrupted.
pub fn most_plies(board: Board) -> u32 {
    // On a board of one column every game has at most 64 moves.
    MOST_ORDERS.checked_ilog(board.width() as u64).unwrap_or(64)
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
}

impl MoveJson {
    /// Makes the JSON of a player's choice in the current position of a game.
    pub fn of(game: &Game, kind: Kind, seed: u64, choice: Choice) -> MoveJson {
        MoveJson {
            board: game.board().to_string(),
            position: PositionJson::typed(game.position(), &game.to_text()),
            player: kind.to_string(),
            seed,
            column: choice.column + 1,
            reason: choice.reason.to_string(),
            rule: matches!(choice.reason, Reason::Rule { .. }),
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

impl RandomJson {
    /// Plays random moves up to `ply`, or up to a random ply if `ply` is `None`. Returns `None` if each of [`TRIES`]
    /// games was over by then.
    pub fn of(board: Board, ply: Option<usize>, seed: u64) -> Option<RandomJson> {
        let draw = |game| {
            let mut source = random_source(seed, game);
            let ply = ply.unwrap_or_else(|| source.random_range(0..board.cells() as u32) as usize);
            random_play(board, ply, &mut source)
        };
        let position = (0..TRIES).find_map(draw)?;
        Some(RandomJson { board: board.to_string(), position: PositionJson::of(&position), seed })
    }
}
