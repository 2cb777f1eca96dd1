//! `fourbase serve` over time: streams, databases that appear, limits, signals, its log and its page. (`cmd/serve.md` shows its
//! answers.)

use std::io::Read;
use std::time::{Duration, Instant};

use fourbase::notation;
use serde_json::{Value as Json, json};

use crate::support::databases;
use crate::support::positions::{Random, board};
use crate::support::program::Program;
use crate::support::progress::StopAfterEntries;
use crate::support::proofs::random_positions;
use crate::support::server::{Server, eventually};
use crate::support::solves::Solve;
use crate::support::tiers::Values;

/// Takes the folder out of an answer of the command line: a server does not tell it.
fn without_folder(mut line: Json) -> Json {
    if line["source"].is_object() {
        line["source"]["folder"] = Json::Null;
    }
    line
}

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
    let browser = program.path("xdg-open");
    std::fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" > {}\n", program.path("opened").display()))
        .expect("a script");
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    program.set("PATH", &format!("{}:/usr/bin:/bin", program.path("").display()));
    let server = Server::start(&program, &["--base-path", "/c4"]);
    assert!(!program.path("opened").exists());
    drop(server);
    let server = Server::start(&program, &["--open", "--base-path", "/c4"]);
    let opened = || std::fs::read_to_string(program.path("opened")).unwrap_or_default();
    eventually("a browser is opened", || opened() == format!("{}/", server.url()));
}

#[test]
fn positions_and_games_have_the_answers_of_the_command_line() {
    let program = Program::with("5x4");
    let server = Server::start(&program, &[]);
    let mut random = Random::new(5);
    for ply in [0, 1, 2, 5, 8, 11, 14, 17] {
        for position in random_positions(board("5x4"), ply, 3, &mut random) {
            let text = notation::to_moves(&position).expect("moves");
            let reply = server.get(&format!("/api/v1/position?board=5x4&position={text}&line=true"));
            let expected = program.run(&format!("query 5x4 {text} --json")).first_json();
            assert_eq!((reply.status, reply.json()), (200, without_folder(expected)));
            let reply = server.get(&format!("/api/v1/analysis?board=5x4&moves={text}")).json();
            let expected = program.run(&format!("analyse 5x4 {text} --json")).first_json();
            assert_eq!(reply, without_folder(expected));
        }
    }
    let by_bits = server.get("/api/v1/position?board=5x4&position=10000+10000+01000+10000+10000");
    let by_uni = server.get("/api/v1/position?board=5x4&position=2_-----------X--------");
    let by_moves = server.get("/api/v1/position?board=5x4&position=3");
    assert_eq!((by_bits.json(), by_uni.json()), (by_moves.json(), by_moves.json()));
    assert_eq!(by_moves.json()["line"], Json::Null);
    assert_eq!(server.get("/api/v1/position?board=5x4").json()["position"]["moves"], json!(""));
}

#[test]
fn a_whole_answer_has_a_tag_and_is_not_sent_twice() {
    let program = Program::with("5x4");
    let server = Server::start(&program, &[]);
    let address = "/api/v1/position?board=5x4&position=33";
    let reply = server.get(address);
    let tag = reply.header("etag");
    assert_eq!((&tag[..3], reply.header("cache-control")), ("W/\"", "public, max-age=86400"));
    // A client may have it among others, and a proxy makes any tag weak or has a star.
    for known in [tag, &tag[2..], &format!("\"x\", {tag}"), "*"] {
        let again = server.get_with(address, &[("if-none-match", known)]);
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", tag), "{known}");
    }
    assert_eq!(server.get_with(address, &[("if-none-match", "\"other\"")]).status, 200);
    // A stream of what is looked up has nothing to tell on the way: it is the whole answer, which browsers may keep.
    let streamed = server.get(&format!("{address}&stream=true"));
    assert_eq!((&streamed.body, streamed.header("etag")), (&reply.body, tag));
    assert_eq!(server.metric("fourbase_cache_hits_total"), 2.0);
}

#[test]
fn long_questions_are_refused() {
    let server = Server::start(&Program::new(), &[]);
    let long = "1".repeat(600);
    server.get(&format!("/api/v1/position?board=5x4&position={long}")).refused(400);
    server.get(&format!("/api/v1/position?board=5x4&position={}", long.repeat(4))).refused(414);
}

#[test]
fn a_batch_has_the_answers_of_the_command_line_in_order() {
    let program = Program::with("5x4");
    let server = Server::start(&program, &[]);
    let mut random = Random::new(7);
    let positions = [2, 7, 12].into_iter().flat_map(|ply| random_positions(board("5x4"), ply, 40, &mut random));
    let mut lines: Vec<String> = positions.map(|position| notation::to_moves(&position).expect("moves")).collect();
    lines.extend(["9", "", "-", "3333333", "10000 10000 01000 10000 10000"].map(str::to_owned));
    let text = lines.join("\n");
    let reply = server.post("/api/v1/positions?board=5x4", text.as_bytes());
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/x-ndjson"));
    let (expected, _) = program.run_with_input("query 5x4 --batch --json", text + "\n").fails_after_output(2);
    let expected: Vec<Json> =
        expected.lines().map(|line| without_folder(serde_json::from_str(line).expect("JSON"))).collect();
    assert_eq!(reply.lines(), expected);
    server.post("/api/v1/positions?board=5x4", "1\n".repeat(10_001).as_bytes()).refused(413);
    server.post("/api/v1/positions?board=5x4", &vec![b'1'; 2 << 20]).refused(413);
    server.post("/api/v1/positions?board=5x4", b"\xff").refused(400);
    assert_eq!(server.post("/api/v1/positions?board=5x4", "-\n".repeat(10_000).as_bytes()).lines().len(), 10_000);
}

#[test]
fn a_stream_tells_the_value_then_moves_and_ends_with_the_answer() {
    let server = Server::start(&Program::new(), &["--search-seconds", "60", "--search-nodes", "1e9"]);
    let address = "/api/v1/position?board=5x5&position=3333&line=true";
    let lines = server.get(&format!("{address}&stream=true")).lines();
    let mut answer = server.get(address).json();
    let mut last = lines.last().expect("an answer").clone();
    // The second search finds what the first one remembers.
    answer["source"]["nodes"] = Json::Null;
    last["source"]["nodes"] = Json::Null;
    assert_eq!(last, answer);
    assert!(lines.len() >= 6, "{lines:?}");
    let known = |line: &Json| {
        let children = line["children"].as_array().expect("moves");
        (children.len(), children.iter().filter(|child| !child["value"].is_null()).count())
    };
    // The first line has the position, before anything is found out.
    assert_eq!((&lines[0]["value"], known(&lines[0]).1), (&Json::Null, 0));
    assert_eq!(lines[0]["position"], answer["position"]);
    for pair in lines[1..].windows(2) {
        assert_eq!((known(&pair[0]).0, &pair[0]["value"]), (known(&pair[1]).0, &answer["value"]));
        assert!(known(&pair[0]).1 <= known(&pair[1]).1);
    }
}

#[test]
fn a_search_ends_after_its_seconds() {
    let server = Server::start(&Program::new(), &["--search-seconds", "1", "--search-nodes", "1e15"]);
    let begin = Instant::now();
    let reply = server.get("/api/v1/position?board=9x7&position=1");
    assert!(begin.elapsed() >= Duration::from_secs(1), "{:?}", begin.elapsed());
    assert_eq!((reply.header("cache-control"), &reply.json()["undecided"]), ("no-store", &json!(true)));
}

#[test]
fn a_database_is_found_when_it_is_finished() {
    let program = Program::new();
    let server = Server::start(&program, &[]);
    let first = || server.get("/api/v1/position?board=4x4&position=1");
    assert_eq!(first().json()["source"]["kind"], json!("search"));
    let solve = Solve::new(board("4x4"), Values::Remoteness).with_root(program.path("db"));
    let entries = databases::shared(board("4x4"), Values::Remoteness).manifest().entries();
    solve.run_heard(&StopAfterEntries::new(entries / 2)).expect_err("a solve that is stopped");
    // For two seconds the server does not look again.
    std::thread::sleep(Duration::from_millis(2100));
    let reply = first();
    assert_eq!((&reply.json()["source"]["kind"], reply.header("etag")), (&json!("search"), ""));
    assert!(!server.get("/api/v1/boards").body.contains("\"4x4\""));
    program.run("solve 4x4").succeeds();
    eventually("the database is found", || first().json()["source"]["kind"] == json!("database"));
    assert!(first().header("etag").starts_with("W/\""));
    let boards = server.get("/api/v1/boards").json();
    assert_eq!((&boards["boards"][0]["board"], &boards["boards"][0]["embedded"]), (&json!("4x4"), &json!(false)));
}

#[test]
fn a_search_stops_when_the_client_goes_away_and_too_many_are_refused() {
    let server =
        Server::start(&Program::new(), &["--searches", "1", "--search-seconds", "60", "--search-nodes", "1e15"]);
    let mut clients = vec![server.write(b"GET /api/v1/position?board=9x7&position=1 HTTP/1.1\r\nHost: x\r\n\r\n")];
    eventually("a search runs", || server.metric("fourbase_searches_running") == 1.0);
    // Best play beyond the database is a search, too.
    let line = b"GET /api/v1/position?board=7x6&line=true HTTP/1.1\r\nHost: x\r\n\r\n";
    clients.extend((0..4).map(|_| server.write(line)));
    eventually("four wait", || server.metric("fourbase_searches_waiting") == 4.0);
    for stream in [false, true] {
        let refused = server.get(&format!("/api/v1/position?board=9x7&position=6&stream={stream}"));
        assert_eq!(refused.header("retry-after"), "5");
        assert!(refused.refused(429).starts_with("all searches of this server are taken; "));
    }
    // A look-up needs no search.
    assert_eq!(server.get("/api/v1/position?board=7x6").status, 200);
    drop(clients);
    eventually("nothing is searched", || {
        server.metric("fourbase_searches_running") + server.metric("fourbase_searches_waiting") == 0.0
    });
    assert!(server.metric("fourbase_searches_abandoned_total") >= 1.0);
}

#[test]
fn too_many_requests_are_refused_and_the_server_says_that_it_lives() {
    let server = Server::start(&Program::new(), &[]);
    let half = b"POST /api/v1/positions?board=7x6 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1";
    let clients: Vec<_> = (0..32).map(|_| server.write(half)).collect();
    eventually("32 batches begin", || server.metric("fourbase_requests_in_flight") == 32.0);
    let refused = server.post("/api/v1/positions?board=7x6", b"1");
    assert_eq!((refused.header("retry-after"), refused.header("access-control-allow-origin")), ("1", "*"));
    refused.refused(503);
    assert_eq!(server.get("/api/v1/position?board=7x6").status, 200);
    drop(clients);
    eventually("they are over", || server.metric("fourbase_requests_in_flight") == 0.0);
    assert_eq!(server.post("/api/v1/positions?board=7x6", b"1").status, 200);
    // Answers that nobody reads are requests until their end.
    let searched = b"GET /api/v1/position?board=9x7&stream=true HTTP/1.1\r\nHost: x\r\n\r\n";
    let clients: Vec<_> = (0..4).map(|_| server.write(searched)).collect();
    eventually("four streams begin", || server.metric("fourbase_requests_in_flight") == 4.0);
    assert_eq!(server.get("/healthz").status, 200);
    drop(clients);
    eventually("they are over", || server.metric("fourbase_requests_in_flight") == 0.0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_told_to_stop_ends_searches_with_an_answer() {
    let server = Server::start(&Program::new(), &["--search-seconds", "60", "--search-nodes", "1e15"]);
    let mut client =
        server.write(b"GET /api/v1/position?board=9x7&position=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    eventually("a search runs", || server.metric("fourbase_searches_running") == 1.0);
    let begin = Instant::now();
    assert_eq!(server.stop(), (Some(0), String::new()));
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"undecided\":true"), "{answer}");
}

#[test]
#[cfg(target_os = "linux")]
fn every_request_is_counted_and_has_a_line_in_the_log_and_sigterm_ends_the_server() {
    let server = Server::start(&Program::new(), &["--log"]);
    let requests = [
        ("/", 200),
        ("/api/v1/boards", 200),
        ("/nowhere", 404),
        ("/api/v1/nowhere", 404),
        ("/api/v1/position?board=7x6&position=8", 400),
    ];
    for (address, status) in requests {
        assert_eq!(server.get(address).status, status, "{address}");
    }
    server.get(&format!("/api/v1/position?board=7x6&position={}", "1".repeat(3000))).refused(414);
    assert_eq!(server.metric("fourbase_requests_total{status=\"404\"}"), 2.0);
    let (code, log) = server.stop_by(rustix::process::Signal::TERM);
    assert_eq!(code, Some(0));
    for (address, status) in requests {
        let line = format!("method=GET uri={address} status={status} ");
        assert_eq!(log.matches(&line).count(), 1, "{line}: {log}");
    }
    let long = log.lines().find(|line| line.contains(" status=414 ")).expect("a line");
    assert!(long.contains("position=1111") && long.len() < 700, "{long}");
}

#[test]
fn the_page_and_its_files_are_served_under_a_base_path() {
    let server = Server::start(&Program::new(), &["--base-path", "/connect4/"]);
    // Its address ends with the path.
    let health = server.get("/healthz");
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let files = page.body.split("\"page/").skip(1).map(|rest| rest.split('"').next().expect("a name"));
    let files: Vec<&str> = files.collect();
    assert_eq!(files, ["icon.svg", "style.css", "app.js"]);
    for name in files {
        let file = server.get(&format!("/page/{name}"));
        assert_eq!((file.status, file.header("cache-control")), (200, "no-cache"), "{name}");
        let again = server.get_with(&format!("/page/{name}"), &[("if-none-match", file.header("etag"))]);
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    }
    server.get("/page/none.js").refused(404);
    for (path, status, header) in [
        ("/connect4", "308", "location: /connect4/\r\n"),
        ("/robots.txt", "200", "Disallow: /connect4/api/\n"),
        ("/healthz", "404", ""),
    ] {
        let answer = server.raw(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(header), "{answer}");
    }
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_safe() {
    let server = Server::start(&Program::new(), &[]);
    let long = format!("/api/v1/position?board={}", "x".repeat(3000));
    for address in ["/", "/healthz", "/robots.txt", "/api/v1/boards", "/nothing", "/api/v1/position?board=x", &long] {
        let reply = server.get_with(address, &[("origin", "http://elsewhere")]);
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{address}");
        assert!(reply.header("content-security-policy").contains("default-src 'self'"), "{address}");
        assert_eq!(reply.header("access-control-allow-origin"), "*", "{address}");
        assert_eq!(reply.header("access-control-expose-headers"), "etag,retry-after", "{address}");
    }
    let picture = server.get("/api/v1/position.svg?board=7x6&position=4453");
    assert_eq!((picture.header("content-type"), picture.body.matches("<circle").count()), ("image/svg+xml", 44));
}
