//! The result of `fourbase analyse`: a table and the mistakes, for people and as JSON.

use std::fmt;

use fourbase::notation::{column_character, columns_to_text, draw};
use fourbase::{Outcome, Player};
use serde::Serialize;

use super::played::{Loss, Ply};
use crate::game::Game;
use crate::table::{self, Side};
use crate::wording;

/// A game, analysed.
pub struct Analysis {
    game: Game,
    plies: Vec<Ply>,
    note: Option<String>,
}

impl Analysis {
    /// Gathers the findings.
    pub fn of(game: &Game, plies: Vec<Ply>, note: Option<String>) -> Analysis {
        Analysis { game: game.clone(), plies, note }
    }

    /// Lists the plies with a move: number from 0, position, column.
    fn moves(&self) -> impl Iterator<Item = (usize, &Ply, usize)> {
        self.plies.iter().enumerate().filter_map(|(ply, at)| at.column.map(|column| (ply, at, column)))
    }

    /// Lists the moves of a player that gave the value away.
    fn mistakes(&self, player: Player) -> Vec<Mistake> {
        let of_player = self.moves().filter(|(_, at, _)| at.position.to_move() == player);
        let lost = of_player.filter_map(|(ply, at, _)| match at.loss() {
            Some(Loss::Value(from, to)) => {
                Some(Mistake { number: ply + 1, from: from.to_string(), to: to.to_string() })
            }
            _ => None,
        });
        lost.collect()
    }

    /// Returns the analysis for programs.
    pub fn to_json(&self) -> AnalysisJson {
        let winner = self.game.winner().map(|winner| winner.to_string());
        AnalysisJson {
            board: self.game.board().to_string(),
            moves: self.game.moves(),
            over: self.game.is_over(),
            winner,
            value: self.plies.last().and_then(|last| last.outcome).map(|outcome| outcome.value.to_string()),
            remoteness: self.plies.last().and_then(|last| last.outcome).and_then(|outcome| outcome.remoteness),
            plies: self.moves().map(|(ply, at, column)| PlyJson::of(ply, at, column)).collect(),
            mistakes_of_first: self.mistakes(Player::First),
            mistakes_of_second: self.mistakes(Player::Second),
        }
    }
}

/// A move that gave the value away.
#[derive(Serialize)]
struct Mistake {
    /// Counts from 1.
    #[serde(rename = "move")]
    number: usize,
    from: String,
    to: String,
}

/// An [`Analysis`] for programs.
#[derive(Serialize)]
pub struct AnalysisJson {
    board: String,
    moves: String,
    over: bool,
    winner: Option<String>,
    /// The value for the player to move at the end.
    value: Option<String>,
    remoteness: Option<u32>,
    plies: Vec<PlyJson>,
    mistakes_of_first: Vec<Mistake>,
    mistakes_of_second: Vec<Mistake>,
}

/// A move for programs. Columns count from 1; unknown fields are null.
#[derive(Serialize)]
struct PlyJson {
    /// Counts from 1.
    #[serde(rename = "move")]
    number: usize,
    player: String,
    column: usize,
    value: Option<String>,
    remoteness: Option<u32>,
    played_value: Option<String>,
    played_remoteness: Option<u32>,
    /// Whether the move kept the value.
    keeps: Option<bool>,
    /// The plies given away by a move that kept the value.
    plies_lost: Option<u32>,
    best_columns: Vec<usize>,
}

impl PlyJson {
    fn of(ply: usize, at: &Ply, column: usize) -> PlyJson {
        let (loss, played) = (at.loss(), at.played());
        let value = |outcome: Option<Outcome>| outcome.map(|outcome| outcome.value.to_string());
        PlyJson {
            number: ply + 1,
            player: at.position.to_move().to_string(),
            column: column + 1,
            value: value(at.outcome),
            remoteness: at.outcome.and_then(|outcome| outcome.remoteness),
            played_value: value(played),
            played_remoteness: played.and_then(|outcome| outcome.remoteness),
            keeps: loss.map(|loss| !matches!(loss, Loss::Value(..))),
            plies_lost: match loss {
                Some(Loss::Nothing) => Some(0),
                Some(Loss::Plies(plies)) => Some(plies),
                _ => None,
            },
            best_columns: at.best().map(|column| column + 1).collect(),
        }
    }
}

/// Writes what a move gave away.
fn loss(loss: Option<Loss>) -> String {
    match loss {
        None => "?".to_owned(),
        Some(Loss::Nothing) => String::new(),
        Some(Loss::Value(from, to)) => format!("{} to {}", wording::value(from, 0), wording::value(to, 0)),
        Some(Loss::Plies(1)) => "1 ply".to_owned(),
        Some(Loss::Plies(plies)) => format!("{plies} plies"),
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", draw(self.game.position(), true))?;
        write!(f, "{} after {} moves: {}", self.game.board(), self.game.ply(), self.game.standing())?;
        match self.plies.last().and_then(|last| last.outcome) {
            Some(outcome) if !self.game.is_over() => write!(f, ", {}", wording::outcome(outcome))?,
            _ => {}
        }
        if self.game.ply() > 0 {
            let head = ["move", "", "before", "gave away", "best"].map(str::to_owned).to_vec();
            let rows = self.moves().map(|(ply, at, column)| {
                let sign = if at.position.to_move() == Player::First { 'X' } else { 'O' };
                let is_best = at.loss() == Some(Loss::Nothing);
                vec![
                    (ply + 1).to_string(),
                    format!("{sign} {}", column_character(column).unwrap_or('?')),
                    at.outcome.map_or("?".to_owned(), wording::outcome),
                    loss(at.loss()),
                    if is_best { String::new() } else { columns_to_text(at.best()) },
                ]
            });
            let rows = std::iter::once(head).chain(rows).collect::<Vec<_>>();
            let sides = [Side::Right, Side::Left, Side::Left, Side::Left, Side::Left];
            write!(f, "\n\n{}\n", table::to_text(&sides, &rows))?;
            for player in [Player::First, Player::Second] {
                write!(f, "\n{player} player: {}", blame(&self.mistakes(player)))?;
            }
            if self.plies.iter().any(|at| at.outcome.is_none()) {
                write!(f, "\n\n? was not decided; allow more with --nodes")?;
            }
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

/// Writes the mistakes of a player.
fn blame(mistakes: &[Mistake]) -> String {
    if mistakes.is_empty() {
        return "no mistakes".to_owned();
    }
    let each = mistakes.iter().map(|mistake| format!("move {} ({} to {})", mistake.number, mistake.from, mistake.to));
    format!("mistakes in {}", each.collect::<Vec<_>>().join(", "))
}
