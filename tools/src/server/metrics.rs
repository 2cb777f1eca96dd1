//! Metrics of the server in the text format of Prometheus, and the log of requests. Each request is timed from its head to the end
//! of its answer, then counted and logged.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use fourbase::analysis::Budget;
use http_body_util::BodyExt;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use super::fair_semaphore::Permit;
use super::service::Server;

/// The upper bounds of the buckets of the time histogram, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The media type of the text.
pub const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counters of the server, which [`to_text`] writes.
pub struct Metrics {
    /// `requests` counts answers by status (`none` if the client went away before the answer); `seconds` has their times by route.
    requests: Family<[(&'static str, String); 1], Counter>,
    seconds: Family<[(&'static str, String); 1], Histogram>,
    in_flight: Gauge,
    /// Analyses that the server had in its cache, and those that it had to compute.
    pub cached: Counter,
    pub not_cached: Counter,
    /// Questions that look-ups answered, and questions that took a search.
    probes: Counter,
    pub searches: Counter,
    /// Searches that run now, and searches that wait for a thread.
    searching: Gauge,
    waiting: Gauge,
    /// Searches whose client went away.
    abandoned: Counter,
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

    /// Counts a question as a search or a look-up, by what its answer took.
    pub fn count(&self, budget: &Budget, is_search: bool) {
        if budget.spent.has_searched() {
            self.searches.inc();
        } else if budget.spent.lookups > 0 {
            self.probes.inc();
        }
        if is_search && budget.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled()) {
            self.abandoned.inc();
        }
    }
}

/// Registers a metric under a name, and returns it.
fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Writes all metrics of a server.
pub fn to_text(server: &Server) -> String {
    let metrics = &server.metrics;
    metrics.in_flight.set(server.requests.taken() as i64);
    metrics.searching.set(server.searches.taken() as i64);
    metrics.waiting.set(server.searches.waiting() as i64);
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = encode(&mut text, &metrics.registry);
    text
}

/// The most bytes of a request's URI in the log.
const MAX_LOGGED_BYTES: usize = 512;

/// A request under way. Dropping this counts and logs the request.
pub struct RequestLog {
    server: Arc<Server>,
    begin: Instant,
    method: Method,
    uri: Uri,
    /// The route pattern that matched, without the base path; `none` if no route did.
    route: String,
    /// `None` until there is an answer.
    status: Option<StatusCode>,
}

impl RequestLog {
    /// Starts the clock of a request whose head has arrived.
    pub fn new(server: &Arc<Server>, request: &Request) -> RequestLog {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
        let route = route.strip_prefix(&*server.arguments.base_path).unwrap_or(route).to_owned();
        RequestLog { server: Arc::clone(server), begin: Instant::now(), method, uri, route, status: None }
    }

    /// Attaches this log and the permit of the request to the answer's body, so that both are dropped when the body has been sent
    /// or the client goes away.
    pub fn until_sent(mut self, response: Response, permit: Option<Permit>) -> Response {
        self.status = Some(response.status());
        let held = (self, permit);
        // The closure captures `held`, so the body owns it.
        response.map(|body| {
            Body::new(body.map_err(move |error| {
                let _ = &held;
                error
            }))
        })
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let time = self.begin.elapsed();
        let status = self.status.map_or_else(|| "none".to_owned(), |status| status.as_u16().to_string());
        let milliseconds = format!("{:.3}", time.as_secs_f64() * 1e3);
        let uri = fourbase::excerpt(&self.uri.to_string(), MAX_LOGGED_BYTES);
        tracing::info!(method = %self.method, %uri, %status, %milliseconds);
        let (metrics, route) = (&self.server.metrics, std::mem::take(&mut self.route));
        metrics.requests.get_or_create(&[("status", status)]).inc();
        metrics.seconds.get_or_create(&[("route", route)]).observe(time.as_secs_f64());
    }
}
