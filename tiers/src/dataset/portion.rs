//! Some rows of a data set: positions that are looked up together, and the cells of each field.

use fourbase::analysis::{Analyst, Budget, Lookup};
use fourbase::notation::{self, NotationError};
use fourbase::{Outcome, Player, Position, Value};
use rayon::prelude::*;

use super::column::{Column, Field};
use crate::database::{Database, moves_of_many};
use crate::positions::PositionError;

/// The cells of a field, one per row. The variant depends on the [`FieldKind`](super::FieldKind) of the field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cells {
    /// ASCII text.
    Text(Vec<String>),
    /// Unsigned integers of 64 bits.
    UInt64(Vec<u64>),
    /// Integers from -128 to 127; `None` only in a nullable field.
    Int8(Vec<Option<i8>>),
    /// Integers from 0 to 255; `None` only in a nullable field.
    UInt8(Vec<Option<u8>>),
}

/// Some rows of a data set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Portion {
    /// The fields with their cells, in file order.
    pub fields: Vec<(Field, Cells)>,
    /// The positions, one per row.
    pub(super) positions: Vec<Position>,
    /// The outcome of each position, for the player to move.
    pub(super) outcomes: Vec<Outcome>,
    /// For each position, the outcome of the move in each column, for the player who makes the move. `None` stands for
    /// an illegal move. Empty if no field needs the moves.
    moves: Vec<Option<Outcome>>,
}

impl Portion {
    /// Looks up positions, at most `rows_at_once` at a time, and makes the cells of the fields. Also looks up the moves
    /// of the positions if a field needs them.
    ///
    /// # Errors
    ///
    /// Returns an error if a position has no outcome in the database and can't be searched within the budget, or if it
    /// can't be written as moves.
    pub(super) fn new(
        database: &Database,
        budget: &Budget,
        fields: &[Field],
        positions: Vec<Position>,
        rows_at_once: usize,
    ) -> Result<Portion, PositionError> {
        let has_moves = fields.iter().any(|field| field.column.is_of_moves());
        let (mut outcomes, width) = (Vec::with_capacity(positions.len()), database.board().width());
        let mut moves = Vec::with_capacity(if has_moves { positions.len() * width } else { 0 });
        let analyst = Analyst::new(database.board(), Some(database), None);
        for positions in positions.chunks(rows_at_once.max(1)) {
            if has_moves {
                let found =
                    moves_of_many(&analyst, positions, budget, true, |_, error| Err(PositionError::from(error)))?;
                // A position is worth what its best move is worth; a full board has no move.
                for (position, moves) in positions.iter().zip(found.chunks(width)) {
                    outcomes.push(match moves.iter().flatten().min() {
                        Some(best) => *best,
                        None => database.look_up(position, &mut budget.clone())?,
                    });
                }
                moves.extend(found);
            } else {
                for outcome in database.probe_many_within(positions, budget) {
                    outcomes.push(outcome.map_err(|error| *error)?);
                }
            }
        }
        let mut portion = Portion { fields: Vec::new(), positions, outcomes, moves };
        let cells = fields.par_iter().map(|field| Ok((*field, portion.cells(*field)?)));
        portion.fields = cells.collect::<Result<_, NotationError>>()?;
        Ok(portion)
    }

    fn cells(&self, field: Field) -> Result<Cells, NotationError> {
        let Portion { positions, outcomes, .. } = self;
        let text = |write: fn(&Position) -> Result<String, NotationError>| {
            Ok(Cells::Text(positions.par_iter().map(write).collect::<Result<_, _>>()?))
        };
        let player = if field.number == 0 { Player::First } else { Player::Second };
        let width = positions.first().map_or(1, |position| position.board().width());
        let moves = self.moves.iter().skip(field.number).step_by(width);
        Ok(match field.column {
            Column::Moves => return text(notation::to_moves),
            Column::Bits => return text(|position| Ok(notation::to_bits(position))),
            Column::Uni => return text(|position| Ok(notation::to_uni(position))),
            Column::Bitboards => Cells::UInt64(positions.iter().map(|position| position.pieces(player)).collect()),
            Column::Ply => Cells::UInt8(positions.iter().map(|position| Some(position.ply() as u8)).collect()),
            Column::Value => Cells::Int8(outcomes.iter().map(|outcome| Some(sign(outcome.value))).collect()),
            Column::Remoteness => Cells::UInt8(outcomes.iter().map(plies).collect()),
            Column::Score => {
                let pairs = positions.iter().zip(outcomes);
                let score =
                    |(position, outcome): (&Position, &Outcome)| position.score(*outcome).map(|score| score as i8);
                Cells::Int8(pairs.map(score).collect())
            }
            Column::MoveValues => {
                Cells::Int8(moves.map(|outcome| outcome.map(|outcome| sign(outcome.value))).collect())
            }
            Column::MoveRemoteness => Cells::UInt8(moves.map(|outcome| outcome.as_ref().and_then(plies)).collect()),
        })
    }
}

/// Returns the value as a number: 1 win, 0 tie, -1 loss.
fn sign(value: Value) -> i8 {
    match value {
        Value::Win => 1,
        Value::Tie => 0,
        Value::Lose => -1,
    }
}

fn plies(outcome: &Outcome) -> Option<u8> {
    outcome.remoteness.and_then(|plies| u8::try_from(plies).ok())
}
