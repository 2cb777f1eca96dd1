//! `fourbase puzzles`: positions in which exactly one move keeps the win, or the tie.

use std::fmt::{self, Display, Formatter};

use anyhow::ensure;
use clap::Args;
use fourbase::notation;
use fourbase::players::Outcomes;
use fourbase::puzzles::{Puzzle, Puzzles, PuzzlesJson, seed_of_date};
use fourbase_tiers::files::counted;
use serde::Serialize;

use super::query::source::SearchArguments;
use crate::arguments::{BoardArgument, within};
use crate::failure::BadInput;
use crate::output::{self, wording};

/// Arguments of `fourbase puzzles`.
#[derive(Args, Debug)]
#[command(after_help = "\
In a puzzle exactly one move keeps the win, or the tie. The positions come from games of the \
players level:1 to level:5, and no two are equal or mirror images. The same board and seed give \
the same puzzles everywhere. The level of a puzzle is the lowest one that solves it at least half \
of the time. The solutions stand at the end.

Examples:
  fourbase puzzles 7x6
  fourbase puzzles 7x6 --count 20 --seed 1
  fourbase puzzles 7x6 --date 2026-11-29
  fourbase puzzles 6x5 --count 100 --json")]
pub struct Arguments {
    #[command(flatten)]
    board: BoardArgument,

    /// Number of puzzles
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u32>(1..=100_000))]
    count: u32,

    /// Seed of the games from which the puzzles come
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(0..=u64::MAX))]
    seed: u64,

    /// The puzzles of a day, such as 2026-11-29, in place of a seed
    #[arg(long, value_name = "DATE", conflicts_with = "seed", value_parser = date)]
    date: Option<u64>,

    #[command(flatten)]
    search: SearchArguments,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Reads a date as a seed.
fn date(text: &str) -> Result<u64, String> {
    seed_of_date(text).ok_or_else(|| "not a date; write it as 2026-11-29".to_owned())
}

/// Runs `fourbase puzzles`.
///
/// # Errors
///
/// Bad input: a board without a puzzle. Failures: a database that cannot be read, a value that is not decided.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.board.board;
    let analyst = arguments.search.find(board, None)?;
    let outcomes: Outcomes = Box::new(|position| Ok(analyst.every_move(position)?));
    let seed = arguments.date.unwrap_or(arguments.seed);
    let puzzles = Puzzles::new(board, outcomes, seed).take(arguments.count as usize);
    let puzzles = puzzles.collect::<Result<Vec<_>, _>>()?;
    ensure!(!puzzles.is_empty(), BadInput(format!("no game of {board} met a puzzle; take another board")));
    let json = PuzzlesJson::of(board, seed, &puzzles);
    output::print_result("puzzles", &Report { json, puzzles }, arguments.json)
}

/// What the command prints.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    json: PuzzlesJson,
    #[serde(skip)]
    puzzles: Vec<Puzzle>,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (puzzle, number) in self.puzzles.iter().zip(1..) {
            let (position, outcome) = (puzzle.position(), puzzle.outcome);
            let level = puzzle.level.map_or("above all levels".to_owned(), |level| format!("level {level}"));
            let replies = counted(puzzle.replies as u64, "reply");
            let sentence = wording::sentence(position.to_move(), outcome);
            writeln!(f, "{number}. {sentence}; {replies} to meet; {level}")?;
            writeln!(f, "{}\nMoves: {}\n", notation::draw(position, true), puzzle.game.moves())?;
        }
        self.json.note.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        let solutions =
            self.puzzles.iter().zip(1..).map(|(puzzle, number)| format!("{number}: {}", puzzle.solution + 1));
        write!(f, "Solutions: {}", solutions.collect::<Vec<_>>().join(", "))
    }
}
