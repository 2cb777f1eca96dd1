//! The end of the program after an error: an exit code, and a line on standard error that says what is wrong and what to do.
//!
//! Each kind of error has its exit code. Bad input exits with 2: the user has to correct it. A failure of files or memory
//! exits with 1. Work that Ctrl-C, SIGTERM or SIGHUP stopped exits with 3. A closed pipe (`fourbase list | head`) is not
//! an error.

use std::error::Error as StdError;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::slice;

use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use fourbase::BoardError;
use fourbase::notation::NotationError;
use fourbase_tiers::files::escaped;
use fourbase_tiers::positions::PositionError;
use fourbase_tiers::solve::SolveError;
use thiserror::Error;

/// Exit code of success.
const DONE: u8 = 0;

/// Exit code of a failure of files or memory.
pub const FAILED: u8 = 1;

/// Exit code of bad input.
const BAD_INPUT: u8 = 2;

/// Exit code of work that Ctrl-C or a signal stopped.
pub const STOPPED: u8 = 3;

/// The style of `error:` on a terminal, which is that of clap's usage errors.
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The style of `warning:` on a terminal.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// An error in the input, which the user has to correct. The errors of the game library are bad input too.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// Several failures of one run; each is reported on a line of its own.
#[derive(Debug, Error)]
#[error("{}", .0.iter().map(chain_to_text).collect::<Vec<_>>().join("; "))]
struct Failures(Vec<anyhow::Error>);

/// Reports why a subcommand failed, and returns the exit code. `remedy` returns what the user can type next, if there is anything.
pub fn report(error: &anyhow::Error, remedy: impl Fn(&anyhow::Error) -> Option<String>) -> ExitCode {
    let code = exit_code(error);
    let failures = error.downcast_ref().map_or(slice::from_ref(error), |Failures(failures)| failures);
    for failure in failures.iter().filter(|failure| exit_code(failure) != DONE) {
        let remedy = remedy(failure).map_or_else(String::new, |remedy| format!("; {remedy}"));
        print_error(&format!("{}{remedy}", chain_to_text(failure)));
    }
    ExitCode::from(code)
}

/// Returns `Ok` if the list of failures is empty.
///
/// # Errors
///
/// All failures of the list as one error. A failure of the list that already stands for several is split into these.
pub fn all_of<E: Into<anyhow::Error>>(failures: Vec<E>) -> anyhow::Result<()> {
    let each = |failure: E| failure.into().downcast().map_or_else(|one| vec![one], |Failures(several)| several);
    let mut failures = failures.into_iter().flat_map(each).collect::<Vec<_>>();
    match failures.len() {
        0 => Ok(()),
        1 => Err(failures.swap_remove(0)),
        _ => Err(Failures(failures).into()),
    }
}

/// Returns the exit code of a failure. If it stands for several failures, returns their highest code.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(Failures(failures)) = error.downcast_ref() {
        failures.iter().map(exit_code).max().unwrap_or(FAILED)
    } else if error.chain().any(is_closed_pipe) {
        DONE
    } else if error.chain().any(is_bad_input) {
        BAD_INPUT
    } else if error.chain().any(is_stopped) {
        STOPPED
    } else {
        FAILED
    }
}

/// Reports an error of clap, or prints the help or the version that was asked for.
///
/// For a value that cannot be read, prints fourbase's own message, because clap repeats the value unescaped and at full length.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    match (error.kind(), error.source(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::ValueValidation, Some(reason), _) if is_bad_input(reason) => print_error(&reason.to_string()),
        (ErrorKind::ValueValidation, Some(reason), Some(ContextValue::String(argument))) => {
            print_error(&format!("{argument}: {reason}"));
        }
        // If standard error cannot be written, the exit code stays the same.
        _ => drop(error.print()),
    }
    ExitCode::from(if error.use_stderr() { BAD_INPUT } else { DONE })
}

fn is_bad_input(error: &(dyn StdError + 'static)) -> bool {
    let is_of_choice = error.downcast_ref().is_some_and(PositionError::is_of_choice);
    is_of_choice || error.is::<BadInput>() || error.is::<BoardError>() || error.is::<NotationError>()
}

fn is_stopped(error: &(dyn StdError + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(SolveError::Stopped { .. }))
}

fn is_closed_pipe(error: &(dyn StdError + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Joins the messages of an error and its causes, but skips a message that an outer one already contains.
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

/// Prints `error: ` and the text on standard error. Control characters, for example in a folder's name, become escapes.
fn print_error(text: &str) {
    let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {}", escaped(text));
}

/// Prints a line of information on standard error. Ignores a failure to write the line, because the work matters more.
pub fn print_note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Prints `warning: ` and a line on standard error: the program continues, but something is wrong.
pub fn print_warning(text: &str) {
    let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {}", escaped(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_input_is_recognised_below_any_context_and_a_closed_pipe_is_no_failure() {
        let board: anyhow::Error = "0x4".parse::<fourbase::Board>().unwrap_err().into();
        let file: anyhow::Error = io::Error::from(io::ErrorKind::NotFound).into();
        assert_eq!(exit_code(&board.context("while reading")), 2);
        assert_eq!(exit_code(&BadInput("no".to_owned()).into()), 2);
        assert_eq!(exit_code(&file.context("while reading")), 1);
        let pipe: anyhow::Error = io::Error::from(io::ErrorKind::BrokenPipe).into();
        assert_eq!(exit_code(&pipe.context("cannot write")), 0);
    }

    #[test]
    fn failures_of_failures_are_reported_one_by_one() {
        let several = all_of(vec![anyhow::anyhow!("one"), anyhow::anyhow!("two")]).unwrap_err();
        let Failures(all) = all_of(vec![several, anyhow::anyhow!("three")]).unwrap_err().downcast().unwrap();
        assert_eq!(all.iter().map(ToString::to_string).collect::<Vec<_>>(), ["one", "two", "three"]);
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe).into();
        assert_eq!(exit_code(&all_of::<anyhow::Error>(vec![pipe(), pipe()]).unwrap_err()), 0);
        assert_eq!(exit_code(&all_of(vec![pipe(), BadInput("no".to_owned()).into(), pipe()]).unwrap_err()), 2);
    }

    #[test]
    fn a_message_that_a_layer_above_contains_is_not_repeated() {
        for above in ["cannot write tier 3: disk full", "cannot write tier 3"] {
            let error = anyhow::anyhow!("disk full").context(above);
            assert_eq!(chain_to_text(&error), "cannot write tier 3: disk full");
        }
    }
}
