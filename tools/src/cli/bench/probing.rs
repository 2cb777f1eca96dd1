//! How fast probes are: cold, warm on one thread, warm on all.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::ensure;
use fourbase::notation::to_bits;
use fourbase::{Outcome, Position};
use fourbase_tiers::database::{Database, DatabaseError};
use rayon::prelude::*;
use serde::Serialize;

use super::fastest::fastest;
use super::sample::{Kinds, is_looked_up};
use crate::number::short;
use crate::wording::plain;

/// How long to repeat passes over the sample.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most passes.
const MOST_PASSES: u32 = 20;

/// The most cold probes.
const MOST_COLD: usize = 5000;

/// How fast probes are.
#[derive(Serialize)]
pub struct Probes {
    pub samples: usize,
    /// How probes find the values of the sample.
    pub kinds: Kinds,
    /// `None` where no position of the sample needs a look-up.
    pub cold: Option<Cold>,
    pub warm: Warm,
}

/// Probes with an empty cache; only the tables of the index and the open files are in memory. Each probe reads one block
/// from the system's file cache, checks and expands it, and finds its place in the quiet mask of one chunk. Only distinct
/// positions that need a look-up themselves count, because others need several blocks or none.
#[derive(Serialize)]
pub struct Cold {
    pub samples: usize,
    pub mean_seconds: f64,
    pub median_seconds: f64,
    /// Nine of ten probes are faster.
    pub tenth_seconds: f64,
}

/// Probes of the whole sample after its blocks were expanded, as far as the cache holds them.
#[derive(Serialize)]
pub struct Warm {
    pub one_thread_per_second: f64,
    /// By `probe_many`.
    pub all_threads_per_second: f64,
    /// Chunks of entries that the cache did not hold in the last pass on one thread; 0 if the sample fits into it.
    pub unpacked_chunks: u64,
}

/// Probes every position of the sample and times it; `root` is the outcome of the empty board from the solver.
///
/// # Errors
///
/// Files that cannot be read. Wrong answers: not the best of the children's, or not the same every time.
pub fn measure(database: Database, positions: &[Position], root: Outcome) -> anyhow::Result<Probes> {
    let answers = database.probe_many(positions).into_iter().collect::<Result<Vec<_>, DatabaseError>>()?;
    check_against_children(&database, positions, &answers)?;
    let empty = Position::start(database.board());
    expect(&empty, database.probe(&empty)?, root, "the solver")?;

    let (one, unpacked_chunks) = fastest(PATIENCE, MOST_PASSES, || {
        let before = database.unpacked();
        for (position, answer) in positions.iter().zip(&answers) {
            expect(position, database.probe(position)?, *answer, "an earlier probe")?;
        }
        Ok(database.unpacked() - before)
    })?;
    let (all, ()) = fastest(PATIENCE, MOST_PASSES, || {
        for ((position, found), answer) in positions.iter().zip(database.probe_many(positions)).zip(&answers) {
            expect(position, found?, *answer, "an earlier probe")?;
        }
        Ok(())
    })?;
    let per_second = |seconds: f64| short(positions.len() as f64 / seconds);
    Ok(Probes {
        samples: positions.len(),
        kinds: Kinds::of(positions, database.manifest()),
        warm: Warm {
            one_thread_per_second: per_second(one.seconds),
            all_threads_per_second: per_second(all.seconds),
            unpacked_chunks,
        },
        cold: cold(database.with_cache(0), positions, &answers)?,
    })
}

/// Probes on one thread with an empty cache. Earlier probes have made the tables of the index.
fn cold(database: Database, positions: &[Position], answers: &[Outcome]) -> anyhow::Result<Option<Cold>> {
    let mut met = HashSet::new();
    let cases = positions.iter().zip(answers);
    let cases = cases.filter(|(position, _)| is_looked_up(position, database.manifest()) && met.insert(**position));
    let mut seconds = Vec::new();
    for (position, answer) in cases.take(MOST_COLD) {
        let start = Instant::now();
        let found = database.probe(position)?;
        seconds.push(start.elapsed().as_secs_f64());
        expect(position, found, *answer, "a warm probe")?;
    }
    seconds.sort_by(f64::total_cmp);
    let samples = seconds.len();
    Ok((samples > 0).then(|| Cold {
        samples,
        mean_seconds: short(seconds.iter().sum::<f64>() / samples as f64),
        median_seconds: short(seconds[samples / 2]),
        tenth_seconds: short(seconds[samples * 9 / 10]),
    }))
}

/// Compares every answer with the best of the children's.
fn check_against_children(database: &Database, positions: &[Position], answers: &[Outcome]) -> anyhow::Result<()> {
    positions.par_iter().zip(answers).try_for_each(|(position, answer)| match database.moves(position)?.first() {
        Some(best) => expect(position, *answer, best.1, "its best move"),
        None => Ok(()),
    })
}

/// Compares two answers of one position.
fn expect(position: &Position, found: Outcome, expected: Outcome, by: &str) -> anyhow::Result<()> {
    ensure!(
        found == expected,
        "wrong answer: {} position {} is a {} by a probe, a {} by {by}",
        position.board(),
        to_bits(position),
        plain(found),
        plain(expected),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourbase::Value;

    #[test]
    fn the_message_of_a_wrong_answer_has_the_position() {
        let position = Position::start("2x2c2".parse().unwrap());
        let win = |plies| Outcome { value: Value::Win, remoteness: Some(plies) };
        assert!(expect(&position, win(3), win(3), "its best move").is_ok());
        let error = expect(&position, win(3), win(1), "its best move").unwrap_err();
        assert_eq!(
            error.to_string(),
            "wrong answer: 2x2c2 position 100 100 is a win in 3 by a probe, a win in 1 by its best move"
        );
    }
}
