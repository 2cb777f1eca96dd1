//! `fourbase`: solve Connect Four boards, and look positions up.
//!
//! The parts, from the top down (a part uses mainly parts further down):
//!
//! - [`cli`]: the command line, and one file for each subcommand. The file has the arguments, a `run` that does the work through
//!   the libraries, and the result for people and as one line of JSON. A large subcommand also has a folder of the same name;
//! - [`server`]: the subcommand `serve`;
//! - [`knowledge`]: exact values for many threads;
//! - [`history`]: the drawing of a game's values;
//! - [`batch`]: answers to the lines of a file or of a pipe;
//! - [`arguments`]: arguments that several subcommands take;
//! - [`remedy`]: what the user can type after an error of the libraries;
//! - [`failure`], [`interrupt`]: exit codes, messages on standard error, and Ctrl-C;
//! - [`temporary`]: outputs that appear only when they are complete;
//! - [`stats`]: counts, as the program and the server write them;
//! - `schema_test`: a test that generates the published JSON schemas from the types;
//! - [`output`]: the form of results, for people and as JSON, and the display of progress.
#![forbid(unsafe_code)]

mod arguments;
mod batch;
mod cli;
mod failure;
mod history;
mod interrupt;
mod knowledge;
mod output;
mod remedy;
#[cfg(test)]
mod schema_test;
mod server;
mod stats;
mod temporary;

use std::process::ExitCode;

use cli::Command;

fn main() -> ExitCode {
    let command = match Command::read() {
        Ok(command) => command,
        Err(error) => return failure::report_usage(&error),
    };
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, remedy::of),
    }
}
