//! `fourbase grade`: compare the moves of a program with the exact values.
//!
//! The player moves in all legal positions where the choice matters, or in a sample of them, and each move is compared
//! with the exact outcomes of all moves. [`positions`] lists or draws the positions, [`fourbase::analysis::Grade`] adds the
//! judgements up by ply, and [`report`] writes them.

mod positions;
pub mod report;

use std::time::Instant;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use fourbase::Board;
use fourbase::analysis::{Grade, Judgement};
use fourbase::players::{Kind, nothing_known};
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::Plan;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, TrialArguments, player, within};
use crate::failure::BadInput;
use crate::knowledge::{Knowledge, outcomes};
use crate::output;
use crate::output::progress::Bar;
use positions::{LegalPositions, TestPosition};
use report::GradeReport;

/// Larger boards, by the entries of the index, are sampled by default. 5x4 has 2.6 million.
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

Boards of at most 10 million entries are graded on all legal positions; a position and its \
mirror image count as two. On larger boards, grade draws 10,000 positions: a random ply each, \
then random moves from the empty board up to it. It draws again if the game ended early or the \
choice does not matter. --sample N draws N positions on any board. If a player needs the opponent's \
last move, grade supplies one that leads to the position.

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
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = within::<u64>(1..=u64::MAX))]
    nodes: u64,

    /// Draw N positions at random instead of all
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
        Some(count) => (sample_of(count, seed, &judge, board)?, None),
        None => {
            let (grade, legal) = all(seed, &judge, board)?;
            (grade, Some(legal))
        }
    };
    Ok(GradeReport::of(board, kind, seed, sample, legal, &grade, start.elapsed(), &knowledge))
}

/// Returns what lets the player move in a position and judges the move; `None` if the game is over or all moves have the same
/// value. For one thread.
fn judge(
    board: Board,
    kind: Kind,
    knowledge: &Knowledge,
) -> impl FnMut(&TestPosition) -> anyhow::Result<Option<Judgement>> {
    let analyst = knowledge.analyst();
    let known = if kind.needs_outcomes() { outcomes(&analyst) } else { nothing_known() };
    let mut chooser = kind.chooser(board, known);
    move |TestPosition { position, last, source }| {
        let moves = analyst.moves(position)?;
        if !Judgement::matters(&moves) {
            return Ok(None);
        }
        let chooser = chooser.as_mut().with_context(|| format!("{kind} is not a program"))?;
        let choice = chooser.choose(position, *last, &mut source.clone())?;
        let judged = Judgement::of(position, &moves, choice.column, Some(choice.reason));
        judged.with_context(|| format!("{kind} plays an illegal move in {position}")).map(Some)
    }
}

/// Grades all legal positions. Returns the grade and the number of positions.
fn all<J>(seed: u64, judge: &(impl Fn() -> J + Sync), board: Board) -> anyhow::Result<(Grade, u64)>
where
    J: FnMut(&TestPosition) -> anyhow::Result<Option<Judgement>>,
{
    let (mut legal_positions, mut grade, mut legal) = (LegalPositions::start(board), Grade::default(), 0);
    let bar = Bar::begun("plies", board.cells() as u64);
    while !legal_positions.is_empty() {
        let first = legal;
        legal += legal_positions.count();
        let numbered = legal_positions.all().par_iter().enumerate();
        let judged =
            numbered.map_init(judge, |judge, (number, reached)| judge(&reached.drawn(seed, first + number as u64)));
        grade = grade
            .merge(judged.try_fold(Grade::default, add).try_reduce(Grade::default, |one, other| Ok(one.merge(other)))?);
        legal_positions = legal_positions.next();
        bar.add(1);
    }
    Ok((grade, legal))
}

/// Grades positions drawn at random.
fn sample_of<J>(count: u32, seed: u64, judge: &(impl Fn() -> J + Sync), board: Board) -> anyhow::Result<Grade>
where
    J: FnMut(&TestPosition) -> anyhow::Result<Option<Judgement>>,
{
    let bar = Bar::begun("positions", count.into());
    let judged = (0..count).into_par_iter().map_init(judge, |judge, number| {
        let judgement = positions::draw(board, seed, number.into(), |test| judge(test));
        bar.add(1);
        judgement
    });
    judged.try_fold(Grade::default, add).try_reduce(Grade::default, |one, other| Ok(one.merge(other)))
}

/// Adds a judgement, if there is one.
fn add(mut grade: Grade, judgement: anyhow::Result<Option<Judgement>>) -> anyhow::Result<Grade> {
    judgement?.into_iter().for_each(|judgement| grade.add(judgement));
    Ok(grade)
}
