//! Refused requests: an HTTP status, and the reason in the words that the command line uses.

use std::error::Error;
use std::fmt::Display;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fourbase::BoardError;
use fourbase::players::ChooseError;
use fourbase::players::json::RandomError;
use fourbase_tiers::database::DatabaseError;
use serde::Serialize;

use super::fair_semaphore::LimitReached;
use super::response::{NO_STORE, json_response};
use crate::remedy;

/// The reason of a refusal when a limit of the whole server is reached.
pub const TOO_MANY_REQUESTS: &str = "this server has too many requests";

/// A refused request.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    pub reason: String,
    // In a box to keep `Result<_, Failure>` small.
    headers: Box<HeaderMap>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Body<'a> {
    error: &'a str,
}

impl Failure {
    pub fn new(status: StatusCode, reason: impl Into<String>) -> Failure {
        Failure { status, reason: reason.into(), headers: Box::new(HeaderMap::from_iter(NO_STORE)) }
    }

    /// Adds a header.
    pub fn with(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Failure {
        self.headers.insert(name, value.into());
        self
    }

    /// Refuses a request that cannot be read.
    pub fn bad(reason: impl Display) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, reason.to_string())
    }

    /// Refuses a request for something that does not exist.
    pub fn missing(reason: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, reason)
    }

    /// Refuses an address that the server does not have.
    pub fn nowhere() -> Failure {
        Failure::missing("there is nothing at this address; docs/reference/http.md lists the addresses")
    }

    /// Refuses a question that can be read but has no answer.
    pub fn unanswerable(reason: impl Display) -> Failure {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, reason.to_string())
    }

    /// Refuses a request because of a limit: of the client's address, with the reason `of_address`, or of the whole server, with
    /// [`TOO_MANY_REQUESTS`].
    pub fn limited(limit: LimitReached, of_address: &str) -> Failure {
        match limit {
            LimitReached::OfAddress => Failure::later(StatusCode::TOO_MANY_REQUESTS, of_address),
            LimitReached::OfAll => Failure::unavailable(TOO_MANY_REQUESTS),
        }
    }

    /// Refuses a request because the server has too much to do or is stopping.
    pub fn unavailable(reason: &str) -> Failure {
        Failure::later(StatusCode::SERVICE_UNAVAILABLE, reason)
    }

    fn later(status: StatusCode, reason: &str) -> Failure {
        Failure::new(status, format!("{reason}; ask again in a few seconds")).with(header::RETRY_AFTER, 5)
    }

    /// Makes the response 304: the client already has the answer, which has these headers.
    pub fn not_modified(headers: HeaderMap) -> Failure {
        Failure { status: StatusCode::NOT_MODIFIED, reason: String::new(), headers: Box::new(headers) }
    }

    /// Refuses a request because the server failed. Only the log gets the reason, which may name folders of the server.
    pub fn broken(error: &(dyn Error + 'static)) -> Failure {
        tracing::error!("{}", remedy::describe(error));
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "this server cannot answer now; its log says why (--log)")
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Failure {
        Failure::bad(error)
    }
}

impl From<ChooseError> for Failure {
    fn from(error: ChooseError) -> Failure {
        if matches!(error, ChooseError::Human) { Failure::bad(error) } else { Failure::unanswerable(error) }
    }
}

impl From<RandomError> for Failure {
    fn from(error: RandomError) -> Failure {
        if matches!(error, RandomError::Ply { .. }) { Failure::bad(error) } else { Failure::unanswerable(error) }
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Failure {
        match error {
            // The text leaves out the folder of the server, which clients must not learn.
            DatabaseError::Missing { board, .. } | DatabaseError::NotSolved { board, .. } => Failure::missing(format!(
                "no database of {board} is on this server; leave search=never out, so that the position is searched"
            )),
            DatabaseError::Analysis(error) => Failure::unanswerable(error),
            DatabaseError::Misplaced { .. } => Failure::missing("this server has no databases"),
            error => Failure::broken(&error),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if self.status == StatusCode::NOT_MODIFIED {
            return (self.status, *self.headers).into_response();
        }
        (self.status, json_response(&Body { error: &self.reason }, *self.headers)).into_response()
    }
}
