//! Positions drawn at random, the same for the same seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use fourbase::players::{Source, random_play};
use fourbase::search::Monitor;
use fourbase::{Position, excerpt};
use fourbase_tiers::answer::{AnswerError, Answerer, Limits, Question};
use fourbase_tiers::counts::Draw;
use fourbase_tiers::database::Database;
use pyo3::prelude::*;
use rand::RngExt;
use rayon::prelude::*;

use crate::failure::{exception, of_answer};
use crate::wait::{patiently, pool};

/// The most draws for one position: on some boards the choice never matters, and some plies are never reached.
const MOST_DRAWS: u32 = 10_000;

/// How positions are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Every unfinished legal position is equally likely.
    Uniform,
    /// A ply is drawn, and random moves are played up to it.
    RandomPlay,
    /// Like random play, and again until the moves differ in value.
    ChoiceMatters,
}

impl Kind {
    /// Returns the kind with a name.
    pub fn named(name: &str) -> PyResult<Kind> {
        match name {
            "uniform" => Ok(Kind::Uniform),
            "random-play" => Ok(Kind::RandomPlay),
            "choice-matters" => Ok(Kind::ChoiceMatters),
            _ => {
                let names = "\"uniform\", \"random-play\" or \"choice-matters\"";
                let message = format!("kind={:?} is unknown; write {names}", excerpt(name, 40));
                Err(exception("OptionError", message))
            }
        }
    }
}

/// Draws unfinished positions of some plies. Each has random numbers of its own, so that the result does not depend on
/// the number of threads.
pub fn positions(
    py: Python<'_>,
    database: &Arc<Database>,
    count: usize,
    plies: &[u32],
    seed: u64,
    kind: Kind,
) -> PyResult<Vec<Position>> {
    let (monitor, stopped) = (Arc::new(Monitor::default()), AtomicBool::new(false));
    let stop = || {
        monitor.cancel();
        stopped.store(true, Relaxed);
    };
    let index = database.index();
    let work = || -> Result<Option<Vec<Position>>, AnswerError> {
        let draw = (kind == Kind::Uniform).then(|| Draw::new(index, plies.iter().copied()));
        let one = |number: usize| -> Result<Option<Position>, AnswerError> {
            let mut source = Source::new(seed, number as u64);
            if let Some(draw) = &draw {
                return Ok(if stopped.load(Relaxed) { None } else { draw.position(index, &mut source) });
            }
            for _ in 0..MOST_DRAWS {
                if stopped.load(Relaxed) || plies.is_empty() {
                    return Ok(None);
                }
                let ply = plies[source.random_range(0..plies.len() as u32) as usize];
                let Some((position, _)) = random_play(database.board(), ply as usize, &mut source) else { continue };
                if kind == Kind::RandomPlay || choice_matters(database, &position, &monitor)? {
                    return Ok(Some(position));
                }
            }
            Ok(None)
        };
        // A lost draw is the end of all.
        (0..count).into_par_iter().map(one).collect()
    };
    let drawn = patiently(py, &*pool()?, stop, |_| Ok(()), work)?.map_err(of_answer)?;
    drawn.ok_or_else(|| {
        let message =
            "random games do not reach such a position of these plies; write other plies=... or another kind=...";
        exception("OptionError", message.to_owned())
    })
}

/// Tells whether the moves of a position differ in value.
fn choice_matters(database: &Database, position: &Position, monitor: &Arc<Monitor>) -> Result<bool, AnswerError> {
    let mut question = Question::new(Limits { nodes: None, monitor: Some(Arc::clone(monitor)) });
    let moves = Answerer::moves(database, position, &mut question)?;
    Ok(moves.first().map(|of| of.outcome.value) != moves.last().map(|of| of.outcome.value))
}
