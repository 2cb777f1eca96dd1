//! `fourbase`: solve Connect Four boards, and look positions up.
//!
//! From the top down:
//!
//! - [`cli`]: the command line, and one file for each subcommand, with its arguments, a `run` that does the work through the
//!   libraries, and the result for people and as one line of JSON; a folder of the same name holds the parts of a large one;
//! - [`server`]: the subcommand `serve`;
//! - [`knowledge`]: exact values for many threads;
//! - [`history`]: the drawing of a game's values;
//! - [`batch`]: answers to the lines of a file or of a pipe;
//! - [`arguments`]: arguments that several subcommands take;
//! - [`remedy`]: what to type after an error of the libraries;
//! - [`failure`], [`interrupt`]: exit codes, messages on standard error, and Ctrl-C;
//! - [`temporary`]: temporary folders, and outputs that appear only when they are whole;
//! - [`stats`]: counts, as the program and the server write them;
//! - `schema_test`: the published schemas, from the types;
//! - [`output`]: how results look, for people and as JSON, and how progress looks;
//! - [`memory`]: how many bytes may be used.
//!
//! A file uses only files further down in this list.
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
