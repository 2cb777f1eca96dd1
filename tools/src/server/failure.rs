//! Why a request has no answer: a status, and the text that the command line would print.

use std::convert::Infallible;
use std::error::Error;

use axum::body::Body as Streamed;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fourbase::BoardError;
use fourbase::notation::NotationError;
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::files::FileError;
use futures_util::stream::empty;
use serde::Serialize;
use serde_json::json;

use super::http::{JSON, PARTIAL};
use crate::remedy;

/// A refused request.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    reason: String,
    /// After how many seconds the same request may be answered.
    again_in: Option<u32>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Body<'a> {
    error: &'a str,
}

impl Failure {
    /// A request with this status.
    pub fn new(status: StatusCode, reason: impl Into<String>) -> Failure {
        Failure { status, reason: reason.into(), again_in: None }
    }

    /// The request cannot be read: 400.
    pub fn bad(reason: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, reason)
    }

    /// A page of a site that may not ask: 403.
    pub fn foreign(origin: &str) -> Failure {
        let origin = fourbase::excerpt(origin, 100);
        let reason =
            format!("pages of {origin} may not ask this server; whoever runs it can allow them with --allow-origin");
        Failure::new(StatusCode::FORBIDDEN, reason)
    }

    /// What is asked for is not there: 404.
    pub fn missing(reason: impl Into<String>) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, reason)
    }

    /// No such address: 404.
    pub fn nowhere() -> Failure {
        Failure::missing("there is nothing at this address; docs/reference/http.md lists the addresses")
    }

    /// The body is too long: 413.
    pub fn too_long(reason: impl Into<String>) -> Failure {
        Failure::new(StatusCode::PAYLOAD_TOO_LARGE, reason)
    }

    /// The question can be read and not be answered: 422.
    pub fn unanswerable(reason: impl Into<String>) -> Failure {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, reason)
    }

    /// All searches are taken: 429.
    pub fn too_many_searches() -> Failure {
        Failure::too_many("all searches of this server are taken")
    }

    /// An address has its share: 429.
    pub fn too_many(reason: &str) -> Failure {
        let reason = format!("{reason}; ask again in a few seconds");
        Failure { again_in: Some(5), ..Failure::new(StatusCode::TOO_MANY_REQUESTS, reason) }
    }

    /// A search for a request of the head of its answer: 200, without anything else.
    pub fn not_searched() -> Failure {
        Failure::new(StatusCode::OK, "a request with HEAD does not search")
    }

    /// The server has too much to do: 503.
    pub fn busy() -> Failure {
        let reason = "this server has too many requests; ask again in a second";
        Failure { again_in: Some(1), ..Failure::new(StatusCode::SERVICE_UNAVAILABLE, reason) }
    }

    /// The server failed: 500. The log says why; that may name folders, which do not concern a client.
    pub fn broken(error: &(dyn Error + 'static)) -> Failure {
        tracing::error!("{}", remedy::describe(error));
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "this server cannot answer now; its log says why (--log)")
    }

    /// Says why.
    pub fn into_reason(self) -> String {
        self.reason
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Failure {
        Failure::bad(error.to_string())
    }
}

impl From<NotationError> for Failure {
    fn from(error: NotationError) -> Failure {
        Failure::bad(error.to_string())
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Failure {
        match error {
            // Without the folder, which does not concern a client.
            DatabaseError::Missing { board, .. } | DatabaseError::NotSolved { board, .. } => Failure::missing(format!(
                "no database of {board} is on this server; leave search=never out, so that the position is searched"
            )),
            DatabaseError::Analysis(error) => Failure::unanswerable(error.to_string()),
            DatabaseError::Misplaced { .. } => Failure::missing("this server has no databases"),
            error => Failure::broken(&error),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::broken(&error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let again_in = self.again_in.map(|seconds| [(header::RETRY_AFTER, HeaderValue::from(seconds))]);
        let headers = [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, PARTIAL)];
        let body = match self.status {
            // Its answer would be as long as the search makes it.
            StatusCode::OK => Streamed::from_stream(empty::<Result<String, Infallible>>()),
            _ => Streamed::from(json!(Body { error: &self.reason }).to_string()),
        };
        (self.status, headers, again_in, body).into_response()
    }
}
