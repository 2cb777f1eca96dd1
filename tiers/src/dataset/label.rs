//! Positions with what they and their moves are worth.

use fourbase::{Outcome, Position};

use super::error::DatasetError;
use crate::answer::{Answerer, Limits};
use crate::database::Database;

/// Some positions with their outcomes.
#[derive(Debug)]
pub(super) struct Labelled {
    pub positions: Vec<Position>,
    /// For the player to move.
    pub outcomes: Vec<Outcome>,
    /// What each move is worth to the player who makes it, `None` for an illegal one: `width` of them a position. Empty if
    /// the moves were not asked for.
    pub moves: Vec<Option<Outcome>>,
    /// The number of columns of the board.
    pub width: usize,
}

impl Labelled {
    /// Looks positions up, and their moves if `with_moves`. A position is worth what its best move is worth, so where the
    /// moves are looked up the position is not.
    pub fn of(
        database: &Database,
        positions: Vec<Position>,
        with_moves: bool,
        limits: &Limits,
    ) -> Result<Labelled, DatasetError> {
        let width = database.board().width();
        let probe = |positions: &[Position]| database.outcomes(positions, limits).into_iter().collect::<Result<_, _>>();
        if !with_moves {
            let outcomes: Vec<Outcome> = probe(&positions)?;
            return Ok(Labelled { positions, outcomes, moves: Vec::new(), width });
        }
        let columns = |position: &Position| position.moves().collect::<Vec<_>>();
        let columns: Vec<Vec<usize>> = positions.iter().map(columns).collect();
        let children = positions.iter().zip(&columns);
        let children =
            children.flat_map(|(position, columns)| columns.iter().map(|column| position.drop_piece(*column)));
        // A finished position, whose game has no moves, is asked for itself.
        let finished = positions.iter().zip(&columns).filter(|(_, columns)| columns.is_empty());
        let finished: Vec<Position> = finished.map(|(position, _)| *position).collect();
        let of_children: Vec<Outcome> = probe(&children.collect::<Vec<_>>())?;
        let of_finished: Vec<Outcome> = probe(&finished)?;
        let (mut of_children, mut of_finished) =
            (of_children.into_iter().map(Outcome::parent), of_finished.into_iter());
        let mut outcomes = Vec::with_capacity(positions.len());
        let mut moves = Vec::with_capacity(positions.len() * width);
        for columns in &columns {
            let mut best: Option<Outcome> = None;
            for column in 0..width {
                let outcome = if columns.contains(&column) { of_children.next() } else { None };
                best = [best, outcome].into_iter().flatten().min();
                moves.push(outcome);
            }
            outcomes.extend(best.or_else(|| of_finished.next()));
        }
        Ok(Labelled { positions, outcomes, moves, width })
    }
}
