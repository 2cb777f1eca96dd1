//! The result of `fourbase stats`: tables for people, and JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fourbase::{Board, Value};
use fourbase_tiers::counts::{CountError, Counts, PlyCounts, PlyLegal, RemotenessCount};
use fourbase_tiers::database::Database;
use fourbase_tiers::kernel::Values;
use serde::Serialize;

use crate::number::{counted, grouped};
use crate::table::{self, Side};
use crate::wording;

/// The counts of a board with their sums.
#[derive(Serialize)]
pub struct Stats<'a> {
    board: String,
    stores: String,
    /// False: [`Stopped`] is the other case.
    stopped: bool,
    /// The folder of the counted database; `None` without one.
    folder: Option<String>,
    /// The deepest ply in the database; `None` if it has all, or without a database.
    keep_plies: Option<u32>,
    hash: Option<String>,
    #[serde(flatten)]
    sums: Sums,
    plies: Vec<Row>,
    outcomes: &'a [RemotenessCount],
}

/// A row of the plies.
#[derive(Serialize)]
struct Row {
    ply: u32,
    #[serde(flatten)]
    sums: Sums,
}

/// The positions of a ply or of all. What was not counted is `None`.
#[derive(Serialize, Clone, Copy, Default)]
struct Sums {
    legal: u64,
    primitive: u64,
    with_line: u64,
    win: Option<u64>,
    lose: Option<u64>,
    tie: Option<u64>,
}

impl Row {
    /// Writes the row of a ply with values. On the full board all positions are primitive, and those without a line are
    /// ties.
    fn of_values(counts: &PlyCounts, cells: u32) -> Row {
        let PlyCounts { ply, legal, primitive, win, lose, tie } = *counts;
        let with_line = if ply == cells { win.saturating_add(lose) } else { primitive };
        Row { ply, sums: Sums { legal, primitive, with_line, win: Some(win), lose: Some(lose), tie: Some(tie) } }
    }

    /// Writes the row of a ply without values.
    fn of_legal(counts: &PlyLegal) -> Row {
        let PlyLegal { ply, legal, primitive, with_line } = *counts;
        Row { ply, sums: Sums { legal, primitive, with_line, ..Sums::default() } }
    }

    /// Adds up rows. A file can say more than 64 bits hold; no board has so many.
    fn sum(rows: &[Row]) -> Sums {
        let add = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        rows.iter()
            .map(|row| row.sums)
            .reduce(|one, other| Sums {
                legal: one.legal.saturating_add(other.legal),
                primitive: one.primitive.saturating_add(other.primitive),
                with_line: one.with_line.saturating_add(other.with_line),
                win: add(one.win, other.win),
                lose: add(one.lose, other.lose),
                tie: add(one.tie, other.tie),
            })
            .unwrap_or_default()
    }
}

/// Writes a row of a table: a name and its counts.
fn row<const N: usize>(name: String, counts: [u64; N]) -> Vec<String> {
    std::iter::once(name).chain(counts.map(|count| grouped(count.into()))).collect()
}

/// Writes the counts of wins, losses and ties, which are known where values were counted.
fn values(sums: &Sums) -> [u64; 3] {
    [sums.win, sums.lose, sums.tie].map(Option::unwrap_or_default)
}

impl Stats<'_> {
    /// Adds the sums to the counts, and the database of which they are.
    pub fn of<'a>(counts: &'a Counts, database: Option<&Database>) -> Stats<'a> {
        let cells = counts.board.cells() as u32;
        let plies: Vec<Row> = counts.plies.iter().map(|ply| Row::of_values(ply, cells)).collect();
        Stats {
            board: counts.board.to_string(),
            stores: counts.values.to_string(),
            stopped: false,
            folder: database.map(|database| database.folder().display().to_string()),
            keep_plies: database.and_then(|database| database.manifest().keep_plies()),
            hash: database.and_then(|database| Some(database.manifest().hash()?.to_string())),
            sums: Row::sum(&plies),
            plies,
            outcomes: &counts.remoteness,
        }
    }

    /// Writes the table of the plies, with the sums in the last row.
    fn plies(&self) -> String {
        let mut rows = vec![["ply", "legal", "primitive", "win", "lose", "tie"].map(str::to_owned).to_vec()];
        let counts = |sums: &Sums| {
            let [win, lose, tie] = values(sums);
            [sums.legal, sums.primitive, win, lose, tie]
        };
        rows.extend(self.plies.iter().map(|ply| row(ply.ply.to_string(), counts(&ply.sums))));
        rows.push(row("all".to_owned(), counts(&self.sums)));
        table::to_text(&[Side::Right; 6], &rows)
    }

    /// Writes the table of the remotenesses with the counts of each value; `None` where they are unknown.
    fn remotenesses(&self) -> Option<String> {
        let mut counts: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for RemotenessCount { value, remoteness, legal } in self.outcomes {
            let place = match value {
                Value::Win => 0,
                Value::Lose => 1,
                Value::Tie => 2,
            };
            let count = &mut counts.entry((*remoteness)?).or_default()[place];
            *count = count.saturating_add(*legal);
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
        write!(f, "{}: {}\n\n{}", self.board, counted(self.sums.legal, "legal position"), self.plies())?;
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

/// The legal positions of a board by ply, with their sums. As JSON it has the fields of [`Stats`]; those about values
/// and about the database are null.
#[derive(Serialize)]
pub struct Legal {
    board: String,
    stores: Option<String>,
    stopped: bool,
    folder: Option<String>,
    keep_plies: Option<u32>,
    hash: Option<String>,
    #[serde(flatten)]
    sums: Sums,
    plies: Vec<Row>,
    outcomes: Option<Vec<RemotenessCount>>,
}

impl Legal {
    /// Adds the sums to the counts.
    pub fn of(board: Board, plies: &[PlyLegal]) -> Legal {
        let plies: Vec<Row> = plies.iter().map(Row::of_legal).collect();
        Legal {
            board: board.to_string(),
            stores: None,
            stopped: false,
            folder: None,
            keep_plies: None,
            hash: None,
            sums: Row::sum(&plies),
            plies,
            outcomes: None,
        }
    }
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![["ply", "legal", "primitive", "with a line"].map(str::to_owned).to_vec()];
        let counts = |sums: &Sums| [sums.legal, sums.primitive, sums.with_line];
        rows.extend(self.plies.iter().map(|ply| row(ply.ply.to_string(), counts(&ply.sums))));
        rows.push(row("all".to_owned(), counts(&self.sums)));
        let table = table::to_text(&[Side::Right; 4], &rows);
        write!(f, "{}: {}\n\n{table}", self.board, counted(self.sums.legal, "legal position"))
    }
}
