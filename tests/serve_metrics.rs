//! `GET /metrics` of `fourbase serve`: what is counted, in a format that Prometheus reads.

use std::time::{Duration, Instant};

use crate::support::program::Program;
use crate::support::server::Server;

/// Asks for the counts until they hold: a request is counted when its answer has gone out.
fn until(server: &Server, what: &str, holds: impl Fn(&[(String, f64)]) -> bool) {
    let begin = Instant::now();
    loop {
        let counts = counts(&server.get("/metrics").body);
        if holds(&counts) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}: {counts:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Reads the lines that are no comments: a name, with its labels, and a number.
fn counts(text: &str) -> Vec<(String, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (name, number) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        (name.to_owned(), number.parse().unwrap_or_else(|_| panic!("{line}")))
    };
    lines.map(read).collect()
}

fn of(counts: &[(String, f64)], name: &str) -> f64 {
    counts.iter().find(|(of, _)| of == name).unwrap_or_else(|| panic!("{name} in {counts:?}")).1
}

#[test]
fn look_ups_searches_and_answers_at_hand_are_counted_apart() {
    let server = Server::start(&Program::with("4x4"), &[]);
    let names = ["cache_misses", "cache_hits", "probes", "searches"].map(|name| format!("fourbase_{name}_total"));
    let is = |what: &str, expected: [f64; 4]| {
        until(&server, what, |counts| names.each_ref().map(|name| of(counts, name)) == expected);
    };
    is("nothing yet", [0.0, 0.0, 0.0, 0.0]);
    assert_eq!(server.get("/api/v1/position?board=4x4&position=12").status, 200);
    is("a look-up", [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(server.get("/api/v1/position?board=4x4&position=12").status, 200);
    is("the same again", [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(server.get("/api/v1/position?board=4x3&position=12").status, 200);
    until(&server, "a search", |counts| of(counts, "fourbase_searches_total") == 1.0);
    assert_eq!(server.post("/api/v1/positions?board=4x4", b"1\n2\n3\n").status, 200);
    until(&server, "a batch", |counts| of(counts, "fourbase_probes_total") == 4.0);
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
    // Each name is said to be something before its first line.
    let mut kinds = Vec::new();
    for line in reply.body.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(kind) => kinds.push(kind.split_once(' ').expect("a name and a kind")),
            None if line.starts_with('#') => {}
            None => {
                let (name, kind) = kinds.last().expect("a kind");
                let suffixes: &[&str] = match *kind {
                    "counter" => &["_total"],
                    "gauge" => &[""],
                    "histogram" => &["_sum", "_count", "_bucket"],
                    other => panic!("{other}"),
                };
                let rest = line.split(['{', ' ']).next().and_then(|of| of.strip_prefix(name));
                assert!(rest.is_some_and(|rest| suffixes.contains(&rest)), "{line} as {name} {kind}");
            }
        }
    }
    assert_eq!(kinds.len(), 10, "{kinds:?}");
    until(&server, "each request is counted and timed", |counts| {
        let buckets: Vec<f64> = counts
            .iter()
            .filter(|(name, _)| name.starts_with("fourbase_request_seconds_bucket{"))
            .map(|(_, count)| *count)
            .collect();
        assert!(buckets.len() > 10 && buckets.is_sorted(), "{counts:?}");
        let requests: f64 = counts
            .iter()
            .filter(|(name, _)| name.starts_with("fourbase_requests_total{"))
            .map(|(_, count)| count)
            .sum();
        let count = of(counts, "fourbase_request_seconds_count");
        assert!(of(counts, "fourbase_request_seconds_sum") > 0.0);
        count >= 5.0 && count == requests && buckets.last() == Some(&count)
    });
    let refused = of(&counts(&server.get("/metrics").body), "fourbase_requests_total{status=\"400\"}");
    assert_eq!(refused, 1.0);
}
