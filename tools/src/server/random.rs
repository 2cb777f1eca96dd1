//! `GET api/v1/random`: a position that random moves lead to.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use axum::extract::RawQuery;
use axum::response::Response;
use fourbase::players::{Source, random_play};
use fourbase::{Board, Position};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::fields::fields;
use super::written::{PARTIAL, written};
use crate::json::{Envelope, PositionJson};

/// How many games are begun, for a random position of a ply that few games reach.
const TRIES: u64 = 1000;

/// How many seeds a server chooses from. A program that reads them as floating-point numbers reads each exactly.
const SEEDS: u64 = 1 << 53;

/// What kind of position is wanted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskedRandom {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// How many pieces it has; any number if this is left out.
    ply: Option<usize>,
    /// The same seed gives the same position.
    seed: Option<u64>,
}

/// A random position.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RandomJson {
    board: String,
    position: PositionJson,
    /// The same seed gives the same position.
    seed: u64,
}

/// Answers `GET api/v1/random`.
pub async fn get(RawQuery(query): RawQuery) -> Result<Response, Failure> {
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
    random_play(board, ply, source).map(|(position, _)| position)
}
