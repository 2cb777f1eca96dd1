//! The result of `fourbase grade`, for people and as JSON.

use std::fmt;

use fourbase::analysis::json::{OutcomeJson, PositionJson, SourceJson};
use fourbase::analysis::{GradedPly, Judgement, Share, Shares};
use fourbase::notation::{self, choice_of_columns, column_character};
use fourbase_tiers::files::{counted, grouped};
use serde::Serialize;

use crate::output::{self, wording};

/// The result of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GradeReport {
    pub board: String,
    pub program: String,
    /// The number of positions to draw; null for all.
    pub sample: Option<u32>,
    /// What the shares of all plies together speak of: `positions`, where every position has the same weight, or, for a sample, `plies`:
    /// the mean of the plies, where every ply has the same weight.
    pub population: &'static str,
    pub seed: u64,
    /// The number of legal positions; null for a sample.
    pub legal: Option<u64>,
    #[serde(flatten)]
    pub sums: GradedJson,
    pub plies: Vec<GradedPlyJson>,
    pub worst: Option<Blunder>,
    pub source: SourceJson,
    pub seconds: f64,
    #[serde(skip)]
    pub note: String,
}

/// One ply of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GradedPlyJson {
    pub ply: usize,
    #[serde(flatten)]
    pub sums: GradedJson,
}

/// The positions of one ply, or of all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GradedJson {
    /// The number of positions where the choice matters, which were graded.
    graded: u64,
    /// The number of moves that keep the value.
    keeps: u64,
    /// The number of best moves; null without remotenesses.
    best: Option<u64>,
    /// The chance that a random move keeps the value, 0 to 1; null without positions.
    chance_share: Option<f64>,
    /// Whether all positions were graded; the intervals are then those of the shares alone.
    complete: bool,
    /// The share of the moves that keep the value, 0 to 1; null without positions, as the other shares. In the sums of a sample it is
    /// the mean of the plies.
    keeps_share: Option<f64>,
    /// The interval of 95 % of `keeps_share`: its lower and its upper end.
    keeps_interval: Option<[f64; 2]>,
    /// The share of best moves.
    best_share: Option<f64>,
    /// The interval of `best_share`.
    best_interval: Option<[f64; 2]>,
    /// The number of lost positions whose moves do not all lose at the same time; null without remotenesses.
    lost: Option<u64>,
    /// The number of moves in these that lose as late as possible.
    resists: Option<u64>,
    /// The share of these moves among `lost`.
    resists_share: Option<f64>,
    /// The interval of `resists_share`.
    resists_interval: Option<[f64; 2]>,
}

impl GradedJson {
    pub fn of(sums: &GradedPly, Shares { keeps, best, resists, chance }: Shares) -> GradedJson {
        // Keep four decimals, which is a hundredth of a percent.
        let rounded = |share: f64| (share * 1e4).round() / 1e4;
        let share = |of: Option<Share>| of.map(|of| rounded(of.share));
        let interval = |of: Option<Share>| of.map(|of| of.interval.map(rounded));
        GradedJson {
            graded: sums.graded,
            keeps: sums.keeps,
            best: sums.best(),
            chance_share: chance.map(rounded),
            complete: sums.is_complete,
            keeps_share: share(keeps),
            keeps_interval: interval(keeps),
            best_share: share(best),
            best_interval: interval(best),
            lost: sums.lost_and_resists().map(|(lost, _)| lost),
            resists: sums.lost_and_resists().map(|(_, resists)| resists),
            resists_share: share(resists),
            resists_interval: interval(resists),
        }
    }

    /// Writes a row of the table. The table of a sample also has the interval of `keeps`.
    fn cells(&self, name: String, is_sample: bool) -> Vec<String> {
        let interval = match self.keeps_interval {
            Some(_) if self.complete => "exact".to_owned(),
            Some([low, high]) => format!("{:.1} - {:.1} %", 100.0 * low, 100.0 * high),
            None => "-".to_owned(),
        };
        let lost = self.lost.map_or_else(|| "-".to_owned(), |lost| grouped(lost.into()));
        let percents = [self.best_share, self.chance_share].map(percent);
        [name, grouped(self.graded.into()), percent(self.keeps_share)]
            .into_iter()
            .chain(is_sample.then_some(interval))
            .chain(percents)
            .chain([lost, percent(self.resists_share)])
            .collect()
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", 100.0 * share))
}

/// The worst blunder.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Blunder {
    position: PositionJson,
    /// The column that the player chose, from 1.
    column: usize,
    /// The outcome of the position.
    #[serde(flatten)]
    outcome: OutcomeJson,
    /// The outcome of the chosen move, for the player who makes it.
    played_value: &'static str,
    played_remoteness: Option<u32>,
    /// The best columns, from 1.
    columns: Vec<usize>,
    #[serde(skip)]
    judgement: Judgement,
}

impl Blunder {
    pub fn of(judgement: Judgement) -> Blunder {
        Blunder {
            position: PositionJson::of(&judgement.position),
            column: judgement.column + 1,
            outcome: OutcomeJson::of(Some(judgement.best)),
            played_value: judgement.played.value.name(),
            played_remoteness: judgement.played.remoteness,
            columns: judgement.best_columns.iter().map(|column| column + 1).collect(),
            judgement,
        }
    }
}

impl fmt::Display for GradeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GradeReport { program, board, sums, note, seconds, .. } = self;
        let places = counted(sums.graded, "position");
        write!(f, "{program} on {board}: {places} where the choice matters")?;
        match self.legal {
            Some(legal) => write!(f, ", of {} legal", grouped(legal.into()))?,
            None => write!(f, ", drawn ply by ply, none twice")?,
        }
        let is_sample = self.sample.is_some();
        let plies = self.plies.iter().map(|row| row.sums.cells(row.ply.to_string(), is_sample));
        let rows = plies.chain([sums.cells(if is_sample { "mean" } else { "all" }.to_owned(), is_sample)]);
        let columns = [">ply", ">positions", ">keeps", ">95 % interval", ">best", ">chance", ">lost", ">resists"];
        let columns = columns.into_iter().filter(|name| is_sample || *name != ">95 % interval");
        write!(f, "\n\n{}", output::table(&columns.collect::<Vec<_>>(), rows))?;
        if is_sample {
            write!(f, "\n\nmean: every ply has the same weight")?;
        }
        if let Some(blunder) = &self.worst {
            write!(f, "\n\n{blunder}")?;
        }
        write!(f, "\n\n{note}; {seconds} s")
    }
}

impl fmt::Display for Blunder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Judgement { position, column, reason, played, best, best_columns, .. } = &self.judgement;
        let place = match notation::to_moves(position) {
            Ok(moves) if position.ply() == 0 || moves.is_empty() => "on the empty board".to_owned(),
            Ok(moves) => format!("after {moves}"),
            Err(_) => format!("after {}", notation::to_bits(position)),
        };
        write!(f, "worst blunder, {place}:\n\n{}\n\n", notation::draw(position, true))?;
        writeln!(f, "{}", wording::sentence(position.to_move(), *best))?;
        let name = column_character(*column).unwrap_or('?');
        let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        write!(f, "plays {name}: {}{reason}; best: ", wording::outcome(*played))?;
        f.write_str(&choice_of_columns(best_columns.iter().copied()))
    }
}
