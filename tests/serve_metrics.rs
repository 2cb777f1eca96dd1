//! `GET /metrics` of `fourbase serve`: what is counted, in a format that Prometheus reads.

use crate::support::program::Program;
use crate::support::server::{Server, eventually};

/// Reads the lines that are no comments: a name, with its labels, and a number.
fn counts(text: &str) -> Vec<(String, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (name, number) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        (name.to_owned(), number.parse().unwrap_or_else(|_| panic!("{line}")))
    };
    lines.map(read).collect()
}

#[test]
fn look_ups_searches_and_answers_at_hand_are_counted_apart() {
    let server = Server::start(&Program::with("4x4"), &[]);
    let names = ["cache_misses", "cache_hits", "probes", "searches"].map(|name| format!("fourbase_{name}_total"));
    for (address, expected) in [
        ("healthz", [0.0, 0.0, 0.0, 0.0]),
        ("api/v1/position?board=4x4&position=12", [1.0, 0.0, 1.0, 0.0]),
        ("api/v1/position?board=4x4&position=12", [1.0, 1.0, 1.0, 0.0]),
        ("api/v1/position?board=4x3&position=12", [2.0, 1.0, 1.0, 1.0]),
    ] {
        assert_eq!(server.get(&format!("/{address}")).status, 200);
        eventually(address, || names.each_ref().map(|name| server.metric(name)) == expected);
    }
    assert_eq!(server.post("/api/v1/positions?board=4x4", b"1\n2\n3\n").status, 200);
    eventually("a batch", || server.metric("fourbase_probes_total") == 4.0);
}

#[test]
fn the_counts_are_open_metrics_with_the_times_of_all_requests() {
    let server = Server::start(&Program::with("4x4"), &[]);
    for position in ["1", "12", "123", "9"] {
        server.get(&format!("/api/v1/position?board=4x4&position={position}"));
    }
    let reply = server.get("/metrics");
    assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"));
    assert_eq!(reply.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(reply.body.ends_with("\n# EOF\n"), "{}", reply.body);
    assert_eq!(reply.body.matches("# TYPE fourbase_").count(), 10, "{}", reply.body);
    eventually("each request is counted and timed", || {
        let counts = counts(&server.get("/metrics").body);
        let of =
            |name: &'static str| counts.iter().filter(move |(of, _)| of.starts_with(name)).map(|(_, count)| *count);
        let buckets: Vec<f64> = of("fourbase_request_seconds_bucket{").collect();
        assert!(buckets.len() > 10 && buckets.is_sorted(), "{counts:?}");
        let count = of("fourbase_request_seconds_count").sum::<f64>();
        assert!(of("fourbase_request_seconds_sum").sum::<f64>() > 0.0);
        count >= 5.0 && count == of("fourbase_requests_total{").sum::<f64>() && buckets.last() == Some(&count)
    });
    assert_eq!(server.metric("fourbase_requests_total{status=\"400\"}"), 1.0);
}
