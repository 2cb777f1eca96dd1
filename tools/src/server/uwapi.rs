//! The contract of GamesCrafters' page, GamesmanUni, for every board with a database: what `GET uwapi/...` answers.
//!
//! A variant is named rows x columns. Errors have status 200 and an `error`, as the page expects. The contract was read from
//! the page's own repositories.

mod answer;
mod described;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fourbase::notation::to_uni;
use fourbase::{Board, Position};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::ask::About;
use super::boards::Known;
use super::boards_api;
use super::cache::{self, at_hand};
use super::failure::Failure;
use super::fields::{self, fields};
use super::server::Server;
use super::written::{CHANGING, PARTIAL, written};
use answer::answer;
use described::{GAME, board_of, described_json, game_json, games_json, rules};

/// The variants of a backend that GamesCrafters' own server asks: GamesmanClassic numbers them.
const CLASSIC: [(&str, &str); 2] = [("1", "6x6"), ("2", "7x6")];

/// Every address, with and without a slash at its end.
pub fn routes() -> Router<Arc<Server>> {
    let mut routes = Router::new();
    for end in ["", "/"] {
        let at = |path: &str| format!("{path}{end}");
        routes = routes
            .route(&at("/uwapi"), get(games))
            .route(&at("/uwapi/{game}"), get(game))
            .route(&at("/uwapi/{game}/{variant}"), get(described))
            .route(&at("/uwapi/{game}/{variant}/positions"), get(positions))
            .route(&at("/uwapi/{game}/{variant}/instructions"), get(instructions))
            .route(&at("/connect4/{variant}/start"), get(classic_start))
            .route(&at("/connect4/{variant}/positions"), get(classic_positions));
    }
    routes
}

/// The names in an address, if they can be read.
type Names<T> = Result<Path<T>, PathRejection>;

/// Answers `GET uwapi/`.
async fn games() -> Response {
    answered(Ok(games_json()))
}

/// Answers `GET uwapi/connect4/`.
async fn game(State(server): State<Arc<Server>>, names: Names<String>) -> Response {
    if !names.is_ok_and(|Path(game)| game == GAME) {
        return invalid("Invalid Game");
    }
    answered(boards_api::boards(&server).await.map(|boards| game_json(&boards)))
}

/// Answers `GET uwapi/connect4/6x7/`.
async fn described(State(server): State<Arc<Server>>, names: Names<(String, String)>) -> Response {
    answered(known_board(&server, names).await.map(|(board, _)| described_json(board)))
}

/// Answers `GET uwapi/connect4/6x7/instructions/`.
async fn instructions(State(server): State<Arc<Server>>, names: Names<(String, String)>) -> Response {
    let board = known_board(&server, names).await;
    answered(board.map(|(board, _)| json!({ "instructions": rules(board) })))
}

/// Answers `GET uwapi/connect4/6x7/positions/?p=POSITION`.
async fn positions(
    State(server): State<Arc<Server>>,
    names: Names<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    match known_board(&server, names).await {
        Ok((board, known)) => found(&server, board, &known, query.as_deref(), &headers).await,
        Err(failure) => invalid(&failure.into_reason()),
    }
}

/// Answers `GET connect4/2/start/`, of a backend of GamesCrafters' server.
async fn classic_start(variant: Names<String>) -> Response {
    let Some(board) = classic(variant) else { return invalid("Invalid Variant") };
    let start = to_uni(&Position::start(board));
    answered(Ok(json!({ "position": start, "autoguiPosition": start })))
}

/// Answers `GET connect4/2/positions/?p=POSITION`, of a backend of GamesCrafters' server.
async fn classic_positions(
    State(server): State<Arc<Server>>,
    variant: Names<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(board) = classic(variant) else { return invalid("Invalid Variant") };
    match server.find(board).await {
        Ok(known) => found(&server, board, &known, query.as_deref(), &headers).await,
        Err(failure) => invalid(&failure.into_reason()),
    }
}

fn classic(variant: Names<String>) -> Option<Board> {
    let Path(variant) = variant.ok()?;
    CLASSIC.iter().find(|(number, _)| *number == variant)?.1.parse().ok()
}

/// Finds the board of a variant, if it has a database.
async fn known_board(server: &Arc<Server>, names: Names<(String, String)>) -> Result<(Board, Arc<Known>), Failure> {
    let Ok(Path((game, variant))) = names else { return Err(Failure::missing("Invalid Variant")) };
    if game != GAME {
        return Err(Failure::missing("Invalid Game"));
    }
    let invalid = || Failure::missing("Invalid Variant");
    let board = board_of(&variant).ok_or_else(invalid)?;
    let known = server.find(board).await?;
    if known.database().is_some() { Ok((board, known)) } else { Err(invalid()) }
}

/// Answers about a position.
async fn found(
    server: &Arc<Server>,
    board: Board,
    known: &Arc<Known>,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Response {
    #[derive(Deserialize)]
    struct Asked {
        p: String,
    }
    let asked = fields::<Asked>(query).ok().filter(|asked| asked.p.contains('_'));
    let Some(position) = asked.and_then(|asked| fields::position(board, &asked.p).ok()) else {
        return invalid("Invalid Position");
    };
    let question = to_uni(&position);
    if let Some(response) = at_hand(server, known, &question, headers) {
        return response;
    }
    let found = async {
        let turn = server.askers.turn(known.may_search(position.ply(), false)).await?;
        let about = About { position, with_line: false, is_looked_up: false, listener: None };
        server.askers.analyse(turn, known, about).await
    };
    let found = match found.await {
        Err(failure) => return invalid(&failure.into_reason()),
        Ok(found) => found,
    };
    let Some(answer) = answer(&position, &found) else {
        return invalid(&found.limit.map(|limit| server.askers.limit_text(limit)).unwrap_or_default());
    };
    cache::answered(server, known, &question, &answer, found.limit.is_none())
        .unwrap_or_else(IntoResponse::into_response)
}

/// Writes a description, which changes with the databases, or why there is none.
fn answered(answer: Result<Json, Failure>) -> Response {
    match answer.and_then(|answer| written(&answer, CHANGING)) {
        Ok(response) => response,
        Err(failure) => invalid(&failure.into_reason()),
    }
}

/// Refuses as the page expects it: with status 200.
fn invalid(reason: &str) -> Response {
    written(&json!({ "error": reason }), PARTIAL).unwrap_or_else(IntoResponse::into_response)
}
