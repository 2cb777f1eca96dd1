//! The columns of a data set.
//!
//! A [`Column`] is what a user chooses. It is one or more [`Field`]s of the file: a column for each player, or for each
//! move.

use std::fmt;

use fourbase::{Board, Player};

use crate::kernel::Values;

/// What a data set says about each position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// The smallest order of moves that reaches the position.
    Moves,
    /// The column bit strings.
    Bits,
    /// GamesmanUni's string.
    Uni,
    /// The bitboards of both players.
    Bitboards,
    /// The number of pieces.
    Ply,
    /// The value for the player to move.
    Value,
    /// The plies to the end.
    Remoteness,
    /// Pons' score.
    Score,
    /// The value of every move.
    MoveValues,
    /// The plies to the end after every move.
    MoveRemoteness,
}

impl Column {
    /// All columns, in the order in which they stand in a file.
    pub const ALL: [Column; 10] = [
        Column::Moves,
        Column::Bits,
        Column::Uni,
        Column::Bitboards,
        Column::Ply,
        Column::Value,
        Column::Remoteness,
        Column::Score,
        Column::MoveValues,
        Column::MoveRemoteness,
    ];

    /// Returns the column with a name; `None` where no column has it.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Column;
    /// assert_eq!(Column::named("move-values"), Some(Column::MoveValues));
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Column> {
        Column::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Column::Moves => "moves",
            Column::Bits => "bits",
            Column::Uni => "uni",
            Column::Bitboards => "bitboards",
            Column::Ply => "ply",
            Column::Value => "value",
            Column::Remoteness => "remoteness",
            Column::Score => "score",
            Column::MoveValues => "move-values",
            Column::MoveRemoteness => "move-remoteness",
        }
    }

    /// Lists the columns that a data set has where none are chosen: bitboards and all that the database knows.
    #[must_use]
    pub fn usual(values: Values) -> Vec<Column> {
        let is_usual = |column: &Column| !matches!(column, Column::Moves | Column::Bits | Column::Uni);
        Column::ALL.into_iter().filter(is_usual).filter(|column| column.is_known(values)).collect()
    }

    /// Tells whether a database with these values knows it.
    #[must_use]
    pub fn is_known(self, values: Values) -> bool {
        values == Values::Remoteness || !matches!(self, Column::Remoteness | Column::Score | Column::MoveRemoteness)
    }

    /// Tells whether the moves have to be looked up for it.
    pub(super) fn needs_moves(self) -> bool {
        matches!(self, Column::MoveValues | Column::MoveRemoteness)
    }

    /// Lists its fields.
    #[must_use]
    pub fn fields(self, board: Board) -> Vec<Field> {
        let moves = |of: fn(usize) -> Field| (0..board.width()).map(of).collect();
        match self {
            Column::Moves => vec![Field::Moves],
            Column::Bits => vec![Field::Bits],
            Column::Uni => vec![Field::Uni],
            Column::Bitboards => vec![Field::Pieces(Player::First), Field::Pieces(Player::Second)],
            Column::Ply => vec![Field::Ply],
            Column::Value => vec![Field::Value],
            Column::Remoteness => vec![Field::Remoteness],
            Column::Score => vec![Field::Score],
            Column::MoveValues => moves(Field::MoveValue),
            Column::MoveRemoteness => moves(Field::MoveRemoteness),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A column of a file. Columns of the board count from 0 here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// See [`Column::Moves`].
    Moves,
    /// See [`Column::Bits`].
    Bits,
    /// See [`Column::Uni`].
    Uni,
    /// The bitboard of a player.
    Pieces(Player),
    /// See [`Column::Ply`].
    Ply,
    /// See [`Column::Value`].
    Value,
    /// See [`Column::Remoteness`].
    Remoteness,
    /// See [`Column::Score`].
    Score,
    /// The value of the move in a column of the board.
    MoveValue(usize),
    /// The plies to the end with the move in a column of the board.
    MoveRemoteness(usize),
}

/// The type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FieldKind {
    /// ASCII text.
    Text,
    /// 64 bits without a sign.
    Bitboard,
    /// -128 to 127.
    Signed {
        /// Whether a row may have none.
        nullable: bool,
    },
    /// 0 to 255.
    Unsigned {
        /// Whether a row may have none.
        nullable: bool,
    },
}

impl Field {
    /// Returns its name in a file. Moves count from 1, as in all text of fourbase.
    ///
    /// ```
    /// use fourbase_tiers::dataset::Field;
    /// assert_eq!(Field::MoveValue(0).name(), "value_1");
    /// ```
    #[must_use]
    pub fn name(self) -> String {
        let name = match self {
            Field::Moves => "moves",
            Field::Bits => "bits",
            Field::Uni => "uni",
            Field::Pieces(Player::First) => "first",
            Field::Pieces(Player::Second) => "second",
            Field::Ply => "ply",
            Field::Value => "value",
            Field::Remoteness => "remoteness",
            Field::Score => "score",
            Field::MoveValue(column) => return format!("value_{}", column + 1),
            Field::MoveRemoteness(column) => return format!("remoteness_{}", column + 1),
        };
        name.to_owned()
    }

    /// Returns its type.
    #[must_use]
    pub fn kind(self) -> FieldKind {
        match self {
            Field::Moves | Field::Bits | Field::Uni => FieldKind::Text,
            Field::Pieces(_) => FieldKind::Bitboard,
            Field::Value | Field::Score => FieldKind::Signed { nullable: false },
            Field::Ply | Field::Remoteness => FieldKind::Unsigned { nullable: false },
            Field::MoveValue(_) => FieldKind::Signed { nullable: true },
            Field::MoveRemoteness(_) => FieldKind::Unsigned { nullable: true },
        }
    }
}
