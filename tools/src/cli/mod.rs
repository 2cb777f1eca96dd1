//! The whole command line: the subcommands, and the code that runs each of them.

pub mod analyse;
mod completions;
pub mod convert;
pub mod export;
pub mod grade;
mod job;
pub mod list;
mod man;
pub mod match_;
pub mod play;
pub mod prove;
pub mod puzzles;
pub mod query;
pub mod solve;
pub mod stats;
pub mod verify;

use std::env;
use std::ffi::OsString;

use clap::error::Error as UsageError;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use fourbase_tiers::kernel::Kernel;

use crate::arguments::is_board_or_position;
use crate::server as serve;

/// Solve Connect Four boards and look positions up
#[derive(Parser, Debug)]
#[command(name = "fourbase", version, max_term_width = 80)]
#[command(after_help = "\
Examples:
  fourbase play          play on 7 columns x 6 rows
  fourbase 4453          look up 7x6 after the moves 4, 4, 5, 3, as query does
  fourbase solve 5x4     solve every position of 5 columns x 4 rows
  fourbase query 5x4 33  look up a position of it

Exit codes:
  0  success
  1  a failure of files or memory, or a value that was not decided
  2  bad input
  3  Ctrl-C, SIGTERM, SIGHUP or SIGUSR1 stopped a solve, a count, or a command
     with temporary files: match, grade, export, a batch with --output")]
struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The subcommands, in the order of the help.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Play a game in the terminal
    Play(play::Arguments),
    /// Look up positions in a database, or search them forward
    Query(query::Arguments),
    /// Find the mistakes of a game
    #[command(alias = "analyze")]
    Analyse(analyse::Arguments),
    /// Solve every position of a board and write its database
    Solve(solve::Arguments),
    /// Check a database without using the solver
    Verify(verify::Arguments),
    /// Answer over HTTP, with a page to play on
    Serve(serve::Arguments),
    /// List the databases, their progress and their size
    List(list::Arguments),
    /// Count legal positions by ply and by remoteness
    Stats(stats::Arguments),
    /// Write positions with their values to a file, for machine learning
    Export(export::Arguments),
    /// Draw a position and convert it between notations
    #[command(alias = "position")]
    Convert(convert::Arguments),
    /// Let two programs play many games against each other
    Match(match_::Arguments),
    /// Compare the moves of a program with the exact values
    Grade(grade::Arguments),
    /// Draw positions with exactly one good move, to solve
    Puzzles(puzzles::Arguments),
    /// Prove or refute a strategy against every reply
    #[command(alias = "strategy")]
    Prove(prove::Arguments),
    /// Print what a shell needs to complete the command line
    Completions(completions::Arguments),
    /// Print the manual pages, or write them into a folder
    Man(man::Arguments),
}

/// The groups of subcommands in the help: the first subcommand of each group, and the group's title.
const GROUPS: [(&str, &str); 4] = [
    ("play", "Play, look up and solve"),
    ("list", "Databases and positions"),
    ("match", "Programs and strategies"),
    ("completions", "Shell and manual"),
];

/// Returns the definition of the command line. Its help lists the subcommands in groups, which clap does not do by itself.
fn definition() -> clap::Command {
    let command = CommandLine::command();
    let (head, name) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut groups = String::new();
    for subcommand in command.get_subcommands() {
        let of = subcommand.get_name();
        if let Some((_, title)) = GROUPS.iter().find(|(first, _)| *first == of) {
            groups += &format!("\n{head}{title}:{head:#}\n");
        }
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        groups += &format!("  {name}{of:<11}{name:#}  {about}\n");
    }
    let options = format!("{head}Options:{head:#}\n{{options}}");
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\n{options}{{after-help}}");
    command.help_template(template).long_version(build())
}

/// Describes this build for a report of a fault: version, commit, target, cargo features, and the kernels that this machine runs.
fn build() -> String {
    let features =
        [("https", cfg!(feature = "https")), ("mpi", cfg!(feature = "mpi")), ("parquet", cfg!(feature = "parquet"))];
    let features: Vec<_> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    format!(
        "{} (commit {})\ntarget: {}\nfeatures: {}\nkernels: {}",
        env!("CARGO_PKG_VERSION"),
        option_env!("FOURBASE_COMMIT").unwrap_or("unknown"),
        env!("FOURBASE_TARGET"),
        if features.is_empty() { "none".to_string() } else { features.join(", ") },
        Kernel::detect().name()
    )
}

impl Command {
    /// Reads the command line. A board or a position in the place of the subcommand means `query`.
    ///
    /// # Errors
    ///
    /// Arguments that clap refuses. A request for help or for the version is also an error to clap.
    pub fn read() -> Result<Command, UsageError> {
        let mut arguments: Vec<OsString> = env::args_os().collect();
        if arguments.get(1).and_then(|word| word.to_str()).is_some_and(is_board_or_position) {
            arguments.insert(1, "query".into());
        }
        Ok(CommandLine::from_arg_matches(&definition().try_get_matches_from(arguments)?)?.command)
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
            Command::Convert(arguments) => convert::run(arguments),
            Command::List(arguments) => list::run(arguments),
            Command::Play(arguments) => play::run(arguments),
            Command::Analyse(arguments) => analyse::run(arguments),
            Command::Match(arguments) => match_::run(arguments),
            Command::Grade(arguments) => grade::run(arguments),
            Command::Prove(arguments) => prove::run(arguments),
            Command::Puzzles(arguments) => puzzles::run(arguments),
            Command::Export(arguments) => export::run(arguments),
            Command::Serve(arguments) => serve::run(arguments),
            Command::Verify(arguments) => verify::run(arguments),
            Command::Completions(arguments) => completions::run(arguments, definition()),
            Command::Man(arguments) => man::run(arguments, definition()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lists_every_subcommand_with_its_arguments() {
        let row = |command: &clap::Command| {
            let is_listed = |argument: &&clap::Arg| !argument.is_hide_set() && argument.get_id() != "help";
            let mut arguments: Vec<_> = command.get_arguments().filter(is_listed).collect();
            arguments.sort_by_key(|argument| !argument.is_positional());
            let arguments = arguments.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!("| `{}` | {} | `{arguments}` |\n", command.get_name(), command.get_about().unwrap_or_default())
        };
        let mut definition = definition().disable_help_subcommand(true);
        // `build` panics if the definition is not consistent.
        definition.build();
        let table: String = definition.get_subcommands().map(row).collect();
        let page = include_str!("../../../docs/reference/command-line.md");
        assert!(page.contains(&table), "docs/reference/command-line.md needs these rows:\n{table}");
    }
}
