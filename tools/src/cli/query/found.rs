//! What was found out about a position within the limits of a question.

use fourbase::{Outcome, Position};
use fourbase_tiers::answer::{Analysis, AnswerError, Answerer, KnownMove, Question, Work};

use crate::json::{SourceJson, SourceKind};

/// What was found out about a position. `L` says which limit was reached.
pub struct Found<L> {
    /// What it is worth; the remoteness is left out where it is not known.
    pub outcome: Option<Outcome>,
    /// All moves, best first, unknown ones last.
    pub moves: Vec<KnownMove>,
    /// Best play, if it was asked for and is known.
    pub line: Option<Vec<usize>>,
    /// Where the answer comes from.
    pub source: SourceJson,
    /// Which limit was reached; `None` where everything is known.
    pub limit: Option<L>,
}

impl Found<AnswerError> {
    /// Asks for a position's outcome, its moves, and best play if `with_line` is set.
    ///
    /// # Errors
    ///
    /// A database that cannot be read.
    pub fn of(
        answerer: &dyn Answerer,
        position: &Position,
        with_line: bool,
        question: &mut Question,
    ) -> Result<Found<AnswerError>, AnswerError> {
        let Analysis { outcome, work, moves, mut limit } = Analysis::of(answerer, position, question)?;
        let mut line = None;
        if with_line && outcome.is_some_and(|outcome| outcome.remoteness.is_some()) {
            match best_line(answerer, position, outcome, &moves, question) {
                Err(error) if error.is_limit() => limit = limit.or(Some(error)),
                found => line = found?,
            }
        }
        let source = source(answerer, position, work, question.work().nodes);
        Ok(Found { outcome, moves, line, source, limit })
    }

    /// Says differently which limit was reached.
    pub fn explained<L>(self, explain: impl FnOnce(AnswerError) -> L) -> Found<L> {
        let Found { outcome, moves, line, source, limit } = self;
        Found { outcome, moves, line, source, limit: limit.map(explain) }
    }
}

/// Asks for best play, which begins with the best move that was found.
fn best_line(
    answerer: &dyn Answerer,
    position: &Position,
    outcome: Option<Outcome>,
    moves: &[KnownMove],
    question: &mut Question,
) -> Result<Option<Vec<usize>>, AnswerError> {
    match moves.first() {
        Some(best) if best.outcome == outcome => {
            let rest = answerer.best_line(&position.drop_piece(best.column), question)?;
            Ok(rest.map(|rest| [vec![best.column], rest].concat()))
        }
        _ => answerer.best_line(position, question),
    }
}

/// Says who decided the value of a position, which took `work`, in an answer that took `nodes` nodes.
fn source(answerer: &dyn Answerer, position: &Position, work: Work, nodes: u64) -> SourceJson {
    let database = answerer.database();
    let kind = if position.primitive().is_some() || position.winning_move().is_some() {
        SourceKind::Board
    } else if work.positions > 0 && (work.nodes > 0 || database.is_some()) {
        SourceKind::Search
    } else if database.is_some() {
        SourceKind::Database
    } else {
        SourceKind::Board
    };
    SourceJson::new(kind, database, nodes)
}
