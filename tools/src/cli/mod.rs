//! The command line as a whole: the subcommands, and which code runs each.

pub mod analyse;
mod completions;
pub mod export;
pub mod grade;
mod job;
pub mod list;
mod man;
pub mod match_;
pub mod play;
pub mod position;
pub mod query;
pub mod solve;
pub mod stats;
pub mod strategy;
pub mod verify;

use clap::error::Error as UsageError;
use clap::{CommandFactory, Parser, Subcommand};

use crate::server as serve;

/// Solve Connect Four boards and look positions up
#[derive(Parser, Debug)]
#[command(name = "fourbase", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  fourbase solve 5x4     solve every position of 5 columns x 4 rows
  fourbase query 5x4 33  show the value of the position after the moves 3 and 3
  fourbase list          list the databases, their progress and their size

Exit codes:
  0  success
  1  a failure of files or memory, or a value that was not decided
  2  bad input
  3  Ctrl-C, SIGTERM or SIGHUP stopped a solve, a count, or a command with
     temporary files: match, grade, export, a batch with --output")]
struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Solve every position of a board and write its database
    Solve(solve::Arguments),
    /// Look up positions in a database, or search them forward
    Query(query::Arguments),
    /// Count legal positions by ply and by remoteness
    Stats(stats::Arguments),
    /// Draw a position and convert it between notations
    Position(position::Arguments),
    /// List the databases, their progress and their size
    List(list::Arguments),
    /// Play a game in the terminal
    Play(play::Arguments),
    /// Find the mistakes of a game
    Analyse(analyse::Arguments),
    /// Let two programs play many games against each other
    Match(match_::Arguments),
    /// Compare the moves of a program with the exact values
    Grade(grade::Arguments),
    /// Prove or refute a strategy against every reply
    Strategy(strategy::Arguments),
    /// Write positions with their values to a file, for machine learning
    Export(export::Arguments),
    /// Answer over HTTP
    Serve(serve::Arguments),
    /// Check a database without using the solver
    Verify(verify::Arguments),
    /// Print what a shell needs to complete the command line
    Completions(completions::Arguments),
    /// Print the manual pages, or write them into a folder
    Man(man::Arguments),
}

impl Command {
    /// Reads the command line.
    ///
    /// # Errors
    ///
    /// Arguments that clap refuses; a request for help or for the version.
    pub fn read() -> Result<Command, UsageError> {
        Ok(CommandLine::try_parse()?.command)
    }

    /// Runs the subcommand.
    ///
    /// # Errors
    ///
    /// Those of the subcommand.
    pub fn run(&self) -> anyhow::Result<()> {
        match self {
            Command::Solve(arguments) => solve::run(arguments),
            Command::Query(arguments) => query::run(arguments),
            Command::Stats(arguments) => stats::run(arguments),
            Command::Position(arguments) => position::run(arguments),
            Command::List(arguments) => list::run(arguments),
            Command::Play(arguments) => play::run(arguments),
            Command::Analyse(arguments) => analyse::run(arguments),
            Command::Match(arguments) => match_::run(arguments),
            Command::Grade(arguments) => grade::run(arguments),
            Command::Strategy(arguments) => strategy::run(arguments),
            Command::Export(arguments) => export::run(arguments),
            Command::Serve(arguments) => serve::run(arguments),
            Command::Verify(arguments) => verify::run(arguments),
            Command::Completions(arguments) => completions::run(arguments, CommandLine::command()),
            Command::Man(arguments) => man::run(arguments, CommandLine::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_every_subcommand_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn lists_and_examples_fit_a_terminal_of_80_columns() {
        for subcommand in CommandLine::command().get_subcommands() {
            let help = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() <= 80, "{}: {line}", subcommand.get_name());
            }
        }
    }
}
