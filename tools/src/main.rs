//! `fourbase`: solve Connect Four boards, and look positions up.
//!
//! From the top down:
//!
//! - [`command`]: the command line, and which subcommand runs;
//! - one file for each subcommand, with its arguments and a `run` that does the work through the libraries; a folder of
//!   the same name holds its parts, and `report` in it writes the result for people and as one line of JSON;
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

mod analyse;
mod arguments;
mod batch;
mod bench;
mod command;
mod completions;
mod container;
mod export;
mod failure;
mod feasible;
mod game;
mod grade;
mod history;
mod interrupt;
mod job;
mod json;
mod knowledge;
mod list;
mod man;
mod match_;
mod memory;
mod number;
mod output;
mod play;
mod position;
mod progress;
mod query;
mod quote;
mod remedy;
mod serve;
mod size;
mod solve;
mod stats;
mod strategy;
mod table;
mod temporary;
mod unsound;
mod verify;
mod whole;
mod wording;

use std::process::ExitCode;

use command::Command;

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
