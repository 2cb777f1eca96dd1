//! `fourbase match`: two programs play many games against each other; each moves first in some of them.
//!
//! Game number n takes its random numbers from stream n of the seed, so the result does not depend on the number of threads.
//! A [`Match`] plays the games, and [`MatchReport`] adds up the results.

use std::fmt;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use fourbase::PerPlayer;
use fourbase::analysis::json::SourceJson;
use fourbase::players::{Kind, Match, PlayedGame, Score, nothing_known};
use fourbase_tiers::files::{counted, grouped};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::{BoardArgument, TrialArguments, within};
use crate::failure::BadInput;
use crate::knowledge::{Knowledge, outcomes};
use crate::output::progress::Bar;
use crate::output::{self, short};

/// The default number of games if `--openings` is not given.
const USUAL_GAMES: u32 = 100;

/// Arguments of `fourbase match`.
#[derive(Args, Debug)]
#[command(after_help = format!("\
Players:
  human                    a person; only in `fourbase play`
  level:LEVEL              plays as a person does, 1 to 5
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
  fourbase match level:3 level:2 7x6 --games 1000 --openings 2
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
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=100_000_000))]
    games: Option<u32>,

    /// Length of the openings, the plies before the players take over
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = within::<u32>(0..=u32::MAX.into()))]
    openings: u32,

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
    let seed = arguments.trial.seed;
    let (board, kinds) = (arguments.board.board, [arguments.player, arguments.opponent]);
    let no_human = || BadInput("a match is between programs; to play yourself, use: fourbase play".to_owned());
    ensure!(!kinds.contains(&Kind::Human), no_human());
    let drawn = Match::new(board, arguments.openings, arguments.games, USUAL_GAMES, seed).ok_or_else(|| {
        let plies = counted(arguments.openings, "ply");
        BadInput(format!("hardly a game of {board} lasts longer than {plies}; take shorter openings"))
    })?;
    let (openings, games) = (&drawn.openings, drawn.games);
    let knowledge = if kinds.iter().any(|kind| kind.needs_outcomes()) {
        Some(Knowledge::find(board, &arguments.trial.lookup, arguments.trial.nodes)?)
    } else {
        None
    };

    let (start, bar) = (Instant::now(), Bar::begun("games", games.into()));
    let players = || {
        let known = || knowledge.as_ref().map_or_else(nothing_known, |knowledge| outcomes(&knowledge.analyst));
        Some([kinds[0].chooser(board, known())?, kinds[1].chooser(board, known())?])
    };
    let played = (0..games).into_par_iter().map_init(players, |players, number| {
        let players = players.as_mut().with_context(no_human)?;
        let played = drawn.play(number, [&kinds[0], &kinds[1]], players);
        bar.add(1);
        Ok(played?.0)
    });
    let played = played.collect::<anyhow::Result<Vec<PlayedGame>>>()?;
    drop(bar);
    let (seconds, plies) = (start.elapsed().as_secs_f64(), played.iter().map(|game| game.plies).sum::<u64>());
    Ok(MatchReport {
        board: board.to_string(),
        games: games.into(),
        opening_plies: openings.plies,
        openings: openings.games.len(),
        all_openings: openings.is_all,
        seed,
        programs: [0, 1].map(|place| Tally::of(kinds[place], place, &played)),
        mean_plies: short(plies as f64 / f64::from(games.max(1))),
        seconds: short(seconds),
        games_per_second: short(f64::from(games) / seconds),
        threads: rayon::current_num_threads(),
        source: knowledge.as_ref().map(Knowledge::source),
        notes: {
            let of_player = kinds.iter().find_map(|kind| kind.note(board)).map(str::to_owned);
            of_player.into_iter().chain(knowledge.as_ref().map(Knowledge::note)).collect()
        },
    })
}

/// The result of a match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchReport {
    board: String,
    games: u64,
    opening_plies: u32,
    openings: usize,
    /// Whether these are all openings of this length.
    all_openings: bool,
    seed: u64,
    programs: [Tally; 2],
    mean_plies: f64,
    seconds: f64,
    games_per_second: f64,
    threads: usize,
    /// Where exact values come from; null if no player needs any.
    source: Option<SourceJson>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// The result of one of the two players.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tally {
    program: String,
    #[serde(flatten)]
    all: Score,
    /// The games in which it was the first player, and the others.
    players: PerPlayer<Score>,
    moves_made: u64,
    /// Moves per second on one thread; null if the player never moved.
    moves_per_second: Option<f64>,
}

impl Tally {
    fn of(kind: Kind, place: usize, played: &[PlayedGame]) -> Tally {
        let players = Score::of(played.iter(), place);
        let moves = played.iter().map(|game| game.moves[place]).sum::<u64>();
        let seconds = played.iter().map(|game| game.nanoseconds[place]).sum::<u64>() as f64 / 1e9;
        Tally {
            program: kind.to_string(),
            all: players.first.plus(players.second),
            players,
            moves_made: moves,
            moves_per_second: (moves > 0).then(|| short(moves as f64 / seconds.max(1e-9))),
        }
    }
}

/// Returns the cells of a row of the table.
fn cells(score: Score) -> impl Iterator<Item = String> {
    let points = score.points().map_or_else(|| "-".to_owned(), |of| format!("{:.1} %", 100.0 * of.share));
    [score.wins, score.ties, score.losses].map(|count| grouped(count.into())).into_iter().chain([points])
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatchReport { board, games, opening_plies, openings, all_openings, .. } = self;
        write!(f, "{board}, {} from ", counted(*games, "game"))?;
        let plies = counted(*opening_plies, "ply");
        match (opening_plies, all_openings) {
            (0, _) => write!(f, "the empty board")?,
            (_, true) if *openings == 1 => write!(f, "the only position after {plies}")?,
            (_, true) => write!(f, "all {} after {plies}", counted(*openings, "position"))?,
            (_, false) => write!(f, "{} after {plies}", counted(*openings, "random position"))?,
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        for player in &self.programs {
            let PerPlayer { first, second } = player.players;
            for (name, score) in [(player.program.as_str(), player.all), ("  as first", first), ("  as second", second)]
            {
                rows.push([name.to_owned()].into_iter().chain(cells(score)).collect());
            }
        }
        write!(f, "\n\n{}\n\n", output::table(&["", ">wins", ">ties", ">losses", ">points"], rows))?;
        write!(f, "{} plies a game, {} s, {} games/s", self.mean_plies, self.seconds, self.games_per_second)?;
        for player in &self.programs {
            if let Some(rate) = player.moves_per_second {
                write!(f, "\n{}: {} moves/s a thread", player.program, grouped(rate as u128))?;
            }
        }
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}
