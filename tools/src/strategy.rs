//! `fourbase strategy`: prove or refute a rule of play against every reply.
//!
//! [`chosen`] makes the rule from the command line, the library plays everything against it, [`comparison`] asks a
//! database where the rule keeps the value, and [`report`] says what came out.

mod chosen;
mod comparison;
mod report;

use anyhow::{Context, anyhow};
use clap::Args;
use fourbase::Player;
use fourbase::notation::columns_to_text;
use fourbase::strategy::{CheckError, check};
use fourbase_tiers::error::bytes;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument};
use crate::{memory, output, size};
use chosen::ChosenArguments;
use comparison::Comparison;
use report::Report;

/// Arguments of `fourbase strategy`.
#[derive(Args, Debug)]
#[command(after_help = "\
Strategies:
  follow-up  the second player answers in the column that the first just played; in one of two
             centre columns, the first time in the other. Stated for boards of at most 6 columns
             and an even number of rows; on others it is checked all the same
  mirror     the second player answers in the mirrored column
  centre     either player plays the most central column with room

What counts as the first time in the centre is the reading: in the pair of columns, which never
loses where the strategy was stated; in each column, undefined where the other one is full; or in
each column, following where the other one is full.

The other side plays every move it has. A line is a whole game; lines are counted exactly. A
strategy that loses is an answer, exit code 0, with the shortest line that shows it. Where a
database covers the board, the answer also says in how many positions the value is kept.

Examples:
  fourbase strategy follow-up 6x6
  fourbase strategy follow-up 5x4 --centre 3,4 --reading column
  fourbase strategy follow-up 4x4 --no-centre --json
  fourbase strategy centre 5x4 --player first")]
pub struct Arguments {
    #[command(flatten)]
    chosen: ChosenArguments,

    #[command(flatten)]
    board: BoardArgument,

    /// Whose strategy it is, where it serves either player [default: second]
    #[arg(long, value_name = "PLAYER")]
    player: Option<PlayerArgument>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    /// How much memory the positions may take, such as 512M or 1.5GiB [default: 80 % of what is free]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// What `--player` may be.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum PlayerArgument {
    /// Who moves on the empty board
    First,
    /// Who answers
    Second,
}

impl From<PlayerArgument> for Player {
    fn from(argument: PlayerArgument) -> Player {
        match argument {
            PlayerArgument::First => Player::First,
            PlayerArgument::Second => Player::Second,
        }
    }
}

/// Runs `fourbase strategy`.
///
/// # Errors
///
/// Bad input: a strategy that there is not, or options or a board that it does not fit. Failures: more positions than
/// the memory holds, and a database that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    let chosen = arguments.chosen.choose(board)?;
    let player = chosen.player(arguments.player.map(Player::from))?;
    let memory_bytes = arguments
        .memory
        .or_else(memory::default_limit)
        .context("cannot tell how much memory is free; say how much may be used with --memory, such as --memory 2G")?;
    let check = check(chosen.rule(), board, player, memory_bytes).map_err(|error| explain(error, player))?;
    let comparison = Comparison::of(&check, chosen.rule(), &arguments.database, arguments.cache, memory_bytes)?;
    let report = Report::of(&chosen, check, comparison);
    if arguments.json { output::print_json(&report.to_json()) } else { output::print(report) }
}

/// Says what the user can do about a check that has no answer.
fn explain(error: CheckError, player: Player) -> anyhow::Error {
    let CheckError::Memory { ply, positions, limit_bytes, refutation } = error else { return error.into() };
    let found = refutation
        .map(|line| format!(" (the {player} player loses in any case: {})", columns_to_text(line)))
        .unwrap_or_default();
    anyhow!(
        "after {ply} plies the check has met {} positions and needs more memory than {}; \
         give a higher --memory, or take a smaller board{found}",
        size::grouped(positions.into()),
        bytes(limit_bytes.into()),
    )
}
