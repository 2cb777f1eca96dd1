//! `GET uwapi/...`: the interface that GamesCrafters' page, GamesmanUni, expects of a server, for every board with a database.
//!
//! A variant (a board) is named rows x columns. The interface is taken from the source code of the page.

use std::sync::Arc;

use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use fourbase::analysis::Analysis;
use fourbase::notation::to_uni;
use fourbase::{Board, Outcome, Position, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::boards::{self, BoardSource};
use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::response::{REVALIDATE, caching, json_response};
use super::service::AnalysisRequest;

/// Makes the router, which accepts addresses with and without a slash at the end.
pub fn routes() -> Router {
    ["/uwapi", "/uwapi/", "/uwapi/{*names}", "/connect4/{*names}"]
        .into_iter()
        .fold(Router::new(), |routes, path| routes.route(path, get(answer)))
}

/// Answers an address by the names in its path. Addresses that begin with `connect4` are those of GamesmanClassic, a program behind
/// GamesCrafters' server.
async fn answer(
    Extension(client): Extension<Client>,
    uri: Uri,
    query: Result<Fields<PositionQuery>, Failure>,
) -> Result<Response, Failure> {
    let names: Vec<&str> = uri.path().trim_matches('/').split('/').collect();
    let description = match names[..] {
        ["uwapi"] => json!([{ "id": GAME, "name": NAME, "type": "twoPlayer", "gui": "v3" }]),
        ["uwapi", GAME] => {
            game_json(boards::listed(&client).await?.keys().filter_map(|(_, _, board)| board.parse().ok()))
        }
        ["uwapi", GAME, variant] => variant_json(solved(&client, variant).await?.analyst.board),
        ["uwapi", GAME, variant, "instructions"] => {
            json!({ "instructions": rules(solved(&client, variant).await?.analyst.board) })
        }
        ["uwapi", GAME, variant, "positions"] => {
            let source = solved(&client, variant).await?;
            return position(&client, &source, query).await;
        }
        ["uwapi", _] | ["uwapi", _, _] | ["uwapi", _, _, "instructions" | "positions"] => return Err(invalid("Game")),
        ["connect4", variant, "start"] => {
            let start = to_uni(&Position::start(classic(variant)?));
            json!({ "position": start, "autoguiPosition": start })
        }
        ["connect4", variant, "positions"] => {
            let source = client.find(classic(variant)?).await?;
            return position(&client, &source, query).await;
        }
        _ => return Err(Failure::nowhere()),
    };
    json_response(&description, REVALIDATE)
}

/// Reads a variant as GamesmanClassic names it: by a number.
fn classic(variant: &str) -> Result<Board, Failure> {
    let name = match variant {
        "1" => "6x6",
        "2" => "7x6",
        _ => return Err(invalid("Variant")),
    };
    Ok(name.parse()?)
}

/// Finds what answers for a variant. Refuses a variant without a database.
async fn solved(client: &Client, variant: &str) -> Result<Arc<BoardSource>, Failure> {
    let source = client.find(board_of(variant).ok_or_else(|| invalid("Variant"))?).await?;
    if source.database().is_some() { Ok(source) } else { Err(invalid("Variant")) }
}

/// Returns the error for a name that means nothing, in the words of GamesCrafters' server.
fn invalid(what: &str) -> Failure {
    Failure::missing(format!("Invalid {what}"))
}

/// Which position.
#[derive(Deserialize)]
struct PositionQuery {
    p: String,
}

/// Answers about a position.
async fn position(
    client: &Client,
    source: &Arc<BoardSource>,
    query: Result<Fields<PositionQuery>, Failure>,
) -> Result<Response, Failure> {
    let text = query.ok().map(|Fields(query)| query.p).filter(|text| text.contains('_'));
    let position =
        text.and_then(|text| request::position(source.analyst.board, &text).ok()).ok_or_else(|| invalid("Position"))?;
    client.check_is_new(caching(&source.tag, true))?;
    let analysis = client.answer(source, AnalysisRequest::of(position)).await?;
    let answer = position_json(&position, &analysis).ok_or_else(|| client.server.undecided(analysis.limit))?;
    json_response(&answer, caching(&source.tag, analysis.limit.is_none()))
}

/// The number that GamesCrafters' page reads as an unknown, finite remoteness. It is used if the database has only values.
const UNKNOWN_REMOTENESS: i64 = -100;

/// Writes the analysis of a position; `None` if the value of the position or of a move is not known.
fn position_json(position: &Position, analysis: &Analysis) -> Option<Json> {
    let outcome = analysis.outcome?;
    let moves = analysis.moves.iter().map(|of| Some((of.column, of.outcome?)));
    let moves = moves.collect::<Option<Vec<(usize, Outcome)>>>()?;
    // Returns by how many plies a move is worse than the best move of the same value.
    let delta = |of: Outcome| {
        let plies = moves.iter().filter(|(_, other)| other.value == of.value).filter_map(|(_, other)| other.remoteness);
        let best = if of.value == Value::Lose { plies.max() } else { plies.min() };
        of.remoteness.zip(best).map_or(0, |(plies, best)| plies.abs_diff(best))
    };
    let mut ordered: Vec<_> = moves.iter().map(|&(column, of)| (column, of, delta(of))).collect();
    ordered.sort_by_key(|(_, of, delta)| (Outcome { remoteness: None, ..*of }, *delta));
    let moves = ordered.into_iter().map(|(column, of, delta)| move_json(position, column, of, delta));
    let mut json = worth(position, outcome.value, outcome.remoteness);
    json["moves"] = moves.collect();
    Some(json)
}

/// Writes a position, its value, and its remoteness.
fn worth(position: &Position, value: Value, remoteness: Option<u32>) -> Json {
    let text = to_uni(position);
    json!({
        "position": text,
        "autoguiPosition": text,
        "positionValue": value.name(),
        "remoteness": remoteness.map_or(UNKNOWN_REMOTENESS, i64::from),
    })
}

/// Writes a move: its value for the player who makes it, and the value of the position after it for the player to move there.
fn move_json(position: &Position, column: usize, of: Outcome, delta: u32) -> Json {
    let (cells, width) = (position.board().cells(), position.board().width());
    let mut json =
        worth(&position.drop_piece(column), of.value.flip(), of.remoteness.map(|plies| plies.saturating_sub(1)));
    json["move"] = json!((column + 1).to_string());
    // The arrow of a column. Its tail and its head are given by their indices in `centers`; see `image_json`.
    json["autoguiMove"] = json!(format!("M_{}_{}_x", cells + column, cells + width + column));
    json["moveValue"] = json!(of.value.name());
    json["deltaRemoteness"] = json!(delta);
    json
}

/// The id and the name of the game.
const GAME: &str = "connect4";
const NAME: &str = "Connect 4";

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
    let (width, height) = (board.width(), board.height());
    board.to_string().replacen(&format!("{width}x{height}"), &format!("{height}x{width}"), 1)
}

/// Reads the name of a variant.
fn board_of(variant: &str) -> Option<Board> {
    let end = variant.find(['c', 'm']).unwrap_or(variant.len());
    let (size, rest) = variant.split_at(end);
    let (rows, columns) = size.split_once('x')?;
    format!("{columns}x{rows}{rest}").parse().ok()
}

/// Describes the game with its variants.
fn game_json(boards: impl Iterator<Item = Board>) -> Json {
    let variants = boards.map(variant).map(|id| json!({ "id": id, "name": id, "gui": "v3" }));
    json!({
        "id": GAME, "name": NAME, "variants": variants.collect::<Vec<_>>(), "allowCustomVariantCreation": false,
        "supportsWinBy": false,
    })
}

/// Describes a variant.
fn variant_json(board: Board) -> Json {
    let start = Position::start(board);
    let id = variant(board);
    json!({
        "id": id, "name": id, "startPosition": to_uni(&start), "autoguiStartPosition": to_uni(&start),
        "imageAutoGUIData": image_json(board), "gui": "v3",
    })
}

/// Describes where the page draws the pieces and the moves.
fn image_json(board: Board) -> Json {
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
    // The page has a foreground picture only for the boards 6x6 and 7x6.
    if matches!((width, height), (6 | 7, 6)) {
        theme["foreground"] = json!(format!("connect4/foreground6x{width}.svg"));
    }
    json!({ "defaultTheme": "normal", "themes": { "normal": theme } })
}
