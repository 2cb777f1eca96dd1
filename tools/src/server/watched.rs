//! A request from its head to the end of its answer: counted, timed, and in the log when that is over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use super::metrics::Metrics;
use super::state::Server;

/// The most bytes of an address in the log.
const MOST_LOGGED: usize = 512;

/// A request that is not over.
pub struct Watched {
    metrics: Arc<Metrics>,
    begin: Instant,
    method: Method,
    uri: Uri,
    /// `None` until there is an answer.
    status: Option<StatusCode>,
    _place: Option<Place>,
}

/// A place among the requests that are being answered, which are limited.
pub struct Place {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// Takes a place; `None` if all are taken.
    pub fn take(server: &Server) -> Option<Place> {
        let permit = Arc::clone(&server.requests).try_acquire_owned().ok()?;
        server.metrics.in_flight.inc();
        Some(Place { metrics: Arc::clone(&server.metrics), _permit: permit })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.metrics.in_flight.dec();
    }
}

impl Watched {
    /// Begins with the head of a request.
    pub fn new(metrics: &Arc<Metrics>, request: &Request) -> Watched {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        Watched { metrics: Arc::clone(metrics), begin: Instant::now(), method, uri, status: None, _place: None }
    }

    /// Ends with the body of the answer, which has a place among all answers until then.
    pub fn over(mut self, response: Response, place: Option<Place>) -> Response {
        (self.status, self._place) = (Some(response.status()), place);
        response.map(|body| Body::new(WatchedBody { body, _watched: self }))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let time = self.begin.elapsed();
        let status = self.status.map_or_else(|| "none".to_owned(), |status| status.as_u16().to_string());
        let milliseconds = format!("{:.3}", time.as_secs_f64() * 1e3);
        let uri = fourbase::excerpt(&self.uri.to_string(), MOST_LOGGED);
        tracing::info!(method = %self.method, %uri, %status, %milliseconds);
        self.metrics.answered(status, time);
    }
}

/// The body of an answer.
struct WatchedBody {
    body: Body,
    /// Dropped with the body.
    _watched: Watched,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
