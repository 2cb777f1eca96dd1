//! What the server has done, in the text format of Prometheus.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

/// The upper bounds of the times that are told apart, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The kind of media of the text.
pub const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts of the server.
pub struct Metrics {
    requests: Family<[(&'static str, String); 1], Counter>,
    seconds: Histogram,
    /// Requests that are being answered.
    pub in_flight: Gauge,
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
        let all = &mut registry;
        Metrics {
            requests: add(all, "requests", "Requests by status", Family::default()),
            seconds: add(all, "request_seconds", "Time of a request", Histogram::new(BOUNDS)),
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

    /// Counts an answer by its status, `none` where the client went away before.
    pub fn answered(&self, status: String, time: Duration) {
        self.requests.get_or_create(&[("status", status)]).inc();
        self.seconds.observe(time.as_secs_f64());
    }

    /// Writes all counts.
    pub fn to_text(&self) -> String {
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
