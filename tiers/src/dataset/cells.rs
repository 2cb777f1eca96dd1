//! The cells of a field, for some rows.

use fourbase::notation::{self, NotationError};
use fourbase::{Board, Outcome, Position, Value};
use rayon::prelude::*;

use super::column::{Field, FieldKind};
use super::label::Labelled;

/// The cells of a field, one a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cells {
    /// Of [`FieldKind::Text`].
    Text(Vec<String>),
    /// Of [`FieldKind::Bitboard`].
    Bitboards(Vec<u64>),
    /// Of a field of small numbers that every row has.
    Numbers(Vec<i16>),
    /// Of a field of small numbers that a row may lack.
    Maybe(Vec<Option<i16>>),
}

impl Cells {
    /// Makes the cells of a field.
    ///
    /// # Errors
    ///
    /// A position that cannot be written as moves.
    pub(super) fn of(field: Field, rows: &Labelled) -> Result<Cells, NotationError> {
        let text = |write: fn(&Position) -> Result<String, NotationError>| {
            Ok(Cells::Text(rows.positions.par_iter().map(write).collect::<Result<_, _>>()?))
        };
        let numbers = |of: fn(Board, &Position, &Outcome) -> i16| {
            let pairs = rows.positions.iter().zip(&rows.outcomes);
            Cells::Numbers(pairs.map(|(position, outcome)| of(position.board(), position, outcome)).collect())
        };
        let moves = |column: usize, of: fn(Outcome) -> Option<i16>| {
            let column = rows.moves.iter().skip(column).step_by(rows.width.max(1));
            Cells::Maybe(column.map(|outcome| outcome.and_then(of)).collect())
        };
        Ok(match field {
            Field::Moves => return text(notation::to_moves),
            Field::Bits => return text(|position| Ok(notation::to_bits(position))),
            Field::Uni => return text(|position| Ok(notation::to_uni(position))),
            Field::Pieces(player) => {
                Cells::Bitboards(rows.positions.iter().map(|position| position.pieces(player)).collect())
            }
            Field::Ply => numbers(|_, position, _| position.ply() as i16),
            Field::Value => numbers(|_, _, outcome| number(outcome.value)),
            Field::Remoteness => numbers(|_, _, outcome| plies(*outcome).unwrap_or_default()),
            Field::Score => numbers(score),
            Field::MoveValue(column) => moves(column, |outcome| Some(number(outcome.value))),
            Field::MoveRemoteness(column) => moves(column, plies),
        })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Bitboards(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Maybe(cells) => cells.len(),
        }
    }
}

/// Returns a value as a number: 1 win, 0 tie, -1 lose.
#[must_use]
pub fn number(value: Value) -> i16 {
    match value {
        Value::Win => 1,
        Value::Tie => 0,
        Value::Lose => -1,
    }
}

fn plies(outcome: Outcome) -> Option<i16> {
    outcome.remoteness.and_then(|plies| i16::try_from(plies).ok())
}

/// Returns Pons' score: the sign of the value times floor((cells + 2 - t) / 2), where t pieces are on the board at the end.
fn score(board: Board, position: &Position, outcome: &Outcome) -> i16 {
    let end = position.ply() as i16 + plies(*outcome).unwrap_or_default();
    number(outcome.value) * ((board.cells() as i16 + 2 - end) / 2)
}

/// Some rows of a data set: the cells of each field, in the order of the fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Portion {
    /// The number of rows.
    pub rows: usize,
    /// The fields with their cells.
    pub fields: Vec<(Field, Cells)>,
    /// How many of the positions are a win, a tie and a loss for the player to move.
    pub by_value: [u64; 3],
}

impl Portion {
    /// Makes the cells of all fields.
    ///
    /// # Errors
    ///
    /// A position that cannot be written as moves.
    pub(super) fn of(fields: &[Field], rows: &Labelled) -> Result<Portion, NotationError> {
        let cells = fields.par_iter().map(|field| Ok::<_, NotationError>((*field, Cells::of(*field, rows)?)));
        let mut by_value = [0; 3];
        for outcome in &rows.outcomes {
            let [win, tie, lose] = &mut by_value;
            *match outcome.value {
                Value::Win => win,
                Value::Tie => tie,
                Value::Lose => lose,
            } += 1;
        }
        Ok(Portion { rows: rows.positions.len(), fields: cells.collect::<Result<_, _>>()?, by_value })
    }
}

impl FieldKind {
    /// Tells whether a row may have none.
    #[must_use]
    pub fn is_nullable(self) -> bool {
        matches!(self, FieldKind::Signed { nullable: true } | FieldKind::Unsigned { nullable: true })
    }
}
