//! What `fourbase stats` and `GET api/v1/stats` report: tables for people, and JSON.

use std::collections::BTreeMap;
use std::{fmt, iter};

use fourbase::{Board, Value};
use fourbase_tiers::counts::{CountError, Counts, OutcomeCount, PlyCounts, PlyLegal};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{counted, grouped};
use fourbase_tiers::kernel::Values;
use serde::Serialize;

use crate::output::Column::{self, Numbers};
use crate::output::{self, wording};

/// The counts of a board with their sums. What was not counted, or does not apply, is null.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    board: String,
    /// The values that are counted; null for legal positions alone.
    stores: Option<String>,
    stopped: bool,
    /// The tiers that were counted; of a count that was stopped, those of the direction that was stopped.
    tiers_done: usize,
    tiers: usize,
    /// Where the same count resumes; null if nothing was kept.
    resume_folder: Option<String>,
    /// The folder of the counted database.
    folder: Option<String>,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    hash: Option<String>,
    #[serde(flatten)]
    sums: Sums,
    plies: Option<Vec<Row>>,
    /// Sums over all plies.
    outcomes: Option<Vec<OutcomeRow>>,
    /// The longest wins and losses, in words.
    #[serde(skip)]
    longest: Vec<String>,
}

/// A row of the plies.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    ply: u32,
    #[serde(flatten)]
    sums: Sums,
    outcomes: Option<Vec<OutcomeRow>>,
}

/// The positions of one value and remoteness, of one ply or of all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OutcomeRow {
    value: &'static str,
    remoteness: Option<u32>,
    legal: u64,
    /// One of them, as moves.
    example: Option<String>,
}

impl OutcomeRow {
    fn of(row: &OutcomeCount) -> OutcomeRow {
        let OutcomeCount { value, remoteness, legal, example, .. } = row;
        let example = example.as_ref().map(|moves| if moves == "-" { String::new() } else { moves.clone() });
        OutcomeRow { value: value.name(), remoteness: *remoteness, legal: *legal, example }
    }
}

/// The positions of a ply or of all. What was not counted is null.
#[derive(Serialize, Clone, Copy, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Sums {
    legal: Option<u64>,
    primitive: Option<u64>,
    with_line: Option<u64>,
    win: Option<u64>,
    lose: Option<u64>,
    tie: Option<u64>,
}

impl Row {
    /// Writes the row of a ply with values. On the full board all positions are primitive, and those without a line are
    /// ties.
    fn of_values(counts: &Counts, of_ply: &PlyCounts) -> Row {
        let PlyCounts { ply, legal, primitive, win, lose, tie } = *of_ply;
        let cells = counts.board.cells() as u32;
        let outcomes = counts.outcomes.iter().filter(|row| row.ply == ply);
        let outcomes = outcomes.map(OutcomeRow::of).collect();
        let with_line = if ply == cells { win.saturating_add(lose) } else { primitive };
        let (win, lose, tie) = (Some(win), Some(lose), Some(tie));
        let (legal, primitive, with_line) = (Some(legal), Some(primitive), Some(with_line));
        Row { ply, sums: Sums { legal, primitive, with_line, win, lose, tie }, outcomes: Some(outcomes) }
    }

    /// Writes the row of a ply without values.
    fn of_legal(counts: &PlyLegal) -> Row {
        let PlyLegal { ply, legal, primitive, with_line } = *counts;
        let (legal, primitive, with_line) = (Some(legal), Some(primitive), Some(with_line));
        Row { ply, sums: Sums { legal, primitive, with_line, ..Sums::default() }, outcomes: None }
    }
}

impl Sums {
    /// Adds up rows. A file can say more than 64 bits hold; no board has so many.
    fn of(rows: &[Row]) -> Sums {
        let sum = |of: fn(&Sums) -> Option<u64>| {
            let counts = rows.iter().map(|row| of(&row.sums));
            counts.reduce(|one, other| Some(one?.saturating_add(other?))).flatten()
        };
        Sums {
            legal: sum(|of| of.legal),
            primitive: sum(|of| of.primitive),
            with_line: sum(|of| of.with_line),
            win: sum(|of| of.win),
            lose: sum(|of| of.lose),
            tie: sum(|of| of.tie),
        }
    }
}

/// The columns of the table of remotenesses.
const VALUES: [&str; 3] = ["win", "lose", "tie"];

impl Stats {
    /// Begins a result of a whole count without counts.
    fn new(board: Board, values: Option<Values>) -> Stats {
        let tiers = board.cells() + 1;
        let stores = values.map(|values| values.to_string());
        Stats { board: board.to_string(), stores, tiers_done: tiers, tiers, ..Stats::default() }
    }

    /// Adds the sums to the counts, and the database of which they are.
    pub fn of(counts: &Counts, database: Option<&Database>) -> Stats {
        let plies: Vec<Row> = counts.plies.iter().map(|ply| Row::of_values(counts, ply)).collect();
        Stats {
            folder: database.map(|database| output::json_path(database.folder())),
            keep_plies: database.and_then(|database| database.manifest().keep_plies),
            hash: database.and_then(|database| Some(database.manifest().hash?.to_string())),
            sums: Sums::of(&plies),
            plies: Some(plies),
            outcomes: Some(counts.total_outcomes().iter().map(OutcomeRow::of).collect()),
            longest: [(Value::Win, "win"), (Value::Lose, "loss")]
                .iter()
                .filter_map(|of| longest(counts, *of))
                .collect(),
            ..Stats::new(counts.board, Some(counts.values))
        }
    }

    /// Leaves the folder of the database out.
    pub fn without_folder(self) -> Stats {
        Stats { folder: None, ..self }
    }

    /// Adds the sums to the legal positions of a board by ply.
    pub fn of_legal(board: Board, plies: &[PlyLegal]) -> Stats {
        let plies: Vec<Row> = plies.iter().map(Row::of_legal).collect();
        Stats { sums: Sums::of(&plies), plies: Some(plies), ..Stats::new(board, None) }
    }

    /// Takes what is done from the error of a stopped count; `None` for any other error.
    pub fn of_stopped(error: &CountError, values: Option<Values>) -> Option<Stats> {
        let CountError::Stopped { board, plies, folder, .. } = error else { return None };
        let resume_folder = folder.as_deref().map(output::json_path);
        Some(Stats { stopped: true, tiers_done: *plies, resume_folder, ..Stats::new(*board, values) })
    }

    /// Writes the table of the plies, with the sums in the last row.
    fn plies(&self) -> String {
        let columns: &[Column] = match self.stores {
            Some(_) => &[
                Numbers("ply"),
                Numbers("legal"),
                Numbers("primitive"),
                Numbers("win"),
                Numbers("loss"),
                Numbers("tie"),
            ],
            None => &[Numbers("ply"), Numbers("legal"), Numbers("primitive"), Numbers("with a line")],
        };
        let row = |name: String, of: &Sums| {
            let rest = if self.stores.is_some() { vec![of.win, of.lose, of.tie] } else { vec![of.with_line] };
            let counts = [of.legal, of.primitive].into_iter().chain(rest);
            iter::once(name).chain(counts.map(|count| grouped(count.unwrap_or_default().into()))).collect()
        };
        let plies = self.plies.iter().flatten().map(|ply| row(ply.ply.to_string(), &ply.sums));
        output::table(columns, plies.chain([row("all".to_owned(), &self.sums)]))
    }

    /// Writes a table for programs: with values, a row for every ply, value and remoteness; else one for every ply.
    pub fn to_csv(&self) -> String {
        let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut lines = Vec::new();
        if self.stores.is_some() {
            lines.push("ply,value,remoteness,positions,example".to_owned());
            for ply in self.plies.iter().flatten() {
                lines.extend(ply.outcomes.iter().flatten().map(|row| {
                    let (remoteness, example) = (text(row.remoteness.map(u64::from)), row.example.as_deref());
                    let example = example.map_or("", |moves| if moves.is_empty() { "-" } else { moves });
                    format!("{},{},{remoteness},{},{example}", ply.ply, row.value, row.legal)
                }));
            }
        } else {
            lines.push("ply,positions,primitive,with_line".to_owned());
            lines.extend(self.plies.iter().flatten().map(|ply| {
                let [legal, primitive, line] = [ply.sums.legal, ply.sums.primitive, ply.sums.with_line].map(text);
                format!("{},{legal},{primitive},{line}", ply.ply)
            }));
        }
        lines.join("\n")
    }

    /// Writes the table of the remotenesses with the counts of each value; `None` where they are unknown.
    fn remotenesses(&self) -> Option<String> {
        let outcomes = self.outcomes.as_ref()?;
        let mut counts: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for OutcomeRow { value, remoteness, legal, .. } in outcomes {
            let place = VALUES.iter().position(|name| name == value)?;
            let count = &mut counts.entry((*remoteness)?).or_default()[place];
            *count = count.saturating_add(*legal);
        }
        let rows = counts.into_iter().map(|(remoteness, counts)| {
            iter::once(remoteness.to_string()).chain(counts.map(|count| grouped(count.into()))).collect()
        });
        Some(output::table(&[Numbers("remoteness"), Numbers("win"), Numbers("loss"), Numbers("tie")], rows))
    }
}

/// Tells the longest win, or loss; `None` where there is none.
fn longest(counts: &Counts, (value, name): (Value, &str)) -> Option<String> {
    let OutcomeCount { ply, remoteness, legal, example, .. } = counts.longest(value)?;
    let plies = counted(u64::from((*remoteness)?), "ply");
    let positions = counted(*legal, "position");
    let example = match example.as_deref() {
        Some("-") => ", the empty board".to_owned(),
        Some(moves) => format!(", such as {moves}"),
        None => String::new(),
    };
    Some(format!("the longest {name} takes {plies}: {positions} at ply {ply}{example}"))
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let legal = counted(self.sums.legal.unwrap_or_default(), "legal position");
        write!(f, "{}: {legal}\n\n{}", self.board, self.plies())?;
        if let Some(table) = self.remotenesses() {
            write!(f, "\n\n{table}")?;
        }
        if !self.longest.is_empty() {
            write!(f, "\n\n{}", self.longest.join("\n"))?;
        }
        match self.keep_plies {
            Some(_) => write!(f, "\n\nthe database keeps {}", wording::kept(self.keep_plies)),
            None => Ok(()),
        }
    }
}
