//! `GET api/v1/position`: what a position is worth, and its moves; `GET solve`: scores of moves as another server writes them; `GET
//! api/v1/random`: a position that random moves lead to.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use fourbase::Board;
use fourbase::analysis::Analysis;
use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope, PositionJson};
use fourbase::players::json::{RandomJson, TRIES};
use fourbase_tiers::database::DatabaseError;
use serde::{Deserialize, Serialize};

use super::boards::BoardSource;
use super::failure::Failure;
use super::http::{self, AS_IT_IS, Client, Fields, lines};
use super::state::{Found, Server};
use super::workers::{AnalysisRequest, Turn};
use crate::arguments::USUAL_BOARD;

/// What is asked for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Any notation: moves in any spelling, bit strings, GamesmanUni's string, a drawn board, a link.
    #[serde(default = "http::empty_board")]
    position: String,
    /// Add best play.
    #[serde(default)]
    line: bool,
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
    State(server): State<Arc<Server>>,
    client: Client,
    Fields(query): Fields<PositionQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let text = query.position;
    let position = http::position(board, &text)?;
    let source = server.find(board).await?;
    let is_looked_up = query.search == Search::Never;
    if is_looked_up && (source.database().is_none() || source.is_beyond(position.ply(), query.line)) {
        return Err(DatabaseError::Missing { board, root: server.boards.root.clone() }.into());
    }
    let question = format!("{is_looked_up} {} {text}", query.line);
    let find = async {
        let may_search = !is_looked_up && source.may_search(position.ply(), query.line);
        let remembered = if may_search { server.workers.remembered(&source, &position, query.line) } else { None };
        let analysis = match remembered {
            Some(analysis) => analysis,
            None => {
                let request = AnalysisRequest { position, with_line: query.line, is_looked_up, listener: None };
                // A server that has no thread for a search says so before the first line of a stream.
                let turn = server.workers.turn(client, may_search).await?;
                if query.stream && may_search {
                    return Ok(Found::Stream(streamed(
                        Arc::clone(&server),
                        client,
                        turn,
                        Arc::clone(&source),
                        request,
                        text,
                    )));
                }
                server.workers.analyse(client, turn, &source, request).await?
            }
        };
        let answer = Envelope::new("query", server.workers.json(&analysis, &text));
        Ok(Found::Answer(answer, analysis.limit.is_none()))
    };
    server.answer(source.hash(), &question, &headers, find).await
}

/// Sends what is known so far, again and again, and at last the whole answer.
fn streamed(
    server: Arc<Server>,
    client: Client,
    turn: Turn,
    source: Arc<BoardSource>,
    request: AnalysisRequest,
    text: String,
) -> Response {
    let (lines, response) = lines(AS_IT_IS);
    let position = request.position;
    tokio::spawn(async move {
        let (teller, sender, typed) = (Arc::clone(&server), lines.clone(), text.clone());
        let tell = move |analysis: &Analysis| {
            sender.write_now(&Envelope::new("query", teller.workers.json(analysis, &typed)));
        };
        tell(&Analysis::unknown(&position));
        let analysis = tokio::select! {
            analysis = server.workers.analyse(client, turn, &source, AnalysisRequest { listener: Some(Box::new(tell)), ..request }) => analysis,
            () = lines.closed() => return,
        };
        let answer = analysis.map(|analysis| server.workers.json(&analysis, &text)).unwrap_or_else(|failure| {
            let typed = PositionJson::typed(&position, &text);
            let error = Some(failure.into_reason());
            AnswerJson { error, ..AnswerJson::new(position.board(), Some(typed), AnalysisJson::default()) }
        });
        lines.write(&Envelope::new("query", answer)).await;
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

/// The score of a full column.
const FULL: i64 = 100;

/// Answers `GET solve`.
pub async fn solve(
    State(server): State<Arc<Server>>,
    client: Client,
    Fields(query): Fields<SolveQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    let position = http::position(board, &query.pos)?;
    if position.primitive().is_some() {
        return Err(Failure::bad("the game is over, so its moves have no scores; ask about an earlier position"));
    }
    let source = server.find(board).await?;
    let find = async {
        let may_search = source.may_search(position.ply(), false);
        let analysis = match server.workers.remembered(&source, &position, false).filter(|_| may_search) {
            Some(analysis) => analysis,
            None => {
                let request = AnalysisRequest { position, with_line: false, is_looked_up: false, listener: None };
                let turn = server.workers.turn(client, may_search).await?;
                server.workers.analyse(client, turn, &source, request).await?
            }
        };
        let mut score = vec![FULL; board.width()];
        for of in &analysis.moves {
            let found = of.outcome.and_then(|outcome| position.score(outcome));
            score[of.column] = found.ok_or_else(|| {
                let limit = analysis.limit.map(|limit| server.workers.limit_text(limit));
                Failure::unanswerable(limit.unwrap_or_else(|| "no remoteness of these moves is known".to_owned()))
            })?;
        }
        Ok(Found::Answer(ScoresJson { pos: query.pos.clone(), score }, true))
    };
    server.answer(source.hash(), &format!("solve {}", query.pos), &headers, find).await
}

/// How many seeds a server chooses from. A program that reads them as floating-point numbers reads each exactly.
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
    State(server): State<Arc<Server>>,
    Fields(query): Fields<RandomQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let board: Board = query.board.parse()?;
    if let Some(ply) = query.ply.filter(|ply| *ply >= board.cells()) {
        let most = board.cells() - 1;
        return Err(Failure::bad(format!(
            "ply {ply} has no unfinished position of {board}; ask for one from 0 to {most}"
        )));
    }
    // Hashers differ from process to process and from each other, and nothing hangs on how well.
    let seed = query.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % SEEDS);
    let find = async {
        let answer = RandomJson::of(board, query.ply, seed).ok_or_else(|| {
            Failure::unanswerable(format!("{TRIES} random games of {board} ended too soon; ask for an earlier ply"))
        })?;
        Ok(Found::Answer(Envelope::new("random", answer), query.seed.is_some()))
    };
    // The answer depends on no database.
    let hash = query.seed.map(|_| "random");
    server.answer(hash, &format!("{board} {:?} {seed}", query.ply), &headers, find).await
}
