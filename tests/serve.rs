//! `fourbase serve` over time: streams, databases that appear, limits, signals, its log, its counts and its page.

use std::io::Read;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::Signal;
use serde_json::{Value as Json, json};

use crate::support::databases;
use crate::support::positions::board;
use crate::support::program::Program;
use crate::support::progress::StopAfter;
use crate::support::server::{Server, connect, eventually};
use crate::support::solves::Runs;
use crate::support::tiers::{Solve, Values};

#[test]
fn an_address_that_is_taken_is_an_error_with_a_remedy() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("an address");
    let address = taken.local_addr().expect("an address").to_string();
    let line = Program::new().run(&format!("serve --listen {address}")).fails(1);
    assert!(line.starts_with(&format!("cannot listen on {address}; choose another ")), "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_browser_is_opened_when_it_is_asked_for() {
    use std::os::unix::fs::PermissionsExt;

    let mut program = Program::new();
    let (browser, opened) = (program.path("xdg-open"), program.path("opened"));
    std::fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" > {}\n", opened.display())).expect("a script");
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    program.set("PATH", &format!("{}:/usr/bin:/bin", program.path("").display()));
    drop(Server::start(&program, "--base-path /c4"));
    assert!(!opened.exists());
    let server = Server::start(&program, "--open --base-path /c4");
    let url = format!("{}/", server.url);
    eventually("a browser is opened", || std::fs::read_to_string(&opened).unwrap_or_default() == url);
}

#[test]
fn a_stream_tells_the_value_then_moves_and_ends_with_the_answer() {
    let server = Server::alone("--search-seconds 60 --search-nodes 1e9");
    let address = "/api/v1/position?board=5x5&position=3333&line=true";
    let lines = server.get(&format!("{address}&stream=true")).lines();
    let answer = server.get(address).json();
    let mut ends = [lines.last().expect("an answer").clone(), answer.clone()];
    // The second search finds what the first one remembers.
    ends.iter_mut().for_each(|answer| answer["source"]["nodes"] = Json::Null);
    assert_eq!(ends[0], ends[1]);
    let children = |line: &Json| line["children"].as_array().expect("moves").clone();
    let known = |line: &Json| children(line).iter().filter(|child| !child["value"].is_null()).count();
    // The first line has the position, before anything is found out.
    assert_eq!((&lines[0]["value"], &lines[0]["position"], known(&lines[0])), (&Json::Null, &answer["position"], 0));
    let moves = children(&answer).len();
    let have_value = lines[1..].iter().all(|line| line["value"] == answer["value"] && children(line).len() == moves);
    assert!(lines.len() >= 6 && have_value && lines.is_sorted_by_key(known), "{lines:?}");
}

#[test]
fn a_search_ends_after_its_seconds_and_what_it_cost_is_remembered() {
    let server = Server::alone("--search-seconds 1 --search-nodes 1e15");
    let begin = Instant::now();
    let reply = server.get("/api/v1/position?board=9x7&position=1");
    assert!(begin.elapsed() >= Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!((reply.header("cache-control"), &reply.json()["undecided"]), ("no-store", &json!(true)));
    assert!(reply.json()["source"]["nodes"].as_u64() > Some(1000), "{reply:?}");
    for stream in ["", "&stream=true"] {
        assert_eq!(server.get(&format!("/api/v1/position?board=9x7&position=1{stream}")).body, reply.body);
    }
    assert_eq!(server.post("/api/v1/positions?board=9x7", b"1").json()["source"], reply.json()["source"]);
    assert_eq!(server.metric("fourbase_searches_total"), 1.0);
}

#[test]
fn a_database_is_found_when_it_is_finished() {
    let program = Program::new();
    let server = Server::start(&program, "");
    let first = || server.get("/api/v1/position?board=4x4&position=1");
    assert_eq!(first().json()["source"]["kind"], json!("search"));
    let solve = Solve::new(board("4x4"), Values::Remoteness).root(&program.path("db"));
    let entries = databases::shared(board("4x4"), Values::Remoteness).manifest.entries();
    solve.run_heard(&StopAfter::entries(entries / 2)).expect_err("a solve that is stopped");
    // For two seconds the server does not look again.
    std::thread::sleep(Duration::from_millis(2100));
    let reply = first();
    assert_eq!((&reply.json()["source"]["kind"], reply.header("etag")), (&json!("search"), ""));
    assert!(!server.get("/api/v1/boards").body.contains("\"4x4\""));
    program.run("solve 4x4").succeeds();
    eventually("the database is found", || first().json()["source"]["kind"] == json!("database"));
    assert!(first().header("etag").starts_with("W/\""));
    assert!(server.get("/api/v1/boards").body.contains("\"4x4\""));
}

#[test]
fn a_search_stops_when_the_client_goes_away_and_too_many_are_refused() {
    let server = Server::alone("--searches 1 --search-seconds 60 --search-nodes 1e15");
    let mut clients = vec![server.send("GET /api/v1/position?board=9x7&position=1")];
    eventually("a search runs", || server.metric("fourbase_searches_running") == 1.0);
    // Best play beyond the database is a search, too.
    clients.extend((0..4).map(|_| server.send("GET /api/v1/position?board=7x6&line=true")));
    eventually("four wait", || server.metric("fourbase_searches_waiting") == 4.0);
    for stream in [false, true] {
        let refused = server.get(&format!("/api/v1/position?board=9x7&position=6&stream={stream}"));
        assert_eq!(refused.header("retry-after"), "5");
        assert!(refused.refused(429).starts_with("too many searches of your address wait; "));
    }
    // A look-up needs no search.
    assert_eq!(server.get("/api/v1/position?board=7x6").status, 200);
    drop(clients);
    eventually("nothing is searched", || server.metric("fourbase_searches_running") == 0.0);
    eventually("nothing waits", || server.metric("fourbase_searches_waiting") == 0.0);
    assert!(server.metric("fourbase_searches_abandoned_total") >= 1.0);
}

#[test]
fn single_questions_pass_between_the_positions_of_a_batch_and_head_does_not_search() {
    let server = Server::alone("--searches 1 --search-seconds 1 --search-nodes 1e15");
    let body = b"POST /api/v1/positions?board=9x7 HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n1\n2\n3\n4";
    let _batch = server.write(body);
    eventually("a batch searches", || server.metric("fourbase_searches_running") == 1.0);
    assert_eq!(server.get("/api/v1/position?board=4x4&position=33").json()["undecided"], json!(false));
    eventually("the batch goes on", || server.metric("fourbase_searches_running") == 1.0);
    let searches = server.metric("fourbase_searches_total");
    for address in ["position?board=9x7", "analysis?board=9x7&moves=1", "move?board=9x7&player=perfect"] {
        let head = server.raw(format!("HEAD /api/v1/{address} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
        let has_method = head.contains("\r\nallow: GET\r\n");
        assert!(head.starts_with("HTTP/1.1 405 ") && has_method && head.ends_with("\r\n\r\n"), "{head}");
    }
    let wrong = server.post("/api/v1/boards", b"");
    assert_eq!((wrong.header("allow"), wrong.refused(405).is_empty()), ("GET,HEAD", false));
    assert_eq!(server.metric("fourbase_searches_total"), searches);
}

#[test]
fn addresses_that_a_trusted_proxy_names_share_the_searches() {
    let options = "--searches 2 --searches-per-client 1 --search-seconds 60 --search-nodes 1e15";
    for (trust, running) in [("", 1.0), ("--trust-proxy", 2.0)] {
        let server = Server::alone(&format!("{options} {trust}"));
        let ask = |address: &str| {
            let head = format!("Host: x\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 7.7.7.7, {address}");
            server.write(format!("GET /api/v1/position?board=9x7 HTTP/1.1\r\n{head}\r\n\r\n").as_bytes())
        };
        let _clients = ["1.1.1.1", "1.1.1.1", "2.2.2.2"].map(ask);
        let all = || server.metric("fourbase_searches_running") + server.metric("fourbase_searches_waiting") == 3.0;
        eventually("they run or wait", all);
        assert_eq!(server.metric("fourbase_searches_running"), running);
    }
}

#[test]
fn too_many_requests_are_refused_and_the_server_says_that_it_lives() {
    let server = Server::alone("--trust-proxy");
    let half = |client| {
        let head = format!("Host: x\r\nX-Forwarded-For: 1.1.1.{client}\r\nContent-Length: 5");
        format!("POST /api/v1/positions?board=7x6 HTTP/1.1\r\n{head}\r\n\r\n1")
    };
    let in_flight = |count: f64| eventually("requests", || server.metric("fourbase_requests_in_flight") == count);
    let mut clients: Vec<_> = (0..8).map(|_| server.write(half(0).as_bytes())).collect();
    in_flight(8.0);
    let refused = server.raw(half(0).as_bytes());
    assert!(refused.starts_with("HTTP/1.1 429 ") && refused.contains("retry-after: 5"), "{refused}");
    assert!(refused.ends_with(r#"{"error":"an address has at most 8 batches at a time; ask again in a few seconds"}"#));
    clients.extend((8..32).map(|place| server.write(half(place / 8).as_bytes())));
    in_flight(32.0);
    let refused = server.post("/api/v1/positions?board=7x6", b"1");
    assert_eq!(refused.header("retry-after"), "5");
    refused.refused(503);
    assert_eq!(server.get("/api/v1/position?board=7x6").status, 200);
    drop(clients);
    in_flight(0.0);
    assert_eq!(server.post("/api/v1/positions?board=7x6", b"1").status, 200);
    // Answers that nobody reads are requests until their end.
    let clients: Vec<_> = (0..4).map(|_| server.send("GET /api/v1/position?board=9x7&stream=true")).collect();
    in_flight(4.0);
    assert_eq!(server.get("/healthz").status, 200);
    drop(clients);
    in_flight(0.0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_told_to_stop_ends_searches_with_an_answer() {
    let server = Server::alone("--search-seconds 60 --search-nodes 1e15");
    let client = server.send("GET /api/v1/position?board=9x7&position=1");
    eventually("a search runs", || server.metric("fourbase_searches_running") == 1.0);
    let player = server.send("GET /api/v1/move?board=9x7&moves=2&player=perfect");
    let all = || server.metric("fourbase_searches_running") + server.metric("fourbase_searches_waiting") == 2.0;
    eventually("a player runs or waits", all);
    let begin = Instant::now();
    assert_eq!(server.stop(Signal::INT), (Some(0), String::new()));
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    let answer = std::io::read_to_string(client).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"undecided\":true"), "{answer}");
    let answer = std::io::read_to_string(player).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("this server is stopping; "), "{answer}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_second_sigterm_cuts_no_answer_and_a_key_press_ends_the_server_at_once() {
    for (signals, is_whole) in [([Signal::TERM; 2], true), ([Signal::TERM, Signal::INT], false)] {
        let server = Server::start(&Program::with("4x4"), "");
        let batch = "-\n".repeat(10_000);
        let head = format!("POST /api/v1/positions?board=4x4 HTTP/1.0\r\nContent-Length: {}", batch.len());
        let mut client = server.write(format!("{head}\r\n\r\n{batch}").as_bytes());
        // The rest of the answer waits for the client.
        client.read_exact(&mut [0; 100]).expect("the first bytes");
        for signal in signals {
            server.signal(signal);
            std::thread::sleep(Duration::from_millis(200));
        }
        let answer = std::io::read_to_string(client).unwrap_or_default();
        assert_eq!(answer.lines().filter(|line| line.ends_with("\"error\":null}")).count() == 10_000, is_whole);
    }
}

#[test]
fn monitors_have_a_handful_of_connections() {
    let server = Server::alone("");
    let mut connections: Vec<_> = (0..9).map(|_| connect(&server.metrics)).collect();
    // The one beyond the limit is closed at once, the others after the time for a head.
    connections[8].set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
    assert_eq!(connections[8].read(&mut [0]).expect("an end"), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn every_request_is_counted_and_has_a_line_in_the_log_and_sigterm_ends_the_server() {
    let server = Server::alone("--log");
    let requests =
        [("/", 200), ("/nowhere", 404), ("/api/v1/boards", 200), ("/api/v1/nowhere", 404), ("/api/v1/move", 400)];
    for (address, status) in requests {
        assert_eq!(server.get(address).status, status, "{address}");
    }
    server.get(&format!("/api/v1/position?board=7x6&position={}", "1".repeat(3000))).refused(414);
    assert_eq!(server.metric("fourbase_requests_total{status=\"404\"}"), 2.0);
    let (code, log) = server.stop(Signal::TERM);
    assert_eq!(code, Some(0));
    for (address, status) in requests {
        let line = format!("method=GET uri={address} status={status} ");
        assert_eq!(log.matches(&line).count(), 1, "{line}: {log}");
    }
    let long = log.lines().find(|line| line.contains(" status=414 ")).expect("a line");
    assert!(long.contains("position=1111") && long.len() < 700, "{long}");
}

#[test]
fn a_link_to_a_game_names_the_picture_that_other_sites_show_beside_it() {
    let server = Server::alone("--base-path /connect4/");
    let preview = |path: &str, host: &str| {
        let request = format!("GET /connect4/{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let page = server.raw(request.as_bytes());
        assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("<title>"), "{page}");
        page.split_once("\"og:image\" content=\"")
            .and_then(|(_, rest)| Some(rest.split_once('"')?.0.replace("&amp;", "&")))
    };
    let picture = "http://x:80/connect4/api/v1/position.png?board=";
    for (path, position) in [
        ("", "7x6&position=1_------------------------------------------"),
        ("?board=3x2&moves=12&ply=1", "3x2&position=2_-X----"),
    ] {
        assert_eq!(preview(path, "x:80"), Some(format!("{picture}{position}")));
    }
    for (path, host) in
        [("?board=3x2&moves=9", "x"), ("?board=99x99", "x"), ("", "a@b"), ("", "a&quot;b"), ("", "a\"><b")]
    {
        assert_eq!(preview(path, host), None);
    }
    let drawn = server.raw(
        b"GET /connect4/api/v1/position.png?board=7x6&position=4453 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert!(drawn.contains("content-type: image/png\r\n") && drawn.contains("\r\n\r\n\u{fffd}PNG\r\n"), "{drawn}");
}

#[test]
fn the_page_and_its_files_are_served_under_a_base_path() {
    let server = Server::alone("--base-path /connect4/");
    // Its address ends with the path.
    assert_eq!(server.get("/healthz").body, "ok\n");
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let files: Vec<_> = page.body.split("\"page/").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
    assert_eq!(files, ["icon.svg", "style.css", "script.js"]);
    for name in files {
        let file = server.get(&format!("/page/{name}"));
        assert_eq!((file.status, file.header("cache-control")), (200, "no-cache"), "{name}");
        let again = server.get_with(&format!("/page/{name}"), &[("if-none-match", file.header("etag"))]);
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    }
    server.get("/page/index.html").refused(404);
    for (path, status, header) in [
        ("/connect4", "308", "location: /connect4/\r\n"),
        ("/robots.txt", "200", "LinkedInBot\nAllow: /connect4/api/v1/position.png\nDisallow: /connect4/api/\n"),
        ("/robots.txt", "200", "\nUser-agent: *\nDisallow: /connect4/api/\n"),
        ("/healthz", "404", ""),
    ] {
        let answer = server.raw(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(header), "{answer}");
    }
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_safe() {
    let server = Server::alone("");
    let long = format!("/api/v1/position?board={}", "x".repeat(3000));
    for address in ["/", "/healthz", "/robots.txt", "/api/v1/boards", "/nothing", "/api/v1/position?board=x", &long] {
        let reply = server.get_with(address, &[("origin", "http://localhost:3000")]);
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{address}");
        assert!(reply.header("content-security-policy").contains("default-src 'self'"), "{address}");
        assert_eq!(reply.header("access-control-allow-origin"), "http://localhost:3000", "{address}");
        assert_eq!(reply.header("access-control-expose-headers"), "etag,retry-after", "{address}");
    }
    for address in ["/", "/api/v1/boards", "/api/v1/position?board=9x7", "/uwapi/"] {
        let refused = server.get_with(address, &[("origin", "https://elsewhere")]);
        assert_eq!(refused.header("access-control-allow-origin"), "");
        assert!(refused.refused(403).contains("https://elsewhere"), "{address}");
    }
    let picture = server.get_with("/api/v1/position.svg?board=7x6&position=4453", &[("origin", "https://elsewhere")]);
    assert_eq!((picture.header("content-type"), picture.body.matches("<circle").count()), ("image/svg+xml", 44));
}

#[test]
fn what_is_large_is_compressed_and_a_stream_comes_line_by_line() {
    let server = Server::alone("");
    let ask = |address: &str, encoding: &str| {
        let (head, mut answer) = (format!("GET {address} HTTP/1.0\r\nAccept-Encoding: {encoding}\r\n\r\n"), Vec::new());
        server.write(head.as_bytes()).read_to_end(&mut answer).expect("an answer");
        let body = answer.split_off(answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4);
        (String::from_utf8_lossy(&answer).into_owned(), body)
    };
    for address in ["/api/v1/openapi.json", "/page/style.css"] {
        let plain = server.get(address).body;
        let (head, body) = ask(address, "gzip");
        assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
        assert_eq!(std::io::read_to_string(flate2::read::GzDecoder::new(&body[..])).expect("gzip"), plain);
        let (head, body) = ask(address, "gzip, zstd");
        assert!(head.contains("content-encoding: zstd") && body.len() < plain.len() / 2, "{head}");
    }
    for address in ["/api/v1/position?board=5x5&position=3333&stream=true", "/api/v1/position?board=7x6"] {
        assert!(!ask(address, "gzip, zstd").0.contains("content-encoding"), "{address}");
    }
}

#[test]
fn sites_that_are_allowed_may_ask() {
    for allowed in ["https://elsewhere", "*"] {
        let server = Server::alone(&format!("--allow-origin https://other --allow-origin {allowed}"));
        let reply = server.get_with("/api/v1/boards", &[("origin", "https://elsewhere")]);
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, allowed));
    }
}

#[test]
fn look_ups_searches_and_answers_at_hand_are_counted_apart() {
    let server = Server::start(&Program::with("4x4"), "");
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
fn the_counts_are_open_metrics_with_the_times_of_each_route() {
    let server = Server::start(&Program::with("4x4"), "--base-path /c4");
    server.get("/nowhere").refused(404);
    for position in ["1", "12", "123", "9"] {
        server.get(&format!("/api/v1/position?board=4x4&position={position}"));
    }
    server.get("/metrics").refused(404);
    let reply = server.counts();
    assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"));
    assert_eq!(reply.header("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    assert!(reply.body.ends_with("\n# EOF\n"), "{}", reply.body);
    assert_eq!(reply.body.matches("# TYPE fourbase_").count(), 10, "{}", reply.body);
    eventually("each request is counted and timed", || {
        let text = server.counts().body;
        // The numbers of lines whose name, with its labels, begins and ends so.
        let of = |begin: &str, end: &str| -> Vec<f64> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(begin)?.rsplit_once(' '));
            lines.filter(|(name, _)| name.ends_with(end)).map(|(_, number)| number.parse().expect("a number")).collect()
        };
        let position = "route=\"/api/v1/position\"}";
        let buckets = of("fourbase_request_seconds_bucket{le=", position);
        assert!(buckets.is_sorted() && of("fourbase_request_seconds_sum{", "}").iter().all(|sum| *sum > 0.0), "{text}");
        let counts: f64 = of("fourbase_request_seconds_count{", "}").iter().sum();
        let of_position = (of("fourbase_request_seconds_count{", position), buckets.last(), buckets.len() > 10);
        let requests: f64 = of("fourbase_requests_total{", "}").iter().sum();
        counts >= 5.0 && counts == requests && of_position == (vec![4.0], Some(&4.0), true)
    });
    assert_eq!(server.metric("fourbase_requests_total{status=\"400\"}"), 1.0);
}
