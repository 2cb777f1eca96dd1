//! `fourbase`: solve Connect Four boards, and query what was solved.
//!
//! One file per subcommand. Each has its arguments, a `run` that does the work through the libraries, and the two ways
//! of saying the result: for people, and as one line of JSON. What they share:
//!
//! - [`arguments`]: the command line as a whole, and the arguments that several subcommands take;
//! - [`failure`]: exit codes, and the one line on standard error that says what went wrong;
//! - [`interrupt`]: what Ctrl-C does;
//! - [`output`], [`wording`], [`table`]: standard output, coloured where that is wanted, and what stands there;
//! - [`progress`]: how far a long computation has come, for a terminal;
//! - [`size`], [`memory`], [`container`]: numbers of bytes, and how many of them may be used;
//! - [`processor`]: how much time of processors was used;
//! - [`game`], [`history`]: a game with its moves, and the drawing of its values;
//! - [`knowledge`], [`counter`]: exact values for many threads, and how many games or positions are done.
#![forbid(unsafe_code)]

mod analyse;
mod arguments;
mod bench;
mod container;
mod counter;
mod failure;
mod game;
mod grade;
mod history;
mod interrupt;
mod knowledge;
mod list;
mod match_;
mod memory;
mod output;
mod play;
mod position;
mod processor;
mod progress;
mod query;
mod size;
mod solve;
mod stats;
mod strategy;
mod table;
mod verify;
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
        Command::Play(arguments) => play::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Match(arguments) => match_::run(&arguments),
        Command::Grade(arguments) => grade::run(&arguments),
        Command::Strategy(arguments) => strategy::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
