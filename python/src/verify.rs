//! The method `Database.verify`.

use fourbase_tiers::context::Context;
use fourbase_tiers::verify::{VerifyOptions, counting_bytes, verify as verify_database};
use pyo3::prelude::*;

use crate::arguments::Progress;
use crate::database::Database;
use crate::failure::{CHECK_FOLDER, exception, of_database};
use crate::work::ProgressDisplay;

/// Verifies the best database in at most `memory` bytes, and returns how many values were recomputed: `sample` of them, or all.
pub fn verify(
    py: Python<'_>,
    database: &Database,
    sample: Option<u64>,
    memory: u64,
    progress: Progress<'_>,
) -> PyResult<u64> {
    let (best, board) = (database.best(), database.analyst.board);
    if sample.is_none() && counting_bytes(best) > memory {
        let message = format!("counting the legal positions of {board} takes {} bytes of memory", counting_bytes(best));
        return Err(exception(
            "SolveMemory",
            format!("{message}; write sample=1_000_000, which does not count them, or more memory="),
        ));
    }
    let display = ProgressDisplay::new(py, board, "Progress", progress)?;
    let options = VerifyOptions { sample, memory_bytes: memory, ..VerifyOptions::default() };
    let options = VerifyOptions { searches: sample.unwrap_or(u64::MAX).min(options.searches), ..options };
    let report = display.run_counted(py, "entries", |progress| {
        verify_database(best, &options, &Context { progress, ..Context::default() })
    })?;
    let report = report.map_err(of_database)?;
    if report.is_sound() {
        return Ok(report.checked);
    }
    if let (true, Some(unread)) = (report.faults.is_empty(), report.unread.values().next()) {
        let remedy = if unread.is_newer { "update fourbase" } else { CHECK_FOLDER };
        return Err(exception("FileError", format!("{}; {remedy}", unread.message)));
    }
    let faults = Vec::from_iter(report.faults.into_iter().map(|fault| fault.message));
    let more = report.faults_in_all.saturating_sub(faults.len() as u64);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Err(exception("DatabaseDamaged", format!("{}{more}; solve the board again with replace=True", faults.join("; "))))
}
