//! `GET api/v1/openapi.json`: the description of the addresses, for programs.
//!
//! The addresses are in `openapi.json`. The answers that are lines of the command line have their definitions in
//! `fourbase.schema.json`.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use super::written::{CHANGING, JSON};

/// The addresses and the answers that only the server has.
const ADDRESSES: &str = include_str!("openapi.json");

/// The lines of the command line.
const LINES: &str = include_str!("../../fourbase.schema.json");

/// The definitions of lines that are answers; those that they refer to come along.
const ANSWERS: [&str; 3] = ["query", "analyse", "stats"];

/// What references begin with, there and here.
const THERE: &str = "#/$defs/";
const HERE: &str = "#/components/schemas/";

static DESCRIPTION: LazyLock<Bytes> = LazyLock::new(|| {
    // Both files are part of the program, and a test reads what comes of them.
    Bytes::from(serde_json::to_vec(&described().unwrap_or_default()).unwrap_or_default())
});

/// Answers `GET api/v1/openapi.json`.
pub async fn get() -> Response {
    ([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, CHANGING)], DESCRIPTION.clone()).into_response()
}

/// Adds the definitions that the description refers to.
fn described() -> Option<Value> {
    let mut description: Value = serde_json::from_str(ADDRESSES).ok()?;
    let lines: Value = serde_json::from_str(&LINES.replace(THERE, HERE)).ok()?;
    let definitions = lines.get("$defs")?.as_object()?;
    let mut needed = names(ADDRESSES);
    needed.extend(ANSWERS.map(str::to_owned));
    let mut found = Map::new();
    while let Some(name) = needed.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| !found.contains_key(&name)) {
            needed.extend(names(&definition.to_string()));
            found.insert(name, definition.clone());
        }
    }
    description["components"]["schemas"].as_object_mut()?.extend(found);
    Some(description)
}

/// Lists the names that a text refers to.
fn names(text: &str) -> Vec<String> {
    let after = text.split(HERE).skip(1);
    after.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}
