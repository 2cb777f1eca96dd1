//! The contract of GamesCrafters' page, GamesmanUni, for every board that is there: what `GET uwapi/...` answers.
//!
//! A variant is named rows x columns. Errors have status 200 and an `error`, as the page expects. The contract was read from
//! the page's own repositories.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::notation::{self, column_character, to_uni};
use fourbase::{Board, Outcome, Position, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::boards_api;
use super::position::{self, fields};
use super::server::Server;
use crate::json;
use crate::query::found::Found;

/// A remoteness that is finite and not known: the database has values alone.
const UNKNOWN_REMOTENESS: i64 = -100;

/// The id and the name of the game.
const GAME: &str = "connect4";
const NAME: &str = "Connect 4";

/// The variants of a backend that GamesCrafters' own server asks: GamesmanClassic numbers them.
const CLASSIC: [(&str, &str); 2] = [("1", "6x6"), ("2", "7x6")];

/// What the page shows to who asks how to play.
const INSTRUCTIONS: &str = "\
# Connect 4

Players take turns to drop a piece into a column, where it falls to the lowest free place. The first player has blue pieces, the \
second player red ones. Who first has four of them in a row, across, down or diagonally, wins. If the board is full before, the game \
is a tie.
";

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

/// Answers `GET uwapi/`.
pub async fn games() -> Response {
    written(&games_json())
}

/// Answers `GET uwapi/connect4/`.
pub async fn game(State(server): State<Arc<Server>>, Path(game): Path<String>) -> Response {
    if game != GAME {
        return invalid("Invalid Game");
    }
    match boards_api::boards(&server).await {
        Ok(boards) => written(&game_json(&boards)),
        Err(failure) => invalid(&failure.into_reason()),
    }
}

/// Answers `GET uwapi/connect4/6x7/`.
pub async fn described(State(server): State<Arc<Server>>, Path((game, variant)): Path<(String, String)>) -> Response {
    match known_board(&server, &game, &variant).await {
        Ok(board) => written(&described_json(board)),
        Err(reason) => invalid(&reason),
    }
}

/// Answers `GET uwapi/connect4/6x7/instructions/`.
pub async fn instructions(
    State(server): State<Arc<Server>>,
    Path((game, variant)): Path<(String, String)>,
) -> Response {
    match known_board(&server, &game, &variant).await {
        Ok(_) => written(&json!({ "instructions": INSTRUCTIONS })),
        Err(reason) => invalid(&reason),
    }
}

/// Answers `GET uwapi/connect4/6x7/positions/?p=POSITION`.
pub async fn positions(
    State(server): State<Arc<Server>>,
    Path((game, variant)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    match known_board(&server, &game, &variant).await {
        Ok(board) => found(&server, board, query.as_deref()).await,
        Err(reason) => invalid(&reason),
    }
}

/// Answers `GET connect4/2/start/`, of a backend of GamesCrafters' server.
pub async fn classic_start(Path(variant): Path<String>) -> Response {
    match classic(&variant) {
        Some(board) => {
            let start = to_uni(&Position::start(board));
            written(&json!({ "position": start, "autoguiPosition": start }))
        }
        None => invalid("Invalid Variant"),
    }
}

/// Answers `GET connect4/2/positions/?p=POSITION`, of a backend of GamesCrafters' server.
pub async fn classic_positions(
    State(server): State<Arc<Server>>,
    Path(variant): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    match classic(&variant) {
        Some(board) => found(&server, board, query.as_deref()).await,
        None => invalid("Invalid Variant"),
    }
}

fn classic(variant: &str) -> Option<Board> {
    CLASSIC.iter().find(|(number, _)| *number == variant)?.1.parse().ok()
}

/// Finds the board of a variant, if it is there.
async fn known_board(server: &Arc<Server>, game: &str, variant: &str) -> Result<Board, String> {
    if game != GAME {
        return Err("Invalid Game".to_owned());
    }
    let board = board_of(variant).ok_or("Invalid Variant")?;
    let boards = boards_api::boards(server).await.map_err(|failure| failure.into_reason())?;
    if boards.contains(&board) { Ok(board) } else { Err("Invalid Variant".to_owned()) }
}

/// Answers about a position.
async fn found(server: &Arc<Server>, board: Board, query: Option<&str>) -> Response {
    #[derive(Deserialize)]
    struct Asked {
        p: String,
    }
    let asked = fields::<Asked>(query).ok().filter(|asked| asked.p.contains('_'));
    let Some(position) = asked.and_then(|asked| notation::parse(board, &asked.p).ok()) else {
        return invalid("Invalid Position");
    };
    let found = async {
        let known = position::find(server, board).await?;
        server.askers.find(&known, position, false, None).await
    };
    match found.await {
        Err(failure) => invalid(&failure.into_reason()),
        Ok(found) => match answer(&position, &found) {
            Some(answer) => written(&answer),
            None => invalid(&found.limit.unwrap_or_default()),
        },
    }
}

fn invalid(reason: &str) -> Response {
    written(&json!({ "error": reason }))
}

fn written(answer: &impl Serialize) -> Response {
    let media = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, media)], serde_json::to_vec(answer).unwrap_or_default()).into_response()
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
                name: column_character(column).map(String::from).unwrap_or_default(),
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
