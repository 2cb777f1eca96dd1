//! Questions about games: `GET api/v1/analysis`; and the built-in players, `GET api/v1/players` and `GET api/v1/move`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use fourbase::analysis::json::{Envelope, GameAnalysisJson};
use fourbase::analysis::{AnalysisError, Budget, Cost, GameAnalysis};
use fourbase::players::json::{MoveJson, PlayersJson, most_plies};
use fourbase::players::{ChooseError, Kind, Outcomes, random_source};
use fourbase::{Board, Game};
use fourbase_tiers::database::DatabaseError;
use serde::Deserialize;

use super::boards::{BoardQuery, BoardSource};
use super::failure::Failure;
use super::http::{self, CHANGING, Client, Fields, json_response};
use super::state::{Found, Server};

/// A game: moves from a position on, which is the empty board if it is left out.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The position that the game begins from, in any notation.
    #[serde(default = "http::empty_board")]
    start: String,
    /// The columns of the moves, 1 to 9 and then a to w.
    #[serde(default)]
    moves: String,
}

/// Answers `GET api/v1/analysis`.
pub async fn analysis(
    State(server): State<Arc<Server>>,
    client: Client,
    Fields(query): Fields<AnalysisQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let game = read(&query.board, &query.start, &query.moves)?;
    let source = server.find(game.board()).await?;
    let question = format!("analysis {:?} {:?}", query.start, query.moves);
    let find = async {
        // The deepest position is the last one.
        let turn = server.workers.turn(client, source.may_search(game.position().ply(), false)).await?;
        let (asked, asking) = (Arc::clone(&source), Arc::clone(&server));
        let analysis = server.workers.ask(turn, move |budget| {
            GameAnalysis::of(&game, |position, nodes| {
                if let Some(analysis) = asking.workers.remembered(&asked, position, false) {
                    return Ok(analysis);
                }
                // Each position has all nodes, and all share the time.
                let has_all_time = !budget.spent.has_searched();
                let mut part = Budget { nodes: nodes.or(budget.nodes), spent: Cost::default(), ..budget.clone() };
                let analysis = asked.analyse(position, false, false, &mut part, None)?;
                budget.spent += part.spent;
                // The time of a game does for a part of its positions, and some had a quick look.
                let is_cut = !has_all_time && matches!(analysis.limit, Some(AnalysisError::Deadline { .. }));
                if nodes.is_none() && !is_cut {
                    asking.workers.remember(&asked, &analysis, false);
                }
                Ok(analysis)
            })
        });
        let analysis = analysis.await?;
        let answer = Envelope::new("analyse", GameAnalysisJson::of(&analysis));
        Ok(Found::Answer(answer, analysis.limit.is_none()))
    };
    server.answer(source.hash(), &question, &headers, find).await
}

/// Reads a game that begins from a position in any notation.
///
/// # Errors
///
/// The first mistake in one of the texts.
fn read(board: &str, start: &str, moves: &str) -> Result<Game, Failure> {
    let start = http::position(board.parse()?, start)?;
    Ok(Game::parse_from(start, moves)?)
}

/// A game, and who moves next.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// The position that the game begins from, in any notation.
    #[serde(default = "http::empty_board")]
    start: String,
    /// The columns of the moves, 1 to 9 and then a to w.
    #[serde(default)]
    moves: String,
    /// perfect, perfect:first, random, pomakis:LEVEL, window:DEPTH, rating:LEVEL or follow-up.
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
    State(server): State<Arc<Server>>,
    client: Client,
    Fields(query): Fields<MoveQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let game = read(&query.board, &query.start, &query.moves)?;
    let kind: Kind = query.player.parse().map_err(|error| Failure::bad(format!("{error}")))?;
    check(kind, game.board())?;
    let source = server.find(game.board()).await?;
    let question = format!("move {kind} {} {:?} {:?}", query.seed, query.start, query.moves);
    let find = async {
        let may_search =
            kind.looks_ahead() > 0 || kind.needs_outcomes() && source.may_search(game.position().ply(), false);
        let (asked, asking, seed) = (Arc::clone(&source), Arc::clone(&server), query.seed);
        let turn = server.workers.turn(client, may_search).await?;
        let chosen = server.workers.ask(turn, move |budget| {
            // A player that looks ahead counts as a search.
            budget.spent.positions += u64::from(may_search);
            let Some(mut chooser) = kind.chooser(game.board(), outcomes(&asking, &asked, budget)) else {
                return Ok(Err(Failure::bad("a human chooses a move; ask for one of another player")));
            };
            let chosen =
                chooser.choose(game.position(), game.last(), &mut random_source(seed, game.position().ply() as u64));
            match chosen {
                Ok(choice) => Ok(Ok(MoveJson::of(&game, kind, seed, choice))),
                Err(ChooseError::Unknown(error)) => match error.downcast::<DatabaseError>().map(|error| *error) {
                    Ok(DatabaseError::Analysis(limit)) => {
                        Ok(Err(Failure::unanswerable(asking.workers.limit_text(limit))))
                    }
                    Ok(error) => Err(error),
                    Err(error) => Ok(Err(Failure::broken(&*error))),
                },
                Err(error) => Ok(Err(Failure::unanswerable(error.to_string()))),
            }
        });
        Ok(Found::Answer(Envelope::new("move", chosen.await??), true))
    };
    server.answer(source.hash(), &question, &headers, find).await
}

/// Lets a player ask for the values of moves, within the limits of one question.
fn outcomes(server: &Arc<Server>, source: &Arc<BoardSource>, budget: &Budget) -> Outcomes<'static> {
    let (server, source, budget) = (Arc::clone(server), Arc::clone(source), budget.clone());
    Box::new(move |position| {
        let analysis = match server.workers.remembered(&source, position, false) {
            Some(analysis) => analysis,
            None => {
                let analysis = source.analyse(position, false, false, &mut budget.clone(), None)?;
                server.workers.remember(&source, &analysis, false);
                analysis
            }
        };
        analysis.limit.map_or(Ok(()), |limit| Err(DatabaseError::Analysis(limit)))?;
        Ok(analysis.moves.iter().filter_map(|of| Some((of.column, of.outcome?))).collect())
    })
}

/// Refuses a player that looks too far ahead: nothing can stop it.
fn check(kind: Kind, board: Board) -> Result<(), Failure> {
    let (plies, most) = (kind.looks_ahead(), most_plies(board));
    if plies <= most {
        return Ok(());
    }
    Err(Failure::unanswerable(format!(
        "{kind} looks {plies} plies ahead, which takes too long for a server; on {board} at most {most} are allowed"
    )))
}

/// Answers `GET api/v1/players`.
pub async fn players(Fields(query): Fields<BoardQuery>) -> Result<Response, Failure> {
    json_response(&Envelope::new("players", PlayersJson::of(query.board.parse()?)), CHANGING)
}
