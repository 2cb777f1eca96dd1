//! What the program prints with `--json`: lines that `docs/reference/json.md` shows, and words that mean one thing. (`cmd/json.md`
//! has others.)
//! `tests/schema.py` compares these lines, and those of all other tests, with the schema.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::program::Program;

const DOCUMENT: &str = include_str!("../docs/reference/json.md");

/// Notes the types of all fields of a schema by their names, each with its definition if it has one. Any field may be null.
fn note_types<'s>(schema: &'s Value, types: &mut BTreeMap<&'s str, BTreeSet<&'s str>>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let field = field["anyOf"].get(0).unwrap_or(field);
        let kinds = [&field["$ref"], &field["type"], &field["type"][0]];
        types.entry(name).or_default().extend(kinds.into_iter().find_map(Value::as_str));
    }
    match schema {
        Value::Object(parts) => parts.values().for_each(|part| note_types(part, types)),
        Value::Array(items) => items.iter().for_each(|item| note_types(item, types)),
        _ => {}
    }
}

/// Every line is one of the schema, which also says by their names which values fields take.
#[test]
fn one_word_means_one_thing_in_every_subcommand() {
    let schema: Value = serde_json::from_str(include_str!("../docs/fourbase.schema.json")).expect("JSON");
    let mut types = BTreeMap::new();
    note_types(&schema, &mut types);
    assert!(!types.contains_key("values") && !types.contains_key("database"));
    // Players have numbers and lists, a move keeps a value, a player keeps some, several things have kinds, and a game's move has a
    // reason in words.
    let several = ["first", "second", "keeps", "kind", "reason"];
    let is_single = |name: &str| types[name].len() < 2 || several.contains(&name);
    assert!(types.len() > 100 && types.keys().all(|name| is_single(name)), "{types:?}");
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

/// Blocks of console have commands, which begin with `$`, and after some of them an object over several lines.
#[test]
fn the_examples_of_the_document_are_what_the_program_prints() {
    let program = Program::new();
    let blocks = DOCUMENT.split("```console\n").skip(1).map(|block| block.split("```").next().expect("an end"));
    for text in blocks.flat_map(|block| block.split("$ ").skip(1)) {
        let (command, output) = text.split_once('\n').expect("a line");
        let (input, fourbase) = match command.split_once(" | ") {
            Some((echo, fourbase)) => (echo.strip_prefix("printf ").expect("printf").trim_matches('\''), fourbase),
            None => ("", command),
        };
        let arguments = fourbase.strip_prefix("fourbase ").expect("fourbase");
        let printed = program.run_with_input(arguments, input.replace("\\n", "\n"));
        match serde_json::Deserializer::from_str(output).into_iter::<Value>().next() {
            None => drop(printed.succeeds()),
            Some(example) => {
                let mut lines = [printed.first_json(), example.expect(command)];
                lines.iter_mut().for_each(forget_measured);
                assert_eq!(lines[0], lines[1], "{command}");
            }
        }
    }
}
