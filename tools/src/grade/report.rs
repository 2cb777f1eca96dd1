//! The result of `fourbase grade`: sums by ply and the worst blunder, for people and as JSON.

use std::cmp::Reverse;
use std::fmt;
use std::time::Duration;

use fourbase::notation::{self, column_character, to_bits};
use fourbase::players::Kind;
use fourbase::{Board, Player, Value};
use serde::Serialize;

use super::judge::Judgement;
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
pub struct GradeReport {
    player: String,
    board: String,
    /// The number of positions to draw; `None` for all.
    sample: Option<u32>,
    seed: u64,
    /// The number of legal positions; `None` for a sample.
    legal: Option<u64>,
    /// The number of positions where the choice matters.
    positions: u64,
    /// The number of moves that keep the value.
    keeps: u64,
    /// The number of best moves; `None` without remotenesses.
    best: Option<u64>,
    /// The chance that a random move keeps the value, 0 to 1; `None` without positions.
    chance: Option<f64>,
    plies: Vec<GradedPly>,
    worst: Option<Blunder>,
    values: String,
    seconds: f64,
}

/// One ply of a grade.
#[derive(Serialize)]
struct GradedPly {
    ply: usize,
    positions: u64,
    keeps: u64,
    best: Option<u64>,
    chance: Option<f64>,
}

impl GradedPly {
    fn of(ply: usize, sums: &Sums) -> GradedPly {
        let chance = sums.chance as f64 / ONE as f64 / sums.positions as f64;
        GradedPly {
            ply,
            positions: sums.positions,
            keeps: sums.keeps,
            best: (!sums.no_remoteness).then_some(sums.best),
            // Four decimals are a hundredth of a percent.
            chance: (sums.positions > 0).then(|| (chance * 1e4).round() / 1e4),
        }
    }

    fn cells(&self, name: String) -> Vec<String> {
        let share = |count: Option<u64>| count.map(|count| count as f64 / self.positions as f64);
        let percents = [share(Some(self.keeps)), share(self.best), self.chance].map(percent);
        [name, grouped(self.positions.into())].into_iter().chain(percents).collect()
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
struct Blunder {
    position: String,
    /// The first order of moves that leads to it; `None` if none was found.
    moves: Option<String>,
    ply: usize,
    /// Counts from 1.
    column: usize,
    value: String,
    remoteness: Option<u32>,
    /// The best columns, from 1.
    best_columns: Vec<usize>,
    best_value: String,
    best_remoteness: Option<u32>,
    #[serde(skip)]
    judgement: Judgement,
}

impl Blunder {
    fn of(judgement: Judgement) -> Blunder {
        Blunder {
            position: to_bits(&judgement.position),
            moves: notation::to_moves(&judgement.position).ok(),
            ply: judgement.position.ply(),
            column: judgement.column + 1,
            value: judgement.played.value.to_string(),
            remoteness: judgement.played.remoteness,
            best_columns: judgement.best_columns.iter().map(|column| column + 1).collect(),
            best_value: judgement.best.value.to_string(),
            best_remoteness: judgement.best.remoteness,
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
        values: String,
    ) -> GradeReport {
        let merged = |all: Sums, sums: &Sums| all.merge(sums.clone()).unwrap_or_default();
        let all = sums.iter().fold(Sums::default(), merged);
        let plies = sums.iter().enumerate().filter(|(_, sums)| sums.positions > 0);
        let GradedPly { positions, keeps, best, chance, .. } = GradedPly::of(0, &all);
        GradeReport {
            player: kind.to_string(),
            board: board.to_string(),
            sample,
            seed,
            legal,
            positions,
            keeps,
            best,
            chance,
            plies: plies.map(|(ply, sums)| GradedPly::of(ply, sums)).collect(),
            worst: all.worst.map(Blunder::of),
            values,
            seconds: milliseconds(elapsed),
        }
    }
}

impl fmt::Display for GradeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GradeReport { player, board, positions, values, seconds, .. } = self;
        let places = counted(*positions, "position");
        write!(f, "{player} on {board}: {places} where the choice matters")?;
        match self.legal {
            Some(legal) => write!(f, ", of {} legal", grouped(legal.into()))?,
            None => write!(f, ", drawn at random")?,
        }
        let mut rows = vec![["ply", "positions", "keeps", "best", "chance"].map(str::to_owned).to_vec()];
        rows.extend(self.plies.iter().map(|row| row.cells(row.ply.to_string())));
        let all = GradedPly { ply: 0, positions: *positions, keeps: self.keeps, best: self.best, chance: self.chance };
        rows.push(all.cells("all".to_owned()));
        write!(f, "\n\n{}", table::to_text(&[Side::Right; 5], &rows))?;
        if let Some(blunder) = &self.worst {
            write!(f, "\n\n{blunder}")?;
        }
        write!(f, "\n\n{values}; {seconds} s")
    }
}

impl fmt::Display for Blunder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Judgement { position, column, reason, played, best, best_columns, .. } = &self.judgement;
        let place = match self.moves.as_deref().unwrap_or(&self.position) {
            "" | "-" => "on the empty board".to_owned(),
            moves => format!("after {moves}"),
        };
        write!(f, "worst blunder, {place}:\n\n{}\n\n", notation::draw(position, true))?;
        writeln!(f, "{}", wording::sentence(position.to_move(), *best))?;
        let name = column_character(*column).unwrap_or('?');
        write!(f, "plays {name}: {} ({reason}); best: ", wording::outcome(*played))?;
        f.write_str(&wording::columns(best_columns.iter().copied()))
    }
}
