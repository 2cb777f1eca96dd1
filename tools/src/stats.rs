//! The result of `fourbase stats`: tables for people and CSV for programs.

use std::collections::BTreeMap;
use std::{fmt, iter};

use fourbase::Value;
use fourbase_tiers::counts::{Counts, OutcomeCount, Stats, Sums};
use fourbase_tiers::database::Database;
use fourbase_tiers::files::{counted, grouped};
use serde::Serialize;

use crate::output::{self, wording};

/// Counts as the command shows them, and as their JSON.
#[derive(Serialize)]
pub struct Shown {
    #[serde(flatten)]
    stats: Stats,
    #[serde(skip)]
    counts: Counts,
}

impl Shown {
    /// Makes the result from the counts of a database, or of none.
    pub fn of(counts: Counts, database: Option<&Database>) -> Shown {
        Shown { stats: Stats::of(&counts, database.map(|of| (of.folder(), &of.manifest))), counts }
    }

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
        if self.stats.stores.is_none() {
            let rows = self.stats.plies.iter().flatten().map(|ply| {
                let [legal, primitive, line] = [ply.sums.legal, ply.sums.primitive, ply.sums.with_line].map(text);
                format!("\n{},{legal},{primitive},{line}", ply.ply)
            });
            return format!("ply,positions,primitive,with_line{}", rows.collect::<String>());
        }
        let rows = self.counts.outcomes.iter().map(|OutcomeCount { ply, value, remoteness, legal, example }| {
            let (remoteness, example) = (text(remoteness.map(u64::from)), example.as_deref().unwrap_or_default());
            format!("\n{ply},{},{remoteness},{legal},{example}", value.name())
        });
        format!("ply,value,remoteness,positions,example{}", rows.collect::<String>())
    }

    /// Writes the table of remotenesses, with the number of positions of each value; `None` if the counts have no remoteness.
    fn remotenesses(&self) -> Option<String> {
        let mut counts: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for OutcomeCount { value, remoteness, legal, .. } in &self.counts.outcomes {
            let [win, loss, tie] = counts.entry((*remoteness)?).or_default();
            let count = match value {
                Value::Win => win,
                Value::Lose => loss,
                Value::Tie => tie,
            };
            *count = count.saturating_add(*legal);
        }
        let rows = counts.into_iter().map(|(remoteness, counts)| {
            iter::once(remoteness.to_string()).chain(counts.map(|count| grouped(count.into()))).collect()
        });
        self.counts.values.map(|_| output::table(&[">remoteness", ">win", ">loss", ">tie"], rows))
    }

    /// Describes the longest win, or the longest loss; `None` if there is none.
    fn longest(&self, value: Value) -> Option<String> {
        let OutcomeCount { ply, remoteness, legal, example, .. } = self.counts.longest(value)?;
        let plies = counted(u64::from((*remoteness)?), "ply");
        let positions = counted(*legal, "position");
        let example = match example.as_deref() {
            Some("-") => ", the empty board".to_owned(),
            Some(moves) => format!(", such as {moves}"),
            None => String::new(),
        };
        Some(format!("the longest {} takes {plies}: {positions} at ply {ply}{example}", value.noun()))
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let legal = counted(self.stats.sums.legal.unwrap_or_default(), "legal position");
        write!(f, "{}: {legal}\n\n{}", self.stats.board, self.plies())?;
        if let Some(table) = self.remotenesses() {
            write!(f, "\n\n{table}")?;
        }
        let longest: Vec<_> = [Value::Win, Value::Lose].into_iter().filter_map(|value| self.longest(value)).collect();
        if !longest.is_empty() {
            write!(f, "\n\n{}", longest.join("\n"))?;
        }
        match self.stats.keep_plies {
            Some(_) => write!(f, "\n\nthe database keeps {}", wording::kept(self.stats.keep_plies)),
            None => Ok(()),
        }
    }
}
