//! Why a board cannot be indexed.

use fourbase::Board;

/// A board that cannot be indexed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The tables of the wings have too many colourings.
    #[error("board {board}: the tables of its index would have {colourings:.1e} colourings, more than {limit:.1e}")]
    Colourings {
        /// The board.
        board: Board,
        /// Colourings of a wing beside a spine, over all shapes.
        colourings: f64,
        /// The highest supported number.
        limit: f64,
    },
    /// The tables of the wings have too many lists.
    #[error("board {board}: the tables of its index would have {lists:.1e} lists, more than {limit:.1e}")]
    Lists {
        /// The board.
        board: Board,
        /// Pairs of a wing shape and a spine.
        lists: f64,
        /// The highest supported number.
        limit: f64,
    },
}
