//! Answers out of a database.

use fourbase::search::SearchError;
use fourbase::{Board, Outcome, Position};

use super::{AnswerError, Answerer, Limits, Question, Work};
use crate::database::{Database, DatabaseError, Effort};

/// The limits are those of the searches beyond the plies that a database keeps.
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

    /// Looks them up on all threads of rayon's current pool.
    fn outcomes(&self, positions: &[Position], limits: &Limits) -> Vec<Result<Outcome, AnswerError>> {
        let effort = || Effort { monitor: limits.monitor.clone(), most_nodes: limits.nodes, ..Effort::default() };
        let explained = |outcome: Result<Outcome, _>| outcome.map_err(|error| explain(self, error, limits.nodes));
        self.probe_many_with(positions, effort).into_iter().map(explained).collect()
    }
}

/// Looks a position up for a question, which learns what was searched.
pub(super) fn look_up(
    database: &Database,
    position: &Position,
    question: &mut Question,
) -> Result<Outcome, AnswerError> {
    let monitor = question.limits().monitor.clone();
    let mut effort = Effort { monitor, most_nodes: question.nodes_left(), ..Effort::default() };
    let outcome = database.probe_with(position, &mut effort);
    question.add(Work { positions: effort.positions, remotenesses: 0, nodes: effort.nodes });
    outcome.map_err(|error| explain(database, error, question.limits().nodes))
}

/// Says why a database has not answered a question of at most `limit` nodes.
fn explain(database: &Database, error: DatabaseError, limit: Option<u64>) -> AnswerError {
    let board = database.board();
    match error {
        DatabaseError::Search(SearchError::NodeLimit { nodes }) => {
            AnswerError::NodeLimit { board, nodes: limit.unwrap_or(nodes) }
        }
        DatabaseError::Search(SearchError::Cancelled { nodes }) => AnswerError::Cancelled { board, nodes },
        error => error.into(),
    }
}
