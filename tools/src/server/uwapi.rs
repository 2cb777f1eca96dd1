//! The contract of GamesCrafters' page, GamesmanUni, for every board with a database: what `GET uwapi/...` answers.
//!
//! A variant is named rows x columns. Errors have status 200 and an `error`, as the page expects. The contract was read from
//! the page's own repositories.

mod answer;
mod described;

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fourbase::notation::to_uni;
use fourbase::{Board, Position};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::ask::About;
use super::boards::Known;
use super::boards_api;
use super::failure::Failure;
use super::fields::{self, fields};
use super::state::Server;
use super::written::{CHANGING, PARTIAL, written};
use answer::answer;
use described::{GAME, board_of, described_json, game_json, games_json, rules};

/// The addresses, with and without a slash at their end.
pub fn routes() -> Router<Arc<Server>> {
    ["/uwapi", "/uwapi/", "/uwapi/{*names}", "/connect4/{*names}"]
        .into_iter()
        .fold(Router::new(), |routes, path| routes.route(path, get(named)))
}

/// Answers by the names in an address. Those that begin with `connect4` are of a backend of GamesCrafters' server.
async fn named(
    State(server): State<Arc<Server>>,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Invalid> {
    let names: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    match names[..] {
        ["uwapi"] => changing(&games_json()),
        ["uwapi", GAME] => {
            let boards = boards_api::listed(&server).await?;
            changing(&game_json(boards.keys().filter_map(|(_, _, board)| board.parse().ok())))
        }
        ["uwapi", GAME, variant] => changing(&described_json(known_board(&server, variant).await?.0)),
        ["uwapi", GAME, variant, "instructions"] => {
            changing(&json!({ "instructions": rules(known_board(&server, variant).await?.0) }))
        }
        ["uwapi", GAME, variant, "positions"] => {
            let (board, known) = known_board(&server, variant).await?;
            found(&server, board, &known, query.as_deref(), &headers).await
        }
        ["uwapi", _] | ["uwapi", _, _] | ["uwapi", _, _, "instructions" | "positions"] => Err(invalid("Game")),
        ["connect4", variant, "start"] => {
            let start = to_uni(&Position::start(classic(variant)?));
            changing(&json!({ "position": start, "autoguiPosition": start }))
        }
        ["connect4", variant, "positions"] => {
            let board = classic(variant)?;
            found(&server, board, &server.find(board).await?, query.as_deref(), &headers).await
        }
        _ => Ok(Failure::nowhere().into_response()),
    }
}

/// Reads a variant of GamesmanClassic, which numbers them.
fn classic(variant: &str) -> Result<Board, Invalid> {
    let board = match variant {
        "1" => "6x6",
        "2" => "7x6",
        _ => return Err(invalid("Variant")),
    };
    board.parse().map_err(|_| invalid("Variant"))
}

/// Finds the board of a variant, if it has a database.
async fn known_board(server: &Arc<Server>, variant: &str) -> Result<(Board, Arc<Known>), Invalid> {
    let board = board_of(variant).ok_or_else(|| invalid("Variant"))?;
    let known = server.find(board).await?;
    if known.database().is_some() { Ok((board, known)) } else { Err(invalid("Variant")) }
}

/// Why there is no answer.
struct Invalid(String);

impl From<Failure> for Invalid {
    fn from(failure: Failure) -> Invalid {
        Invalid(failure.into_reason())
    }
}

impl IntoResponse for Invalid {
    fn into_response(self) -> Response {
        written(&json!({ "error": self.0 }), PARTIAL).into_response()
    }
}

/// Returns the error of a name that is none.
fn invalid(what: &str) -> Invalid {
    Invalid(format!("Invalid {what}"))
}

/// Writes a description, which changes with the databases.
fn changing(description: &Json) -> Result<Response, Invalid> {
    Ok(written(description, CHANGING)?)
}

/// Answers about a position.
async fn found(
    server: &Server,
    board: Board,
    known: &Arc<Known>,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Result<Response, Invalid> {
    #[derive(Deserialize)]
    struct Asked {
        p: String,
    }
    let asked = fields::<Asked>(query).ok().filter(|asked| asked.p.contains('_'));
    let position = asked.and_then(|asked| fields::position(board, &asked.p).ok());
    let position = position.ok_or_else(|| invalid("Position"))?;
    let question = format!("uwapi {}", to_uni(&position));
    if let Some(answer) = server.at_hand(known, &question, headers) {
        return Ok(answer);
    }
    let turn = server.askers.turn(known.may_search(position.ply(), false)).await?;
    let about = About { position, with_line: false, is_looked_up: false, listener: None };
    let analysis = server.askers.analyse(turn, known, about).await?;
    let limit = analysis.limit.map(|limit| server.askers.limit_text(limit));
    let answer = answer(&position, &analysis).ok_or_else(|| Invalid(limit.unwrap_or_default()))?;
    let is_whole = analysis.limit.is_none();
    Ok(if is_whole { server.whole(known, &question, &answer)? } else { written(&answer, PARTIAL)? })
}
