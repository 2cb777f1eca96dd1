//! The tables of counts, as they are kept and shown.

use std::collections::BTreeMap;

use fourbase::{Board, Position, Value, notation};
use serde::{Deserialize, Serialize};

use crate::kernel::Values;
use crate::kernel::reach::Pulled;

/// The legal positions of a board by ply and by remoteness, mirror images counted apart, finished ones included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// The board, written as its name.
    #[serde(with = "name")]
    pub board: Board,
    /// Which values were counted.
    pub values: Values,
    /// One for every ply from the empty board to the full one.
    pub plies: Vec<PlyCounts>,
    /// By ply, then by value (wins, losses, ties), then by remoteness; what no position has is left out.
    pub outcomes: Vec<OutcomeCount>,
}

/// The legal positions of one ply.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyCounts {
    /// Pieces on the board.
    pub ply: u32,
    /// All of them.
    pub legal: u64,
    /// Those in which the game is over: a line, or a full board.
    pub primitive: u64,
    /// Those that the player to move wins.
    pub win: u64,
    /// Those that the player to move loses.
    pub lose: u64,
    /// Those that neither wins.
    pub tie: u64,
}

/// The legal positions of one ply, value and remoteness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutcomeCount {
    /// Pieces on the board.
    pub ply: u32,
    /// The value for the player to move, written in lower case.
    #[serde(with = "ValueName")]
    pub value: Value,
    /// Plies to the end; `None` where only values were solved.
    pub remoteness: Option<u32>,
    /// How many positions.
    pub legal: u64,
    /// One of them, as moves (`-` for the empty board), always the same. `None` where none is at hand, which can be so among
    /// finished positions where only values were solved, and under misère.
    pub example: Option<String>,
}

/// The legal positions of one ply, of any value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyLegal {
    /// Pieces on the board.
    pub ply: u32,
    /// All of them.
    pub legal: u64,
    /// Those in which the game is over: a line, or a full board.
    pub primitive: u64,
    /// Those with a line.
    pub with_line: u64,
}

impl PlyLegal {
    /// Makes the row of a ply.
    pub(super) fn new(board: Board, ply: u32, positions: Pulled) -> PlyLegal {
        let Pulled { without_line, with_line } = positions;
        let full = if ply == board.cells() as u32 { without_line } else { 0 };
        PlyLegal { ply, legal: without_line + with_line, primitive: with_line + full, with_line }
    }
}

impl Counts {
    /// Makes the tables of all plies. Finished positions, which the solver does not see one by one, get their example from the
    /// ply before.
    pub(super) fn new(board: Board, values: Values, legal: &[PlyLegal], mut outcomes: Vec<OutcomeCount>) -> Counts {
        outcomes.sort_by_key(|row| (row.ply, place(row.value), row.remoteness));
        let examples: Vec<Option<String>> =
            outcomes.iter().map(|row| row.example.clone().or_else(|| finished(board, &outcomes, row))).collect();
        outcomes.iter_mut().zip(examples).for_each(|(row, example)| row.example = example);
        let of_ply = |of: &PlyLegal| {
            let sum = |value: Value| {
                let rows = outcomes.iter().filter(|row| row.ply == of.ply && row.value == value);
                rows.map(|row| row.legal).fold(0, u64::saturating_add)
            };
            let [win, lose, tie] = [Value::Win, Value::Lose, Value::Tie].map(sum);
            PlyCounts { ply: of.ply, legal: of.legal, primitive: of.primitive, win, lose, tie }
        };
        Counts { board, values, plies: legal.iter().map(of_ply).collect(), outcomes }
    }

    /// Returns the sums over all plies (whose `ply` is 0). Sums beyond 64 bits, which no board has, are the largest number.
    pub fn total(&self) -> PlyCounts {
        self.plies.iter().fold(PlyCounts::default(), |sum, ply| PlyCounts {
            ply: 0,
            legal: sum.legal.saturating_add(ply.legal),
            primitive: sum.primitive.saturating_add(ply.primitive),
            win: sum.win.saturating_add(ply.win),
            lose: sum.lose.saturating_add(ply.lose),
            tie: sum.tie.saturating_add(ply.tie),
        })
    }

    /// Returns the sums of the outcomes over all plies: wins, losses, ties, each by remoteness, with the ply and the example
    /// of the first ply that has one. Sums beyond 64 bits, which no board has, are the largest number.
    pub fn total_outcomes(&self) -> Vec<OutcomeCount> {
        let mut sums: BTreeMap<(usize, Option<u32>), OutcomeCount> = BTreeMap::new();
        for row in &self.outcomes {
            let first = || OutcomeCount { legal: 0, ..row.clone() };
            let sum = sums.entry((place(row.value), row.remoteness)).or_insert_with(first);
            sum.legal = sum.legal.saturating_add(row.legal);
        }
        sums.into_values().collect()
    }

    /// Returns the longest wins, or losses, of the board: those of the most remoteness at the first ply that has such. `None`
    /// where there are none, and where only values were solved.
    pub fn longest(&self, value: Value) -> Option<&OutcomeCount> {
        let of_value = self.outcomes.iter().filter(|row| row.value == value && row.remoteness.is_some());
        of_value.reduce(|longest, row| if row.remoteness > longest.remoteness { row } else { longest })
    }
}

/// Returns the place of a value in the tables: wins, losses, ties.
fn place(value: Value) -> usize {
    [Value::Win, Value::Lose, Value::Tie].iter().position(|other| *other == value).unwrap_or(0)
}

/// Finds a position with the outcome of a row in which a line has ended the game, a move after an example of the ply before.
fn finished(board: Board, rows: &[OutcomeCount], of: &OutcomeCount) -> Option<String> {
    if of.remoteness.is_some_and(|plies| plies > 0) {
        return None;
    }
    let before = rows.iter().filter(|row| row.ply + 1 == of.ply);
    let parents = before.filter_map(|row| notation::parse(board, row.example.as_ref()?).ok());
    let children = parents.flat_map(|parent: Position| parent.moves().map(move |column| parent.drop_piece(column)));
    let mut finished = children.filter(|child| child.primitive() == Some(of.value));
    finished.find_map(|child| notation::to_moves(&child).ok())
}

/// A board as its name.
mod name {
    use fourbase::Board;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(board: &Board, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(board)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Board, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A value as `win`, `lose` or `tie`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Value", rename_all = "lowercase")]
enum ValueName {
    Win,
    Lose,
    Tie,
}
