//! The contract of GamesCrafters' page, GamesmanUni, for every board with a database: what `GET uwapi/...` answers.
//!
//! A variant is named rows x columns. Errors have status 200 and an `error`, as the page expects. The contract was read from
//! the page's own repositories.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fourbase::notation::to_uni;
use fourbase::{Board, Outcome, Position, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::ask::About;
use super::boards::Known;
use super::boards_api;
use super::failure::Failure;
use super::position::{self, fields};
use super::server::Server;
use super::written::{CHANGING, JSON, PARTIAL, has, holds, tag, written};
use crate::json;
use crate::query::found::Found;

/// A remoteness that is finite and not known: the database has values alone.
const UNKNOWN_REMOTENESS: i64 = -100;

/// The id and the name of the game.
const GAME: &str = "connect4";
const NAME: &str = "Connect 4";

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

/// How a board is played, as the page shows it.
fn rules(board: Board) -> String {
    let (connect, end) = (board.connect(), if board.is_misere() { "loses" } else { "wins" });
    format!(
        "# {NAME}\n\nPlayers take turns to drop a piece into a column, where it falls to the lowest free place. The first player \
         has blue pieces, the second player red ones. The first one with {connect} of them in a row, across, down or diagonally, \
         {end}. If the board fills up without such a row, the game is a tie.\n"
    )
}

/// Names a variant.
fn variant(board: Board) -> String {
    let name = format!("{}x{}", board.height(), board.width());
    // The rest of the name, such as the c3m of 4x4c3m.
    let plain = format!("{}x{}", board.width(), board.height());
    let rest = board.to_string().strip_prefix(&plain).unwrap_or_default().to_owned();
    name + &rest
}

/// Reads the name of a variant.
fn board_of(variant: &str) -> Option<Board> {
    let end = variant.find(['c', 'm']).unwrap_or(variant.len());
    let (size, rest) = variant.split_at(end);
    let (rows, columns) = size.split_once('x')?;
    format!("{columns}x{rows}{rest}").parse().ok()
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
    match position::find(&server, board).await {
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
    let known = position::find(server, board).await?;
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
    let Some(position) = asked.and_then(|asked| position::read(board, &asked.p).ok()) else {
        return invalid("Invalid Position");
    };
    let tag = known.hash().and_then(tag);
    if tag.as_ref().is_some_and(|tag| has(headers, tag)) {
        return (StatusCode::NOT_MODIFIED, holds(tag)).into_response();
    }
    let question = known.hash().map(|hash| format!("{hash} {}", to_uni(&position)));
    if let Some(body) = question.as_ref().and_then(|question| server.answers.get(question)) {
        server.metrics.cached.inc();
        return (holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response();
    }
    server.metrics.not_cached.inc();
    let found = async {
        let turn = server.askers.turn(known.may_search(position.ply(), false)).await?;
        server.askers.find(turn, known.answerer(), About { position, with_line: false, listen: None }).await
    };
    let found = match found.await {
        Err(failure) => return invalid(&failure.into_reason()),
        Ok(found) => found,
    };
    let Some(answer) = answer(&position, &found) else { return invalid(&found.limit.unwrap_or_default()) };
    let body = Bytes::from(serde_json::to_vec(&answer).unwrap_or_default());
    if let Some(question) = question {
        server.answers.keep(question, body.clone());
    }
    (holds(tag), [(header::CONTENT_TYPE, JSON)], body).into_response()
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

/// Lists the games: this one.
fn games_json() -> Json {
    json!([{ "id": GAME, "name": NAME, "type": "twoPlayer", "gui": "v3" }])
}

/// Describes the game with its variants.
fn game_json(boards: &[Board]) -> Json {
    let variants: Vec<Json> = boards
        .iter()
        .map(|board| {
            let id = variant(*board);
            json!({ "id": id, "name": id, "gui": "v3" })
        })
        .collect();
    json!({
        "id": GAME, "name": NAME, "variants": variants, "allowCustomVariantCreation": false, "supportsWinBy": false,
    })
}

/// Describes a variant.
fn described_json(board: Board) -> Json {
    let start = Position::start(board);
    let id = variant(board);
    json!({
        "id": id, "name": id, "startPosition": to_uni(&start), "autoguiStartPosition": to_uni(&start),
        "imageAutoGUIData": image(board), "gui": "v3",
    })
}

/// Where the page draws the pieces and the moves.
fn image(board: Board) -> Json {
    let (width, height) = (board.width(), board.height());
    let middle = |at: usize| at as f64 + 0.5;
    let cells = (0..width).flat_map(|column| (0..height).map(move |row| [middle(column), middle(row + 1)]));
    let tails = (0..width).map(|column| [middle(column), 0.0]);
    let heads = (0..width).map(|column| [middle(column), 1.0]);
    let mut theme = json!({
        "space": [width, height + 1],
        "centers": cells.chain(tails).chain(heads).collect::<Vec<_>>(),
        "charImages": {
            "X": { "image": "general/blue_circle.svg", "scale": 1 },
            "O": { "image": "general/red_circle.svg", "scale": 1 },
        },
        "arrowWidth": 0.13,
        "sounds": { "x": "general/remove.mp3" },
        "animationType": "entityFade",
    });
    // The page has the picture of these two only.
    if matches!((width, height), (6 | 7, 6)) {
        theme["foreground"] = json!(format!("connect4/foreground6x{width}.svg"));
    }
    json!({ "defaultTheme": "normal", "themes": { "normal": theme } })
}

/// A position with its moves.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    position: String,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i64,
    moves: Vec<Move>,
}

/// A move: the value of the position after it for the player to move there, and what the move is worth to its mover.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Move {
    #[serde(rename = "move")]
    name: String,
    autogui_move: String,
    move_value: &'static str,
    delta_remoteness: i64,
    position: String,
    autogui_position: String,
    position_value: &'static str,
    remoteness: i64,
}

/// Writes what was found out about a position; `None` where something is not known.
fn answer(position: &Position, found: &Found<String>) -> Option<Answer> {
    let outcome = found.outcome?;
    let moves: Option<Vec<(usize, Outcome)>> = found.moves.iter().map(|of| Some((of.column, of.outcome?))).collect();
    let moves = moves?;
    let best = |value: Value| {
        let plies = moves.iter().filter(|(_, of)| of.value == value).filter_map(|(_, of)| of.remoteness);
        if value == Value::Lose { plies.max() } else { plies.min() }
    };
    let mut written: Vec<(Value, Move)> = moves
        .iter()
        .map(|&(column, of)| {
            let delta = of.remoteness.zip(best(of.value)).map_or(0, |(plies, best)| i64::from(plies.abs_diff(best)));
            let child = position.drop_piece(column);
            let text = to_uni(&child);
            let written = Move {
                name: (column + 1).to_string(),
                autogui_move: arrow(position.board(), column),
                move_value: json::value(of.value),
                delta_remoteness: delta,
                autogui_position: text.clone(),
                position: text,
                position_value: json::value(opposite(of.value)),
                remoteness: of.remoteness.map_or(UNKNOWN_REMOTENESS, |plies| i64::from(plies) - 1),
            };
            (of.value, written)
        })
        .collect();
    written.sort_by_key(|(value, of)| (rank(*value), of.delta_remoteness));
    let text = to_uni(position);
    Some(Answer {
        autogui_position: text.clone(),
        position: text,
        position_value: json::value(outcome.value),
        remoteness: outcome.remoteness.map_or(UNKNOWN_REMOTENESS, i64::from),
        moves: written.into_iter().map(|(_, of)| of).collect(),
    })
}

/// The arrow of a column: from its tail to its head, by the places in the list of centres.
fn arrow(board: Board, column: usize) -> String {
    let cells = board.cells();
    format!("M_{}_{}_x", cells + column, cells + board.width() + column)
}

fn opposite(value: Value) -> Value {
    match value {
        Value::Win => Value::Lose,
        Value::Tie => Value::Tie,
        Value::Lose => Value::Win,
    }
}

fn rank(value: Value) -> u32 {
    match value {
        Value::Win => 0,
        Value::Tie => 1,
        Value::Lose => 2,
    }
}
