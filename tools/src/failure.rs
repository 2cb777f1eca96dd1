//! How the program ends when something is wrong: an exit code, and one line on standard error that says what and what
//! to do.
//!
//! Three kinds of errors have three answers. Bad input exits with 2: the user has to correct it. A failure of files or
//! memory exits with 1. A reader of standard output that went away (`fourbase list | head`) is no failure at all.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use fourbase::BoardError;
use fourbase::notation::NotationError;

/// Exit code where nothing is wrong.
const DONE: u8 = 0;

/// Exit code for failures of files or memory.
const FAILED: u8 = 1;

/// Exit code for input that is wrong.
const BAD_INPUT: u8 = 2;

/// How `error:` looks on a terminal, the same as in usage errors.
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// How `warning:` looks on a terminal.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Marks an error as the user's to correct. (The errors of the game library are known to be that.)
#[derive(Debug)]
pub struct BadInput(pub String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BadInput {}

/// Reports why a subcommand failed, and returns the exit code that belongs to it.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let code = exit_code(error);
    if code != DONE {
        print_error(&chain_to_text(error));
    }
    ExitCode::from(code)
}

/// Reports all failures but the last, and returns that one: nothing where there are none.
///
/// # Errors
///
/// The last of the failures.
pub fn all_of<E: Error + Send + Sync + 'static>(failures: Vec<E>) -> anyhow::Result<()> {
    let mut failures = failures.into_iter().map(anyhow::Error::from).peekable();
    while let Some(failure) = failures.next() {
        if failures.peek().is_none() {
            return Err(failure);
        }
        print_error(&chain_to_text(&failure));
    }
    Ok(())
}

fn exit_code(error: &anyhow::Error) -> u8 {
    if error.chain().any(is_closed_pipe) {
        DONE
    } else if error.chain().any(is_bad_input) {
        BAD_INPUT
    } else {
        FAILED
    }
}

/// Reports what clap has to say, which may be the help that was asked for.
///
/// A value that cannot be read is told in our own words, because clap repeats it unescaped and at full length.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    match (error.kind(), error.source(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::ValueValidation, Some(reason), _) if is_bad_input(reason) => print_error(&reason.to_string()),
        (ErrorKind::ValueValidation, Some(reason), Some(ContextValue::String(argument))) => {
            print_error(&format!("{argument}: {reason}"));
        }
        // Nowhere to write is no reason for another exit code.
        _ => drop(error.print()),
    }
    ExitCode::from(if error.use_stderr() { BAD_INPUT } else { DONE })
}

fn is_bad_input(error: &(dyn Error + 'static)) -> bool {
    error.is::<BadInput>() || error.is::<BoardError>() || error.is::<NotationError>()
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Joins what each layer says, unless the layer above has said it already.
fn chain_to_text(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |mut text, layer| {
        let layer = layer.to_string();
        if !text.contains(&layer) {
            let separator = if text.is_empty() { "" } else { ": " };
            let _ = write!(text, "{separator}{layer}");
        }
        text
    })
}

/// Prints `error: ` and the text on standard error; a control character, say in the name of a folder, becomes an
/// escape.
fn print_error(text: &str) {
    let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {}", escaped(text));
}

fn escaped(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        if character.is_control() { line.extend(character.escape_debug()) } else { line.push(character) }
    }
    line
}

/// Prints a line on standard error about something that is no failure.
pub fn print_note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Prints `warning: ` and a line on standard error: it goes on, but something is not as it should be.
pub fn print_warning(text: &str) {
    let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {}", escaped(text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn bad_input_is_told_from_failures_below_any_context() {
        let board: anyhow::Error = "0x4".parse::<fourbase::Board>().unwrap_err().into();
        let file: anyhow::Error = io::Error::from(io::ErrorKind::NotFound).into();
        assert_eq!(exit_code(&board.context("while reading")), 2);
        assert_eq!(exit_code(&BadInput("no".to_owned()).into()), 2);
        assert_eq!(exit_code(&file.context("while reading")), 1);
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let error = Err::<(), _>(io::Error::from(io::ErrorKind::BrokenPipe)).context("cannot write").unwrap_err();
        assert_eq!(exit_code(&error), 0);
    }

    #[test]
    fn a_reason_that_was_said_is_not_repeated() {
        let said = anyhow::anyhow!("disk full").context("cannot write tier 3: disk full");
        assert_eq!(chain_to_text(&said), "cannot write tier 3: disk full");
        let unsaid = anyhow::anyhow!("disk full").context("cannot write tier 3");
        assert_eq!(chain_to_text(&unsaid), "cannot write tier 3: disk full");
    }
}
