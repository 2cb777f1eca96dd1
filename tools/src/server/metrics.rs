//! What the server has done, in the text format of Prometheus; and each request from its head to the end of its answer: counted,
//! timed, and in the log when that is over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use tokio::sync::OwnedSemaphorePermit;

use super::state::Server;

/// The upper bounds of the times that are told apart, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The kind of media of the text.
pub const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts of the server.
pub struct Metrics {
    /// Answers by their status, `none` where the client went away before, and their times by their routes.
    requests: Family<[(&'static str, String); 1], Counter>,
    seconds: Family<[(&'static str, String); 1], Histogram>,
    in_flight: Gauge,
    /// Answers that were at hand, and those that were not.
    pub cached: Counter,
    pub not_cached: Counter,
    /// Positions whose values were looked up, and those that took a search.
    pub probes: Counter,
    pub searches: Counter,
    /// Searches that run, and those that wait.
    pub searching: Gauge,
    pub waiting: Gauge,
    /// Searches whose asker went away.
    pub abandoned: Counter,
    registry: Registry,
}

impl Metrics {
    pub fn new() -> Metrics {
        let mut registry = Registry::with_prefix("fourbase");
        let (all, timed) = (&mut registry, Family::new_with_constructor((|| Histogram::new(BOUNDS)) as _));
        Metrics {
            requests: add(all, "requests", "Requests by status", Family::default()),
            seconds: add(all, "request_seconds", "Time of a request", timed),
            in_flight: add(all, "requests_in_flight", "Requests that are being answered", Gauge::default()),
            cached: add(all, "cache_hits", "Answers that were at hand", Counter::default()),
            not_cached: add(all, "cache_misses", "Answers that were not at hand", Counter::default()),
            probes: add(all, "probes", "Positions that were looked up", Counter::default()),
            searches: add(all, "searches", "Positions that were searched", Counter::default()),
            searching: add(all, "searches_running", "Searches that run", Gauge::default()),
            waiting: add(all, "searches_waiting", "Searches that wait for their turn", Gauge::default()),
            abandoned: add(all, "searches_abandoned", "Searches whose asker went away", Counter::default()),
            registry,
        }
    }

    /// Writes all counts; so many requests are being answered.
    pub fn to_text(&self, in_flight: usize) -> String {
        self.in_flight.set(in_flight as i64);
        let mut text = String::new();
        // Writing to memory does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Registers a count under a name, and returns it.
fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// The most bytes of an address in the log.
const MOST_LOGGED: usize = 512;

/// A request that is not over.
pub struct Watched {
    metrics: Arc<Metrics>,
    begin: Instant,
    method: Method,
    uri: Uri,
    /// As the router has it, without the base path; `none` where nothing is.
    route: String,
    /// `None` until there is an answer.
    status: Option<StatusCode>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Watched {
    /// Begins with the head of a request.
    pub fn new(server: &Server, request: &Request) -> Watched {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
        let route = route.strip_prefix(&*server.base_path).unwrap_or(route).to_owned();
        let metrics = Arc::clone(&server.metrics);
        Watched { metrics, begin: Instant::now(), method, uri, route, status: None, _place: None }
    }

    /// Ends with the body of the answer, which has a place among all answers until then.
    pub fn over(mut self, response: Response, place: Option<OwnedSemaphorePermit>) -> Response {
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
        let route = std::mem::take(&mut self.route);
        self.metrics.requests.get_or_create(&[("status", status)]).inc();
        self.metrics.seconds.get_or_create(&[("route", route)]).observe(time.as_secs_f64());
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
