//! Why a data set was not made.

use std::io;

use fourbase::Board;
use fourbase::notation::NotationError;

use super::{Column, Kind};
use crate::answer::AnswerError;
use crate::counts::CountError;
use crate::files::grouped;

/// A data set that cannot be made. What was written so far is no data set.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// No ply was chosen.
    #[error("no plies are chosen")]
    NoPlies,
    /// A ply that the board does not have.
    #[error("there is no ply {ply}: {board} has {} cells", board.cells())]
    Ply {
        /// The board.
        board: Board,
        /// The ply.
        ply: u32,
    },
    /// Positions whose next move is not forced are listed for early plies alone.
    #[error("ply {ply} is too late for a list of positions whose next move is not forced; the last one is {most}")]
    Late {
        /// The ply.
        ply: u32,
        /// The last ply that can be listed.
        most: u32,
    },
    /// No column was chosen.
    #[error("no columns are chosen")]
    NoColumns,
    /// A column that needs the remoteness, from a database of values alone.
    #[error("the database of {board} has values alone, so there is no column {column}")]
    NoRemoteness {
        /// The board.
        board: Board,
        /// The column.
        column: Column,
    },
    /// This build has no Parquet.
    #[error("this build of fourbase writes no Parquet")]
    NoParquet,
    /// No such position was drawn.
    #[error("no position of these plies was drawn on {board}, in {} draws of kind {kind}", grouped(u128::from(*draws)))]
    NotDrawn {
        /// The board.
        board: Board,
        /// How positions are drawn.
        kind: Kind,
        /// How often was tried.
        draws: u32,
    },
    /// A sample of more positions than there are.
    #[error(
        "only {} of {} distinct positions of these plies were found on {board}",
        grouped(u128::from(*found)), grouped(u128::from(*asked))
    )]
    Fewer {
        /// The board.
        board: Board,
        /// How many were asked for.
        asked: u64,
        /// How many were found before many draws brought nothing new.
        found: u64,
    },
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
    /// The positions of a ply cannot be listed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// A position has no answer.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// A position cannot be written as moves.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rows cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl DatasetError {
    /// Tells whether another choice of positions or columns would help.
    #[must_use]
    pub fn is_of_choice(&self) -> bool {
        match self {
            DatasetError::NoPlies
            | DatasetError::Ply { .. }
            | DatasetError::Late { .. }
            | DatasetError::NoColumns
            | DatasetError::NoRemoteness { .. }
            | DatasetError::NoParquet
            | DatasetError::NotDrawn { .. }
            | DatasetError::Fewer { .. } => true,
            DatasetError::Stopped
            | DatasetError::Count(_)
            | DatasetError::Answer(_)
            | DatasetError::Notation(_)
            | DatasetError::Write(_) => false,
        }
    }
}
