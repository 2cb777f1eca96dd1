//! Standard output: text for people, coloured on a terminal, and one line of JSON for programs.
//!
//! [`json`] has the pieces of JSON that subcommands share. For people [`table`] lays out tables, [`wording`] and [`number`] write
//! values and numbers, [`quote`] writes words for a shell, and [`progress`] draws bars.
//!
//! Text always contains its colours. The stream removes them unless it is a terminal that shows colours, and removes
//! them under `NO_COLOR`.

pub mod json;
pub mod number;
pub mod progress;
pub mod quote;
pub mod table;
pub mod wording;

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;
use serde::Serialize;

use json::Envelope;

/// The message of a failed write; the reason follows.
pub const CANNOT_WRITE: &str = "cannot write to standard output";

/// Prints text and ends the line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print(text: impl Display) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).context(CANNOT_WRITE)
}

/// Prints a value as JSON on one line.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string(value)?)
}

/// Prints what work has done that was stopped, for programs alone: the error says it to people. Ignores write errors: the
/// interruption matters more than a closed pipe.
pub fn print_stopped(command: &'static str, result: Option<impl Serialize>, is_json: bool) {
    if let Some(result) = result.filter(|_| is_json) {
        let _ = print_json(&Envelope::new(command, result));
    }
}

/// Prints the result of a subcommand as JSON if `is_json`, else as text.
///
/// # Errors
///
/// Standard output cannot be written.
pub fn print_result(command: &'static str, result: &(impl Display + Serialize), is_json: bool) -> anyhow::Result<()> {
    if is_json { print_json(&Envelope::new(command, result)) } else { print(result) }
}
