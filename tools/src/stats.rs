//! The result of `fourbase stats`: tables for people and CSV for programs.

use std::collections::BTreeMap;
use std::{fmt, iter};

use fourbase::Value;
use fourbase_tiers::counts::{Counts, OutcomeCount, OutcomeRow, Stats, Sums};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{counted, grouped};
use serde::Serialize;

use crate::output::{self, wording};

/// Counts as the command shows them. The JSON is that of the counts alone, because `longest` is only for people.
#[derive(Serialize)]
pub struct Shown {
    #[serde(flatten)]
    pub stats: Stats,
    /// The longest wins and losses, in words.
    #[serde(skip)]
    longest: Vec<String>,
}

impl Shown {
    /// Makes the result from counts of all values, with the longest wins and losses in words.
    pub fn of(counts: &Counts, database: Option<&Database>) -> Shown {
        let values = [(Value::Win, "win"), (Value::Lose, "loss")];
        let longest = values.iter().filter_map(|of| longest(counts, *of)).collect();
        Shown { stats: Stats::of(counts, database.map(|of| (of.folder(), &of.manifest))), longest }
    }
}

/// The columns of the table of remotenesses.
const VALUES: [&str; 3] = ["win", "lose", "tie"];

impl Shown {
    /// Writes the table of the plies, with the sums in the last row.
    fn plies(&self) -> String {
        let columns: &[&str] = match self.stats.stores {
            Some(_) => &[">ply", ">legal", ">primitive", ">win", ">loss", ">tie"],
            None => &[">ply", ">legal", ">primitive", ">with a line"],
        };
        let row = |name: String, of: &Sums| {
            let rest = if self.stats.stores.is_some() { vec![of.win, of.lose, of.tie] } else { vec![of.with_line] };
            let counts = [of.legal, of.primitive].into_iter().chain(rest);
            iter::once(name).chain(counts.map(|count| grouped(count.unwrap_or_default().into()))).collect()
        };
        let plies = self.stats.plies.iter().flatten().map(|ply| row(ply.ply.to_string(), &ply.sums));
        output::table(columns, plies.chain([row("all".to_owned(), &self.stats.sums)]))
    }

    /// Writes a CSV table. If values were counted, it has a row for every ply, value and remoteness, or else a row for every ply.
    pub fn to_csv(&self) -> String {
        let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut lines = Vec::new();
        if self.stats.stores.is_some() {
            lines.push("ply,value,remoteness,positions,example".to_owned());
            for ply in self.stats.plies.iter().flatten() {
                lines.extend(ply.outcomes.iter().flatten().map(|row| {
                    let (remoteness, example) = (text(row.remoteness.map(u64::from)), row.example.as_deref());
                    let example = example.map_or("", |moves| if moves.is_empty() { "-" } else { moves });
                    format!("{},{},{remoteness},{},{example}", ply.ply, row.value, row.legal)
                }));
            }
        } else {
            lines.push("ply,positions,primitive,with_line".to_owned());
            lines.extend(self.stats.plies.iter().flatten().map(|ply| {
                let [legal, primitive, line] = [ply.sums.legal, ply.sums.primitive, ply.sums.with_line].map(text);
                format!("{},{legal},{primitive},{line}", ply.ply)
            }));
        }
        lines.join("\n")
    }

    /// Writes the table of remotenesses, with the number of positions of each value; `None` if the counts have no remoteness.
    fn remotenesses(&self) -> Option<String> {
        let outcomes = self.stats.outcomes.as_ref()?;
        let mut counts: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for OutcomeRow { value, remoteness, legal, .. } in outcomes {
            let place = VALUES.iter().position(|name| name == value)?;
            let count = &mut counts.entry((*remoteness)?).or_default()[place];
            *count = count.saturating_add(*legal);
        }
        let rows = counts.into_iter().map(|(remoteness, counts)| {
            iter::once(remoteness.to_string()).chain(counts.map(|count| grouped(count.into()))).collect()
        });
        Some(output::table(&[">remoteness", ">win", ">loss", ">tie"], rows))
    }
}

/// Describes the longest win, or the longest loss; `None` if there is none.
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

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let legal = counted(self.stats.sums.legal.unwrap_or_default(), "legal position");
        write!(f, "{}: {legal}\n\n{}", self.stats.board, self.plies())?;
        if let Some(table) = self.remotenesses() {
            write!(f, "\n\n{table}")?;
        }
        if !self.longest.is_empty() {
            write!(f, "\n\n{}", self.longest.join("\n"))?;
        }
        match self.stats.keep_plies {
            Some(_) => write!(f, "\n\nthe database keeps {}", wording::kept(self.stats.keep_plies)),
            None => Ok(()),
        }
    }
}
