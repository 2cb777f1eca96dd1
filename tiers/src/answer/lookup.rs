//! Answers of a database, alone or completed by searches: the remoteness where the database has values alone, and positions
//! of tiers that are not solved yet.

use std::sync::Arc;

use fourbase::search::SearchError;
use fourbase::{Board, Outcome, Position, Value};

use super::error::{AnswerError, check_board};
use super::searcher::Searcher;
use super::{Answerer, known_moves, sort, within_limits};
use crate::database::question::{KnownMove, Limits, Question};
use crate::database::{self, Database, DatabaseError, Move};
use crate::kernel::Values;

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
        self.probe_with(position, question).map_err(|error| explain(self.board(), error, question.limits().nodes))
    }

    /// Looks them up on all threads of rayon's current pool.
    fn outcomes(&self, positions: &[Position], limits: &Limits) -> Vec<Result<Outcome, AnswerError>> {
        let explain = |error| explain(self.board(), error, limits.nodes);
        self.probe_many_with(positions, limits).into_iter().map(|outcome| outcome.map_err(explain)).collect()
    }
}

/// Makes the error of a database that has not answered a question of at most `limit` nodes.
fn explain(board: Board, error: DatabaseError, limit: Option<u64>) -> AnswerError {
    match error {
        DatabaseError::Search(error @ (SearchError::NodeLimit { nodes } | SearchError::Cancelled { nodes })) => {
            AnswerError::of_search(error, board, limit, nodes)
        }
        error => error.into(),
    }
}

/// A database and the searches of the same board.
pub struct LookupThenSearch {
    database: Database,
    searcher: Searcher,
}

/// What the database has of the position after a move, by column; `None` where it is not solved yet or the limits do not
/// allow for it.
type Lookup = (usize, Option<Outcome>);

impl LookupThenSearch {
    /// Lets a database answer what it can, and searches the rest.
    #[must_use]
    pub fn new(database: Database, searcher: Searcher) -> LookupThenSearch {
        LookupThenSearch { database, searcher }
    }

    /// Asks the database; `None` where the position is not solved yet.
    fn look_up(&self, position: &Position, question: &mut Question) -> Result<Option<Outcome>, AnswerError> {
        match self.database.outcome(position, question) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(AnswerError::Database(DatabaseError::NotSolved { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks the database for every move, in the order of columns, and returns with them what the best one is worth. Unless all
    /// are known, any may be the best.
    fn look_up_moves(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<(Vec<Lookup>, Option<Outcome>), AnswerError> {
        check_board(self.board(), position)?;
        let mut children = Vec::new();
        for column in position.moves() {
            let outcome = within_limits(self.look_up(&position.drop_piece(column), question))?.flatten();
            children.push((column, outcome));
        }
        let outcomes: Option<Vec<Outcome>> = children.iter().map(|(_, outcome)| outcome.map(Outcome::parent)).collect();
        Ok((children, outcomes.and_then(|outcomes| outcomes.into_iter().min())))
    }

    /// Searches what the database leaves open about a position. The position after a move that is known to give the value of
    /// the `best` move away is left as it is: its remoteness may cost much, and good play has no use for it.
    fn complete(
        &self,
        position: &Position,
        known: Option<Outcome>,
        best: Option<Outcome>,
        question: &mut Question,
    ) -> Result<Outcome, AnswerError> {
        match known {
            Some(outcome @ Outcome { remoteness: Some(_), .. }) => Ok(outcome),
            Some(outcome) if best.is_some_and(|best| outcome.parent().value != best.value) => Ok(outcome),
            Some(Outcome { value, .. }) => {
                let remoteness = self.searcher.remoteness(&self.database, position, value, question)?;
                Ok(Outcome { value, remoteness: Some(remoteness) })
            }
            None => self.searcher.outcome(position, question),
        }
    }
}

impl Answerer for LookupThenSearch {
    fn board(&self) -> Board {
        self.database.board()
    }

    fn database(&self) -> Option<&Database> {
        Some(&self.database)
    }

    fn outcome(&self, position: &Position, question: &mut Question) -> Result<Outcome, AnswerError> {
        let known = self.look_up(position, question)?;
        self.complete(position, known, None, question)
    }

    /// Returns the value that the database has where its remoteness is beyond the limits.
    fn known_outcome(&self, position: &Position, question: &mut Question) -> Result<Option<Outcome>, AnswerError> {
        let known = within_limits(self.look_up(position, question))?.flatten();
        Ok(within_limits(self.complete(position, known, None, question))?.or(known))
    }

    fn known_value(&self, position: &Position, question: &mut Question) -> Result<Option<Value>, AnswerError> {
        match within_limits(self.look_up(position, question))?.flatten() {
            Some(outcome) => Ok(Some(outcome.value)),
            None => self.searcher.known_value(position, question),
        }
    }

    /// Looks at the value first, which costs no search where the database has it.
    fn is_worth(&self, position: &Position, outcome: Outcome, question: &mut Question) -> Result<bool, AnswerError> {
        let known = self.look_up(position, question)?;
        if known.is_some_and(|known| known.value != outcome.value) {
            return Ok(false);
        }
        Ok(self.complete(position, known, None, question)? == outcome)
    }

    /// Leaves the remoteness open of moves that are known to give the value away.
    fn moves(&self, position: &Position, question: &mut Question) -> Result<Vec<Move>, AnswerError> {
        let (children, best) = self.look_up_moves(position, question)?;
        let mut moves = Vec::with_capacity(children.len());
        for (column, known) in children {
            let outcome = self.complete(&position.drop_piece(column), known, best, question)?.parent();
            moves.push(Move { column, outcome });
        }
        database::sort(&mut moves);
        Ok(moves)
    }

    /// Leaves the same remotenesses open as [`Answerer::moves`].
    fn known_moves(&self, position: &Position, question: &mut Question) -> Result<Vec<KnownMove>, AnswerError> {
        let (children, best) = self.look_up_moves(position, question)?;
        let known = |column| children.iter().find(|child| child.0 == column).and_then(|child| child.1);
        let mut moves = known_moves(position, question, |column, question| {
            within_limits(self.complete(&position.drop_piece(column), known(column), best, question))
        })?;
        for of in moves.iter_mut().filter(|of| of.outcome.is_none()) {
            of.outcome = known(of.column).map(Outcome::parent);
        }
        sort(&mut moves);
        Ok(moves)
    }
}

/// When to search forward.
///
/// | | no database | tier not solved yet | values alone |
/// |---|---|---|---|
/// | `Never` | an error | an error | no remoteness |
/// | `NoDatabase` | searched | an error | no remoteness |
/// | `Auto` | searched | searched | the remoteness is searched |
/// | `Only` | searched | searched | searched |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// Use only the database.
    Never,
    /// Search where the board has no database.
    NoDatabase,
    /// Search what the database leaves open, or everything where there is none.
    Auto,
    /// Search everything, without a look for a database.
    Only,
}

/// Chooses the answerer of a board. `find` opens its database, and is not called for [`When::Only`]; `searcher` makes
/// its searches, and is called only if they are needed.
///
/// # Errors
///
/// Those of `find`. [`DatabaseError::Missing`] only where `when` allows for no search instead; a database that cannot be
/// read is an error even where a search could take its place.
pub fn choose(
    when: When,
    find: impl FnOnce() -> Result<Database, DatabaseError>,
    searcher: impl FnOnce() -> Searcher,
) -> Result<Arc<dyn Answerer>, DatabaseError> {
    if when == When::Only {
        return Ok(Arc::new(searcher()));
    }
    match find() {
        Ok(database) if when == When::Auto && leaves_open(&database) => {
            Ok(Arc::new(LookupThenSearch::new(database, searcher())))
        }
        Ok(database) => Ok(Arc::new(database)),
        Err(DatabaseError::Missing { .. }) if when != When::Never => Ok(Arc::new(searcher())),
        Err(error) => Err(error),
    }
}

/// Tells whether a database leaves anything open.
fn leaves_open(database: &Database) -> bool {
    !database.is_complete() || database.values() == Values::Wdl
}
