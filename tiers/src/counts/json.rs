//! The counts of a board as JSON. `docs/reference/json.md` describes the fields.

use std::path::Path;

use fourbase::Board;
use serde::Serialize;

use super::{Counts, OutcomeCount, PlyCounts};
use crate::files::plain;
use crate::format::Manifest;
use crate::kernel::Values;
use crate::solve::SolveError;

/// The counts of a board with their sums. What was not counted, or does not apply, is null.
#[expect(missing_docs, reason = "the names of the fields say it")]
#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    pub board: String,
    /// The values that are counted; null for legal positions alone.
    pub stores: Option<String>,
    pub stopped: bool,
    /// How many tiers were counted; for a stopped count, only those of the interrupted direction.
    pub tiers_done: usize,
    pub tiers: usize,
    /// Where the same count resumes; null if nothing was kept.
    pub resume_folder: Option<String>,
    /// The folder of the counted database.
    pub folder: Option<String>,
    /// The deepest ply in the database; null if it has all.
    pub keep_plies: Option<u32>,
    pub hash: Option<String>,
    #[serde(flatten)]
    pub sums: Sums,
    pub plies: Option<Vec<Row>>,
    /// Sums over all plies.
    pub outcomes: Option<Vec<OutcomeRow>>,
}

/// A row of the plies.
#[expect(missing_docs, reason = "the names of the fields say it")]
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    pub ply: u32,
    #[serde(flatten)]
    pub sums: Sums,
    pub outcomes: Option<Vec<OutcomeRow>>,
}

/// The positions of one value and remoteness, of one ply or of all.
#[expect(missing_docs, reason = "the names of the fields say it")]
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeRow {
    pub value: &'static str,
    pub remoteness: Option<u32>,
    pub legal: u64,
    /// One of them, as moves.
    pub example: Option<String>,
}

impl OutcomeRow {
    fn new(row: &OutcomeCount) -> OutcomeRow {
        let OutcomeCount { value, remoteness, legal, example, .. } = row;
        let example = example.as_ref().map(|moves| if moves == "-" { String::new() } else { moves.clone() });
        OutcomeRow { value: value.name(), remoteness: *remoteness, legal: *legal, example }
    }
}

/// The positions of a ply or of all. What was not counted is null.
#[expect(missing_docs, reason = "the names of the fields say it")]
#[derive(Serialize, Clone, Copy, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sums {
    pub legal: Option<u64>,
    pub primitive: Option<u64>,
    pub with_line: Option<u64>,
    pub win: Option<u64>,
    pub lose: Option<u64>,
    pub tie: Option<u64>,
}

impl Row {
    fn new(counts: &Counts, of_ply: &PlyCounts) -> Row {
        let outcomes = counts.outcomes.iter().filter(|row| row.ply == of_ply.ply).map(OutcomeRow::new);
        let outcomes = counts.values.map(|_| outcomes.collect());
        Row { ply: of_ply.ply, sums: Sums::of(counts, std::slice::from_ref(of_ply)), outcomes }
    }
}

impl Sums {
    /// Adds up the counts of some plies. Counts by value do not store how many positions have a line. These are all
    /// primitive positions, but on the full board only the wins and losses, because full boards without a line are
    /// ties. A sum beyond 64 bits, which no board has, becomes the largest number.
    fn of(counts: &Counts, plies: &[PlyCounts]) -> Sums {
        let sum = |count: &dyn Fn(&PlyCounts) -> u64| Some(plies.iter().map(count).fold(0, u64::saturating_add));
        let of_value = |count| counts.values.and_then(|_| sum(count));
        let is_full = |ply: &PlyCounts| ply.ply as usize == counts.board.cells();
        let decided = |ply: &PlyCounts| if is_full(ply) { ply.win.saturating_add(ply.lose) } else { ply.primitive };
        Sums {
            legal: sum(&|ply| ply.legal),
            primitive: sum(&|ply| ply.primitive),
            with_line: sum(&|ply| ply.with_line.unwrap_or_else(|| decided(ply))),
            win: of_value(&|ply| ply.win),
            lose: of_value(&|ply| ply.lose),
            tie: of_value(&|ply| ply.tie),
        }
    }
}

impl Stats {
    /// Makes the result of a completed count. Its sums, plies and outcomes are still empty.
    fn new(board: Board, values: Option<Values>) -> Stats {
        let tiers = board.cells() + 1;
        let stores = values.map(|values| values.to_string());
        Stats { board: board.to_string(), stores, tiers_done: tiers, tiers, ..Stats::default() }
    }

    /// Makes the result of a completed count, with sums over all plies. `database` is the folder and the manifest of
    /// the counted database, if there is one.
    #[must_use]
    pub fn of(counts: &Counts, database: Option<(&Path, &Manifest)>) -> Stats {
        Stats {
            folder: database.map(|(folder, _)| plain(folder)),
            keep_plies: database.and_then(|(_, manifest)| manifest.keep_plies),
            hash: database.and_then(|(_, manifest)| Some(manifest.hash?.to_string())),
            sums: Sums::of(counts, &counts.plies),
            plies: Some(counts.plies.iter().map(|ply| Row::new(counts, ply)).collect()),
            outcomes: counts.values.map(|_| counts.total_outcomes().iter().map(OutcomeRow::new).collect()),
            ..Stats::new(counts.board, counts.values)
        }
    }

    /// Makes the result of a stopped count from its error; `None` for any other error.
    #[must_use]
    pub fn of_stopped(error: &SolveError, values: Option<Values>) -> Option<Stats> {
        let SolveError::Stopped { board, done, folder, .. } = error else { return None };
        let resume_folder = folder.as_deref().map(|folder| folder.to_string_lossy().into_owned());
        Some(Stats { stopped: true, tiers_done: *done, resume_folder, ..Stats::new(*board, values) })
    }
}
