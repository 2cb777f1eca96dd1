//! A line for each finished tier: the record of a long verification.

use std::time::Instant;

use fourbase_tiers::database::Database;
use fourbase_tiers::files::bytes;
use fourbase_tiers::verify::Stage;

use crate::number::grouped;
use crate::{failure, memory};

/// Writes the lines, with the time since the start.
pub struct Log(Instant);

impl Log {
    /// Starts the clock, and names the database.
    pub fn begin(database: &Database) -> Log {
        let manifest = database.manifest();
        let (board, values, size) = (database.board(), database.values(), bytes(manifest.bytes().into()));
        failure::print_note(&format!("{board} with {values}: {} tiers, {size}", manifest.tiers.len()));
        Log(Instant::now())
    }

    /// Writes the line of a tier that is done in a stage.
    pub fn tier_done(&self, stage: Stage, ply: u32, count: u64) {
        let what = match stage {
            Stage::Files => "blocks read",
            Stage::Values => "values recomputed",
            Stage::Legal => "legal positions counted",
            Stage::Search => "positions searched",
        };
        failure::print_note(&format!(
            "{:9.1} s  ply {ply:2}  {:>19} {what}, peak memory {}",
            self.0.elapsed().as_secs_f64(),
            grouped(count.into()),
            memory::peak_bytes().map_or_else(|| "?".to_string(), |peak| bytes(peak.into())),
        ));
    }
}
