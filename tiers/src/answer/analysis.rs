//! What can be found out about a position within the limits of a question, where they do not allow for everything.
//!
//! An answer is worth having even if some moves stay open. So the value is searched first, and the moves share what is
//! left: each gets a small part of the nodes before any gets more, because the first one could use up all.

use fourbase::{Outcome, Position};

use super::Answerer;
use super::error::AnswerError;
use crate::database::question::{KnownMove, News, Question, Work};

/// The value may use all nodes but this share before the moves get theirs.
const SHARE_OF_MOVES: u64 = 8;

/// What was found out about a position.
#[derive(Debug)]
pub struct Analysis {
    /// What the position is worth, if that is known.
    pub outcome: Option<Outcome>,
    /// What the value took.
    pub work: Work,
    /// All legal moves, best first; those that are not known last, by column.
    pub moves: Vec<KnownMove>,
    /// The limit that was reached; `None` where everything is known.
    pub limit: Option<AnswerError>,
}

impl Analysis {
    /// Asks what a position and its moves are worth.
    ///
    /// # Errors
    ///
    /// The same as [`Answerer::outcome`], without the limits: these are in [`Analysis::limit`].
    pub fn of(answerer: &dyn Answerer, position: &Position, question: &mut Question) -> Result<Analysis, AnswerError> {
        let before = question.work();
        let most = question.nodes_left().map(|left| left - left / SHARE_OF_MOVES);
        let mut value_alone = None;
        if question.has_listener()
            && let Some(value) = question.part(most, |part| answerer.known_value(position, part))?
        {
            let outcome = Outcome { value, remoteness: None };
            question.report(News::Outcome(outcome));
            value_alone = Some(outcome);
        }
        let most = question.nodes_left().map(|left| left - left / SHARE_OF_MOVES);
        let mut outcome = question.part(most, |part| answerer.known_outcome(position, part))?;
        let mut work = question.work() - before;
        let report =
            |question: &Question, outcome: Option<Outcome>| outcome.map(|of| question.report(News::Outcome(of)));
        report(question, outcome);
        let moves = answerer.known_moves(position, question)?;
        if outcome.is_none() {
            outcome = from_moves(&moves);
            report(question, outcome);
        }
        if outcome.is_none() {
            let before = question.work();
            outcome = answerer.known_outcome(position, question)?;
            work += question.work() - before;
        }
        // The reported value stays true where nothing was left for the rest.
        let outcome = outcome.or(value_alone);
        // Where searches may complete a database, only moves that give the value away have an open remoteness.
        let is_open = |of: Option<Outcome>| match (of, outcome) {
            (Some(of), Some(outcome)) => answerer.may_search() && of.value == outcome.value && of.remoteness.is_none(),
            _ => true,
        };
        let is_whole = !is_open(outcome) && !moves.iter().any(|of| is_open(of.outcome));
        let limit = (!is_whole).then(|| AnswerError::of_limit(question, answerer.board()));
        Ok(Analysis { outcome, work, moves, limit })
    }
}

/// Finds what a position is worth from its moves: the best of all, or a win, whose remoteness is not known then.
fn from_moves(moves: &[KnownMove]) -> Option<Outcome> {
    let best = moves.iter().filter_map(|of| of.outcome).min()?;
    if moves.iter().all(|of| of.outcome.is_some()) {
        return Some(best);
    }
    (best.value == fourbase::Value::Win).then_some(Outcome { remoteness: None, ..best })
}
