//! Standard output: text for people, coloured on a terminal, and one line of JSON for programs.
//!
//! Text is always made with its colours; the stream takes them out unless it is a terminal that shows them, and under
//! `NO_COLOR`.

use std::fmt::Display;
use std::io::Write;

use anyhow::Context;
use serde::Serialize;

/// Says where writing failed; the reason follows.
pub const CANNOT_WRITE: &str = "cannot write to standard output";

/// Prints text and ends the line.
///
/// # Errors
///
/// Whatever standard output says.
pub fn print(text: impl Display) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    writeln!(stdout, "{text}").and_then(|()| stdout.flush()).context(CANNOT_WRITE)
}

/// Prints a value as JSON on one line.
///
/// # Errors
///
/// Whatever standard output says.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string(value)?)
}
