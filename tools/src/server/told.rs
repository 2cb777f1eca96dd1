//! Answers about a position: whole, or line by line while a search tells what it finds.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fourbase::{Outcome, Position};
use fourbase_tiers::answer::{Answerer, KnownMove, News};

use super::ask::{About, Listener, Turn};
use super::server::Server;
use super::stream::{Lines, NDJSON, lines};
use super::written::PARTIAL;
use crate::cli::query::answer::AnswerJson;
use crate::cli::query::found::Found;
use crate::json::{Envelope, PositionJson, SourceJson, SourceKind};

/// Writes an answer as `fourbase query --json` does, without the folder of the database.
pub fn json(position: &Position, text: &str, found: &Found<String>) -> Envelope<AnswerJson> {
    Envelope::new("query", AnswerJson::of(position, text, found).without_folder())
}

/// Sends what is known so far, again and again, and at last the whole answer.
pub fn streamed(server: Arc<Server>, turn: Turn, answerer: Arc<dyn Answerer>, about: About, text: String) -> Response {
    let (lines, body) = lines();
    let position = about.position;
    tokio::spawn(async move {
        let known = Mutex::new(unknown(&position));
        lines.write_now(&part(&position, &text, &known));
        let listen = Some(listener(position, text.clone(), known, lines.clone()));
        let found = tokio::select! {
            found = server.askers.find(turn, &answerer, About { listen, ..about }) => found,
            () = lines.closed() => return,
        };
        match found {
            Ok(found) => lines.write(&json(&position, &text, &found)).await,
            Err(failure) => {
                let position_json = Some(PositionJson::typed(&position, &text));
                let error = AnswerJson::of_error(position.board(), position_json, failure.into_reason());
                lines.write(&Envelope::new("query", error)).await
            }
        };
    });
    ([(header::CONTENT_TYPE, HeaderValue::from_static(NDJSON)), (header::CACHE_CONTROL, PARTIAL)], body).into_response()
}

/// What is known of a position so far.
type KnownSoFar = (Option<Outcome>, Vec<KnownMove>);

/// Nothing but its moves.
fn unknown(position: &Position) -> KnownSoFar {
    let moves = if position.primitive().is_some() { Vec::new() } else { position.moves().collect() };
    (None, moves.into_iter().map(|column| KnownMove { column, outcome: None }).collect())
}

/// Writes an answer with what is known so far.
fn part(position: &Position, text: &str, known: &Mutex<KnownSoFar>) -> Envelope<AnswerJson> {
    let (outcome, moves) = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let source = SourceJson::new(SourceKind::Search, None, 0);
    json(position, text, &Found { outcome, moves, line: None, source, limit: None })
}

/// Writes a line with everything that is known, whenever something is found out.
fn listener(position: Position, text: String, known: Mutex<KnownSoFar>, lines: Lines) -> Listener {
    Box::new(move |news| {
        {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            match news {
                News::Outcome(outcome) => known.0 = Some(outcome),
                News::Move(found) => {
                    if let Some(known) = known.1.iter_mut().find(|of| of.column == found.column) {
                        known.outcome = found.outcome;
                    }
                }
            }
        }
        lines.write_now(&part(&position, &text, &known));
    })
}
