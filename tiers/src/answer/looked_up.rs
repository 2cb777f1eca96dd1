//! Answers out of a database.

use fourbase::{Board, Outcome, Position};

use super::{AnswerError, Answerer, Limits, Question};
use crate::database::Database;

/// Limits count for nothing here: beyond the plies that it keeps, a database searches as long as it takes.
impl Answerer for Database {
    fn board(&self) -> Board {
        Database::board(self)
    }

    fn database(&self) -> Option<&Database> {
        Some(self)
    }

    fn may_search(&self) -> bool {
        false
    }

    fn outcome(&self, position: &Position, _: &mut Question) -> Result<Outcome, AnswerError> {
        Ok(self.probe(position)?)
    }

    /// Looks them up on all threads of rayon's current pool.
    fn outcomes(&self, positions: &[Position], _: &Limits) -> Vec<Result<Outcome, AnswerError>> {
        self.probe_many(positions).into_iter().map(|outcome| Ok(outcome?)).collect()
    }
}
