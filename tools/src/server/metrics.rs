//! What the server has done, in the text format of Prometheus.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// The upper bounds of the times that are told apart, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// The kind of media of the text.
pub const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts of the server.
pub struct Metrics {
    registry: Registry,
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
    pub waiting: Gauge<i64, std::sync::atomic::AtomicI64>,
    /// Searches whose asker went away.
    pub abandoned: Counter<u64, AtomicU64>,
}

impl Metrics {
    pub fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("fourbase"),
            requests: Family::default(),
            seconds: Histogram::new(BOUNDS),
            in_flight: Gauge::default(),
            cached: Counter::default(),
            not_cached: Counter::default(),
            probes: Counter::default(),
            searches: Counter::default(),
            searching: Gauge::default(),
            waiting: Gauge::default(),
            abandoned: Counter::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests by status", metrics.requests.clone());
        registry.register("request_seconds", "Time of a request", metrics.seconds.clone());
        registry.register("requests_in_flight", "Requests that are being answered", metrics.in_flight.clone());
        registry.register("cache_hits", "Answers that were at hand", metrics.cached.clone());
        registry.register("cache_misses", "Answers that were not at hand", metrics.not_cached.clone());
        registry.register("probes", "Positions that were looked up", metrics.probes.clone());
        registry.register("searches", "Positions that were searched", metrics.searches.clone());
        registry.register("searches_running", "Searches that run", metrics.searching.clone());
        registry.register("searches_waiting", "Searches that wait for their turn", metrics.waiting.clone());
        registry.register("searches_abandoned", "Searches whose asker went away", metrics.abandoned.clone());
        metrics
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
