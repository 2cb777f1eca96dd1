//! Who knows what positions are worth: the seam between the questions of `fourbase query` and where answers come from.

use std::path::Path;

use fourbase::{Board, Outcome, Position};
use fourbase_tiers::database::{Database, Move};

use crate::arguments::CacheArgument;

/// Answers questions about the positions of one board.
pub trait Answerer {
    /// Returns what a position is worth for its player to move.
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome>;

    /// Lists the legal moves, best first, equally good ones by column; none once the game is over.
    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>>;

    /// Returns the columns of best play to the end of the game; `None` without remotenesses, where best is unknown.
    fn best_line(&self, position: &Position) -> anyhow::Result<Option<Vec<usize>>>;

    /// Returns what each of some positions is worth, in their order.
    fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        positions.iter().map(|position| self.outcome(position)).collect()
    }
}

/// Finds who answers for a board.
///
/// # Errors
///
/// Says how to make the database if there is none, and what is wrong with it if it cannot be read.
pub fn find(board: Board, root: &Path, cache: CacheArgument) -> anyhow::Result<Box<dyn Answerer>> {
    Ok(Box::new(cache.apply(Database::find(root, board)?)))
}

impl Answerer for Database {
    fn outcome(&self, position: &Position) -> anyhow::Result<Outcome> {
        Ok(self.probe(position)?)
    }

    fn outcomes(&self, positions: &[Position]) -> Vec<anyhow::Result<Outcome>> {
        self.probe_many(positions).into_iter().map(|outcome| Ok(outcome?)).collect()
    }

    fn moves(&self, position: &Position) -> anyhow::Result<Vec<Move>> {
        Ok(Database::moves(self, position)?)
    }

    fn best_line(&self, position: &Position) -> anyhow::Result<Option<Vec<usize>>> {
        Ok(Database::best_line(self, position)?)
    }
}
