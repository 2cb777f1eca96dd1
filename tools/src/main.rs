//! `fourbase`: solve Connect Four boards, and look positions up.
//!
//! From the top down:
//!
//! - [`cli`]: the command line, and one file for each subcommand, with its arguments and a `run` that does the work through
//!   the libraries; a folder of the same name holds its parts, and `report` in it writes the result for people and as one line
//!   of JSON;
//! - [`server`]: the subcommand `serve`;
//! - [`knowledge`]: exact values for many threads;
//! - [`game`], [`history`]: a game with its moves, the drawing of its values;
//! - [`batch`]: answers to the lines of a file or of a pipe;
//! - [`arguments`]: arguments that several subcommands take;
//! - [`remedy`]: what to type after an error of the libraries;
//! - [`job`]: the other processes, where several solve together;
//! - [`feasible`]: whether this machine can solve a board;
//! - [`failure`], [`interrupt`]: exit codes, messages on standard error, and Ctrl-C;
//! - [`temporary`], [`whole`]: temporary folders, and files that appear only when they are whole;
//! - [`json`]: the pieces of JSON that subcommands share;
//! - [`output`], [`progress`], [`table`], [`wording`], [`number`], [`quote`]: how results look;
//! - [`size`], [`memory`], [`container`]: numbers of bytes, and how many of them may be used.
//!
//! A file names only files below it.
#![forbid(unsafe_code)]

mod arguments;
mod batch;
mod cli;
mod container;
mod failure;
mod feasible;
mod game;
mod history;
mod interrupt;
mod job;
mod json;
mod knowledge;
mod log;
mod memory;
mod number;
mod output;
mod progress;
mod quote;
mod remedy;
mod server;
mod size;
mod table;
mod temporary;
mod unsound;
mod whole;
mod wording;

use std::process::ExitCode;

use cli::Command;

fn main() -> ExitCode {
    let (command, given) = match Command::read() {
        Ok(read) => read,
        Err(error) => return failure::report_usage(&error),
    };
    remedy::remember(given);
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, remedy::of),
    }
}
