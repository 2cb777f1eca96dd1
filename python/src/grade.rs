//! The function `grade`, which compares a player in Python with the exact values.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use fourbase::analysis::{Grade, GradedPly, Judgement, Share, Shares};
use fourbase::search::Monitor;
use fourbase::{Board, Position};
use fourbase_tiers::positions::{GradedPortion, GradedPositions};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arguments::{Progress, SampleCount, Seed, memory_bytes};
use crate::database::Database;
use crate::failure::{exception, of_position};
use crate::outcome::Outcome;
use crate::rows::Batch;
use crate::work::{ProgressDisplay, SIGNAL_INTERVAL, budget, pool};

/// The databases, the number of positions and the seed of a sample.
type SampleKey = (Vec<OsString>, u64, u64);

/// The samples that were drawn last, the newest one at the end: players are graded one after the other, and labels take long.
static SAMPLES: Mutex<Vec<(SampleKey, Arc<Vec<GradedPortion>>)>> = Mutex::new(Vec::new());

/// How many samples are kept, and of how many positions. One of 7x6 takes some 300 bytes with its moves.
const MOST_SAMPLES: usize = 4;
const MOST_POSITIONS: u64 = 100_000;

/// A share, and its interval.
type ShareAndInterval = (Option<f64>, Option<(f64, f64)>);

/// The counts graded, keeps, best, lost, resists; the chance that a random move keeps the value; the shares of keeps, best and
/// resists; whether all positions of the ply were graded.
type Sums = ((u64, u64, Option<u64>, Option<u64>, Option<u64>, Option<f64>), [ShareAndInterval; 3], bool);

/// The position, the column that was played, the outcome of that move, the outcome of the best move, and the best columns.
type Blunder = (crate::position::Position, usize, Outcome, Outcome, Vec<usize>);

/// The sums ply by ply and of all, and the worst move.
type Grades = (Vec<(usize, Sums)>, Sums, Option<Blunder>);

/// Judges a player's moves in legal positions where the choice matters and in lost positions: in all of them, or in a sample. `ask`
/// takes the bitboards of at most `at_once` positions and returns an int64 array of columns. `fourbase.grade` turns the result into
/// named tuples.
#[pyfunction]
pub fn grade(
    ask: &Bound<'_, PyAny>,
    at_once: usize,
    database: &Bound<'_, Database>,
    sample: Option<SampleCount>,
    seed: Seed,
    repeats: u64,
    progress: Progress<'_>,
) -> PyResult<Grades> {
    let py = ask.py();
    let (database, sample) = (database.get(), sample.map(|count| count.0));
    let board = database.analyst.board;
    let display = ProgressDisplay::new(py, board, "Progress", progress)?;
    let mut positions = GradedPositions::new(database.best(), &database.analyst, sample, seed.0);
    let mut grade = Grade { sample, repeats, ..Grade::default() };
    // What an unfinished database knows may grow.
    let is_kept = database.analyst.databases.iter().all(|database| database.is_complete());
    let key =
        sample.filter(|count| is_kept && *count <= MOST_POSITIONS).map(|count| (database.identity(), count, seed.0));
    let samples = || SAMPLES.lock().unwrap_or_else(PoisonError::into_inner);
    let known =
        samples().iter().find(|(other, _)| key.as_ref() == Some(other)).map(|(_, portions)| Arc::clone(portions));
    let mut drawn = Vec::new();
    let progress = |grade: &Grade, nodes| ("positions", grade.total().graded, sample, nodes);
    let mut told_at = Instant::now();
    loop {
        let fields = |monitor: &Monitor| Some(progress(&grade, monitor.nodes()));
        let portion = match &known {
            Some(portions) => portions.get(drawn.len()).cloned(),
            None => display
                .run_interruptible(py, &*pool()?, fields, |monitor| {
                    positions.next(&budget(None, monitor), memory_bytes(), &|| monitor.is_cancelled())
                })?
                .map_err(of_position)?,
        };
        let Some(portion) = portion else { break };
        for tests in portion.positions.chunks(at_once) {
            judge(ask, board, tests, &mut grade)?;
            if told_at.elapsed() > SIGNAL_INTERVAL {
                display.show(py, progress(&grade, 0))?;
                told_at = Instant::now();
            }
        }
        if portion.is_complete {
            grade.complete(portion.ply);
        }
        if key.is_some() {
            drawn.push(portion);
        }
    }
    if let (Some(key), None) = (key, known) {
        let mut samples = samples();
        samples.push((key, Arc::new(drawn)));
        let old = samples.len().saturating_sub(MOST_SAMPLES);
        samples.drain(..old);
    }
    let worst = grade.worst.as_ref().map(|of| {
        let best = of.best_columns.iter().map(|column| column + 1).collect();
        (crate::position::Position(of.position), of.column + 1, Outcome(of.played), Outcome(of.best), best)
    });
    let plies = grade.plies.iter().map(|(ply, of)| (*ply, sums(of, of.shares(repeats)))).collect();
    Ok((plies, sums(&grade.total(), grade.shares()), worst))
}

fn sums(of: &GradedPly, Shares { keeps, best, resists, chance }: Shares) -> Sums {
    let share = |of: Option<Share>| (of.map(|of| of.share), of.map(|of| of.interval.into()));
    let (lost, resisted) = of.lost_and_resists().unzip();
    ((of.graded, of.keeps, of.best(), lost, resisted, chance), [keeps, best, resists].map(share), of.is_complete)
}

/// Asks the player for a move in each of some positions, and judges the moves.
fn judge(
    ask: &Bound<'_, PyAny>,
    board: Board,
    tests: &[(Position, Vec<(usize, fourbase::Outcome)>)],
    grade: &mut Grade,
) -> PyResult<()> {
    let batch = Batch { board, positions: tests.iter().map(|(position, _)| Some(*position)).collect() };
    let positions = batch.to_array(ask.py())?;
    let mut judged: Vec<Vec<Judgement>> = vec![Vec::new(); tests.len()];
    for _ in 0..grade.repeats {
        let columns: PyReadonlyArray1<'_, i64> = ask.call1((&positions,))?.extract()?;
        for (((position, moves), column), judged) in tests.iter().zip(columns.as_array()).zip(&mut judged) {
            let place = usize::try_from(*column).ok().and_then(|column| column.checked_sub(1));
            let Some(judgement) = place.and_then(|place| Judgement::of(position, moves, place, None)) else {
                let legal: Vec<usize> = moves.iter().map(|(column, _)| column + 1).collect();
                let position = Bound::new(ask.py(), crate::position::Position(*position))?.repr()?;
                let message = format!(
                    "the player plays column {column} in {position}, where {legal:?} are legal; columns count from 1, so add 1 \
                     to what argmax finds"
                );
                return Err(exception("MoveError", message));
            };
            judged.push(judgement);
        }
    }
    judged.into_iter().for_each(|judgements| grade.add_repeats(judgements));
    Ok(())
}
