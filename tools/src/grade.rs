//! `fourbase grade`: how good a player is against the whole truth.
//!
//! The player is asked for a move in all legal positions where a choice matters, or in a sample of them, and every move
//! is compared with the exact outcomes of all moves. [`positions`] lists or draws the positions, [`judge`] judges one
//! answer, [`report`] adds them up by ply.

mod judge;
mod positions;
mod report;

use std::time::Instant;

use anyhow::{anyhow, ensure};
use clap::Args;
use fourbase::players::Kind;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::plan::Plan;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, CacheArgument, DatabaseArgument, ThreadsArgument};
use crate::counter::Counter;
use crate::failure::BadInput;
use crate::knowledge::Knowledge;
use crate::output;
use judge::{Judge, Judgement};
use positions::{Asked, Tier};
use report::{Report, Sums};

/// Boards of more entries of the index are sampled unless told otherwise. 5x4 has 2.6 million.
const MOST_ENTRIES: u128 = 10_000_000;

/// How many positions are drawn of larger boards.
const USUAL_SAMPLE: u32 = 10_000;

/// Arguments of `fourbase grade`.
#[derive(Args, Debug)]
#[command(after_help = "\
A choice matters where the legal moves do not all have the same value: some move wins, ties or loses
where another does not. Of those positions grade tells, by ply,

  keeps   how often the player's move keeps the value of the position
  best    how often it is also a best move: the soonest win, the latest loss
  chance  how often a random move keeps the value

A board of at most 10 million entries is graded on all legal positions, mirror images apart. For a
larger one 10,000 positions are drawn: a ply at random, then random moves from the empty board up to
it, anew where the game ends before or the choice does not matter. --sample draws that many on any
board. A player that looks at the opponent's last move is told one that leads to the position.

Examples:
  fourbase grade pomakis:5 5x4
  fourbase grade window:4 6x5 --sample 20000 --json")]
pub struct Arguments {
    /// Whom to grade, such as pomakis:5; `fourbase match --help` lists the players
    #[arg(value_name = "PLAYER")]
    player: Kind,

    #[command(flatten)]
    board: BoardArgument,

    /// Draw so many positions instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    sample: Option<u32>,

    /// Which random positions and moves: the same number, the same grade
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

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

/// Runs `fourbase grade`.
///
/// # Errors
///
/// Bad input: a human. Failures: no values for a large board, with the command that makes them.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.threads.pool()?.install(|| grade(arguments))?;
    if arguments.json { output::print_json(&report) } else { output::print(report) }
}

fn grade(arguments: &Arguments) -> anyhow::Result<Report> {
    let (board, kind, seed) = (arguments.board.board, arguments.player, arguments.seed);
    ensure!(
        kind != Kind::Human,
        BadInput("a grade is for programs; for your own moves there is: fourbase analyse".into())
    );
    let knowledge = Knowledge::find(board, &arguments.database, arguments.cache, 1)?;
    if let Some(missing) = knowledge.missing() {
        return Err(anyhow!("{missing}"));
    }
    let small = Plan::estimate(board, Values::Remoteness).entries <= MOST_ENTRIES;
    let sample = arguments.sample.or((!small).then_some(USUAL_SAMPLE));
    let start = Instant::now();
    let judge = || Judge::new(board, kind, &knowledge);
    let (sums, legal) = match sample {
        Some(count) => (sample_of(count, seed, &judge, board)?, None),
        None => {
            let (sums, legal) = all(seed, &judge, board)?;
            (sums, Some(legal))
        }
    };
    Ok(Report::of(board, kind, seed, sample, legal, &sums, start.elapsed(), knowledge.note().to_owned()))
}

/// Grades all legal positions, and counts them.
fn all(seed: u64, judge: &(impl Fn() -> Judge + Sync), board: fourbase::Board) -> anyhow::Result<(Vec<Sums>, u64)> {
    let (mut tier, mut sums, mut legal) = (Tier::start(board), Vec::new(), 0);
    let counter = Counter::begin(board.cells() as u64, "plies");
    while !tier.is_empty() {
        let first = legal;
        legal += tier.count();
        let judged = tier
            .positions()
            .par_iter()
            .enumerate()
            .map_init(judge, |judge, (number, asked)| judge.judge(&asked.drawn(seed, first + number as u64)));
        sums.push(judged.try_fold(Sums::default, Sums::with).try_reduce(Sums::default, Sums::merge)?);
        tier = tier.next();
        counter.add(1);
    }
    Ok((sums, legal))
}

/// Grades positions drawn at random.
fn sample_of(
    count: u32,
    seed: u64,
    judge: &(impl Fn() -> Judge + Sync),
    board: fourbase::Board,
) -> anyhow::Result<Vec<Sums>> {
    let counter = Counter::begin(count.into(), "positions");
    let judged = (0..count).into_par_iter().map_init(judge, |judge, number| {
        let judgement = positions::draw(board, seed, number.into(), |asked: &Asked| judge.judge(asked));
        counter.add(1);
        judgement
    });
    let judged = judged.collect::<anyhow::Result<Vec<Option<Judgement>>>>()?;
    judged.into_iter().try_fold(vec![Sums::default(); board.cells()], |mut sums, judgement| {
        if let Some(judgement) = judgement {
            let ply = judgement.position.ply();
            sums[ply] = std::mem::take(&mut sums[ply]).with(Ok(Some(judgement)))?;
        }
        Ok(sums)
    })
}
