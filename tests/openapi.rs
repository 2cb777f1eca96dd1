//! The description of the server's addresses, held against the answers.

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value as Json, json};

use crate::support::program::Program;
use crate::support::server::{Reply, Server};

/// The description.
struct Described(Json);

impl Described {
    /// Makes a validator of the answers of an address with a status.
    fn validator(&self, method: &str, path: &str, status: u16, media: &str) -> Validator {
        let responses = &self.0["paths"][path][method]["responses"];
        let response = match &responses[status.to_string()] {
            Json::Null => &responses["default"],
            response => response,
        };
        let response = match response["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.trim_start_matches('#')).expect("a response"),
            None => response,
        };
        let mut schema = response["content"][media]["schema"].clone();
        assert!(schema.is_object(), "{method} {path} {status} {media}");
        schema["components"] = self.0["components"].clone();
        jsonschema::draft202012::new(&schema).expect("a schema")
    }

    /// Compares each line of an answer with the description.
    fn holds(&self, method: &str, path: &str, reply: &Reply) {
        let media = reply.header("content-type");
        let validator = self.validator(method, path, reply.status, media);
        for line in reply.lines() {
            let faults: Vec<String> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "{path}: {faults:?}\n{line}");
        }
    }
}

#[test]
fn the_answers_are_as_the_description_says() {
    let program = Program::new();
    program.run("solve 4x4 --stats").succeeds();
    let server = Server::start(&program, &["--search-nodes", "1000"]);
    let description = Described(server.get("/api/v1/openapi.json").json());
    let mut asked = BTreeSet::new();
    let refused = ["/boards", "/openapi.json"];
    for (path, questions) in [
        ("/boards", &[""][..]),
        ("/openapi.json", &[""]),
        (
            "/position",
            &[
                "?board=4x4&position=12&line=true",
                "?board=4x4&position=1212121",
                "?board=7x6&position=4453",
                "?board=7x6&position=4453&stream=true&line=true",
                "?board=9x7&position=1",
                "?board=9x7&position=1&stream=true",
                "?board=4x4&position=x",
                "?board=9x7&search=never",
            ],
        ),
        ("/players", &["?board=7x6", "?board=x"]),
        (
            "/analysis",
            &[
                "?board=4x4&moves=1234",
                "?board=4x4&start=1_---X---O--------&moves=12",
                "?board=4x4",
                "?board=9x7&moves=12",
                "?board=4x4&moves=9",
            ],
        ),
        (
            "/move",
            &[
                "?board=4x4&moves=12&player=perfect",
                "?board=7x6&player=pomakis:3&seed=2",
                "?board=7x6&player=pomakis:20",
            ],
        ),
        ("/random", &["?board=7x6&ply=7&seed=3", "?board=7x6", "?board=7x6&ply=99"]),
        ("/stats", &["?board=4x4", "?board=9x7", "?board="]),
    ] {
        asked.insert(path.to_owned());
        for question in questions {
            description.holds("get", path, &server.get(&format!("/api/v1{path}{question}")));
        }
        if !refused.contains(&path) {
            let reply = server.get(&format!("/api/v1{path}?board=4x4&nonsense=1"));
            assert_eq!(reply.status, 400);
            description.holds("get", path, &reply);
        }
    }
    description.holds("post", "/positions", &server.post("/api/v1/positions?board=4x4", b"1\n12\nx\n"));
    description.holds("post", "/positions", &server.post("/api/v1/positions?board=x", b"1\n"));
    asked.insert("/positions".to_owned());
    let picture = server.get("/api/v1/position.svg?board=4x4");
    assert!(
        description.0["paths"]["/position.svg"]["get"]["responses"]["200"]["content"][picture.header("content-type")]
            .is_object()
    );
    description.holds("get", "/position.svg", &server.get("/api/v1/position.svg?board=x"));
    asked.insert("/position.svg".to_owned());
    // Every described address was asked, and every address of the program is described.
    let described = description.0["paths"].as_object().expect("addresses").keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(asked, described);
    let routes = include_str!("../tools/src/server/routes.rs");
    let (_, api) = routes.split_once("let api = Router::new()").expect("the addresses");
    let (api, _) = api.split_once(';').expect("their end");
    let routes: BTreeSet<String> =
        api.split(".route(\"").skip(1).map(|rest| rest.split('"').next().expect("a path").to_owned()).collect();
    assert_eq!(routes, described);
}

#[test]
fn a_wrong_answer_would_be_found() {
    let server = Server::start(&Program::new(), &[]);
    let description = Described(server.get("/api/v1/openapi.json").json());
    let validator = description.validator("get", "/move", 200, "application/json");
    let right = server.get("/api/v1/move?board=7x6&player=random").json();
    assert!(validator.is_valid(&right));
    for (field, wrong) in [("column", json!(0)), ("seed", json!("1")), ("board", json!("7")), ("more", json!(1))] {
        let mut answer = right.clone();
        answer[field] = wrong;
        assert!(!validator.is_valid(&answer), "{field}");
    }
}

#[test]
fn every_parameter_that_is_described_is_read_and_no_other() {
    let server = Server::start(&Program::new(), &[]);
    let description = server.get("/api/v1/openapi.json").json();
    let resolved = |parameter: &Json| match parameter["$ref"].as_str() {
        Some(reference) => description.pointer(reference.trim_start_matches('#')).expect("a parameter").clone(),
        None => parameter.clone(),
    };
    for (path, methods) in description["paths"].as_object().expect("addresses") {
        let Some(parameters) = methods["get"]["parameters"].as_array() else { continue };
        let names = parameters.iter().map(resolved).filter(|of| of["in"] == "query");
        let expected: BTreeSet<String> = names.map(|of| of["name"].as_str().expect("a name").to_owned()).collect();
        // The refusal of an unknown field lists those that are known.
        let reason = server.get(&format!("/api/v1{path}?nonsense=1")).refused(400);
        let (_, listed) = reason.split_once("expected ").expect("a list");
        let known: BTreeSet<String> = listed.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(known, expected, "{path}: {reason}");
    }
}
