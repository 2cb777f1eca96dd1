//! Why a data set was not made.

use std::io;

use fourbase::Board;
use fourbase::notation::NotationError;

use super::Column;
use crate::files::grouped;
use crate::positions::PositionError;

/// Why a data set was not made. Any output written so far is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The positions cannot be listed or drawn, or the value of one can't be found.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// Making the rows would take longer than allowed.
    #[error("these rows of {board} would take about {} hours, by a trial of some of them", grouped(u128::from(*hours)))]
    Long {
        /// The board.
        board: Board,
        /// The estimated time.
        hours: u64,
    },
    /// No column was chosen.
    #[error("no columns are chosen")]
    NoColumns,
    /// A column needs the remoteness, which the database does not store; or it is the score of a misère board.
    #[error("{}, so there is no column {}", lack(*board, *column), column.name())]
    NoRemoteness {
        /// The board.
        board: Board,
        /// The column.
        column: Column,
    },
    /// This build has no Parquet.
    #[error("this build of fourbase writes no Parquet")]
    NoParquet,
    /// A position cannot be written as moves.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rows cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl DatasetError {
    /// Returns whether another choice of positions or columns would help.
    pub fn is_of_choice(&self) -> bool {
        use PositionError::{Database, Memory, Solve, Stopped};
        match self {
            DatasetError::Position(error) => !matches!(error, Stopped | Memory { .. } | Solve(_) | Database(_)),
            error => !matches!(error, DatasetError::Notation(_) | DatasetError::Write(_)),
        }
    }
}

/// Returns why the column can't be filled.
fn lack(board: Board, column: Column) -> String {
    if board.is_misere() && column == Column::Score {
        return "misère boards have no scores".to_owned();
    }
    format!("the database of {board} stores no remoteness")
}
