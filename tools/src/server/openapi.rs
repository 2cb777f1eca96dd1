//! `GET api/v1/openapi.json`: the description of the addresses, for programs.
//!
//! `openapi.json` is generated from the types of the questions and the answers: `schema_test.rs` says how.

use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::written::{CHANGING, JSON};

static DESCRIPTION: &[u8] = include_bytes!("openapi.json");

/// Answers `GET api/v1/openapi.json`.
pub async fn get() -> Response {
    ([(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, CHANGING)], Bytes::from_static(DESCRIPTION)).into_response()
}

/// The addresses with their fields and answers.
#[cfg(test)]
pub mod description {
    use schemars::JsonSchema;
    use schemars::generate::SchemaSettings;
    use serde_json::{Value, json};

    use super::super::{batch, boards_api, failure, games, page, players, position, random};
    use crate::schema_test::{Line, definitions, line, lines, narrow_fields};

    /// Describes what the server answers.
    pub fn of_server() -> Value {
        let answers = ["query", "analyse", "stats"];
        let mut lines: Vec<Line> = lines().into_iter().filter(|line| answers.contains(&line.0)).collect();
        lines.push(line::<boards_api::Listed>("boards", "boards"));
        lines.push(line::<players::MoveJson>("move", "move"));
        lines.push(line::<players::PlayersJson>("players", "players"));
        lines.push(line::<random::RandomJson>("random", "random"));
        let mut schemas = definitions("/components/schemas", &lines);
        let mut refused = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<failure::Body>();
        refused.remove("$schema");
        refused.insert("additionalProperties".to_owned(), json!(false));
        schemas.insert("refused".to_owned(), refused.to_value());
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "fourbase",
                "version": "1",
                "description": "Values and remotenesses of Connect Four positions, from databases and by search. \
                                docs/reference/http.md explains the fields.",
                "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
            },
            "servers": [{"url": ".", "description": "The folder of this description"}],
            "paths": paths(),
            "components": {
                "responses": {"Refused": {
                    "description": "Why there is no answer: 400 bad input, 404 not there, 405 another method, 408 too slow, 413 and \
                                    414 too long, 422 no answer, 429 and 503 too busy, 500 broken.",
                    "headers": {"Retry-After": {"description": "Seconds; with 429 and 503", "schema": {"type": "integer"}}},
                    "content": content("application/json", &reference("refused"))
                }},
                "schemas": schemas
            }
        })
    }

    /// Describes the addresses.
    fn paths() -> Value {
        let get = |id: &str, summary: &str, fields: Vec<Value>, answer: Value| json!({"get": operation(id, summary, fields, &answer)});
        let as_json = |description: &str, name: &str| json!({"description": description, "content": content("application/json", &reference(name))});
        let lines = json!({
            "description": "A line for each position, in their order",
            "content": content("application/x-ndjson", &reference("query"))
        });
        let mut positions = operation(
            "positions",
            "Tell the same about up to 10,000 positions, a line each",
            fields::<batch::Asked>(),
            &lines,
        );
        positions["requestBody"] = json!({
            "required": true,
            "description": "A position in each line",
            "content": content("text/plain", &json!({"type": "string", "maxLength": 1_048_576}))
        });
        let mut paths = json!({
            "/boards": get(
                "boards", "List the boards that have a database, smallest first", vec![], as_json("The boards", "boards")),
            "/position": get(
                "position", "Tell what a position and its moves are worth", fields::<position::Asked>(),
                as_json("The answer", "query")),
            "/positions": {"post": positions},
            "/position.svg": get("picture", "Draw a position", fields::<page::AskedPicture>(), json!({
                "description": "The picture", "content": content("image/svg+xml", &json!({"type": "string"}))
            })),
            "/analysis": get(
                "analysis", "Tell what every move of a game gave away", fields::<games::Asked>(),
                as_json("The analysis", "analyse")),
            "/players": get(
                "players", "List the players, with the levels that are allowed on a board", fields::<players::AskedPlayers>(),
                as_json("The players", "players")),
            "/move": get(
                "move", "Ask a player for a move", fields::<players::AskedMove>(), as_json("The move", "move")),
            "/random": get(
                "random", "Draw an unfinished position at random", fields::<random::AskedRandom>(),
                as_json("The position", "random")),
            "/stats": get(
                "stats", "Tell how many positions of a board are won, tied and lost", fields::<boards_api::AskedStats>(),
                as_json("The counts, if fourbase stats or fourbase solve --stats has kept them beside the database", "stats")),
            "/openapi.json": get("openapi", "Describe these addresses", vec![], json!({
                "description": "This description", "content": content("application/json", &json!({"type": "object"}))
            })),
        });
        // An answer of this address may come as lines, and has a tag.
        let position = &mut paths["/position"]["get"];
        position["responses"]["200"]["content"]["application/x-ndjson"] = json!({"schema": reference("query")});
        position["responses"]["200"]["headers"] =
            json!({"ETag": {"description": "From the hash of the database", "schema": {"type": "string"}}});
        position["responses"]["304"] = json!({"description": "The answer at hand is right"});
        let tag = json!({
            "name": "If-None-Match", "in": "header", "description": "The ETag of an answer at hand.", "schema": {"type": "string"}
        });
        position["parameters"].as_array_mut().expect("a list").push(tag);
        paths
    }

    fn operation(id: &str, summary: &str, fields: Vec<Value>, answer: &Value) -> Value {
        let refused = json!({"$ref": "#/components/responses/Refused"});
        let responses = json!({"200": answer, "default": refused});
        let mut operation = json!({"operationId": id, "summary": summary, "responses": responses});
        if !fields.is_empty() {
            operation["parameters"] = fields.into();
        }
        operation
    }

    fn content(media: &str, schema: &Value) -> Value {
        json!({media: {"schema": schema}})
    }

    fn reference(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// Describes the fields of an address.
    fn fields<T: JsonSchema>() -> Vec<Value> {
        let settings =
            SchemaSettings::draft2020_12().for_deserialize().with(|settings| settings.inline_subschemas = true);
        let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        narrow_fields(&mut schema);
        let needed = schema["required"].as_array().cloned().unwrap_or_default();
        let fields = schema["properties"].as_object().expect("fields");
        let field = |(name, schema): (&String, &Value)| {
            let mut schema = schema.clone();
            let description = schema.as_object_mut().and_then(|parts| parts.remove("description"));
            let required = needed.contains(&json!(name));
            json!({"name": name, "in": "query", "required": required, "description": description, "schema": schema})
        };
        fields.iter().map(field).collect()
    }
}
