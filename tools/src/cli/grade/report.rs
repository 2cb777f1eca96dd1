//! The result of `fourbase grade`, for people and as JSON.

use std::fmt;
use std::time::Duration;

use fourbase::Board;
use fourbase::analysis::json::{OutcomeJson, PositionJson, SourceJson};
use fourbase::analysis::{Grade, GradedPly, Judgement};
use fourbase::notation::{self, choice_of_columns, column_character};
use fourbase::players::Kind;
use fourbase_tiers::files::{counted, grouped};
use serde::Serialize;

use crate::knowledge::Knowledge;
use crate::output::Column::Numbers;
use crate::output::{self, milliseconds, wording};

/// The result of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GradeReport {
    board: String,
    program: String,
    /// The number of positions to draw; null for all.
    sample: Option<u32>,
    seed: u64,
    /// The number of legal positions; null for a sample.
    legal: Option<u64>,
    #[serde(flatten)]
    sums: GradedJson,
    plies: Vec<GradedPlyJson>,
    worst: Option<Blunder>,
    source: SourceJson,
    seconds: f64,
    #[serde(skip)]
    note: String,
}

/// One ply of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GradedPlyJson {
    ply: usize,
    #[serde(flatten)]
    sums: GradedJson,
}

/// The positions of one ply, or of all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GradedJson {
    /// The number of positions where the choice matters, which were graded.
    graded: u64,
    /// The number of moves that keep the value.
    keeps: u64,
    /// The number of best moves; null without remotenesses.
    best: Option<u64>,
    /// The chance that a random move keeps the value, 0 to 1; null without positions.
    chance_share: Option<f64>,
}

impl GradedJson {
    fn of(sums: &GradedPly) -> GradedJson {
        GradedJson {
            graded: sums.graded,
            keeps: sums.keeps,
            best: sums.best(),
            // Four decimals are a hundredth of a percent.
            chance_share: sums.chance().map(|chance| (chance * 1e4).round() / 1e4),
        }
    }

    fn cells(&self, name: String) -> Vec<String> {
        let share = |count: Option<u64>| count.map(|count| count as f64 / self.graded as f64);
        let percents = [share(Some(self.keeps)), share(self.best), self.chance_share].map(percent);
        [name, grouped(self.graded.into())].into_iter().chain(percents).collect()
    }
}

fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) if share.is_finite() => format!("{:.2} %", 100.0 * share),
        _ => "-".to_owned(),
    }
}

/// The worst blunder.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Blunder {
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
    fn of(judgement: Judgement) -> Blunder {
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

impl GradeReport {
    /// Adds up the plies.
    #[expect(clippy::too_many_arguments, reason = "each is a field")]
    pub fn of(
        board: Board,
        kind: Kind,
        seed: u64,
        sample: Option<u32>,
        legal: Option<u64>,
        grade: &Grade,
        elapsed: Duration,
        knowledge: &Knowledge,
    ) -> GradeReport {
        GradeReport {
            board: board.to_string(),
            program: kind.to_string(),
            sample,
            seed,
            legal,
            sums: GradedJson::of(&grade.total()),
            plies: grade.plies.iter().map(|(&ply, sums)| GradedPlyJson { ply, sums: GradedJson::of(sums) }).collect(),
            worst: grade.worst.clone().map(Blunder::of),
            source: knowledge.source(),
            seconds: milliseconds(elapsed),
            note: knowledge.note.clone(),
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
            None => write!(f, ", drawn at random")?,
        }
        let plies = self.plies.iter().map(|row| row.sums.cells(row.ply.to_string()));
        let rows = plies.chain([sums.cells("all".to_owned())]);
        write!(
            f,
            "\n\n{}",
            output::table(
                &[Numbers("ply"), Numbers("positions"), Numbers("keeps"), Numbers("best"), Numbers("chance")],
                rows
            )
        )?;
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
