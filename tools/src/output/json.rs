//! The pieces of JSON that subcommands share: the envelope, and the pieces of an analysis ([`fourbase::analysis::json`]).
//!
//! Every line of JSON is one object. It begins with `schema` and `command`. Its fields are always present: what is unknown
//! or does not apply is null. `docs/reference/json.md` describes all of them.

use std::path::Path;

pub use fourbase::analysis::json::{DatabaseJson, OutcomeJson, PlayersJson, PositionJson, SourceJson};
use serde::Serialize;

/// The version of the fields and their meaning.
pub const SCHEMA: u32 = 1;

/// One line of JSON: the version and the subcommand, then the fields of `body`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Envelope<T> {
    schema: u32,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T: Serialize> Envelope<T> {
    /// Puts the version and the name of the subcommand in front of its fields.
    pub fn new(command: &'static str, body: T) -> Envelope<T> {
        Envelope { schema: SCHEMA, command, body }
    }
}

/// Writes a folder. Bytes that are not UTF-8 become the replacement character.
pub fn folder(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_and_the_subcommand_come_first() {
        #[derive(Serialize)]
        struct Body {
            entries: u128,
            value: Option<&'static str>,
        }
        let line = serde_json::to_string(&Envelope::new("solve", Body { entries: 1 << 100, value: None })).unwrap();
        let expected = r#"{"schema":1,"command":"solve","entries":1267650600228229401496703205376,"value":null}"#;
        assert_eq!(line, expected);
    }
}
