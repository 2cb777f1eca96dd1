//! The errors of listing, drawing and writing positions.

use std::io;

use fourbase::Board;
use fourbase::notation::NotationError;

use super::{LAST_UNFORCED_PLY, SampleKind};
use crate::database::DatabaseError;
use crate::files::{bytes, grouped};
use crate::solve::SolveError;

/// An error of listing or drawing positions, or of making a data set of them. Any output written so far is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum PositionError {
    /// No ply was chosen.
    #[error("no plies are chosen")]
    NoPlies,
    /// The board has no such ply.
    #[error("there is no ply {ply}: {board} has {} cells", board.cells())]
    Ply {
        /// The board.
        board: Board,
        /// The ply.
        ply: u32,
    },
    /// The ply is too late for listing positions whose next move is not forced.
    #[error(
        "ply {ply} is too late for a list of positions whose next move is not forced; the last one is {LAST_UNFORCED_PLY}"
    )]
    Late {
        /// The ply.
        ply: u32,
    },
    /// No position of the requested kind was drawn.
    #[error(
        "no position of these plies was drawn on {board}, in {} draws of kind {}",
        grouped(u128::from(*draws)), kind.name()
    )]
    NotDrawn {
        /// The board.
        board: Board,
        /// How positions are drawn.
        kind: SampleKind,
        /// How many draws were made.
        draws: u32,
    },
    /// A distinct sample can't have more positions than exist.
    #[error(
        "only {} of {} distinct positions of these plies were found on {board}",
        grouped(u128::from(*found)), grouped(u128::from(*asked))
    )]
    Fewer {
        /// The board.
        board: Board,
        /// How many were requested.
        asked: u64,
        /// How many were found before the search gave up, after many draws in a row without a new position.
        found: u64,
    },
    /// A distinct sample or a search for unforced positions does not fit into memory, because it keeps its positions
    /// there.
    #[error(
        "remembering {} distinct positions takes about {} of memory, the limit is {}",
        grouped(u128::from(*count)), bytes(u128::from(*needed_bytes)), bytes(u128::from(*limit_bytes))
    )]
    Memory {
        /// How many positions would be kept.
        count: u64,
        /// The bytes that these positions would take.
        needed_bytes: u64,
        /// The bytes that may be used.
        limit_bytes: u64,
        /// Whether the positions are those of a distinct sample, and not those of a search for unforced positions.
        is_sample: bool,
    },
    /// Looking up all positions would take longer than allowed.
    #[error("these rows of {board} would take about {} hours, by a trial of some of them", grouped(u128::from(*hours)))]
    Long {
        /// The board.
        board: Board,
        /// The estimated time in hours, rounded up.
        hours: u64,
    },
    /// No column was chosen.
    #[error("no columns are chosen")]
    NoColumns,
    /// A column needs the remoteness, which the database does not store.
    #[error("the database of {board} stores no remoteness, so there is no column {column}")]
    NoRemoteness {
        /// The board.
        board: Board,
        /// The name of the column.
        column: &'static str,
    },
    /// A column needs the score, but the board is misère and has no scores.
    #[error("misère boards have no scores, so there is no column score")]
    NoScore,
    /// This build of fourbase can't write Parquet.
    #[error("this build of fourbase writes no Parquet")]
    NoParquet,
    /// A position cannot be written as moves.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rows cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The caller stopped the work.
    #[error("stopped")]
    Stopped,
    /// The positions of a ply cannot be listed or solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The value of a position or of its moves can't be found.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl PositionError {
    /// Returns whether another choice of positions or columns would avoid the error.
    pub fn is_of_choice(&self) -> bool {
        use PositionError::{Database, Memory, Notation, Solve, Stopped, Write};
        !matches!(self, Stopped | Memory { .. } | Solve(_) | Database(_) | Notation(_) | Write(_))
    }
}
