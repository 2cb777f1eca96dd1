//! `fourbase match`: two programs play many games, with both colours.
//!
//! Game number n takes its random numbers from stream n of the seed, so that the result is the same for any number of
//! threads. [`play_game`] plays a game, and [`report`] writes the result.

pub mod report;

use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use fourbase::players::{Kind, Openings, PlayedGame, Source, nothing_known, play_game};
use rayon::prelude::*;

use crate::arguments::{BoardArgument, TrialArguments};
use crate::failure::BadInput;
use crate::knowledge::{Knowledge, outcomes};
use crate::number::{self, counted};
use crate::output;
use crate::progress::Bar;
use report::MatchReport;

/// The default number of games without openings.
const USUAL_GAMES: u32 = 100;

/// Arguments of `fourbase match`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
Players:
  human                    a person; only in `fourbase play`
  perfect[:first]          plays a best move: any, or with :first the leftmost
  random                   plays a random column
  pomakis:LEVEL            Keith Pomakis' algorithm, 1 to 20 plies
  window:DEPTH             the player of a robot arm, 1 to 20 plies
  rating:LEVEL[:STRATEGY]  the Delphi program CONNECT4, levels 1 to 9,
                           strategies 0 to 7
  follow-up                the second player's rule

With --openings PLIES, each pair of games begins from a position after that many plies, and the \
players swap colours in the second game. The pairs cover all such positions, or random ones if \
--games is too small for all. Without --openings, two players that use no random numbers repeat \
the same two games.

Examples:
  fourbase match pomakis:5 window:4 7x6 --games 200 --openings 2
  fourbase match perfect rating:3 5x4 --openings 4 --json"))]
pub struct Arguments {
    /// The player whose result is shown first
    #[arg(value_name = "PLAYER")]
    player: Kind,

    /// The opponent
    #[arg(value_name = "PLAYER")]
    opponent: Kind,

    #[command(flatten)]
    board: BoardArgument,

    /// Number of games [default: 100; with --openings, two from every opening]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..=100_000_000))]
    games: Option<u32>,

    /// Length of the openings, the plies before the players take over
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = number::within::<u32>(0..=u32::MAX.into()))]
    openings: u32,

    /// Search at most N nodes for a move of perfect where no database has its value
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = number::within::<u64>(1..=u64::MAX))]
    nodes: u64,

    #[command(flatten)]
    trial: TrialArguments,
}

/// Runs `fourbase match`.
///
/// # Errors
///
/// Bad input: a human player; openings longer than any game. Failures: a move that perfect cannot find.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.trial.threads.pool()?.install(|| play(arguments))?;
    output::print_result("match", &report, arguments.trial.json)
}

fn play(arguments: &Arguments) -> anyhow::Result<MatchReport> {
    let TrialArguments { seed, database, cache, .. } = &arguments.trial;
    let seed = *seed;
    let (board, kinds) = (arguments.board.board, [arguments.player, arguments.opponent]);
    let no_human = || BadInput("a match is between programs; to play yourself, use: fourbase play".to_owned());
    ensure!(!kinds.contains(&Kind::Human), no_human());
    let openings = Openings::of(board, arguments.openings).ok_or_else(|| {
        let plies = counted(arguments.openings, "ply");
        BadInput(format!("every game of {board} is over after {plies}; take shorter openings"))
    })?;
    let games = arguments.games.unwrap_or_else(|| openings.usual_games(USUAL_GAMES));
    let openings = openings.draw(games.div_ceil(2), seed);
    let knowledge = if kinds.iter().any(|kind| kind.needs_outcomes()) {
        Some(Knowledge::find(board, database, *cache, arguments.nodes)?)
    } else {
        None
    };

    let (start, bar) = (Instant::now(), Bar::begun("games", games.into()));
    let players = || {
        let analyst = knowledge.as_ref().map(Knowledge::analyst);
        let known = || analyst.as_ref().map_or_else(nothing_known, outcomes);
        Some([kinds[0].chooser(board, known())?, kinds[1].chooser(board, known())?])
    };
    let played = (0..games).into_par_iter().map_init(players, |players, number| {
        let players = players.as_mut().with_context(no_human)?;
        let (opening, mut source) = (openings.get(number / 2), Source::new(seed, number.into()));
        let [one, other] = &kinds;
        let played = play_game(board, [one, other], players, opening, number % 2 == 0, &mut source);
        bar.add(1);
        Ok(played?)
    });
    let played = played.collect::<anyhow::Result<Vec<PlayedGame>>>()?;
    drop(bar);
    Ok(MatchReport::of(board, kinds, seed, &openings, &played, start.elapsed(), knowledge.as_ref()))
}
