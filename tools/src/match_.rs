//! `fourbase match`: two players against each other, many games, with both colours.
//!
//! Game number n takes the stream n of the seed for whatever it leaves to chance, so that the result is the same for any
//! number of threads. The openings are in [`openings`], a game is in [`table`], what is said in [`report`].

mod openings;
mod report;
mod table;

use std::time::Instant;

use anyhow::ensure;
use clap::Args;
use fourbase::players::{Kind, Source};
use rayon::prelude::*;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, ThreadsArgument};
use crate::counter::Counter;
use crate::failure::BadInput;
use crate::knowledge::Knowledge;
use crate::output;
use openings::Openings;
use report::Report;
use table::{Played, Table};

/// How many games there are where nobody says.
const USUAL_GAMES: u32 = 100;

/// Arguments of `fourbase match`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
The players are
  perfect[:first]          a best move: any of them, or the leftmost
  random                   any column
  pomakis:LEVEL            Keith Pomakis' algorithm, 1 to 20 plies
  window:DEPTH             the player of a robot arm, 1 to 20 plies
  rating:LEVEL[:STRATEGY]  the Delphi program CONNECT4, levels 1 to 9, strategies 0 to 7
  follow-up                the second player's rule

With --openings, games begin with so many plies: from every position they lead to, once with either
colour, or from positions drawn at random where --games allows for fewer. Pairs of games with
colours swapped begin alike. Without --openings, two players that leave nothing to chance play the
same two games again and again.

Examples:
  fourbase match pomakis:5 window:4 7x6 --games 200 --openings 2
  fourbase match perfect rating:3 5x4 --openings 4 --json"))]
pub struct Arguments {
    /// The player that the result is told for
    #[arg(value_name = "PLAYER")]
    player: Kind,

    /// The opponent
    #[arg(value_name = "PLAYER")]
    opponent: Kind,

    #[command(flatten)]
    board: BoardArgument,

    /// How many games [default: 100; with --openings, two from every opening]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: Option<u32>,

    /// How many plies are played before the players take over
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    openings: u32,

    /// Which random moves: the same number, the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many nodes perfect may search for a move on a board without a database
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    cache: CacheArgument,

    #[command(flatten)]
    threads: ThreadsArgument,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase match`.
///
/// # Errors
///
/// Bad input: a human, and openings of more plies than any game has. Failures: a move that perfect cannot find.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.threads.pool()?.install(|| play(arguments))?;
    if arguments.json { output::print_json(&report) } else { output::print(report) }
}

fn play(arguments: &Arguments) -> anyhow::Result<Report> {
    let (board, kinds) = (arguments.board.board, [arguments.player, arguments.opponent]);
    let no_human = || BadInput("a match is between programs; play against them with: fourbase play".to_owned());
    ensure!(!kinds.contains(&Kind::Human), no_human());
    let openings = Openings::of(board, arguments.openings)?;
    let games = arguments.games.unwrap_or_else(|| openings.usual_games(USUAL_GAMES));
    let openings = openings.draw(games.div_ceil(2), arguments.seed);
    let knowledge = if kinds.iter().any(|kind| kind.needs_outcomes()) {
        Some(Knowledge::find(board, &arguments.database, arguments.cache, arguments.nodes)?)
    } else {
        None
    };

    let (start, counter) = (Instant::now(), Counter::begin(games.into(), "games"));
    let played = (0..games).into_par_iter().map_init(
        || Table::new(board, kinds, knowledge.as_ref()),
        |table, number| {
            let mut source = Source::new(arguments.seed, number.into());
            let played = table.play(openings.get(number / 2), number % 2 == 0, &mut source);
            counter.add(1);
            played
        },
    );
    let played = played.collect::<anyhow::Result<Vec<Played>>>()?;
    drop(counter);
    let note = knowledge.as_ref().map(|knowledge| knowledge.note().to_owned());
    Ok(Report::of(board, kinds, arguments.seed, &openings, &played, start.elapsed(), note))
}
