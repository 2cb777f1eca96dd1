//! The columns of a data set.
//!
//! A user chooses [`Column`]s. Most columns become one [`Field`] of the file. The bitboards become one field for each
//! player, and data about moves become one field for each column of the board.

use fourbase::Board;

use crate::kernel::Values;

/// A kind of data about each position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// The smallest sequence of moves that reaches the position.
    Moves,
    /// The position in the notation `bits`: a string of bits for each column of the board.
    Bits,
    /// The position in the notation of GamesmanUni.
    Uni,
    /// The bitboards of both players.
    Bitboards,
    /// The number of pieces.
    Ply,
    /// The value for the player to move.
    Value,
    /// The number of plies to the end.
    Remoteness,
    /// Pons' score, as in [`Position::score`](fourbase::Position::score).
    Score,
    /// The value of every move.
    MoveValues,
    /// The number of plies to the end for every move.
    MoveRemoteness,
}

impl Column {
    /// All columns by name, in the order in which a file has them.
    pub const ALL: [(&str, Column); 10] = [
        ("moves", Column::Moves),
        ("bits", Column::Bits),
        ("uni", Column::Uni),
        ("bitboards", Column::Bitboards),
        ("ply", Column::Ply),
        ("value", Column::Value),
        ("remoteness", Column::Remoteness),
        ("score", Column::Score),
        ("move-values", Column::MoveValues),
        ("move-remoteness", Column::MoveRemoteness),
    ];

    /// Returns the name of the column.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Column;
    /// assert_eq!(Column::MoveValues.name(), "move-values");
    /// ```
    pub fn name(self) -> &'static str {
        Column::ALL.into_iter().find(|(_, column)| *column == self).map_or("", |(name, _)| name)
    }

    /// Lists the default columns: all that a database of the board with these values can fill, except the text columns.
    pub fn usual(board: Board, values: Values) -> Vec<Column> {
        let is_usual = |column: &Column| !matches!(column, Column::Moves | Column::Bits | Column::Uni);
        let columns = Column::ALL.into_iter().map(|(_, column)| column);
        columns.filter(is_usual).filter(|column| column.is_known(board, values)).collect()
    }

    /// Returns whether a database of the board that stores `values` can fill the column. Misère boards have no score.
    pub fn is_known(self, board: Board, values: Values) -> bool {
        match self {
            Column::Score => values == Values::Remoteness && !board.is_misere(),
            Column::Remoteness | Column::MoveRemoteness => values == Values::Remoteness,
            _ => true,
        }
    }

    /// Returns whether the column has a field for each move. Such a field is empty in rows where the move is illegal.
    pub(super) fn is_of_moves(self) -> bool {
        matches!(self, Column::MoveValues | Column::MoveRemoteness)
    }

    /// Lists the fields of the column.
    pub fn fields(self, board: Board) -> Vec<Field> {
        let count = match self {
            Column::Bitboards => 2,
            column if column.is_of_moves() => board.width(),
            _ => 1,
        };
        (0..count).map(|number| Field { column: self, number }).collect()
    }
}

/// A column of a file. Each [`Column`] has one or more fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// The data about each position.
    pub column: Column,
    /// Which of the fields of `column` this is. For bitboards, 0 means the first player and 1 the second player. For
    /// moves, it is the column of the board, counted from 0. Otherwise it is 0.
    pub number: usize,
}

/// The type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FieldKind {
    /// ASCII text.
    Text,
    /// An unsigned integer of 64 bits.
    UInt64,
    /// An integer from -128 to 127.
    Int8,
    /// An integer from 0 to 255.
    UInt8,
}

impl Field {
    /// Returns the name of the field in a file. In names of fields for moves, the columns of the board count from 1, as
    /// in all text of fourbase.
    ///
    /// ```
    /// use fourbase_tiers::dataset::{Column, Field};
    /// assert_eq!(Field { column: Column::MoveValues, number: 0 }.name(), "value_1");
    /// ```
    pub fn name(self) -> String {
        match self.column {
            Column::Bitboards => if self.number == 0 { "first" } else { "second" }.to_owned(),
            Column::MoveValues => format!("value_{}", self.number + 1),
            Column::MoveRemoteness => format!("remoteness_{}", self.number + 1),
            column => column.name().to_owned(),
        }
    }

    /// Returns the type of the field.
    pub fn kind(self) -> FieldKind {
        match self.column {
            Column::Moves | Column::Bits | Column::Uni => FieldKind::Text,
            Column::Bitboards => FieldKind::UInt64,
            Column::Value | Column::Score | Column::MoveValues => FieldKind::Int8,
            Column::Ply | Column::Remoteness | Column::MoveRemoteness => FieldKind::UInt8,
        }
    }
}
