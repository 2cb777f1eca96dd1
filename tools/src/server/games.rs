//! Questions about games: `GET api/v1/analysis`.

use std::sync::Arc;

use anyhow::anyhow;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use fourbase_tiers::answer::{Limits, Question};
use serde::Deserialize;

use super::failure::Failure;
use super::fields::{self, fields};
use super::server::Server;
use super::written::{PARTIAL, written};
use crate::cli::analyse::played::{Pace, of_game_by};
use crate::cli::analyse::report::Analysis;
use crate::cli::query::asker::QUICK_NODES;
use crate::cli::query::found::Found;
use crate::game::Game;
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
    let answerer = Arc::clone(known.answerer());
    let explain = server.askers.explainer();
    // The deepest position is the last one.
    let turn = server.askers.turn(known.may_search(game.position().ply(), false)).await?;
    let analysis = server.askers.ask(turn, move |limits| {
        let mut has_searched = false;
        let played = of_game_by(&game, |position, pace| {
            let nodes = if pace == Pace::Quick { Some(QUICK_NODES) } else { limits.nodes };
            let mut question = Question::new(Limits { nodes, ..limits.clone() });
            let found = Found::of(&*answerer, position, false, &mut question);
            has_searched |= question.work().has_searched();
            Ok(found?.explained(|error| anyhow!(explain(error))))
        });
        (played.map(|played| Analysis::of(&game, played, None).to_json().without_folder()), has_searched)
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
