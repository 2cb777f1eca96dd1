//! Answers of a database, completed by searches: the remoteness where it has values alone, and positions of tiers that
//! are not solved yet.

use fourbase::{Board, Outcome, Position, Value};

use super::looked_up::look_up;
use super::{AnswerError, Answerer, KnownMove, Question, Searcher, error, known};
use crate::database::{self, Database, DatabaseError, Move};

/// A database and the searches of the same board.
#[derive(Debug)]
pub struct Both {
    database: Database,
    searcher: Searcher,
}

impl Both {
    /// Lets a database answer what it can, and searches the rest.
    #[must_use]
    pub fn new(database: Database, searcher: Searcher) -> Both {
        Both { database, searcher }
    }

    /// Asks the database; `None` where the position is not solved yet.
    fn known(&self, position: &Position, question: &mut Question) -> Result<Option<Outcome>, AnswerError> {
        match look_up(&self.database, position, question) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(AnswerError::Database(DatabaseError::NotSolved { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks the database for every move, in the order of columns: column, position after it, outcome of that position. What the
    /// limits do not allow for is not known.
    fn known_children(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Vec<(usize, Position, Option<Outcome>)>, AnswerError> {
        error::check_board(self.board(), position)?;
        let mut known = Vec::new();
        for column in position.moves() {
            let child = position.drop_piece(column);
            known.push((column, child, known::within_limits(self.known(&child, question))?.flatten()));
        }
        Ok(known)
    }

    /// Searches what the database leaves open about a position.
    fn complete(
        &self,
        position: &Position,
        known: Option<Outcome>,
        question: &mut Question,
    ) -> Result<Outcome, AnswerError> {
        match known {
            Some(outcome @ Outcome { remoteness: Some(_), .. }) => Ok(outcome),
            Some(Outcome { value, .. }) => {
                let remoteness = self.searcher.remoteness(&self.database, position, value, question)?;
                Ok(Outcome { value, remoteness: Some(remoteness) })
            }
            None => self.searcher.outcome(position, question),
        }
    }
}

impl Answerer for Both {
    fn board(&self) -> Board {
        self.database.board()
    }

    fn database(&self) -> Option<&Database> {
        Some(&self.database)
    }

    fn may_search(&self) -> bool {
        true
    }

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        let known = self.known(position, question)?;
        self.complete(position, known, question)
    }

    /// Returns the value that the database knows where its remoteness is beyond the limits.
    fn known_outcome(&self, position: &Position, question: &mut Question) -> Result<Option<Outcome>, AnswerError> {
        let value = known::within_limits(self.known(position, question))?.flatten();
        Ok(known::within_limits(self.complete(position, value, question))?.or(value))
    }

    fn known_value(&self, position: &Position, question: &mut Question) -> Result<Option<Value>, AnswerError> {
        match known::within_limits(self.known(position, question))?.flatten() {
            Some(outcome) => Ok(Some(outcome.value)),
            None => self.searcher.known_value(position, question),
        }
    }

    /// Looks at the value first, which costs no search where the database has it.
    fn is_worth(&self, position: &Position, outcome: Outcome, question: &mut Question) -> Result<bool, AnswerError> {
        let known = self.known(position, question)?;
        if known.is_some_and(|known| known.value != outcome.value) {
            return Ok(false);
        }
        Ok(self.complete(position, known, question)? == outcome)
    }

    /// Leaves the remoteness open of moves that are known to give the value away: it may cost much, and good play has no
    /// use for it.
    fn moves(&self, position: &Position, question: &mut Question) -> Result<Vec<Move>, AnswerError> {
        let known = self.known_children(position, question)?;
        let best = best(&known);
        let mut moves = Vec::with_capacity(known.len());
        for (column, child, known) in known {
            let outcome = match known.map(Outcome::parent) {
                Some(outcome) if best.is_some_and(|best| outcome.value != best.value) => outcome,
                _ => self.complete(&child, known, question)?.parent(),
            };
            moves.push(Move { column, outcome });
        }
        database::sort(&mut moves);
        Ok(moves)
    }

    /// Leaves the same remotenesses open as [`Answerer::moves`].
    fn known_moves(&self, position: &Position, question: &mut Question) -> Result<Vec<KnownMove>, AnswerError> {
        let children = self.known_children(position, question)?;
        let best = best(&children);
        let mut moves = known::known_moves(position, question, |child, question| {
            let known = children.iter().find(|(_, of, _)| of == child).and_then(|(_, _, known)| *known);
            match known.map(Outcome::parent) {
                Some(outcome) if best.is_some_and(|best| outcome.value != best.value) => Ok(known),
                _ => known::within_limits(self.complete(child, known, question)),
            }
        })?;
        for of in moves.iter_mut().filter(|of| of.outcome.is_none()) {
            let known = children.iter().find(|(column, _, _)| *column == of.column).and_then(|(_, _, known)| *known);
            of.outcome = known.map(Outcome::parent);
        }
        known::sort(&mut moves);
        Ok(moves)
    }
}

/// Returns the best move's outcome. Unless all are known, any may be the best.
fn best(children: &[(usize, Position, Option<Outcome>)]) -> Option<Outcome> {
    let outcomes = children.iter().map(|(_, _, outcome)| outcome.map(Outcome::parent));
    outcomes.collect::<Option<Vec<_>>>().and_then(|outcomes| outcomes.into_iter().min())
}
