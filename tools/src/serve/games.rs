//! Questions about games: `GET api/v1/analysis`, `GET api/v1/move` and `GET api/v1/random`.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use anyhow::anyhow;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use fourbase::players::{ChooseError, Kind, Outcomes, Source};
use fourbase::{Board, Position};
use fourbase_tiers::answer::{AnswerError, Limits, Question};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::boards::Known;
use super::failure::Failure;
use super::position::{self, fields};
use super::server::Server;
use super::written::{PARTIAL, written};
use crate::analyse::played::{Pace, of_game_by};
use crate::analyse::report::Analysis;
use crate::game::Game;
use crate::json::{Envelope, PositionJson};
use crate::query::asker::QUICK_NODES;
use crate::query::found::Found;

/// The most orders of moves that a player may look at for a move, before alpha-beta leaves most of them out: some tenths
/// of a second.
const MOST_ORDERS: u64 = 10_000_000_000;

/// How many games are begun, for a random position of a ply that few games reach.
const TRIES: u64 = 1000;

/// How many seeds a server chooses from. A program that reads them as floating-point numbers reads each exactly.
const SEEDS: u64 = 1 << 53;

/// A game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    board: String,
    #[serde(default)]
    moves: String,
}

/// Answers `GET api/v1/analysis`.
pub async fn analysis(State(server): State<Arc<Server>>, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: Asked = fields(query.as_deref())?;
    let game = read(&asked.board, &asked.moves)?;
    let known = position::find(&server, game.board()).await?;
    let answerer = Arc::clone(known.answerer());
    let explain = server.askers.explainer();
    // The deepest position is the last one.
    let turn = server.askers.turn(known.may_search(game.ply(), false)).await?;
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

/// A game, and who moves next.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedMove {
    board: String,
    #[serde(default)]
    moves: String,
    player: String,
    #[serde(default = "one")]
    seed: u64,
}

/// The seed of games without one, as on the command line.
fn one() -> u64 {
    1
}

/// The move of a player.
#[derive(Serialize)]
struct MoveJson {
    board: String,
    position: PositionJson,
    player: String,
    seed: u64,
    /// Counts from 1.
    column: usize,
    /// Why, in words.
    reason: String,
}

/// Answers `GET api/v1/move`.
pub async fn next_move(State(server): State<Arc<Server>>, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: AskedMove = fields(query.as_deref())?;
    let game = read(&asked.board, &asked.moves)?;
    let kind: Kind = asked.player.parse().map_err(|error| Failure::bad(format!("{error}")))?;
    check(kind, game.board())?;
    let known = position::find(&server, game.board()).await?;
    let may_search = kind.looks_ahead() > 0 || kind.needs_outcomes() && known.may_search(game.ply(), false);
    let (explain, seed) = (server.askers.explainer(), asked.seed);
    let turn = server.askers.turn(may_search).await?;
    let chosen = server.askers.ask(turn, move |limits| {
        let Some(mut chooser) = kind.chooser(game.board(), outcomes(&known, limits)) else {
            return (Ok(Err(Failure::bad("a human chooses a move; ask for one of another player"))), false);
        };
        let chosen = chooser.choose(game.position(), game.last(), &mut Source::new(seed, game.ply() as u64));
        let answer = match chosen {
            Ok(choice) => Ok(Ok(MoveJson {
                board: game.board().to_string(),
                position: PositionJson::typed(game.position(), &game.moves()),
                player: kind.to_string(),
                seed,
                column: choice.column + 1,
                reason: choice.reason.to_string(),
            })),
            Err(ChooseError::Unknown(error)) => match error.downcast::<AnswerError>() {
                Ok(error) if error.is_limit() => Ok(Err(Failure::unanswerable(explain(*error)))),
                Ok(error) => Err(*error),
                Err(error) => Ok(Err(Failure::broken(&*error))),
            },
            Err(error) => Ok(Err(Failure::unanswerable(error.to_string()))),
        };
        (answer, may_search)
    });
    written(&Envelope::new("move", chosen.await??), PARTIAL)
}

/// Lets a player ask for the values of moves, within the limits of one question.
fn outcomes(known: &Known, limits: Limits) -> Outcomes<'static> {
    let answerer = Arc::clone(known.answerer());
    Box::new(move |position| {
        let moves = answerer.moves(position, &mut Question::new(limits.clone()))?;
        Ok(moves.into_iter().map(|of| (of.column, of.outcome)).collect())
    })
}

/// Refuses a player that looks too far ahead: nothing can stop it.
fn check(kind: Kind, board: Board) -> Result<(), Failure> {
    let is_quick = |plies: u32| (board.width() as u64).checked_pow(plies).is_some_and(|orders| orders <= MOST_ORDERS);
    if is_quick(kind.looks_ahead()) {
        return Ok(());
    }
    let most = (0..kind.looks_ahead()).rev().find(|plies| is_quick(*plies)).unwrap_or(0);
    Err(Failure::unanswerable(format!(
        "{kind} looks {} plies ahead, which takes too long for a server; on {board} at most {most} are allowed",
        kind.looks_ahead()
    )))
}

/// What kind of position is wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedRandom {
    board: String,
    ply: Option<usize>,
    seed: Option<u64>,
}

/// A random position.
#[derive(Serialize)]
struct RandomJson {
    board: String,
    position: PositionJson,
    /// The same seed gives the same position.
    seed: u64,
}

/// Answers `GET api/v1/random`.
pub async fn random(RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked: AskedRandom = fields(query.as_deref())?;
    let board: Board = asked.board.parse()?;
    if let Some(ply) = asked.ply.filter(|ply| *ply >= board.cells()) {
        let most = board.cells() - 1;
        return Err(Failure::bad(format!(
            "ply {ply} has no unfinished position of {board}; ask for one from 0 to {most}"
        )));
    }
    // Hashers differ from process to process and from each other, and nothing hangs on how well.
    let seed = asked.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % SEEDS);
    let drawn = (0..TRIES).find_map(|game| draw(board, asked.ply, &mut Source::new(seed, game)));
    let position = drawn.ok_or_else(|| {
        Failure::unanswerable(format!("{TRIES} random games of {board} ended too soon; ask for an earlier ply"))
    })?;
    let answer = RandomJson { board: board.to_string(), position: PositionJson::of(&position), seed };
    written(&Envelope::new("random", answer), PARTIAL)
}

/// Plays random moves up to a ply, or to one that is drawn; `None` where the game is over by then.
fn draw(board: Board, ply: Option<usize>, source: &mut Source) -> Option<Position> {
    let ply = ply.unwrap_or_else(|| source.random_range(0..board.cells() as u32) as usize);
    crate::random::play(board, ply, source).map(|(position, _)| position)
}

/// Reads a game.
fn read(board: &str, moves: &str) -> Result<Game, Failure> {
    Game::parse(board.parse()?, moves.trim()).map_err(|error| Failure::bad(error.to_string()))
}
