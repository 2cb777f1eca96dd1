//! `fourbase`: solve Connect Four boards, and query what was solved.
//!
//! One file per subcommand. Each has its arguments, a `run` that does the work through the libraries, and the two ways
//! of saying the result: for people, and as one line of JSON. What they share:
//!
//! - [`arguments`]: the command line as a whole, and the arguments that several subcommands take;
//! - [`failure`]: exit codes, and the one line on standard error that says what went wrong;
//! - [`output`], [`wording`], [`table`]: standard output, coloured where that is wanted, and what stands there;
//! - [`progress`]: how far a long computation has come, for a terminal;
//! - [`size`], [`memory`], [`container`]: numbers of bytes, and how many of them may be used;
//! - [`processor`]: how much time of processors was used.
#![forbid(unsafe_code)]

mod arguments;
mod bench;
mod container;
mod failure;
mod list;
mod memory;
mod output;
mod position;
mod processor;
mod progress;
mod query;
mod size;
mod solve;
mod stats;
mod strategy;
mod table;
mod wording;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error),
    };
    let result = match arguments.command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Position(arguments) => position::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Strategy(arguments) => strategy::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
