//! The JSON Schema of what the program prints with `--json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema as it is published.
pub static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../docs/fourbase.schema.json")).expect("JSON"));

/// A validator for each definition that describes a whole line, by its name, and one for all lines, which has none.
static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let validator = |schema: &Value| jsonschema::draft202012::new(schema).expect("a schema");
    let lines = SCHEMA["oneOf"].as_array().expect("a list").iter().map(|line| line["$ref"].as_str().expect("a name"));
    let of = |path: &str| {
        let schema = json!({"$schema": SCHEMA["$schema"], "$ref": path, "$defs": SCHEMA["$defs"]});
        (path.trim_start_matches("#/$defs/").to_owned(), validator(&schema))
    };
    lines.map(of).chain([(String::new(), validator(&SCHEMA))]).collect()
});

/// Lists the definitions that describe a whole line.
pub fn definitions() -> Vec<&'static str> {
    VALIDATORS.keys().map(String::as_str).filter(|name| !name.is_empty()).collect()
}

/// Returns which definition describes a line; `None` for one that does not say its version and its subcommand.
pub fn definition(line: &Value) -> Option<&str> {
    line.get("schema")?;
    match line["command"].as_str()? {
        "solve" if line.get("fits").is_some() => Some("plan"),
        command => Some(command),
    }
}

/// Lists what is wrong with a line.
pub fn faults(line: &Value) -> Vec<String> {
    let Some(name) = definition(line) else { return vec!["no schema or no command".to_owned()] };
    let Some(of_command) = VALIDATORS.get(name) else { return vec![format!("no definition of {name}")] };
    let told = |validator: &Validator| {
        let errors = validator.iter_errors(line).map(|error| format!("{}: {error}", error.instance_path()));
        errors.collect::<Vec<_>>()
    };
    // The faults by the definition alone say more.
    let faults = told(of_command);
    if faults.is_empty() { told(&VALIDATORS[""]) } else { faults }
}

/// Compares a line with the schema.
#[track_caller]
pub fn check(line: &Value) {
    let faults = faults(line);
    assert!(faults.is_empty(), "{faults:#?}\n{line}");
}
