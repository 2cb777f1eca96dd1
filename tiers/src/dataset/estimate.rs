//! Estimates how long a data set takes, by a short trial of the same work.

use std::time::Duration;

use fourbase::analysis::Budget;
use web_time::Instant;

use super::column::Field;
use super::error::DatasetError;
use super::portion::Portion;
use super::run::{Dataset, PORTION, Rows};
use crate::index::TierDirectory;
use crate::positions::{SampleKind, Sampler};

/// After so much time a trial starts no more rows.
const ENOUGH: Duration = Duration::from_secs(1);

/// After so much time a trial ends, finished or not.
const LONGEST: Duration = Duration::from_secs(10);

/// The most rows of a trial.
const MOST_ROWS: u64 = 1024;

/// With fewer searched rows there is no trial.
const FEW_ROWS: f64 = 1000.0;

/// Seconds per row whose values are all stored: the 3.1 million rows of 5x4 take 3 to 6 seconds.
const STORED_ROW: f64 = 1e-6;

impl Dataset<'_> {
    /// Estimates the time for all rows. A trial makes rows of plies that are not stored, on all threads of rayon's
    /// current pool. It makes no stored rows: these take microseconds once their blocks are expanded, so a few of them
    /// would say nothing about many. If the trial fails, its rows count like stored ones, and the work itself will
    /// report the error.
    pub(super) fn estimate(&self, fields: &[Field], is_stopped: &(dyn Fn() -> bool + Sync)) -> Duration {
        let (database, plies) = (self.database, self.choice.plies.as_slice());
        let after = u32::from(fields.iter().any(|field| field.column.is_of_moves()));
        let cells = database.board().cells() as u32;
        let searched = plies.iter().copied().filter(|ply| *ply < cells && !database.reaches(*ply + after));
        let searched: Vec<u32> = searched.collect();
        let entries = |plies: &[u32]| -> f64 {
            plies.iter().map(|ply| TierDirectory::new(database.index(), *ply).entries() as f64).sum()
        };
        let (rows, kind, seed) = match self.choice.rows {
            Rows::All if self.choice.is_distinct => (entries(plies), SampleKind::Uniform, 1),
            Rows::All => (2.0 * entries(plies), SampleKind::Uniform, 1),
            Rows::Sample { count, kind, seed } => (count as f64, kind, seed),
            Rows::Unforced => return Duration::ZERO,
        };
        let share = if kind == SampleKind::Uniform {
            entries(&searched) / entries(plies).max(1.0)
        } else {
            searched.len() as f64 / plies.len() as f64
        };
        let trial =
            if rows * share < FEW_ROWS { None } else { self.trial(fields, &searched, kind, seed, is_stopped).ok() };
        let seconds = rows * (share * trial.unwrap_or(STORED_ROW) + (1.0 - share) * STORED_ROW);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// Makes some rows of plies drawn at random. Returns the seconds per row, or a lower bound if the trial ran out of
    /// time.
    fn trial(
        &self,
        fields: &[Field],
        plies: &[u32],
        kind: SampleKind,
        seed: u64,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<f64, DatasetError> {
        let sampler = Sampler::new(self.database, kind, plies, seed)?;
        let (mut rows, mut step, begun) = (0, 16, Instant::now());
        let end = begun + LONGEST;
        let budget = Budget { deadline: Some(end), ..self.budget.clone() };
        while rows < MOST_ROWS && begun.elapsed() < ENOUGH {
            let drawn = sampler.draw(rows..rows + step, &budget, is_stopped).map_err(DatasetError::from);
            let made = drawn.and_then(|drawn| Portion::new(self.database, &budget, fields, drawn, PORTION));
            made.map(drop).or_else(|error| if Instant::now() < end { Err(error) } else { Ok(()) })?;
            rows += step;
            step = rows;
        }
        Ok(begun.elapsed().as_secs_f64() / rows as f64)
    }
}
