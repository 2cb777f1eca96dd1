//! The tables of counts, as they are stored and printed.

use fourbase::{Board, Position, Value, notation};
use serde::{Deserialize, Serialize};

use crate::format::board_name;
use crate::kernel::Values;
use crate::kernel::reach::Pulled;

/// The legal positions of a board by ply, and by value and remoteness where these were counted. Mirror images count
/// separately; finished positions are included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// The board, written as its name.
    #[serde(with = "board_name")]
    pub board: Board,
    /// Which values were counted; `None` if only legal positions were counted.
    pub values: Option<Values>,
    /// One row for every ply, from the empty board to the full one.
    pub plies: Vec<PlyCounts>,
    /// One row for each outcome of each ply, sorted by ply, then by value (wins, losses, ties), then by remoteness.
    /// There are no rows for outcomes without positions, and no rows at all if no values were counted.
    pub outcomes: Vec<OutcomeCount>,
}

/// The legal positions of one ply. Wins, losses and ties are 0 if no values were counted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyCounts {
    /// Pieces on the board.
    pub ply: u32,
    /// The number of all positions.
    pub legal: u64,
    /// Positions in which the game is over: a line, or a full board.
    pub primitive: u64,
    /// Positions with a line; `None` if values were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with_line: Option<u64>,
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
    pub value: Value,
    /// Plies to the end; `None` if only values were solved.
    pub remoteness: Option<u32>,
    /// The number of positions.
    pub legal: u64,
    /// One of the positions, as moves (`-` for the empty board). Every count gives the same example. `None` if no
    /// example was found. This can only happen for finished positions, and only if remoteness was not counted or the
    /// board is misère.
    pub example: Option<String>,
}

impl PlyCounts {
    /// Makes the row of a ply without wins, losses and ties. [`Counts::new`] fills them in.
    fn new(board: Board, ply: u32, Pulled { without_line, with_line }: Pulled) -> PlyCounts {
        let full = if ply == board.cells() as u32 { without_line } else { 0 };
        let (legal, primitive) = (without_line + with_line, with_line + full);
        PlyCounts { ply, legal, primitive, with_line: Some(with_line), ..PlyCounts::default() }
    }
}

impl Counts {
    /// Makes the tables from the counts of all plies and the outcomes of positions without a line. A position with a
    /// line needs no solve, because its value follows from the rules: the player to move has lost, or has won under
    /// misère.
    pub(super) fn of_swept(
        board: Board,
        values: Option<Values>,
        swept: Vec<Pulled>,
        mut outcomes: Vec<OutcomeCount>,
    ) -> Counts {
        let plies: Vec<_> = (0..).zip(swept).map(|(ply, pulled)| PlyCounts::new(board, ply, pulled)).collect();
        if let Some(values) = values {
            let value = if board.is_misere() { Value::Win } else { Value::Lose };
            let remoteness = (values == Values::Remoteness).then_some(0);
            let finished = plies.iter().filter_map(|ply| Some((ply.ply, ply.with_line.filter(|legal| *legal > 0)?)));
            outcomes.extend(finished.map(|(ply, legal)| OutcomeCount { ply, value, remoteness, legal, example: None }));
        }
        Counts::new(board, values, plies, outcomes)
    }

    /// Makes the tables from all plies and outcomes. The solver does not visit positions with a line one by one. So a
    /// row without an example gets one here, by a move from an example of the ply before.
    pub(super) fn new(
        board: Board,
        values: Option<Values>,
        mut plies: Vec<PlyCounts>,
        outcomes: Vec<OutcomeCount>,
    ) -> Counts {
        let mut outcomes = sums_by(outcomes, |row| (row.ply, place(row.value), row.remoteness));
        let examples: Vec<Option<String>> =
            outcomes.iter().map(|row| row.example.clone().or_else(|| finished(board, &outcomes, row))).collect();
        outcomes.iter_mut().zip(examples).for_each(|(row, example)| row.example = example);
        for ply in &mut plies {
            let sum = |value: Value| {
                let rows = outcomes.iter().filter(|row| row.ply == ply.ply && row.value == value);
                rows.map(|row| row.legal).fold(0, u64::saturating_add)
            };
            [ply.win, ply.lose, ply.tie] = [Value::Win, Value::Lose, Value::Tie].map(sum);
            ply.with_line = ply.with_line.filter(|_| values.is_none());
        }
        Counts { board, values, plies, outcomes }
    }

    /// Returns the sum of a count over all plies. A sum beyond 64 bits, which no board has, becomes the largest number.
    pub fn sum(&self, count: impl Fn(&PlyCounts) -> u64) -> u64 {
        self.plies.iter().map(count).fold(0, u64::saturating_add)
    }

    /// Returns the outcomes added up over all plies: wins, losses, ties, each by remoteness. A sum has the ply of the
    /// first row that it adds, and the first example among its rows. A sum beyond 64 bits, which no board has, becomes
    /// the largest number.
    pub fn total_outcomes(&self) -> Vec<OutcomeCount> {
        sums_by(self.outcomes.clone(), |row| (place(row.value), row.remoteness))
    }

    /// Returns the row of `value` with the greatest remoteness, for example the longest wins. If several plies have
    /// such a row, returns the row of the first of these plies. Returns `None` if there is no row of `value`, or if
    /// only values were solved.
    pub fn longest(&self, value: Value) -> Option<&OutcomeCount> {
        let of_value = self.outcomes.iter().filter(|row| row.value == value && row.remoteness.is_some());
        of_value.reduce(|longest, row| if row.remoteness > longest.remoteness { row } else { longest })
    }
}

/// Sorts the rows by key, and replaces rows with equal keys by their sum. A sum has the ply of its first row, and the
/// first example among its rows.
fn sums_by<K: Ord>(mut rows: Vec<OutcomeCount>, key: impl Fn(&OutcomeCount) -> K) -> Vec<OutcomeCount> {
    rows.sort_by_key(&key);
    rows.dedup_by(|row, sum| {
        let is_same = key(row) == key(sum);
        if is_same {
            sum.legal = sum.legal.saturating_add(row.legal);
            sum.example = sum.example.take().or(row.example.take());
        }
        is_same
    });
    rows
}

/// Returns the sort key of a value in the tables: wins, losses, ties.
fn place(value: Value) -> usize {
    [Value::Win, Value::Lose, Value::Tie].iter().position(|other| *other == value).unwrap_or(0)
}

/// Finds a finished position with the outcome of the row `of`, and returns its moves. Tries every move from the
/// examples of the ply before. Returns `None` if the outcome is not that of finished positions, or if no move leads to
/// it.
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
