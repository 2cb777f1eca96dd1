//! The published schemas, generated from the types whose lines they describe.
//!
//! `docs/fourbase.schema.json` describes what `--json` prints. `docs/openapi.json` describes what the server answers, and the
//! server has a copy of that file. The descriptions in both files are the comments of the fields. To write the files again after a
//! change:
//!
//! ```console
//! $ FOURBASE_UPDATE=1 cargo test -p fourbase-tools schema_test
//! ```

use std::fs;
use std::path::Path;

use fourbase::analysis::json::{AnalysisJson, AnswerJson, Envelope, GameAnalysisJson, SCHEMA};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::cli::{export, grade, list, match_, prove, solve, verify};
use crate::server;

/// A kind of line: the name of its definition, its `command`, and the function that makes its schema.
pub type Line = (&'static str, &'static str, fn(&mut SchemaGenerator) -> Schema);

/// Describes a line whose body is `T`.
pub fn line<T: JsonSchema>(name: &'static str, command: &'static str) -> Line {
    (name, command, |generator| {
        let mut schema = Envelope::<T>::json_schema(generator);
        let description = T::json_schema(generator).get("description").cloned().unwrap_or_default();
        schema.insert("description".to_owned(), description);
        schema
    })
}

/// Lists the kinds of lines that the program prints.
pub fn lines() -> Vec<Line> {
    vec![
        line::<solve::report::Solved>("solve", "solve"),
        line::<solve::report::Planned>("plan", "solve"),
        line::<AnswerJson<AnalysisJson>>("query", "query"),
        line::<fourbase_tiers::counts::Stats>("stats", "stats"),
        line::<AnswerJson<fourbase::analysis::DescriptionJson>>("position", "position"),
        line::<list::Listed>("list", "list"),
        line::<AnswerJson<GameAnalysisJson>>("analyse", "analyse"),
        line::<match_::MatchReport>("match", "match"),
        line::<grade::report::GradeReport>("grade", "grade"),
        line::<export::ExportReport>("export", "export"),
        line::<prove::report::StrategyReport>("strategy", "strategy"),
        line::<verify::report::Verified>("verify", "verify"),
        line::<fourbase::puzzles::PuzzlesJson>("puzzles", "puzzles"),
    ]
}

/// Returns the definitions of some lines and of all types that these refer to. `path` is the place of the definitions in the
/// document.
pub fn definitions(path: &str, lines: &[Line]) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.with(|settings| settings.definitions_path = path.to_owned().into()).into_generator();
    let mut found = Map::new();
    for (name, command, schema) in lines {
        let mut schema = schema(&mut generator).to_value();
        schema["properties"]["schema"] =
            json!({"description": "The version of the fields and their meaning.", "const": SCHEMA});
        schema["properties"]["command"] = json!({"const": command});
        found.insert((*name).to_owned(), schema);
    }
    found.extend(generator.take_definitions(true));
    found.values_mut().for_each(narrow_fields);
    found
}

/// Returns the schema of a field's values by the field's name, because a name means the same in every line.
/// `docs/reference/json.md` explains the names.
fn of_word(name: &str) -> Option<Value> {
    Some(match name {
        "board" => json!({"pattern": "^[1-9][0-9]?x[1-9][0-9]?(c[1-9][0-9]{0,2})?m?$"}),
        "stores" => json!({"enum": ["wdl", "remoteness"]}),
        "value" | "played_value" | "from" | "to" => json!({"enum": ["win", "lose", "tie"]}),
        "to_move" | "winner" => json!({"enum": ["first", "second"]}),
        "player" => json!({"pattern": "^[a-z-]+(:[a-z0-9]+){0,2}$"}),
        "remoteness" | "played_remoteness" | "ply" => json!({"maximum": 64}),
        "population" => json!({"enum": ["positions", "plies"]}),
        "keep_plies" => json!({"minimum": 1, "maximum": 64}),
        "column" => json!({"minimum": 1, "maximum": 32}),
        "columns" => json!({"items": {"type": "integer", "minimum": 1, "maximum": 32}}),
        "number" | "width" | "height" | "connect" | "levels" => json!({"minimum": 1}),
        "hash" => json!({"pattern": "^[0-9a-f]{64}$"}),
        "moves" | "line" | "refutation_line" | "undefined_line" => json!({"pattern": "^[1-9a-w]*$"}),
        "bits" => json!({"pattern": "^[01]+( [01]+)*$"}),
        "uni" => json!({"pattern": "^[12]_[-XO]+$"}),
        "of_plies" => json!({"pattern": "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"}),
        _ if name.ends_with("_share") => json!({"minimum": 0, "maximum": 1}),
        _ if name.ends_with("seconds") || name.ends_with("per_second") => json!({"minimum": 0}),
        _ => return None,
    })
}

/// Restricts all fields of a schema to their values ([`of_word`]), and all objects to the fields that the schema lists.
pub fn narrow_fields(schema: &mut Value) {
    match schema {
        Value::Object(parts) => {
            if let Some(Value::Object(fields)) = parts.get_mut("properties") {
                fields.iter_mut().for_each(|(name, field)| narrow(field, of_word(name)));
                parts.insert("additionalProperties".to_owned(), json!(false));
            }
            parts.values_mut().for_each(narrow_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(narrow_fields),
        _ => {}
    }
}

/// Restricts the schema of a field to `values`. A field that may be null may still be null.
fn narrow(field: &mut Value, values: Option<Value>) {
    let is_nullable = field["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
    for (key, mut value) in values.as_ref().and_then(Value::as_object).cloned().unwrap_or_default() {
        if let ("enum", true, Some(names)) = (key.as_str(), is_nullable, value.as_array_mut()) {
            names.push(Value::Null);
        }
        // Skip the server's field `line`, a boolean: elsewhere `line` is a line of play.
        if field["type"] != json!("boolean") {
            field[key] = value;
        }
    }
}

/// Describes what the program prints with `--json`.
fn of_program() -> Value {
    let lines = lines();
    let kinds: Vec<Value> = lines.iter().map(|(name, ..)| json!({"$ref": format!("#/$defs/{name}")})).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A line that fourbase prints with --json, version {SCHEMA}"),
        "description": "docs/reference/json.md describes the fields. To check one subcommand alone, refer to its definition, such as #/$defs/query.",
        "oneOf": kinds,
        "$defs": definitions("/$defs", &lines),
    })
}

/// Describes what the server answers.
fn of_server() -> Value {
    let answers = ["query", "analyse", "stats", "puzzles"];
    let mut lines: Vec<Line> = lines().into_iter().filter(|line| answers.contains(&line.0)).collect();
    lines.push(line::<server::boards::Listed>("boards", "boards"));
    lines.push(line::<fourbase::players::json::MoveJson>("move", "move"));
    lines.push(line::<fourbase::players::json::PlayersJson>("players", "players"));
    lines.push(line::<fourbase::players::json::RandomJson>("random", "random"));
    let mut schemas = definitions("/components/schemas", &lines);
    schemas.insert("refused".to_owned(), bare::<server::failure::Body>());
    schemas.insert("scores".to_owned(), bare::<server::position::ScoresJson>());
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
                "description": "Why there is no answer: 400 bad input, 403 another web site, 404 not there, 405 another method, 408 too slow, 413 and \
                                414 too long, 422 no answer, 429 and 503 too busy, 500 broken.",
                "headers": {"Retry-After": {"description": "Seconds; with 429 and 503", "schema": {"type": "integer"}}},
                "content": {"application/json": {"schema": reference("refused")}}
            }},
            "schemas": schemas
        }
    })
}

/// Returns the schema of an answer that does not begin with `schema` and `command`.
fn bare<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.remove("$schema");
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema.to_value()
}

/// Describes the addresses of the server.
fn paths() -> Value {
    let get = |id: &str, summary: &str, fields: Vec<Value>, answer: Value| json!({"get": operation(id, summary, fields, &answer)});
    let as_json = |description: &str, name: &str| body(description, "application/json", &reference(name));
    let summary = "Tell the same about up to 10,000 positions, a line each";
    let lines = body("A line for each position, in their order", "application/x-ndjson", &reference("query"));
    let mut positions = operation("positions", summary, fields::<server::batch::BatchQuery>(), &lines);
    let text = json!({"type": "string", "maxLength": 1_048_576});
    positions["requestBody"] = body("A position in each line", "text/plain", &text);
    positions["requestBody"]["required"] = true.into();
    let mut paths = json!({
        "/boards": get(
            "boards", "List the boards that have a database, smallest first", vec![], as_json("The boards", "boards")),
        "/position": get(
            "position", "Tell what a position and its moves are worth", fields::<server::position::PositionQuery>(),
            as_json("The answer", "query")),
        "/positions": {"post": positions},
        "/position.svg": get(
            "picture", "Draw a position", fields::<server::picture::PictureQuery>(),
            body("The picture", "image/svg+xml", &json!({"type": "string"}))),
        "/position.png": get(
            "preview", "Draw a position for the preview of a link", fields::<server::picture::PictureQuery>(),
            body("The picture, 1200 x 630 pixels", "image/png", &json!({}))),
        "/analysis": get(
            "analysis", "Find the mistakes of a game", fields::<server::games::AnalysisQuery>(), as_json("The analysis", "analyse")),
        "/players": get(
            "players", "List the players, with the levels that are allowed on a board", fields::<server::boards::BoardQuery>(),
            as_json("The players", "players")),
        "/move": get("move", "Ask a player for a move", fields::<server::games::MoveQuery>(), as_json("The move", "move")),
        "/puzzle": get(
            "puzzle", "Draw a position with exactly one good move", fields::<server::games::PuzzleQuery>(),
            as_json("A list of one puzzle", "puzzles")),
        "/random": get(
            "random", "Draw an unfinished position at random", fields::<server::position::RandomQuery>(),
            as_json("The position", "random")),
        "/stats": get(
            "stats", "Tell how many positions of a board are won, tied and lost", fields::<server::boards::BoardQuery>(),
            as_json("The counts, if fourbase stats or fourbase solve --stats has kept them beside the database", "stats")),
        "/openapi.json": get(
            "openapi", "Describe these addresses", vec![], body("This description", "application/json", &json!({"type": "object"}))),
        "/solve": get(
            "solve", "Score the moves as the server of gamesolver.org does", fields::<server::position::SolveQuery>(),
            as_json("The scores", "scores")),
    });
    // `/solve` is not beneath `api/v1`, unlike the other addresses, so it has a server entry of its own.
    paths["/solve"]["servers"] = json!([{"url": "../..", "description": "The address of the page"}]);
    // `/position` may answer with several lines of JSON, and its answers have a tag.
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
    let responses = json!({"200": answer, "default": {"$ref": "#/components/responses/Refused"}});
    let mut operation = json!({"operationId": id, "summary": summary, "responses": responses});
    if !fields.is_empty() {
        operation["parameters"] = fields.into();
    }
    operation
}

fn body(description: &str, media: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {media: {"schema": schema}}})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Describes the fields of an address's query string, from the type `T` that reads them.
fn fields<T: JsonSchema>() -> Vec<Value> {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| settings.inline_subschemas = true);
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

/// Checks that a file contains `expected`. If `FOURBASE_UPDATE` is set, writes the file instead.
fn check(file: &str, expected: String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("FOURBASE_UPDATE").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let is_current = fs::read_to_string(&path).is_ok_and(|found| found == expected);
    assert!(is_current, "{file} is old; write it with: FOURBASE_UPDATE=1 cargo test -p fourbase-tools schema_test");
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    check("docs/fourbase.schema.json", format!("{:#}\n", of_program()));
    let served = of_server();
    check("docs/openapi.json", format!("{served:#}\n"));
    check("tools/src/server/openapi.json", format!("{served}\n"));
}
