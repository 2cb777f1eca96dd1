//! The positions of a game with the outcomes of all moves, and the cost of each move.

use super::{Analysis, AnalysisError};
use crate::notation::choice_of_columns;
use crate::value::in_plies;
use crate::{Game, Outcome, Player, Position, Value};

/// The node limit of a quick search, which takes a millisecond or less.
pub const QUICK_NODES: u64 = 10_000;

/// A game with an analysis of each of its positions.
#[derive(Clone, Debug)]
pub struct GameAnalysis {
    /// The game.
    pub game: Game,
    /// The positions, from the first one on.
    pub plies: Vec<Ply>,
    /// The first limit that was reached, if anything is unknown.
    pub limit: Option<AnalysisError>,
}

/// A position of a game.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The analysis of the position.
    pub analysis: Analysis,
    /// The column played, from 0; `None` for the last position.
    pub column: Option<usize>,
}

/// What a move cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Nothing: it was a best move.
    Nothing,
    /// The value stays the same; whether the move cost plies is unknown.
    NoValue,
    /// The move changed the value, from the first value to the second.
    Value(Value, Value),
    /// The value stays the same, but the win comes this many plies later, or the loss this many plies earlier.
    Plies(u32),
}

/// A move that made the value worse for its player.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mistake {
    /// The number of the move, from 1.
    pub number: usize,
    /// The column played, from 1.
    pub column: usize,
    /// The value before the move.
    pub from: &'static str,
    /// The value after it.
    pub to: &'static str,
    /// What would have been better.
    pub reason: String,
}

impl GameAnalysis {
    /// Analyses every position of a game. Starts from the last one, because searches of late positions help those of
    /// earlier ones. `analyse` gets a position and a node limit; `None` lets it use its own limit. Once an analysis has
    /// reached its limit before the outcomes of all moves were known, earlier positions get only a quick search
    /// ([`QUICK_NODES`]).
    ///
    /// # Errors
    ///
    /// The errors of `analyse`.
    pub fn of<E>(
        game: &Game,
        mut analyse: impl FnMut(&Position, Option<u64>) -> Result<Analysis, E>,
    ) -> Result<GameAnalysis, E> {
        let (mut plies, mut limit, mut nodes) = (Vec::new(), None, None);
        for (ply, position) in game.positions().iter().enumerate().rev() {
            let analysis = analyse(position, nodes)?;
            let is_open = analysis.moves.iter().any(|child| child.outcome.is_none());
            nodes = nodes.or(analysis.limit.filter(|_| is_open).map(|_| QUICK_NODES));
            limit = limit.or(analysis.limit);
            plies.push(Ply { analysis, column: game.columns().get(ply).copied() });
        }
        plies.reverse();
        Ok(GameAnalysis { game: game.clone(), plies, limit })
    }

    /// Lists the plies that have a move: the number of the move (from 1), the ply, and the column.
    pub fn moves(&self) -> impl Iterator<Item = (usize, &Ply, usize)> {
        self.plies.iter().zip(1..).filter_map(|(ply, number)| ply.column.map(|column| (number, ply, column)))
    }

    /// Lists the moves of a player.
    pub fn moves_of(&self, player: Player) -> impl Iterator<Item = (usize, &Ply, usize)> {
        self.moves().filter(move |(_, ply, _)| ply.analysis.position.to_move() == player)
    }

    /// Lists the moves of a player that made the value worse for that player.
    pub fn mistakes(&self, player: Player) -> Vec<Mistake> {
        let lost = self.moves_of(player).filter_map(|(number, ply, column)| match ply.loss() {
            Some(Loss::Value(from, to)) => Some(Mistake {
                number,
                column: column + 1,
                from: from.name(),
                to: to.name(),
                reason: ply.reason().unwrap_or_default(),
            }),
            _ => None,
        });
        lost.collect()
    }

    /// Counts the moves whose cost is unknown.
    pub fn undecided(&self) -> usize {
        self.moves().filter(|(_, ply, _)| ply.loss().is_none()).count()
    }
}

impl Ply {
    /// Returns the outcome of the move played.
    pub fn played(&self) -> Option<Outcome> {
        self.analysis.moves.iter().find(|child| Some(child.column) == self.column)?.outcome
    }

    /// Returns the cost of the move played; `None` if the cost is unknown or no move was played.
    pub fn loss(&self) -> Option<Loss> {
        let (before, after) = (self.analysis.outcome?, self.played()?);
        if before.value != after.value {
            return Some(Loss::Value(before.value, after.value));
        }
        Some(match (before.remoteness, after.remoteness) {
            (Some(before), Some(after)) if before != after => Loss::Plies(before.abs_diff(after)),
            (Some(_), Some(_)) => Loss::Nothing,
            _ => Loss::NoValue,
        })
    }

    /// Describes what would have been better, such as `missed win in 5 plies at column 4`; `None` if no move is known
    /// to be better.
    pub fn reason(&self) -> Option<String> {
        let (before, after) = (self.analysis.outcome?, self.played()?);
        let (loss, mut best) = (self.loss()?, Vec::from_iter(self.analysis.best()));
        best.sort_unstable();
        let at = if best.is_empty() { String::new() } else { format!(" at column {}", choice_of_columns(best)) };
        let plies = before.remoteness.filter(|_| before.value != Value::Tie);
        match (loss, after.remoteness) {
            (Loss::Value(value, _), _) => {
                let plies = plies.map_or(String::new(), in_plies);
                Some(format!("missed {value}{plies}{at}"))
            }
            (Loss::Plies(_), Some(after)) => {
                let verb = if before.value == Value::Win { "wins" } else { "loses" };
                Some(format!("{verb}{} instead of {}{at}", in_plies(after), plies?))
            }
            _ => None,
        }
    }
}
