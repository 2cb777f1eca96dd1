//! Questions about games: `GET api/v1/analysis`.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use fourbase::Game;
use fourbase::analysis::json::GameAnalysisJson;
use fourbase::analysis::{Budget, Cost, GameAnalysis};
use serde::Deserialize;

use super::failure::Failure;
use super::fields::{self, fields};
use super::state::Server;
use super::written::{PARTIAL, written};
use crate::json::Envelope;

/// A game: moves from a position on, which is the empty board if it is left out.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The position that the game begins from, in any notation.
    #[serde(default = "fields::empty_board")]
    start: String,
    /// The columns of the moves, 1 to 9 and then a to w.
    #[serde(default)]
    moves: String,
}

/// Answers `GET api/v1/analysis`.
pub async fn analysis(State(server): State<Arc<Server>>, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
    let game = read(&asked.board, &asked.start, &asked.moves)?;
    let known = server.find(game.board()).await?;
    // The deepest position is the last one.
    let turn = server.askers.turn(known.may_search(game.position().ply(), false)).await?;
    let analysis = server.askers.ask(turn, move |budget| {
        let analysis = GameAnalysis::of(&game, |position, nodes| {
            // Each position has all nodes, and all share the time.
            let mut part = Budget { nodes: nodes.or(budget.nodes), spent: Cost::default(), ..budget.clone() };
            let analysis = known.analyst().analyse(position, false, &mut part, None);
            budget.spent += part.spent;
            analysis
        });
        Ok(GameAnalysisJson::of(&analysis?).without_folder())
    });
    written(&Envelope::new("analyse", analysis.await?), PARTIAL)
}

/// Reads a game that begins from a position in any notation.
///
/// # Errors
///
/// The first mistake in one of the texts.
pub fn read(board: &str, start: &str, moves: &str) -> Result<Game, Failure> {
    let start = fields::position(board.parse()?, start.trim())?;
    Game::parse_from(start, moves.trim()).map_err(|error| Failure::bad(error.to_string()))
}
