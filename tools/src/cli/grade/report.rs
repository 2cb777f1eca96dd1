//! The result of `fourbase grade`: sums by ply and the worst blunder, for people and as JSON.

use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

use fourbase::notation::{self, column_character};
use fourbase::players::Kind;
use fourbase::{Board, Player, Value};
use serde::Serialize;

use super::judge::Judgement;
use crate::json::{self, OutcomeJson, PositionJson};
use crate::knowledge::{Knowledge, KnownJson};
use crate::number::{counted, grouped, milliseconds};
use crate::table::{self, Side};
use crate::wording;

/// The chance 1 in sums of chances. They are whole numbers, so that they do not depend on the order of adding.
const ONE: u64 = 1 << 32;

/// The sums of the judgements of one ply.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    positions: u64,
    keeps: u64,
    best: u64,
    /// Whether some positions have no remoteness, so that their best moves are unknown.
    no_remoteness: bool,
    /// The sum of the chances that a random move keeps the value, in parts of [`ONE`].
    chance: u128,
    worst: Option<Judgement>,
}

impl Sums {
    /// Adds a judgement.
    ///
    /// # Errors
    ///
    /// The one it is given.
    pub fn with(mut self, judgement: anyhow::Result<Option<Judgement>>) -> anyhow::Result<Sums> {
        if let Some(judgement) = judgement? {
            self.positions += 1;
            self.keeps += u64::from(judgement.keeps());
            match judgement.is_best() {
                Some(best) => self.best += u64::from(best),
                None => self.no_remoteness = true,
            }
            self.chance += u128::from(ONE * u64::from(judgement.keeping) / u64::from(judgement.legal));
            self.worst = worse(self.worst, (!judgement.keeps()).then_some(judgement));
        }
        Ok(self)
    }

    /// Adds other sums.
    ///
    /// # Errors
    ///
    /// Never; the result serves as a step of a reduction.
    pub fn merge(self, other: Sums) -> anyhow::Result<Sums> {
        Ok(Sums {
            positions: self.positions + other.positions,
            keeps: self.keeps + other.keeps,
            best: self.best + other.best,
            no_remoteness: self.no_remoteness || other.no_remoteness,
            chance: self.chance + other.chance,
            worst: worse(self.worst, other.worst),
        })
    }
}

/// Returns the worse of two blunders: first a win that became a loss, then the blunder nearest to a win before the move,
/// then the one nearest to the loss after it, then the earlier position.
fn worse(one: Option<Judgement>, other: Option<Judgement>) -> Option<Judgement> {
    let key = |blunder: &Judgement| {
        let Judgement { position, best, played, .. } = blunder;
        let whole = best.value == Value::Win && played.value == Value::Lose;
        let pieces = [Player::First, Player::Second].map(|player| position.pieces(player));
        (Reverse(whole), best.remoteness, played.remoteness, position.ply(), pieces)
    };
    match (one, other) {
        (Some(one), Some(other)) => Some(if key(&other) < key(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

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
    /// The number of positions where the choice matters, which were graded.
    graded: u64,
    /// The number of moves that keep the value.
    keeps: u64,
    /// The number of best moves; null without remotenesses.
    best: Option<u64>,
    /// The chance that a random move keeps the value, 0 to 1; null without positions.
    chance_share: Option<f64>,
    plies: Vec<GradedPly>,
    worst: Option<Blunder>,
    source: KnownJson,
    seconds: f64,
    #[serde(skip)]
    note: String,
}

/// One ply of a grade.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GradedPly {
    ply: usize,
    graded: u64,
    keeps: u64,
    best: Option<u64>,
    chance_share: Option<f64>,
}

impl GradedPly {
    fn of(ply: usize, sums: &Sums) -> GradedPly {
        let chance = sums.chance as f64 / ONE as f64 / sums.positions as f64;
        GradedPly {
            ply,
            graded: sums.positions,
            keeps: sums.keeps,
            best: (!sums.no_remoteness).then_some(sums.best),
            // Four decimals are a hundredth of a percent.
            chance_share: (sums.positions > 0).then(|| (chance * 1e4).round() / 1e4),
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
            played_value: json::value(judgement.played.value),
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
        sums: &[Sums],
        elapsed: Duration,
        knowledge: &Knowledge,
    ) -> GradeReport {
        let merged = |all: Sums, sums: &Sums| all.merge(sums.clone()).unwrap_or_default();
        let all = sums.iter().fold(Sums::default(), merged);
        let plies = sums.iter().enumerate().filter(|(_, sums)| sums.positions > 0);
        let GradedPly { graded, keeps, best, chance_share, .. } = GradedPly::of(0, &all);
        GradeReport {
            board: board.to_string(),
            program: kind.to_string(),
            sample,
            seed,
            legal,
            graded,
            keeps,
            best,
            chance_share,
            plies: plies.map(|(ply, sums)| GradedPly::of(ply, sums)).collect(),
            worst: all.worst.map(Blunder::of),
            source: knowledge.source(),
            seconds: milliseconds(elapsed),
            note: knowledge.note().to_owned(),
        }
    }
}

impl fmt::Display for GradeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GradeReport { program, board, graded, note, seconds, .. } = self;
        let places = counted(*graded, "position");
        write!(f, "{program} on {board}: {places} where the choice matters")?;
        match self.legal {
            Some(legal) => write!(f, ", of {} legal", grouped(legal.into()))?,
            None => write!(f, ", drawn at random")?,
        }
        let mut rows = vec![["ply", "positions", "keeps", "best", "chance"].map(str::to_owned).to_vec()];
        rows.extend(self.plies.iter().map(|row| row.cells(row.ply.to_string())));
        let all =
            GradedPly { ply: 0, graded: *graded, keeps: self.keeps, best: self.best, chance_share: self.chance_share };
        rows.push(all.cells("all".to_owned()));
        write!(f, "\n\n{}", table::to_text(&[Side::Right; 5], &rows))?;
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
        write!(f, "plays {name}: {} ({reason}); best: ", wording::outcome(*played))?;
        f.write_str(&wording::columns(best_columns.iter().copied()))
    }
}
