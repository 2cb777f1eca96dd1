//! The server and clients that mean it no good: whatever they send, it answers 4xx or closes, and goes on.

use crate::support::hostile;
use crate::support::positions::Random;
use crate::support::program::Program;
use crate::support::server::{Server, eventually};

/// An address of every route, and one of every kind of query.
const ADDRESSES: &str = "
    / /?board=4x4&moves=1234&ply=2 /page/app.js /healthz /robots.txt
    /api/v1/boards /api/v1/openapi.json /api/v1/players?board=4x4 /api/v1/stats?board=4x4 /api/v1/random?board=4x4&ply=3&seed=9
    /api/v1/position?board=4x4&position=1234&line=true /api/v1/position?board=4x4&position=1234&stream=true&search=auto
    /api/v1/position.svg?board=4x4&position=1234 /api/v1/position.png?board=4x4&position=1234
    /api/v1/move?board=4x4&moves=12&player=pomakis:3&seed=5
    /api/v1/analysis?board=4x4&moves=1234 /api/v1/analysis?board=4x4&start=1_--XO--XO--------&moves=34
    /uwapi/ /uwapi/connect4/4x4/ /uwapi/connect4/4x4/positions/?p=1_---X---O-------- /uwapi/connect4/4x4/instructions/?locale=en-US
    /solve?board=4x4&pos=1234 /connect4/1/start/ /connect4/2/positions/?p=1_------------------------------------------
";

/// Statuses of answers to anything. 422 and 429 need a question that can be read, 501 and 505 are no HTTP/1.1; a mutation may be either.
const STATUSES: [&str; 15] =
    ["200", "206", "304", "308", "400", "404", "405", "408", "413", "414", "422", "429", "431", "501", "505"];

fn request(method: &str, address: &str, body: &str) -> Vec<u8> {
    let head = format!("{method} {address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}", body.len());
    format!("{head}\r\n\r\n{body}").into_bytes()
}

/// Sends bytes and checks the status of the answer, if there is one.
#[track_caller]
fn survives(server: &Server, bytes: &[u8]) -> String {
    let answer = server.raw(bytes);
    let status = answer.split(' ').nth(1).unwrap_or("400");
    assert!(STATUSES.contains(&status), "{answer}");
    answer
}

/// Checks that the server answers, and ends well.
fn lives(server: Server) {
    assert_eq!(server.get("/healthz").status, 200);
    #[cfg(target_os = "linux")]
    assert_eq!(server.stop(rustix::process::Signal::INT), (Some(0), String::new()));
}

#[test]
fn every_route_answers_what_it_should_and_survives_changed_bytes_and_hostile_fields() {
    let server = Server::start(&Program::with("4x4"), "--search-nodes 10000 --search-seconds 5");
    let mut random = Random::new(11);
    let encoded = |bytes: &[u8]| bytes.iter().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let gets = ADDRESSES.split_whitespace().map(|address| ("GET", address, ""));
    for (method, address, body) in gets.chain([("POST", "/api/v1/positions?board=4x4", "12\n34\n")]) {
        let whole = request(method, address, body);
        let answer = survives(&server, &whole);
        let expected = if address.contains("/stats") { "HTTP/1.1 404 " } else { "HTTP/1.1 200 " };
        assert!(answer.starts_with(expected), "{address}: {answer}");
        for _ in 0..25 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len());
                bytes[place] = random.below(256) as u8;
            }
            survives(&server, &bytes);
        }
        let Some((path, fields)) = address.split_once('?') else { continue };
        for _ in 0..20 {
            let mut fields: Vec<String> = fields.split('&').map(str::to_owned).collect();
            let mut text = hostile::line(&mut random, 1000);
            text.truncate(500);
            let field = random.below(fields.len());
            let (name, _) = fields[field].split_once('=').expect("a value");
            fields[field] = format!("{name}={}", encoded(&text));
            survives(&server, &request(method, &format!("{path}?{}", fields.join("&")), body));
        }
    }
    for _ in 0..100 {
        let lines = (0..random.below(20)).map(|_| hostile::line(&mut random, 500));
        let body = lines.collect::<Vec<_>>().join(&b'\n');
        let reply = server.post("/api/v1/positions?board=4x4", &body);
        assert!([200, 400, 413].contains(&reply.status), "{}", reply.status);
    }
    lives(server);
}

#[test]
fn paths_lead_nowhere_else() {
    let server = Server::start(&Program::with("4x4"), "");
    let paths = "/../../etc/passwd /page/../../Cargo.toml /page/%2e%2e%2fserve.rs /page//etc/passwd /page/..\\..\\x // \
                 /page/ /page/app.js/ /page/APP.JS /page/app.js%00.html /api/v1/../../db/4x4/remoteness/manifest";
    for path in paths.split(' ') {
        let answer = survives(&server, &request("GET", path, ""));
        assert!(answer.starts_with("HTTP/1.1 404 ") || answer.starts_with("HTTP/1.1 400 "), "{path}: {answer}");
    }
}

#[test]
fn half_and_huge_requests_are_refused() {
    let server = Server::start(&Program::with("4x4"), "");
    for bytes in [
        &b"\0\0\0\0"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/v1/positions?board=4x4 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /api/v1/position?board=4x4&position=%ff%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        let answer = server.raw(bytes);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    for head in [format!("X: {}", "x".repeat(1 << 20)), "X: 1\r\n".repeat(10_000)] {
        let huge = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n");
        assert!(!server.raw(huge.as_bytes()).starts_with("HTTP/1.1 2"));
    }
    lives(server);
}

#[test]
#[cfg(target_os = "linux")]
fn clients_that_do_not_read_are_cut_off_and_memory_stays_small() {
    let server = Server::start(&Program::with("4x4"), "");
    let question = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000);
    // Each asks for 40 MB and reads nothing.
    let clients: Vec<_> = (0..20)
        .map(|_| {
            let stream = server.write(b"");
            stream.set_nonblocking(true).expect("a mode");
            let _ = std::io::Write::write(&mut &stream, &question);
            stream
        })
        .collect();
    let batch = request("POST", "/api/v1/positions?board=4x4", &"-\n".repeat(10_000));
    for _ in 0..40 {
        drop(server.write(&batch));
    }
    eventually("they are cut off", || server.metric("fourbase_requests_in_flight") == 0.0);
    assert!(server.peak_kib() < Some(200 << 10), "{:?}", server.peak_kib());
    drop(clients);
}
