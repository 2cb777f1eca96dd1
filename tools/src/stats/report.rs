//! The result of `fourbase stats`: tables for people, and JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fourbase::{Board, Value};
use fourbase_tiers::counts::{CountError, Counts, PlyCounts, PlyLegal, RemotenessCount};
use fourbase_tiers::kernel::Values;
use serde::Serialize;

use crate::number::{counted, grouped};
use crate::table::{self, Side};
use crate::wording;

/// The counts of a board with their sums.
#[derive(Serialize)]
pub struct Stats<'a> {
    #[serde(serialize_with = "as_name")]
    board: Board,
    legal: u64,
    primitive: u64,
    win: u64,
    lose: u64,
    tie: u64,
    plies: &'a [PlyCounts],
    remoteness: &'a [RemotenessCount],
    /// The deepest ply in the database; absent if it has all, or without a database.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_plies: Option<u32>,
}

/// Writes a row of a table: a name and its counts.
fn row<const N: usize>(name: String, counts: [u64; N]) -> Vec<String> {
    std::iter::once(name).chain(counts.map(|count| grouped(count.into()))).collect()
}

fn as_name<S: serde::Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(board)
}

impl Stats<'_> {
    /// Adds the sums and the deepest ply in the database to the counts.
    pub fn of(counts: &Counts, keep_plies: Option<u32>) -> Stats<'_> {
        let PlyCounts { legal, primitive, win, lose, tie, .. } = counts.total();
        let Counts { board, plies, remoteness, .. } = counts;
        Stats { board: *board, legal, primitive, win, lose, tie, plies, remoteness, keep_plies }
    }

    /// Writes the table of the plies, with the sums in the last row.
    fn plies(&self) -> String {
        let mut rows = vec![["ply", "legal", "primitive", "win", "lose", "tie"].map(str::to_owned).to_vec()];
        rows.extend(
            self.plies
                .iter()
                .map(|ply| row(ply.ply.to_string(), [ply.legal, ply.primitive, ply.win, ply.lose, ply.tie])),
        );
        rows.push(row("all".to_owned(), [self.legal, self.primitive, self.win, self.lose, self.tie]));
        table::to_text(&[Side::Right; 6], &rows)
    }

    /// Writes the table of the remotenesses with the counts of each value; `None` where they are unknown.
    fn remotenesses(&self) -> Option<String> {
        let mut counts: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for RemotenessCount { value, remoteness, legal } in self.remoteness {
            let place = match value {
                Value::Win => 0,
                Value::Lose => 1,
                Value::Tie => 2,
            };
            counts.entry((*remoteness)?).or_default()[place] += legal;
        }
        let mut rows = vec![["remoteness", "win", "lose", "tie"].map(str::to_owned).to_vec()];
        rows.extend(counts.into_iter().map(|(remoteness, counts)| {
            std::iter::once(remoteness.to_string()).chain(counts.map(|count| grouped(count.into()))).collect()
        }));
        Some(table::to_text(&[Side::Right; 4], &rows))
    }
}

impl fmt::Display for Stats<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n\n{}", self.board, counted(self.legal, "legal position"), self.plies())?;
        if let Some(table) = self.remotenesses() {
            write!(f, "\n\n{table}")?;
        }
        match self.keep_plies {
            Some(_) => write!(f, "\n\nthe database keeps {}", wording::kept(self.keep_plies)),
            None => Ok(()),
        }
    }
}

/// What a stopped count has done, for programs. The sums, which are not known yet, are null.
#[derive(Serialize)]
pub struct Stopped {
    schema: u32,
    command: &'static str,
    board: String,
    /// The values that are counted; `None` for legal positions alone.
    stores: Option<String>,
    stopped: bool,
    /// Those of the direction that was stopped.
    tiers_done: usize,
    tiers: usize,
    /// Where the same count resumes; `None` if nothing was kept.
    folder: Option<String>,
    legal: Option<u64>,
    primitive: Option<u64>,
}

impl Stopped {
    /// Takes what is done from the error of a stopped count; `None` for any other error.
    pub fn of(error: &CountError, values: Option<Values>, folder: &Path) -> Option<Stopped> {
        let CountError::Stopped { board, plies, all, in_files } = error else { return None };
        Some(Stopped {
            schema: 1,
            command: "stats",
            board: board.to_string(),
            stores: values.map(|values| values.to_string()),
            stopped: true,
            tiers_done: *plies,
            tiers: *all,
            folder: in_files.then(|| folder.display().to_string()),
            legal: None,
            primitive: None,
        })
    }
}

/// The legal positions of a board by ply, with their sums.
#[derive(Serialize)]
pub struct Legal<'a> {
    #[serde(serialize_with = "as_name")]
    board: Board,
    legal: u64,
    primitive: u64,
    with_line: u64,
    plies: &'a [PlyLegal],
}

impl Legal<'_> {
    /// Adds the sums to the counts.
    pub fn of(board: Board, plies: &[PlyLegal]) -> Legal<'_> {
        let sum = |of: fn(&PlyLegal) -> u64| plies.iter().map(of).sum();
        let (legal, primitive) = (sum(|ply| ply.legal), sum(|ply| ply.primitive));
        Legal { board, legal, primitive, with_line: sum(|ply| ply.with_line), plies }
    }
}

impl fmt::Display for Legal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["ply", "legal", "primitive", "with a line"].map(str::to_owned).to_vec()];
        rows.extend(self.plies.iter().map(|ply| row(ply.ply.to_string(), [ply.legal, ply.primitive, ply.with_line])));
        rows.push(row("all".to_owned(), [self.legal, self.primitive, self.with_line]));
        let table = table::to_text(&[Side::Right; 4], &rows);
        write!(f, "{}: {}\n\n{table}", self.board, counted(self.legal, "legal position"))
    }
}
