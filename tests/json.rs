//! What the program prints with `--json`: lines that `docs/reference/json.md` shows, whose words mean one thing. (`cmd/json.md` has
//! others.)
//! `tests/schema.py` compares these lines, and those of all other tests, with the schema.

use serde_json::{Value, json};

use crate::support::program::Program;

const DOCUMENT: &str = include_str!("../docs/reference/json.md");

/// The words that mean one thing, wherever they are, and what they may be.
fn has_its_type(key: &str, value: &Value) -> bool {
    let is_count = || value.is_u64() || value.is_null();
    match key {
        "position" | "canonical" | "mirror" => value.is_object() || value.is_null(),
        "moves" | "line" | "refutation_line" | "undefined_line" => value.is_string() || value.is_null(),
        "plies" => value.is_null() || value.as_array().is_some_and(|rows| rows.iter().all(|row| row["ply"].is_u64())),
        "remoteness" | "keep_plies" | "ply" => is_count(),
        "value" => [json!("win"), json!("lose"), json!("tie"), Value::Null].contains(value),
        "stores" => [json!("wdl"), json!("remoteness"), Value::Null].contains(value),
        "columns" | "children" => value.is_array() || value.is_null(),
        "column" => value.is_u64(),
        "players" => value.get("first").is_some() && value.get("second").is_some(),
        "source" => value.is_null() || value["kind"].is_string(),
        "values" | "database" => false,
        key if key.ends_with("seconds") => value.is_number() || value.is_null(),
        key if key.ends_with("bytes") => is_count(),
        key if key.ends_with("_share") => {
            value.is_null() || value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share))
        }
        _ => true,
    }
}

/// Looks at every field of a line.
fn check_words(value: &Value, at: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                assert!(has_its_type(key, value), "{at}: {key} is {value}");
                check_words(value, at);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check_words(item, at)),
        _ => {}
    }
}

#[test]
fn one_word_means_one_thing_in_every_subcommand() {
    for (command, example) in examples() {
        check_words(&example, command);
    }
}

/// Lists the commands of the document and what they print: blocks of console, in which a command begins with `$` and an
/// object, over several lines, follows it.
fn examples() -> Vec<(&'static str, Value)> {
    let blocks = DOCUMENT.split("```console\n").skip(1).map(|block| block.split("```").next().expect("an end"));
    let commands = blocks.flat_map(|block| block.split("$ ").skip(1));
    let read = |text: &'static str| {
        let (command, output) = text.split_once('\n').expect("a line");
        let mut lines = serde_json::Deserializer::from_str(output).into_iter::<Value>();
        let example = lines.next().map(|line| line.unwrap_or_else(|error| panic!("{command}: {error}")));
        (command, example.unwrap_or(Value::Null))
    };
    commands.map(read).collect()
}

/// Fields that another machine, or another run, gives another value.
fn is_measured(key: &str) -> bool {
    let words = ["kernel", "threads", "runs", "solve_to_kernels", "memory_bytes", "peak_memory_bytes"];
    words.contains(&key) || key.ends_with("seconds") || key.ends_with("per_second")
}

/// Leaves out what is measured, and keeps that it is there.
fn forget_measured(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if is_measured(key) {
                    *value = Value::Null;
                }
                forget_measured(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget_measured),
        _ => {}
    }
}

#[test]
fn the_examples_of_the_document_are_what_the_program_prints() {
    let program = Program::new();
    for (command, example) in examples() {
        let (input, fourbase) = match command.split_once(" | ") {
            Some((echo, fourbase)) => (echo.strip_prefix("printf ").expect("printf").trim_matches('\''), fourbase),
            None => ("", command),
        };
        let arguments = fourbase.strip_prefix("fourbase ").expect("fourbase");
        let printed = program.run_with_input(arguments, input.replace("\\n", "\n"));
        if example.is_null() {
            printed.succeeds();
            continue;
        }
        let mut lines = [printed.first_json(), example];
        lines.iter_mut().for_each(forget_measured);
        assert_eq!(lines[0], lines[1], "{command}");
    }
}
