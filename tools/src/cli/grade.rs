//! `fourbase grade`: compare the moves of a program with the exact values.
//!
//! The player moves in every legal position that is lost or where the choice matters, or in a sample of these positions. Each move
//! is compared with the exact outcomes of all moves. [`GradedPositions`] lists the positions or draws the sample,
//! [`fourbase::analysis::Grade`] adds the judgements up by ply, and [`report`] writes the result.

pub mod report;

use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use fourbase::analysis::{Grade, GradedPly, Judgement};
use fourbase::players::{Kind, RandomSource, nothing_known, random_source};
use fourbase::{Position, notation};
use fourbase_tiers::context::Context;
use fourbase_tiers::counts::count_by_ply;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::memory;
use fourbase_tiers::positions::{GradedPositions, PositionError};
use fourbase_tiers::solve::{Plan, Solve, SolveError};
use rand::RngExt;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, TrialArguments, within};
use crate::failure::BadInput;
use crate::knowledge::{Knowledge, outcomes};
use crate::output;
use crate::output::progress::Bar;
use report::{Blunder, GradeReport, GradedJson, GradedPlyJson};

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
    #[arg(value_name = "PLAYER")]
    player: Kind,

    #[command(flatten)]
    board: BoardArgument,

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
    let knowledge = Knowledge::find(board, &arguments.trial.lookup, arguments.trial.nodes)?;
    let analyst = &knowledge.analyst;
    let Some(database) = analyst.database() else { bail!(knowledge.missing.unwrap_or_default()) };
    let small = Plan::estimate(board, Values::Remoteness).entries() <= MOST_ENTRIES;
    let sample = arguments.sample.or((!small).then_some(USUAL_SAMPLE));
    let start = Instant::now();
    let memory_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let solve = Solve::new(board, Values::Wdl).memory(memory_bytes);
    let count = || Ok::<_, SolveError>(count_by_ply(&solve, &Context::default())?.sum(|ply| ply.legal));
    let legal = if sample.is_none() { Some(count()?) } else { None };
    let mut tests = GradedPositions::new(database, &analyst.analyst, sample.map(u64::from), seed);
    (tests.memory_bytes, tests.budget.nodes) = (memory_bytes, Some(arguments.trial.nodes));
    let bar = match sample {
        Some(count) => Bar::begun("positions", count.into()),
        None => Bar::begun("plies", board.cells() as u64),
    };
    let mut grade = Grade { sample: sample.map(u64::from), ..Grade::default() };
    let mut next = || match tests.next(&()) {
        Err(PositionError::Database(error)) => Err(analyst.explain(error)),
        portion => Ok(portion?),
    };
    while let Some(portion) = next()? {
        let before = grade.total();
        let numbered = portion.positions.into_par_iter().enumerate();
        let first = before.graded + before.lost_and_resists().map_or(0, |(lost, _)| lost);
        let chooser = || kind.chooser(board, if kind.needs_outcomes() { outcomes(analyst) } else { nothing_known() });
        let judged = numbered.map_init(chooser, |chooser, (number, (position, moves))| {
            let chooser = chooser.as_mut().with_context(|| format!("{kind} is not a program"))?;
            // The first random streams draw the positions, so the player's moves take streams from the last one down.
            let mut source = random_source(seed, u64::MAX - first - number as u64);
            let last = if kind == Kind::FollowUp { last_move(&position, &mut source) } else { None };
            let choice = chooser.choose(&position, last, &mut source)?;
            let judged = Judgement::of(&position, &moves, choice.column, Some(choice.reason));
            judged.with_context(|| format!("{kind} plays an illegal move in {position}"))
        });
        grade = grade.merge(sum(judged)?);
        if portion.is_complete {
            grade.complete(portion.ply);
        }
        let plies = u64::from(portion.is_complete);
        bar.add(if sample.is_some() { grade.total().graded - before.graded } else { plies });
    }
    let of_ply = |(&ply, sums): (&usize, &GradedPly)| {
        let sums = GradedJson::of(sums, sums.shares(grade.repeats));
        GradedPlyJson { ply, sums }
    };
    Ok(GradeReport {
        board: board.to_string(),
        program: kind.to_string(),
        sample,
        population: if sample.is_some() { "plies" } else { "positions" },
        seed,
        legal,
        sums: GradedJson::of(&grade.total(), grade.shares()),
        plies: grade.plies.iter().map(of_ply).collect(),
        worst: grade.worst.clone().map(Blunder::of),
        source: knowledge.source(),
        seconds: output::milliseconds(start.elapsed()),
        note: kind.note(board).map(|note| format!("{note}; ")).unwrap_or_default() + &knowledge.note(),
    })
}

/// Draws one of the moves that lead to a legal position; `None` for the empty board.
fn last_move(position: &Position, source: &mut RandomSource) -> Option<usize> {
    let mut parents: Vec<(usize, Position)> = position.parents().collect();
    while !parents.is_empty() {
        let (column, parent) = parents.swap_remove(source.random_range(0..parents.len() as u32) as usize);
        if notation::to_moves(&parent).is_ok() {
            return Some(column);
        }
    }
    None
}

/// Adds up the judgements of single moves.
fn sum(judged: impl ParallelIterator<Item = anyhow::Result<Judgement>>) -> anyhow::Result<Grade> {
    let add = |mut grade: Grade, judgement: anyhow::Result<Judgement>| {
        grade.add(judgement?);
        Ok(grade)
    };
    judged.try_fold(Grade::default, add).try_reduce(Grade::default, |one, other| Ok(one.merge(other)))
}
