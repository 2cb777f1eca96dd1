//! Estimates how long a data set takes, by a short trial of the same work.

use std::time::Duration;

use fourbase::analysis::Budget;
use web_time::Instant;

use super::column::Field;
use super::portion::Portion;
use super::run::{Dataset, PORTION, RowChoice, entries};
use crate::positions::{SampleKind, Sampler};
use crate::progress::Progress;

/// A trial starts no more rows after this time.
const ENOUGH: Duration = Duration::from_secs(1);

/// A trial ends after this time even if it has not finished.
const LONGEST: Duration = Duration::from_secs(10);

/// The most rows of a trial.
const MOST_ROWS: u64 = 1024;

/// If fewer rows than this need a search, there is no trial.
const FEW_ROWS: f64 = 1000.0;

/// The seconds for a row whose values are all stored in the database. For comparison, the 3.1 million rows of 5x4 take
/// 3 to 6 seconds.
const STORED_ROW: f64 = 1e-6;

impl Dataset<'_> {
    /// Estimates the time for all rows. A trial makes some rows of the plies that the database does not store, on all
    /// threads of rayon's current pool. The trial makes no rows of stored plies: a stored row takes microseconds once
    /// the blocks of the database are expanded, so the time of a few stored rows would say nothing about many. If the
    /// trial fails, the estimate counts its rows like stored rows, and the work itself will report the error.
    pub(super) fn estimate(&self, fields: &[Field], progress: &dyn Progress) -> Duration {
        let (database, plies) = (self.database, self.selection.plies.as_slice());
        let after = u32::from(fields.iter().any(|field| field.column.is_of_moves()));
        let cells = database.board().cells() as u32;
        let is_searched = |ply: &u32| *ply < cells && !database.reaches(*ply + after);
        let searched: Vec<u32> = plies.iter().copied().filter(is_searched).collect();
        let entries = |plies: &[u32]| plies.iter().map(|ply| entries(database.index(), *ply) as f64).sum::<f64>();
        let (rows, kind, seed) = match self.selection.rows {
            RowChoice::All if self.selection.is_distinct => (entries(plies), SampleKind::Uniform, 1),
            RowChoice::All => (2.0 * entries(plies), SampleKind::Uniform, 1),
            RowChoice::Sample { count, kind, seed } => (count as f64, kind, seed),
            RowChoice::Unforced => return Duration::ZERO,
        };
        let share = if kind == SampleKind::Uniform {
            entries(&searched) / entries(plies).max(1.0)
        } else {
            searched.len() as f64 / plies.len() as f64
        };
        let is_tried = rows * share >= FEW_ROWS;
        let sampler = is_tried.then(|| Sampler::new(database, kind, &searched, seed).ok()).flatten();
        let trial = sampler.and_then(|sampler| self.trial(fields, sampler, progress)).unwrap_or(STORED_ROW);
        let seconds = rows * (share * trial + (1.0 - share) * STORED_ROW);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// Makes some rows of positions drawn at random. Returns the seconds per row, or a lower bound if the trial ran out
    /// of time. Returns `None` if the trial failed.
    fn trial(&self, fields: &[Field], mut sampler: Sampler, progress: &dyn Progress) -> Option<f64> {
        let (mut rows, begun) = (0u64, Instant::now());
        sampler.budget = Budget { deadline: Some(begun + LONGEST), ..self.budget.clone() };
        while rows < MOST_ROWS && begun.elapsed() < ENOUGH {
            let end = rows + rows.max(16);
            let drawn = sampler.draw(rows..end, progress);
            let made = drawn.and_then(|drawn| Portion::new(self.database, &sampler.budget, fields, drawn, PORTION));
            if made.is_err() && begun.elapsed() < LONGEST {
                return None;
            }
            rows = end;
        }
        Some(begun.elapsed().as_secs_f64() / rows as f64)
    }
}
