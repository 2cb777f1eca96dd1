//! Analyses of games (`GET api/v1/analysis`), the built-in players (`GET api/v1/players` and `GET api/v1/move`), and
//! puzzles (`GET api/v1/puzzle`).

use std::sync::Arc;

use axum::Extension;
use axum::response::Response;
use fourbase::analysis::json::{Envelope, GameAnalysisJson};
use fourbase::analysis::{AnalysisError, GameAnalysis};
use fourbase::players::json::{MoveRequest, PlayersJson};
use fourbase::players::{ChooseError, Outcomes};
use fourbase::puzzles::{Puzzles, PuzzlesJson, seed_of_date};
use fourbase::{Board, Position};
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;

use super::boards::{BoardQuery, BoardSource};
use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::response::{REVALIDATE, caching, json_response};
use super::service::{AnalysisRequest, RequestWork};

/// A game: moves from a position on, which is the empty board if it is left out.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The position that the game begins from, in any notation.
    #[serde(default = "request::empty_board")]
    start: String,
    /// The columns of the moves, 1 to 9 and then a to w.
    #[serde(default)]
    moves: String,
    /// Add what each mistake allows.
    #[serde(default)]
    why: bool,
}

/// Answers `GET api/v1/analysis`.
pub async fn analysis(
    Extension(client): Extension<Client>,
    Fields(query): Fields<AnalysisQuery>,
) -> Result<Response, Failure> {
    let game = request::game(&query.board, &query.start, &query.moves)?;
    let source = client.find(game.board()).await?;
    let tag = source.tag.clone();
    client.check_is_new(caching(&tag, true))?;
    // Only the last position counts here: if the database keeps its ply, it keeps the earlier plies too.
    // What a mistake allows may be best play.
    let request_of = move |position| AnalysisRequest { with_line: query.why, ..AnalysisRequest::of(position) };
    let may_search = query.why || source.may_search(&request_of(*game.position()));
    let is_open = |analysis: &GameAnalysis| analysis.limit.is_some();
    let analysis = client.ask(may_search, is_open, move |work| {
        let analyse = |position: &Position, nodes| work.analyse(&source, request_of(*position), nodes, None);
        let mut analysis = GameAnalysis::of(&game, analyse)?;
        if query.why {
            analysis.explain();
        }
        Ok(analysis)
    });
    let analysis = analysis.await?;
    json_response(&Envelope::new("analyse", GameAnalysisJson::of(&analysis)), caching(&tag, analysis.limit.is_none()))
}

/// A game, and who moves next.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The position that the game begins from, in any notation.
    #[serde(default = "request::empty_board")]
    start: String,
    /// The columns of the moves, 1 to 9 and then a to w.
    #[serde(default)]
    moves: String,
    /// level:LEVEL, perfect, perfect:first, random, pomakis:LEVEL, window:DEPTH, rating:LEVEL or follow-up.
    player: String,
    /// The same seed and the same game give the same move.
    #[serde(default = "one")]
    seed: u64,
}

/// The seed of games without one, as on the command line.
fn one() -> u64 {
    1
}

/// Answers `GET api/v1/move`.
pub async fn next_move(
    Extension(client): Extension<Client>,
    Fields(query): Fields<MoveQuery>,
) -> Result<Response, Failure> {
    let game = request::game(&query.board, &query.start, &query.moves)?;
    let request = MoveRequest { game, kind: query.player.parse().map_err(Failure::bad)?, seed: query.seed };
    // A player's search cannot be cancelled, so players that look too far ahead are refused.
    request.check()?;
    let (kind, position) = (request.kind, *request.game.position());
    let source = client.find(position.board()).await?;
    let tag = source.tag.clone();
    client.check_is_new(caching(&tag, true))?;
    let asks_source = kind.needs_outcomes() && source.may_search(&AnalysisRequest::of(position));
    let answer = client.ask(kind.looks_ahead() > 0 || asks_source, Result::is_err, move |work| {
        let outcomes = outcomes(work, &source);
        // Players do not report their own searches, so count the move as one position.
        work.budget.spent.positions += u64::from(work.is_search);
        or_limit(request.answer(outcomes))
    });
    let answer = answer.await?.map_err(|limit| client.server.undecided(Some(limit)))?;
    json_response(&Envelope::new("move", answer), caching(&tag, true))
}

/// Separates a limit of the search, which another request may not reach, from other failures.
fn or_limit<T>(answer: Result<T, ChooseError>) -> Result<Result<T, AnalysisError>, Failure> {
    match answer {
        Err(ChooseError::Unknown(error)) => match error.downcast::<DatabaseError>().map(|error| *error) {
            Ok(DatabaseError::Analysis(limit)) => Ok(Err(limit)),
            Ok(error) => Err(error.into()),
            Err(error) => Err(Failure::broken(&*error)),
        },
        answer => Ok(Ok(answer?)),
    }
}

/// Returns the function by which a player gets the values of moves. All calls of the function share the time of one request.
fn outcomes(work: &RequestWork, source: &Arc<BoardSource>) -> Outcomes<'static> {
    let (mut work, source) = (work.clone(), Arc::clone(source));
    Box::new(move |position| {
        let analysis = work.analyse(&source, AnalysisRequest::of(*position), None, None)?;
        analysis.limit.map_or(Ok(()), |limit| Err(DatabaseError::Analysis(limit)))?;
        Ok(analysis.moves.iter().filter_map(|of| Some((of.column, of.outcome?))).collect())
    })
}

/// Answers `GET api/v1/players`.
pub async fn players(Fields(query): Fields<BoardQuery>) -> Result<Response, Failure> {
    json_response(&Envelope::new("players", PlayersJson::of(query.board.parse()?)), REVALIDATE)
}

/// A seed or a day.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PuzzleQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The same seed gives the same puzzle (default: 1).
    seed: Option<u64>,
    /// A day such as 2026-11-29, in place of a seed.
    date: Option<String>,
}

/// Answers `GET api/v1/puzzle`.
pub async fn puzzle(
    Extension(client): Extension<Client>,
    Fields(PuzzleQuery { board, seed, date }): Fields<PuzzleQuery>,
) -> Result<Response, Failure> {
    let board: Board = board.parse()?;
    let seed = match (seed, date) {
        (Some(_), Some(_)) => Err("seed and date both choose a puzzle; leave one out"),
        (seed, None) => Ok(seed.unwrap_or(1)),
        (None, Some(date)) => seed_of_date(&date).ok_or("the date cannot be read; write it as 2026-11-29"),
    };
    let seed = seed.map_err(Failure::bad)?;
    let source = client.find(board).await?;
    let tag = source.tag.clone();
    client.check_is_new(caching(&tag, true))?;
    let drawn = client.ask(true, Result::is_err, move |work| {
        or_limit(Puzzles::new(board, outcomes(work, &source), seed).next().transpose())
    });
    let drawn = drawn.await?.map_err(|limit| client.server.undecided(Some(limit)))?;
    let none = || Failure::bad(format!("no game of {board} met a puzzle; take another board"));
    let json = PuzzlesJson::of(board, seed, &[drawn.ok_or_else(none)?]);
    json_response(&Envelope::new("puzzles", json), caching(&tag, true))
}
