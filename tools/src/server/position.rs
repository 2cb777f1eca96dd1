//! `GET api/v1/position` returns the value of a position and of its moves. `GET solve` returns the scores of moves in the format of
//! gamesolver.org's server. `GET api/v1/random` returns a position after random moves.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use axum::Extension;
use axum::response::Response;
use fourbase::Board;
use fourbase::analysis::Analysis;
use fourbase::analysis::json::{AnalysisJson, Envelope};
use fourbase::players::json::RandomJson;
use fourbase_tiers::database::DatabaseError;
use serde::{Deserialize, Serialize};

use super::boards::BoardSource;
use super::connections::READ_TIME;
use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::response::{NO_TRANSFORM, caching, json_response, line, lines, tag};
use super::service::{AnalysisRequest, ThreadKind, ThreadPermit};
use crate::arguments::USUAL_BOARD;

/// What is asked for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Any notation: moves in any spelling, bit strings, GamesmanUni's string, a drawn board, a link.
    #[serde(default = "request::empty_board")]
    position: String,
    /// Add best play.
    #[serde(default)]
    line: bool,
    /// Explain the value of the position and of each move, with proofs where there are any.
    #[serde(default)]
    why: bool,
    /// Send a line with everything that is known whenever something is found out; the last line is the answer.
    #[serde(default)]
    stream: bool,
    /// never: 404 if the board has no database.
    #[serde(default)]
    search: Search,
}

/// When to search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Search {
    Never,
    #[default]
    Auto,
}

/// Answers `GET api/v1/position`.
pub async fn get(
    Extension(client): Extension<Client>,
    Fields(query): Fields<PositionQuery>,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let position = request::position(board, &query.position)?;
    let source = client.find(board).await?;
    let is_looked_up = query.search == Search::Never;
    let request = AnalysisRequest { position, with_line: query.line, with_reasons: query.why, is_looked_up };
    if request.is_looked_up {
        if source.database().is_none() {
            return Err(DatabaseError::Missing { board, root: client.server.boards.root.clone() }.into());
        }
        if let Some(most) = source.searched_from(&request) {
            return Err(Failure::missing(format!(
                "the database of {board} on this server answers without a search only before ply {most}, and without best \
                 play; leave search=never out, so that the position is searched"
            )));
        }
    }
    client.check_is_new(caching(&source.tag, true))?;
    let analysis = match client.server.cached(&source, &request) {
        Some(analysis) => analysis,
        None if query.stream && source.may_search(&request) => {
            // Wait for the thread before the stream begins, so that a refusal still gets its own HTTP status.
            let permit = client.thread(ThreadKind::Search).await?;
            return Ok(stream(client, permit, source, request, query.position));
        }
        None => client.answer(&source, request).await?,
    };
    let answer = Envelope::new("query", client.server.query_json(&analysis, &query.position));
    json_response(&answer, caching(&source.tag, analysis.limit.is_none()))
}

/// Answers with a line of JSON whenever the search finds something out; each line has all that is known by then. The last line is
/// the whole answer.
fn stream(
    client: Client,
    permit: ThreadPermit,
    source: Arc<BoardSource>,
    request: AnalysisRequest,
    text: String,
) -> Response {
    let (lines, response) = lines(NO_TRANSFORM);
    tokio::spawn(async move {
        let (server, board, sender, typed) =
            (Arc::clone(&client.server), source.analyst.board, lines.clone(), text.clone());
        let answer = client.run(permit, move |work| {
            // If the client reads too slowly, `try_send` fails and the line is left out: a later one repeats all it says.
            let listener = |analysis: &Analysis| drop(sender.try_send(line(server.query_json(analysis, &typed))));
            listener(&Analysis::unknown(&request.position));
            Ok(work.analyse(&source, request, None, Some(&listener))?)
        });
        let answer = tokio::select! {
            answer = answer => answer,
            () = lines.closed() => return,
        };
        let answer = match answer {
            Ok(analysis) => client.server.query_json(&analysis, &text),
            Err(failure) => AnalysisJson::failed(board, Some(&request.position), &text, failure.reason),
        };
        let _ = lines.send_timeout(line(answer), READ_TIME).await;
    });
    response
}

/// A position, as programs ask the server of gamesolver.org.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SolveQuery {
    /// Moves, or any other notation.
    pos: String,
    /// Columns x rows, then cN for lines of N instead of 4.
    #[serde(default = "usual_board")]
    board: String,
}

fn usual_board() -> String {
    USUAL_BOARD.to_owned()
}

/// The scores of all moves.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScoresJson {
    pos: String,
    /// Pons' score of each column for the player who moves there; 100 for a full one.
    score: Vec<i64>,
}

/// The value in [`ScoresJson`] for a full column.
const FULL: i64 = 100;

/// Answers `GET solve`.
pub async fn solve(
    Extension(client): Extension<Client>,
    Fields(query): Fields<SolveQuery>,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let position = request::position(board, &query.pos)?;
    if position.primitive().is_some() {
        return Err(Failure::bad("the game is over, so its moves have no scores; ask about an earlier position"));
    }
    let source = client.find(board).await?;
    client.check_is_new(caching(&source.tag, true))?;
    let analysis = client.answer(&source, AnalysisRequest::of(position)).await?;
    let mut score = vec![FULL; board.width()];
    for of in &analysis.moves {
        let found = of.outcome.and_then(|outcome| position.score(outcome));
        score[of.column] = found.ok_or_else(|| client.server.undecided(analysis.limit))?;
    }
    json_response(&ScoresJson { pos: query.pos, score }, caching(&source.tag, true))
}

/// How many seeds the server chooses from. All of them are exact as floating-point numbers, which is how JavaScript reads JSON.
const SEEDS: u64 = 1 << 53;

/// What kind of position is wanted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// How many pieces it has; any number if this is left out.
    ply: Option<usize>,
    /// The same seed gives the same position.
    seed: Option<u64>,
}

/// Answers `GET api/v1/random`.
pub async fn random(
    Extension(client): Extension<Client>,
    Fields(RandomQuery { board, ply, seed }): Fields<RandomQuery>,
) -> Result<Response, Failure> {
    let board: Board = board.parse()?;
    // An answer to a given seed depends only on the program, so a client may keep it. Without a seed, answers differ.
    let headers = caching(&tag("random"), seed.is_some());
    client.check_is_new(headers.clone())?;
    // Each `RandomState` has different keys, which is random enough for a seed.
    let drawn = seed.unwrap_or_else(|| RandomState::new().hash_one(0) % SEEDS);
    let permit = client.thread(ThreadKind::LookUp).await?;
    let answer = client.run(permit, move |_| Ok(RandomJson::of(board, ply.map(|ply| ply as u64), drawn)?)).await?;
    json_response(&Envelope::new("random", answer), headers)
}
