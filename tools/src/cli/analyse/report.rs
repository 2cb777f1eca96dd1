//! The result of `fourbase analyse`: a table and the mistakes, for people and as JSON.

use std::fmt;

use anyhow::Error;
use fourbase::notation::{column_character, draw};
use fourbase::{Board, Player};
use serde::Serialize;

use super::played::{Loss, Played, Ply};
use crate::game::Game;
use crate::json::{self, OutcomeJson, PlayersJson, PositionJson, SourceJson};
use crate::number::counted;
use crate::table::{self, Side};
use crate::wording;

/// A game, analysed.
pub struct Analysis {
    game: Game,
    plies: Vec<Ply>,
    limit: Option<Error>,
    note: Option<String>,
}

impl Analysis {
    /// Gathers the findings.
    pub fn of(game: &Game, played: Played, note: Option<String>) -> Analysis {
        Analysis { game: game.clone(), plies: played.plies, limit: played.limit, note }
    }

    /// Lists the plies with a move: number from 0, position, column.
    fn moves(&self) -> impl Iterator<Item = (usize, &Ply, usize)> {
        self.plies.iter().enumerate().filter_map(|(ply, at)| at.column.map(|column| (ply, at, column)))
    }

    /// Lists the moves of a player.
    fn moves_of(&self, player: Player) -> impl Iterator<Item = (usize, &Ply, usize)> {
        self.moves().filter(move |(_, at, _)| at.position.to_move() == player)
    }

    /// Lists the moves of a player that gave the value away.
    pub fn mistakes(&self, player: Player) -> Vec<Mistake> {
        let lost = self.moves_of(player).filter_map(|(ply, at, column)| match at.loss() {
            Some(Loss::Value(from, to)) => Some(Mistake {
                number: ply + 1,
                column: column + 1,
                from: json::value(from),
                to: json::value(to),
                reason: at.reason().unwrap_or_default(),
            }),
            _ => None,
        });
        lost.collect()
    }

    /// Counts the moves of which it is not known what they gave away.
    pub fn undecided(&self) -> usize {
        self.moves().filter(|(_, at, _)| at.loss().is_none()).count()
    }

    /// Returns which limit left moves open, or the value at the end of the game.
    pub fn into_failure(self) -> Option<Error> {
        let (open, moves) = (self.undecided(), self.game.ply());
        let is_open = open > 0 || self.plies.last().is_none_or(|last| last.outcome.is_none());
        let what = match open {
            0 => "the value at the end is not known".to_owned(),
            _ => format!("{open} of {moves} moves are open"),
        };
        self.limit.filter(|_| is_open).map(|limit| limit.context(what))
    }

    /// Returns the analysis for programs.
    pub fn to_json(&self) -> AnalysisJson {
        let last = self.plies.last();
        AnalysisJson {
            board: self.game.board().to_string(),
            input: None,
            position: Some(PositionJson::typed(self.game.position(), &self.game.to_text())),
            over: Some(self.game.is_over()),
            winner: self.game.winner().map(json::player),
            outcome: OutcomeJson::of(last.and_then(|last| last.outcome)),
            undecided_moves: Some(self.undecided()),
            steps: Some(self.moves().map(|(ply, at, column)| StepJson::of(ply, at, column)).collect()),
            mistakes: Some(PlayersJson { first: self.mistakes(Player::First), second: self.mistakes(Player::Second) }),
            source: SourceJson::of_all(self.plies.iter().map(|at| &at.source)),
            error: None,
        }
    }

    /// Writes why a line of a batch has no analysis; `game` is the game, if the line is one.
    pub fn error_json(board: Board, input: String, game: Option<&Game>, reason: String) -> AnalysisJson {
        AnalysisJson {
            board: board.to_string(),
            input: Some(input),
            position: game.map(|game| PositionJson::typed(game.position(), &game.moves())),
            over: game.map(Game::is_over),
            winner: game.and_then(Game::winner).map(json::player),
            outcome: OutcomeJson::of(None),
            undecided_moves: None,
            steps: None,
            mistakes: None,
            source: None,
            error: Some(reason),
        }
    }
}

/// A move that gave the value away.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mistake {
    /// Counts from 1.
    pub number: usize,
    column: usize,
    from: &'static str,
    to: &'static str,
    /// What was better.
    pub reason: String,
}

/// An [`Analysis`] for programs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnalysisJson {
    board: String,
    /// The line of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// At the end of the game; null for a line that is no game.
    position: Option<PositionJson>,
    over: Option<bool>,
    winner: Option<&'static str>,
    /// The value for the player to move at the end.
    #[serde(flatten)]
    outcome: OutcomeJson,
    /// Moves of which it is not known what they gave away; this and the next two are null for a line without an analysis.
    undecided_moves: Option<usize>,
    steps: Option<Vec<StepJson>>,
    mistakes: Option<PlayersJson<Vec<Mistake>>>,
    source: Option<SourceJson>,
    /// Why a line of a batch has no analysis.
    error: Option<String>,
}

impl AnalysisJson {
    /// Leaves the folder of the database out.
    pub fn without_folder(mut self) -> AnalysisJson {
        self.source = self.source.map(SourceJson::without_folder);
        self
    }

    /// Adds the line of a batch.
    pub fn with_input(mut self, input: String) -> AnalysisJson {
        self.input = Some(input);
        self
    }
}

/// A move for programs. Columns count from 1; unknown fields are null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepJson {
    /// Counts from 1.
    number: usize,
    player: &'static str,
    column: usize,
    #[serde(flatten)]
    outcome: OutcomeJson,
    played_value: Option<&'static str>,
    played_remoteness: Option<u32>,
    /// Whether the move kept the value.
    keeps: Option<bool>,
    /// The plies given away by a move that kept the value.
    plies_lost: Option<u32>,
    /// The best ones.
    columns: Vec<usize>,
    /// What was better.
    reason: Option<String>,
}

impl StepJson {
    fn of(ply: usize, at: &Ply, column: usize) -> StepJson {
        let (loss, played) = (at.loss(), at.played());
        StepJson {
            number: ply + 1,
            player: json::player(at.position.to_move()),
            column: column + 1,
            outcome: OutcomeJson::of(at.outcome),
            played_value: played.map(|outcome| json::value(outcome.value)),
            played_remoteness: played.and_then(|outcome| outcome.remoteness),
            keeps: loss.map(|loss| !matches!(loss, Loss::Value(..))),
            plies_lost: match loss {
                Some(Loss::Nothing) => Some(0),
                Some(Loss::Plies(plies)) => Some(plies),
                _ => None,
            },
            columns: at.best().map(|column| column + 1).collect(),
            reason: at.reason(),
        }
    }
}

/// Writes what a move gave away.
fn loss(loss: Option<Loss>) -> String {
    match loss {
        None => "?".to_owned(),
        Some(Loss::Nothing | Loss::NoValue) => String::new(),
        Some(Loss::Value(from, to)) => format!("{} to {}", wording::value(from, 0), wording::value(to, 0)),
        Some(Loss::Plies(plies)) => counted(plies, "ply"),
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", draw(self.game.position(), true))?;
        let moves = counted(self.game.ply(), "move");
        write!(f, "{} after {moves}: {}", self.game.board(), self.game.standing())?;
        match self.plies.last().and_then(|last| last.outcome) {
            Some(outcome) if !self.game.is_over() => write!(f, ", {}", wording::outcome(outcome))?,
            _ => {}
        }
        if self.game.ply() > 0 {
            let head = ["move", "", "before", "gave away", "best"].map(str::to_owned).to_vec();
            let rows = self.moves().map(|(ply, at, column)| {
                let sign = if at.position.to_move() == Player::First { 'X' } else { 'O' };
                let is_best = matches!(at.loss(), Some(Loss::Nothing | Loss::NoValue));
                vec![
                    (ply + 1).to_string(),
                    format!("{sign} {}", column_character(column).unwrap_or('?')),
                    at.outcome.map_or("?".to_owned(), wording::outcome),
                    loss(at.loss()),
                    if is_best { String::new() } else { wording::columns(at.best()) },
                ]
            });
            let rows = std::iter::once(head).chain(rows).collect::<Vec<_>>();
            let sides = [Side::Right, Side::Left, Side::Left, Side::Left, Side::Left];
            write!(f, "\n\n{}\n", table::to_text(&sides, &rows))?;
            for player in [Player::First, Player::Second] {
                write!(f, "\n{player} player: {}", self.blame(player))?;
            }
        }
        self.note.iter().try_for_each(|note| write!(f, "\n\n{note}"))
    }
}

impl Analysis {
    /// Writes the mistakes of a player, and in how many moves, if not all were decided.
    fn blame(&self, player: Player) -> String {
        let (mistakes, moves) = (self.mistakes(player), self.moves_of(player).count());
        let decided = self.moves_of(player).filter(|(_, at, _)| at.loss().is_some()).count();
        if mistakes.is_empty() && decided == moves {
            return "no mistakes".to_owned();
        }
        if mistakes.is_empty() {
            return format!("no mistake in {decided} of {moves} moves decided");
        }
        let each = mistakes.iter().map(|of| format!("move {} ({} to {})", of.number, of.from, of.to));
        let each = each.collect::<Vec<_>>().join(", ");
        let open = if decided < moves { format!("; {decided} of {moves} moves decided") } else { String::new() };
        format!("mistakes in {each}{open}")
    }
}
