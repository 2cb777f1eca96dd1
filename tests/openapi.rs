//! The description of the server's addresses. `tests/schema.py` compares the answers that are recorded here with it.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::program::{Program, record};
use crate::support::server::{Reply, Server};

/// What is asked at each address: answers of every kind, and refusals.
const QUESTIONS: &str = "
    /boards /openapi.json /position.svg?board=x /position.png?board=x /players?board=7x6 /random?board=7x6&ply=7&seed=3 /puzzle?board=4x4 /puzzle?board=4x4&date=2026 /stats?board=4x4
    /position?board=4x4&position=12&line=true /position?board=4x4&position=1212121 /position?board=7x6&position=4453
    /position?board=7x6&position=4453&stream=true&line=true /position?board=9x7&position=1 /position?board=9x7&position=1&stream=true
    /position?board=4x4&position=112&line=true&why=true /analysis?board=4x4&moves=1212133&why=true
    /analysis?board=4x4&moves=1234 /analysis?board=4x4&start=1_---X---O--------&moves=12 /analysis?board=4x4 /analysis?board=9x7&moves=12
    /move?board=4x4&moves=12&player=perfect /move?board=7x6&player=pomakis:3&seed=2 /move?board=7x6&player=pomakis:20
    /solve?pos=4453 /solve?board=4x4&pos=1212121
";

/// The address that is described and not beneath api/v1.
const SOLVE: &str = "/solve";

/// Returns the whole address of a question.
fn whole(question: &str) -> String {
    if question.starts_with(SOLVE) { question.to_owned() } else { format!("/api/v1{question}") }
}

/// Records each line of an answer.
fn record_answer(method: &str, path: &str, reply: &Reply) {
    let (status, media) = (reply.status, reply.header("content-type"));
    for body in reply.lines() {
        record(&json!({"answer": {"method": method, "path": path, "status": status, "media": media, "body": body}}));
    }
}

#[test]
fn every_address_is_described_and_has_answers() {
    let program = Program::new();
    program.run("solve 4x4 --stats").succeeds();
    let server = Server::start(&program, "--search-nodes 1000");
    let description = server.get("/api/v1/openapi.json").json();
    record(&json!({ "description": description }));
    let mut asked = BTreeSet::from(["/positions"]);
    for question in QUESTIONS.split_whitespace() {
        let path = question.split('?').next().expect("a path");
        asked.insert(path);
        record_answer("get", path, &server.get(&whole(question)));
    }
    for (board, positions) in [("4x4", "1\n12\nx\n"), ("x", "1\n")] {
        let reply = server.post(&format!("/api/v1/positions?board={board}"), positions.as_bytes());
        record_answer("post", "/positions", &reply);
    }
    let paths = description["paths"].as_object().expect("addresses");
    assert_eq!(asked, paths.keys().map(String::as_str).collect());
    let routes = include_str!("../tools/src/server/routes.rs");
    let (_, api) = routes.split_once("let api = Router::new()").expect("the addresses");
    let (api, _) = api.split_once(';').expect("their end");
    let routes = api.split(".route(\"").skip(1).map(|rest| rest.split('"').next().expect("a path"));
    assert_eq!(asked, routes.chain([SOLVE]).collect());
}

#[test]
fn every_parameter_that_is_described_is_read_and_no_other() {
    let server = Server::alone("");
    let description = server.get("/api/v1/openapi.json").json();
    for (path, methods) in description["paths"].as_object().expect("addresses") {
        let Some(parameters) = methods["get"]["parameters"].as_array() else { continue };
        let names = parameters.iter().filter(|of| of["in"] == "query").map(|of| of["name"].as_str().expect("a name"));
        // The refusal of an unknown field lists those that are known.
        let reply = server.get(&whole(&format!("{path}?nonsense=1")));
        record_answer("get", path, &reply);
        let reason = reply.refused(400);
        let (_, listed) = reason.split_once("expected ").expect("a list");
        let known: BTreeSet<_> = listed.split('`').skip(1).step_by(2).collect();
        assert_eq!(known, names.collect(), "{path}: {reason}");
    }
}
