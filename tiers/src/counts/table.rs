//! The tables of counts, as they are stored and printed.

use std::collections::BTreeMap;

use fourbase::{Board, Position, Value, notation};
use serde::{Deserialize, Serialize};

use crate::kernel::Values;
use crate::kernel::reach::Pulled;

/// The legal positions of a board by ply and by remoteness. Mirror images count separately; finished positions are
/// included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// The board, written as its name.
    #[serde(with = "name")]
    pub board: Board,
    /// Which values were counted.
    pub values: Values,
    /// One row for every ply, from the empty board to the full one.
    pub plies: Vec<PlyCounts>,
    /// By ply, then by value (wins, losses, ties), then by remoteness. Outcomes without positions are left out.
    pub outcomes: Vec<OutcomeCount>,
}

/// The legal positions of one ply.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyCounts {
    /// Pieces on the board.
    pub ply: u32,
    /// The number of all positions.
    pub legal: u64,
    /// Positions in which the game is over: a line, or a full board.
    pub primitive: u64,
    /// Positions that the player to move wins.
    pub win: u64,
    /// Positions that the player to move loses.
    pub lose: u64,
    /// Positions that neither player wins.
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
    /// Plies to the end; `None` if only values were solved.
    pub remoteness: Option<u32>,
    /// The number of positions.
    pub legal: u64,
    /// One of the positions, as moves (`-` for the empty board), always the same. `None` if none was found, which is
    /// possible for finished positions if only values were solved, or under misère.
    pub example: Option<String>,
}

/// The legal positions of one ply, regardless of value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyLegal {
    /// Pieces on the board.
    pub ply: u32,
    /// The number of all positions.
    pub legal: u64,
    /// Positions in which the game is over: a line, or a full board.
    pub primitive: u64,
    /// Positions with a line.
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
    /// Makes the tables of all plies. The solver does not visit finished positions one by one, so their examples are
    /// found from those of the ply before.
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

    /// Returns the sums over all plies (with `ply` 0). A sum beyond 64 bits, which no board has, becomes the largest
    /// number.
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

    /// Returns the sums of the outcomes over all plies: wins, losses, ties, each by remoteness, with the ply and the
    /// example of the first ply that has one. A sum beyond 64 bits, which no board has, becomes the largest number.
    pub fn total_outcomes(&self) -> Vec<OutcomeCount> {
        let mut sums: BTreeMap<(usize, Option<u32>), OutcomeCount> = BTreeMap::new();
        for row in &self.outcomes {
            let first = || OutcomeCount { legal: 0, ..row.clone() };
            let sum = sums.entry((place(row.value), row.remoteness)).or_insert_with(first);
            sum.legal = sum.legal.saturating_add(row.legal);
        }
        sums.into_values().collect()
    }

    /// Returns the longest wins or losses of the board: those with the greatest remoteness, at the first ply that has
    /// them. `None` if there are none, or if only values were solved.
    pub fn longest(&self, value: Value) -> Option<&OutcomeCount> {
        let of_value = self.outcomes.iter().filter(|row| row.value == value && row.remoteness.is_some());
        of_value.reduce(|longest, row| if row.remoteness > longest.remoteness { row } else { longest })
    }
}

/// Returns the sort key of a value in the tables: wins, losses, ties.
fn place(value: Value) -> usize {
    [Value::Win, Value::Lose, Value::Tie].iter().position(|other| *other == value).unwrap_or(0)
}

/// Finds a position with a row's outcome in which a line has ended the game, one move after an example of the ply
/// before.
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

/// Serialises a board as its name.
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

/// Serialises a value as `win`, `lose` or `tie`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Value", rename_all = "lowercase")]
enum ValueName {
    Win,
    Lose,
    Tie,
}
