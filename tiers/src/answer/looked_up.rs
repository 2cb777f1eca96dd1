//! Answers out of a database.

use fourbase::search::SearchError;
use fourbase::{Board, Outcome, Position};

use super::{AnswerError, Answerer, Limits, Question, Work};
use crate::database::{Database, DatabaseError, Effort};

/// Limits of nodes count for nothing here: beyond the plies that it keeps, a database searches as long as it takes, or
/// until the monitor is cancelled.
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

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        look_up(self, position, question)
    }

    /// Looks them up on all threads of rayon's current pool. Their searches beyond the plies that the database keeps have
    /// no limit.
    fn outcomes(&self, positions: &[Position], _: &Limits) -> Vec<Result<Outcome, AnswerError>> {
        self.probe_many(positions).into_iter().map(|outcome| Ok(outcome?)).collect()
    }
}

/// Looks a position up for a question, which learns what was searched.
pub(super) fn look_up(
    database: &Database,
    position: &Position,
    question: &mut Question,
) -> Result<Outcome, AnswerError> {
    let mut effort = Effort { monitor: question.limits().monitor.clone(), ..Effort::default() };
    let outcome = database.probe_with(position, &mut effort);
    question.add(Work { positions: effort.positions, remotenesses: 0, nodes: effort.nodes });
    outcome.map_err(|error| match error {
        DatabaseError::Search(SearchError::Cancelled { nodes }) => {
            AnswerError::Cancelled { board: database.board(), nodes }
        }
        error => error.into(),
    })
}
