//! `fourbase grade`: compare the moves of a program with the exact values.
//!
//! The player moves in every legal position that is lost or where the choice matters, or in a sample of these positions. Each move
//! is compared with the exact outcomes of all moves. [`positions`] lists the positions, and
//! [`GradedPositions`](fourbase_tiers::positions::GradedPositions) draws the sample. [`fourbase::analysis::Grade`] adds the
//! judgements up by ply, and [`report`] writes the result.

mod positions;
pub mod report;

use std::time::Instant;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use fourbase::analysis::{Grade, Judgement};
use fourbase::players::{Kind, nothing_known};
use fourbase::{Board, Outcome};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::memory;
use fourbase_tiers::positions::{GradedPositions, PositionError};
use fourbase_tiers::solve::Plan;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, TrialArguments, player, within};
use crate::failure::BadInput;
use crate::knowledge::{Knowledge, outcomes};
use crate::output;
use crate::output::progress::Bar;
use positions::{LegalPositions, Reached, TestPosition};
use report::GradeReport;

/// The most index entries of a board whose positions are all graded by default; on larger boards a sample is. 5x4 has 2.6 million.
const MOST_ENTRIES: u128 = 10_000_000;

/// How many positions are drawn by default on larger boards.
const USUAL_SAMPLE: u32 = 10_000;

/// Arguments of `fourbase grade`.
#[derive(Args, Debug)]
#[command(after_help = "\
The choice matters in a position whose legal moves do not all have the same value. Of those \
positions, the report shows by ply

  keeps   how often the player's move keeps the value of the position
  best    how often it is also a best move: the earliest win, the latest loss
  chance  how often a random move keeps the value

and, for lost positions where some moves hold out longer than others:

  lost    how many there are
  resists how often the player's move loses as late as possible

Boards of at most 10 million entries are graded on all legal positions; a position and its \
mirror image count as two. On larger boards, grade draws 10,000 positions where the choice \
matters, and the lost ones found meanwhile: at each ply the same number, all equally likely, none \
twice. --sample N draws N positions on any board. If a player needs the opponent's last move, \
grade supplies one that leads to the position.

A sample has intervals of 95 % for keeps (Wilson's score intervals), and 'exact' where all such \
positions of the ply were graded. They speak for a player that always gives the same move. The \
last row is the mean of the plies, each with the same weight, which is not the share of all \
positions; without --sample, each position has the same weight. --json has all intervals.

Examples:
  fourbase grade pomakis:5 5x4
  fourbase grade window:4 6x5 --sample 20000 --json")]
pub struct Arguments {
    /// The program to grade, such as pomakis:5; `fourbase match --help` lists the players
    #[arg(value_name = "PLAYER", value_parser = player(), hide_possible_values = true)]
    player: Kind,

    #[command(flatten)]
    board: BoardArgument,

    /// Search at most N nodes for a position that the database does not keep
    #[arg(long, value_name = "N", default_value_t = fourbase::analysis::DEFAULT_NODES, value_parser = within::<u64>(1..=u64::MAX))]
    nodes: u64,

    /// Draw N positions where the choice matters, instead of all
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=100_000_000))]
    sample: Option<u32>,

    #[command(flatten)]
    trial: TrialArguments,
}

/// Runs `fourbase grade`.
///
/// # Errors
///
/// Bad input: a human player. Failures: no database of a large board.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let report = arguments.trial.threads.pool()?.install(|| grade(arguments))?;
    output::print_result("grade", &report, arguments.trial.json)
}

fn grade(arguments: &Arguments) -> anyhow::Result<GradeReport> {
    let (board, kind, seed) = (arguments.board.board, arguments.player, arguments.trial.seed);
    ensure!(
        kind != Kind::Human,
        BadInput("only programs can be graded; for your own moves use: fourbase analyse".into())
    );
    let knowledge = Knowledge::find(board, &arguments.trial.lookup, arguments.nodes)?;
    if let Some(missing) = knowledge.missing() {
        return Err(anyhow!("{missing}"));
    }
    let small = Plan::estimate(board, Values::Remoteness).entries() <= MOST_ENTRIES;
    let sample = arguments.sample.or((!small).then_some(USUAL_SAMPLE));
    let start = Instant::now();
    let judge = || judge(board, kind, &knowledge);
    let (grade, legal) = match sample {
        Some(count) => (sample_of(count, arguments, &knowledge, &judge)?, None),
        None => {
            let (grade, legal) = all(seed, &knowledge, &judge, board)?;
            (grade, Some(legal))
        }
    };
    Ok(GradeReport::of(board, kind, seed, sample, legal, &grade, start.elapsed(), &knowledge))
}

/// Returns a function that lets the player move in a position with known outcomes and judges the move. Each thread needs its own.
fn judge(
    board: Board,
    kind: Kind,
    knowledge: &Knowledge,
) -> impl FnMut(&TestPosition, &[(usize, Outcome)]) -> anyhow::Result<Judgement> {
    let known = if kind.needs_outcomes() { outcomes(&knowledge.analyst()) } else { nothing_known() };
    let mut chooser = kind.chooser(board, known);
    move |TestPosition { position, last, source }, moves| {
        let chooser = chooser.as_mut().with_context(|| format!("{kind} is not a program"))?;
        let choice = chooser.choose(position, *last, &mut source.clone())?;
        let judged = Judgement::of(position, moves, choice.column, Some(choice.reason));
        judged.with_context(|| format!("{kind} plays an illegal move in {position}"))
    }
}

/// Grades all legal positions. Returns the grade and the number of positions.
fn all<J>(
    seed: u64,
    knowledge: &Knowledge,
    judge: &(impl Fn() -> J + Sync),
    board: Board,
) -> anyhow::Result<(Grade, u64)>
where
    J: FnMut(&TestPosition, &[(usize, Outcome)]) -> anyhow::Result<Judgement>,
{
    let (mut legal_positions, mut grade, mut legal) = (LegalPositions::start(board), Grade::default(), 0);
    let (bar, analyst) = (Bar::begun("plies", board.cells() as u64), knowledge.analyst());
    for ply in 0.. {
        if legal_positions.is_empty() {
            break;
        }
        let first = legal;
        legal += legal_positions.count();
        let numbered = legal_positions.all().par_iter().enumerate();
        let judged = numbered.map_init(judge, |judge, (number, reached)| {
            let test = reached.drawn(seed, first + number as u64);
            let moves = analyst.moves(&test.position)?;
            let is_test = Judgement::matters(&moves) || Judgement::is_lost(&moves);
            is_test.then(|| judge(&test, &moves)).transpose()
        });
        grade = grade.merge(sum(judged)?);
        grade.complete(ply);
        legal_positions = legal_positions.next();
        bar.add(1);
    }
    Ok((grade, legal))
}

/// Grades positions drawn at random.
fn sample_of<J>(
    count: u32,
    arguments: &Arguments,
    knowledge: &Knowledge,
    judge: &(impl Fn() -> J + Sync),
) -> anyhow::Result<Grade>
where
    J: FnMut(&TestPosition, &[(usize, Outcome)]) -> anyhow::Result<Judgement>,
{
    let (analyst, seed) = (knowledge.analyst(), arguments.trial.seed);
    let database = analyst.database().context("no database")?;
    let mut drawn = GradedPositions::new(database, &analyst.analyst, Some(count.into()), seed);
    drawn.memory_bytes = memory::default_limit().unwrap_or(u64::MAX);
    drawn.budget.nodes = Some(arguments.nodes);
    let (bar, mut grade) =
        (Bar::begun("positions", count.into()), Grade { sample: Some(count.into()), ..Grade::default() });
    let mut next = || match drawn.next(&()) {
        Err(PositionError::Database(error)) => Err(analyst.explain(error)),
        portion => Ok(portion?),
    };
    while let Some(portion) = next()? {
        let before = grade.total();
        let numbered = portion.positions.into_par_iter().enumerate();
        let first = before.graded + before.lost_and_resists().map_or(0, |(lost, _)| lost);
        let judged = numbered.map_init(judge, |judge, (number, (position, moves))| {
            // The first random streams draw the positions, so the player's moves take streams from the last one down.
            let test = Reached::before(position).drawn(seed, u64::MAX - first - number as u64);
            judge(&test, &moves).map(Some)
        });
        grade = grade.merge(sum(judged)?);
        if portion.is_complete {
            grade.complete(portion.ply);
        }
        bar.add(grade.total().graded - before.graded);
    }
    Ok(grade)
}

/// Adds up the judgements of single moves.
fn sum(judged: impl ParallelIterator<Item = anyhow::Result<Option<Judgement>>>) -> anyhow::Result<Grade> {
    let add = |mut grade: Grade, judgement: anyhow::Result<Option<Judgement>>| {
        judgement?.into_iter().for_each(|judgement| grade.add(judgement));
        Ok(grade)
    };
    judged.try_fold(Grade::default, add).try_reduce(Grade::default, |one, other| Ok(one.merge(other)))
}
