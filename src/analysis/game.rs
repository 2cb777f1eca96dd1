//! The positions of a game with the outcomes of all moves, and the cost of each move.

use super::{Analysis, AnalysisError};
use crate::notation::choice_of_columns;
use crate::reasons::{Reason, ReasonKind};
use crate::value::in_plies;
use crate::{Game, Outcome, Player, Position, Value, winning_cells};

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
    /// What the mistake that was played here allows; `None` without a mistake, and before [`GameAnalysis::explain`].
    pub refutation: Option<Reason>,
}

/// How good a move is. Of several classes that fit, the last one in this list: a missed win or a line left open may be a
/// mistake as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MoveClass {
    /// A best move.
    Best,
    /// The value stays the same; whether the move cost plies is unknown.
    KeepsValue,
    /// A win comes later than it could.
    Later,
    /// A loss comes sooner than it could.
    Sooner,
    /// The value became worse.
    Mistake,
    /// The opponent had one cell that completes a line, and still has it.
    LeftOpen,
    /// The player could have completed a line.
    MissedWin,
}

/// How many moves of a player kept the value, of those that mattered: in their positions some move gives the value away.
/// The accuracy is `kept / mattered`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accuracy {
    /// The moves that mattered and kept the value.
    pub kept: usize,
    /// The moves that mattered.
    pub mattered: usize,
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
            plies.push(Ply { analysis, column: game.columns().get(ply).copied(), refutation: None });
        }
        plies.reverse();
        Ok(GameAnalysis { game: game.clone(), plies, limit })
    }

    /// Finds what each mistake allows; see [`reasons`](crate::reasons). If no simple reason is found, it is the line of the
    /// next position's analysis.
    pub fn explain(&mut self) {
        for number in 1..self.plies.len() {
            let [before, after] = &mut self.plies[number - 1..=number] else { continue };
            if let Some(Loss::Value(_, to)) = before.loss() {
                let (position, line) = (after.analysis.position, after.analysis.line.as_deref());
                let refutation = Reason::with_value(&position, to.flip(), line);
                // A threat of the player who erred explains no mistake.
                let is_threat = refutation.kind == ReasonKind::MustAnswer;
                let best_play = || Reason::best_play(&position, to.flip(), line);
                before.refutation = Some(if is_threat { best_play() } else { refutation });
            }
        }
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

    /// Returns the number (from 1) and the ply of the last move that changed the value; `None` without a mistake, and if
    /// the cost of a later move is unknown.
    pub fn decisive(&self) -> Option<(usize, &Ply)> {
        let changes = self.moves().filter(|(_, ply, _)| matches!(ply.loss(), Some(Loss::Value(..)) | None));
        changes.last().filter(|(_, ply, _)| ply.loss().is_some()).map(|(number, ply, _)| (number, ply))
    }

    /// Sums up the mistakes of both players: `X 2 mistakes, O 1; decided at move 9; best was 4`. Says how many moves are not judged, if
    /// there are any.
    pub fn summary(&self) -> String {
        let [first, second] = Player::BOTH.map(|player| self.mistakes(player).len());
        let many = |count: usize| if count == 1 { "1 mistake".to_owned() } else { format!("{count} mistakes") };
        let counts = match (first, second) {
            (0, 0) if self.undecided() > 0 => {
                return format!("{} of {} moves not judged", self.undecided(), self.game.ply());
            }
            (0, 0) => "no mistakes".to_owned(),
            (0, _) => format!("X no mistakes, O {}", many(second)),
            (_, 0) => format!("X {}, O none", many(first)),
            _ => format!("X {}, O {second}", many(first)),
        };
        let open = match self.undecided() {
            0 => String::new(),
            open => format!("; {open} of {} moves not judged", self.game.ply()),
        };
        let decided = self.decisive().map_or(String::new(), |(number, ply)| {
            format!("; decided at move {number}; best was {}", choice_of_columns(ply.analysis.best()))
        });
        format!("{counts}{open}{decided}")
    }

    /// Counts the moves of a player that mattered, and those of them that kept the value.
    pub fn accuracy(&self, player: Player) -> Accuracy {
        let mut accuracy = Accuracy::default();
        for (_, ply, _) in self.moves_of(player) {
            let mut values = ply.analysis.moves.iter().filter_map(|child| Some(child.outcome?.value));
            let first = values.next();
            let Some((loss, true)) = ply.loss().zip(Some(values.any(|value| Some(value) != first))) else { continue };
            accuracy.mattered += 1;
            accuracy.kept += usize::from(!matches!(loss, Loss::Value(..)));
        }
        accuracy
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

    /// Returns the class of the move played; `None` if it is unknown or no move was played.
    pub fn class(&self) -> Option<MoveClass> {
        let (position, column) = (self.analysis.position, self.column?);
        let cell = 1 << position.board().cell(column, position.height(column));
        let completes = |player| match position.board().is_misere() {
            true => 0,
            false => winning_cells(position.board(), position.pieces(player)) & position.playable_cells(),
        };
        let (wins, dangers) = (completes(position.to_move()), completes(position.to_move().other()));
        Some(match self.loss() {
            _ if wins != 0 && wins & cell == 0 => MoveClass::MissedWin,
            _ if wins == 0 && dangers.is_power_of_two() && dangers != cell => MoveClass::LeftOpen,
            None => return None,
            Some(Loss::Nothing) => MoveClass::Best,
            Some(Loss::NoValue) => MoveClass::KeepsValue,
            Some(Loss::Value(..)) => MoveClass::Mistake,
            Some(Loss::Plies(_)) if self.analysis.outcome?.value == Value::Win => MoveClass::Later,
            Some(Loss::Plies(_)) => MoveClass::Sooner,
        })
    }

    /// Says what the move played cost, such as `mistake: win to tie` or `2 plies later, missed a line`. Empty for a best move, `None` if
    /// the cost is unknown or no move was played.
    pub fn verdict(&self) -> Option<String> {
        let named = match self.class() {
            Some(MoveClass::MissedWin) => ", missed a line",
            Some(MoveClass::LeftOpen) => ", left a line open",
            _ => "",
        };
        let is_win = self.analysis.outcome?.value == Value::Win;
        Some(match self.loss()? {
            Loss::Nothing | Loss::NoValue => String::new(),
            Loss::Value(from, to) => format!("mistake: {} to {}{named}", from.noun(), to.noun()),
            Loss::Plies(plies) => {
                let unit = if plies == 1 { "ply" } else { "plies" };
                format!("{plies} {unit} {}{named}", if is_win { "later" } else { "sooner" })
            }
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
