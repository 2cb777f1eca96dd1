//! Answers from databases, by search, or both.

use std::convert::Infallible;
use std::error::Error;
use std::sync::{Arc, OnceLock};

use super::{Analysis, AnalysisError, Budget, Cost, SearchPool, Source, json::DatabaseJson};
use crate::search::{Oracle, SearchOptions};
use crate::{Board, Outcome, Position, Value};

/// The search for the value leaves 1/`SHARE_OF_MOVES` of the nodes for the moves. It may use all other nodes, because
/// the value is worth having even if some moves stay undecided.
const SHARE_OF_MOVES: u64 = 8;

/// All moves together first get 1/`FIRST_SHARE` of the nodes, in equal parts. Only then may a move use more; otherwise
/// the first move could use up all nodes.
const FIRST_SHARE: u64 = 16;

/// The node limit for the first search of each move if the question has no node limit.
const FIRST_NODES: u64 = 1 << 20;

/// A database in which positions can be looked up.
pub trait Lookup: Send + Sync {
    /// The error of a look-up.
    type Error: Error + From<AnalysisError> + Send + Sync + 'static;

    /// Returns the outcome of a position, without its remoteness if only the value is stored. If the database does not
    /// keep the position's tier, it searches the position within the budget.
    ///
    /// # Errors
    ///
    /// An error if there is no answer. [`Lookup::gap`] says whether the database is sound but has no answer, or is at
    /// fault.
    fn look_up(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, Self::Error>;

    /// Returns the outcomes of `positions` in their order. Each position gets its own copy of `budget`.
    fn look_up_all(&self, positions: &[Position], budget: &Budget) -> Vec<Result<Outcome, Self::Error>> {
        positions.iter().map(|position| self.look_up(position, &mut budget.clone())).collect()
    }

    /// Returns the outcome of a position if it is stored, without searching.
    ///
    /// # Errors
    ///
    /// An error of the database if a file can't be read.
    fn stored(&self, position: &Position) -> Result<Option<Outcome>, Self::Error>;

    /// Returns why a look-up has no answer; `None` if the database is at fault.
    fn gap(error: &Self::Error) -> Option<Gap>;

    /// Describes the database.
    fn describe(&self) -> DatabaseJson;
}

/// Why a sound database has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The tier is not solved yet.
    Unsolved,
    /// The database has searched a position of a tier that it does not keep, and reached a limit of the budget.
    Budget,
}

impl<L: Lookup> Lookup for &L {
    type Error = L::Error;

    fn look_up(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, L::Error> {
        (*self).look_up(position, budget)
    }

    fn look_up_all(&self, positions: &[Position], budget: &Budget) -> Vec<Result<Outcome, L::Error>> {
        (*self).look_up_all(positions, budget)
    }

    fn stored(&self, position: &Position) -> Result<Option<Outcome>, L::Error> {
        (*self).stored(position)
    }

    fn gap(error: &L::Error) -> Option<Gap> {
        L::gap(error)
    }

    fn describe(&self) -> DatabaseJson {
        (*self).describe()
    }
}

/// The database type of an analyst without a database.
impl Lookup for Infallible {
    type Error = AnalysisError;

    fn look_up(&self, _: &Position, _: &mut Budget) -> Result<Outcome, AnalysisError> {
        match *self {}
    }

    fn stored(&self, _: &Position) -> Result<Option<Outcome>, AnalysisError> {
        match *self {}
    }

    fn gap(error: &AnalysisError) -> Option<Gap> {
        error.is_limit().then_some(Gap::Budget)
    }

    fn describe(&self) -> DatabaseJson {
        match *self {}
    }
}

/// A function that is called with everything known so far: first with the value, then again after the result of each
/// move.
pub type Listener<'a> = Option<&'a dyn Fn(&Analysis)>;

/// Answers questions about the positions of one board, for many threads at once: from databases, by search, or both. A
/// further database never makes an answer less complete.
#[derive(Debug)]
pub struct Analyst<L> {
    /// The board.
    pub board: Board,
    /// The databases, the best one first. Each position has the best outcome that any of them stores.
    pub databases: Vec<L>,
    /// Searches for what the databases do not have, or for everything if there is no database.
    pool: Option<Arc<SearchPool>>,
}

impl Analyst<Infallible> {
    /// Makes an analyst without a database, which answers everything by searches with these `options`.
    pub fn searching(board: Board, options: SearchOptions) -> Analyst<Infallible> {
        Analyst::new(board, None, Some(Arc::new(SearchPool::new(options))))
    }
}

impl<L: Lookup> Analyst<L> {
    /// Makes an analyst that asks databases of `board`, the best one first, and then the searches of a pool, if there is
    /// one.
    pub fn new(board: Board, databases: impl IntoIterator<Item = L>, pool: Option<Arc<SearchPool>>) -> Analyst<L> {
        Analyst { board, databases: databases.into_iter().collect(), pool }
    }

    /// Returns whether the analyst has a pool of searches. A database's own searches, for plies that it does not keep,
    /// do not count.
    pub fn may_search(&self) -> bool {
        self.pool.is_some()
    }

    /// Returns the outcome of a position for its player to move. The outcome has no remoteness if the budget suffices
    /// only for the value.
    ///
    /// # Errors
    ///
    /// Every kind of [`AnalysisError`] except [`AnalysisError::NoBestMove`], and the errors of the database.
    pub fn outcome(&self, position: &Position, budget: &mut Budget) -> Result<Outcome, L::Error> {
        position.check_board(self.board).map_err(AnalysisError::from)?;
        self.known(position, budget)?.ok_or_else(|| budget.limit(self.board).into())
    }

    /// Returns the outcomes of `positions` in their order. Each position gets its own copy of `budget`.
    pub fn outcomes(&self, positions: &[Position], budget: &Budget) -> Vec<Result<Outcome, L::Error>> {
        match (&self.databases[..], &self.pool) {
            // A database that does not keep all plies would search for what the others store.
            ([first, others @ ..], None) if others.is_empty() || first.describe().keep_plies.is_none() => {
                let outcomes = positions.iter().zip(first.look_up_all(positions, budget));
                outcomes.map(|(position, outcome)| or_stored(others, position, outcome)).collect()
            }
            _ => positions.iter().map(|position| self.outcome(position, &mut budget.clone())).collect(),
        }
    }

    /// Lists the legal moves with their outcomes for the player who makes them, best first: the soonest win, ties, the
    /// latest loss; equally good ones by column. A finished game has no moves. Moves that give the value away may lack
    /// a remoteness. If a move that keeps the value lacks its remoteness, all moves are compared by their values alone:
    /// only moves that end the game then have a remoteness.
    ///
    /// # Errors
    ///
    /// The errors of [`Analyst::outcome`].
    pub fn moves(&self, position: &Position, budget: &mut Budget) -> Result<Vec<(usize, Outcome)>, L::Error> {
        let mut moves = self.list_moves(position, budget, false)?;
        if compare_alike(&mut moves) {
            moves.sort_by_key(|(column, outcome)| (*outcome, *column));
        }
        Ok(moves)
    }

    /// Lists the legal moves by column, with their outcomes for the player who makes them. Unlike [`Analyst::moves`], also
    /// searches for the remoteness of moves that give the value away, so that all sources give the same list. A move lacks
    /// its remoteness only if the budget does not suffice for it.
    ///
    /// # Errors
    ///
    /// The errors of [`Analyst::outcome`].
    pub fn every_move(&self, position: &Position, budget: &mut Budget) -> Result<Vec<(usize, Outcome)>, L::Error> {
        let mut moves = self.list_moves(position, budget, true)?;
        moves.sort_by_key(|(column, _)| *column);
        Ok(moves)
    }

    fn list_moves(
        &self,
        position: &Position,
        budget: &mut Budget,
        with_all: bool,
    ) -> Result<Vec<(usize, Outcome)>, L::Error> {
        position.check_board(self.board).map_err(AnalysisError::from)?;
        let mut analysis = Analysis::unknown(position);
        self.find_moves(&mut analysis, budget, &[None], with_all, None)?;
        let moves = analysis.moves.iter().map(|child| Some((child.column, child.outcome?)));
        moves.collect::<Option<Vec<_>>>().ok_or_else(|| budget.limit(self.board).into())
    }

    /// Analyses a position as far as the budget allows: its outcome, its moves, and best play if `with_line` is set.
    ///
    /// # Errors
    ///
    /// The errors of [`Analyst::outcome`], except for limits, which are reported in [`Analysis::limit`]; and
    /// [`AnalysisError::NoBestMove`] if a database contradicts itself.
    pub fn analyse(
        &self,
        position: &Position,
        with_line: bool,
        budget: &mut Budget,
        listener: Listener,
    ) -> Result<Analysis, L::Error> {
        position.check_board(self.board).map_err(AnalysisError::from)?;
        let mut analysis = Analysis::unknown(position);
        let report = |analysis: &Analysis| listener.into_iter().for_each(|listener| listener(analysis));
        let (mut is_searched, before) = (false, budget.spent);
        if listener.is_some()
            && let Some(value) = budget.part(share_of_value(budget), |part| self.value(position, part))?
        {
            analysis.outcome = Some(Outcome { value, remoteness: None });
            report(&analysis);
        }
        let mut outcome = budget.part(share_of_value(budget), |part| self.known(position, part))?;
        is_searched |= self.has_searched(before, budget.spent);
        if outcome.is_some() {
            analysis.outcome = outcome;
            report(&analysis);
        }
        let share =
            budget.nodes_left().map_or(FIRST_NODES, |left| left / FIRST_SHARE / analysis.moves.len().max(1) as u64);
        self.find_moves(&mut analysis, budget, &[Some(share), None], true, listener)?;
        if outcome.is_none_or(|outcome| outcome.remoteness.is_none()) {
            let of_moves = analysis.outcome_of_moves();
            outcome = of_moves.filter(|of| outcome.is_none_or(|outcome| outcome.value == of.value)).or(outcome);
        }
        if outcome.is_none() {
            let before = budget.spent;
            outcome = self.known(position, budget)?;
            is_searched |= self.has_searched(before, budget.spent);
        }
        // If the budget ran out before the outcome was found, keep the value that was reported.
        analysis.outcome = outcome.or(analysis.outcome);
        if self.is_open(&analysis) {
            analysis.limit = Some(budget.limit(self.board));
        }
        if with_line {
            match within::<L, _>(self.best_line(&analysis, budget))? {
                Some(line) => analysis.line = line,
                None => analysis.limit = analysis.limit.or(Some(budget.limit(self.board))),
            }
        }
        analysis.source = match position.primitive().is_some() || position.winning_move().is_some() {
            false if is_searched => Source::Search,
            false if !self.databases.is_empty() => Source::Database,
            _ => Source::Board,
        };
        analysis.database = self.databases.first().map(L::describe).unwrap_or_default();
        analysis.cost = budget.spent;
        Ok(analysis)
    }

    /// Returns whether a search has decided something while the cost rose from `before` to `after`. Without a database,
    /// a search that visits no nodes does not count, because it only looks at the board.
    fn has_searched(&self, before: Cost, after: Cost) -> bool {
        after.positions > before.positions && (after.nodes > before.nodes || !self.databases.is_empty())
    }

    /// Returns whether a larger budget would find out more. A missing remoteness counts only if there is a pool, so that
    /// the analyst would search for it.
    fn is_open(&self, analysis: &Analysis) -> bool {
        let is_open =
            |known: Option<Outcome>| known.is_none_or(|known| self.may_search() && known.remoteness.is_none());
        is_open(analysis.outcome) || analysis.moves.iter().any(|child| is_open(child.outcome))
    }

    /// Asks the databases; `None` if a search has to take their place. A database may search for a ply that it does not
    /// keep, so first asks all for what they store.
    fn look_up(&self, position: &Position, budget: &mut Budget) -> Result<Option<Outcome>, L::Error> {
        let Some(first) = self.databases.first() else { return Ok(None) };
        let known = if self.databases.len() > 1 { stored(&self.databases, position, None)? } else { None };
        if known.is_some_and(|known| known.remoteness.is_some() || self.may_search()) {
            return Ok(known);
        }
        match first.look_up(position, budget) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) if L::gap(&error).is_some() && (known.is_some() || self.may_search()) => Ok(known),
            Err(error) => Err(error),
        }
    }

    /// Completes the outcome `known` of a position by searching for what the databases do not have.
    fn complete(&self, position: &Position, known: Option<Outcome>, budget: &mut Budget) -> Result<Outcome, L::Error> {
        let Some(pool) = &self.pool else { return known.ok_or_else(|| budget.limit(self.board).into()) };
        match known {
            Some(Outcome { value, remoteness: None }) => {
                let cost = Cost { remotenesses: 1, ..Cost::default() };
                let values = StoredValues { databases: &self.databases, error: OnceLock::new() };
                let found =
                    pool.ask(self.board, budget, cost, |search| search.remoteness(position, value, Some(&values)));
                match values.error.into_inner() {
                    Some(error) => Err(error),
                    None => Ok(Outcome { value, remoteness: Some(found?) }),
                }
            }
            Some(outcome) => Ok(outcome),
            None => Ok(pool.outcome(position, budget)?),
        }
    }

    /// Returns what is known about a position within the budget: its outcome, its value alone, or nothing.
    fn known(&self, position: &Position, budget: &mut Budget) -> Result<Option<Outcome>, L::Error> {
        let Some(looked_up) = within::<L, _>(self.look_up(position, budget))? else { return Ok(None) };
        Ok(within::<L, _>(self.complete(position, looked_up, budget))?.or(looked_up))
    }

    /// Returns the value of a position, without its remoteness, if the analyst has a pool and the budget suffices. The
    /// caller can report this value before the search for the remoteness ends.
    fn value(&self, position: &Position, budget: &mut Budget) -> Result<Option<Value>, L::Error> {
        let Some(pool) = &self.pool else { return Ok(None) };
        match within::<L, _>(self.look_up(position, budget))?.flatten() {
            Some(outcome) => Ok(Some(outcome.value)),
            // The table of this search also speeds up the later search for the outcome.
            None => {
                let value = pool.ask(self.board, budget, Cost::default(), |search| search.value(position));
                within::<L, _>(value.map_err(L::Error::from))
            }
        }
    }

    /// Finds the outcomes of an analysis's moves within the budget, and sorts them. Works in rounds, one for each item
    /// of `shares`: in a round, each move without an outcome may use that many nodes. `None` stands for all remaining
    /// nodes. Unless `with_all` is set, skips the remoteness of moves that give the value away: its search may cost much,
    /// and good play never needs it.
    fn find_moves(
        &self,
        analysis: &mut Analysis,
        budget: &mut Budget,
        shares: &[Option<u64>],
        with_all: bool,
        listener: Listener,
    ) -> Result<(), L::Error> {
        let position = analysis.position;
        let children: Vec<_> = analysis.moves.iter().map(|child| position.drop_piece(child.column)).collect();
        // The children's outcomes in the database, for the player to move in the child.
        let mut known: Vec<Option<Outcome>> = vec![None; children.len()];
        for &most in shares {
            for (number, child) in children.iter().enumerate() {
                if known[number].is_some() {
                    continue;
                }
                known[number] = budget.part(most, |part| within::<L, _>(self.look_up(child, part)))?.flatten();
                // If no searches complete the database, its answer is final.
                if let (Some(known), None) = (known[number], &self.pool) {
                    analysis.moves[number].outcome = Some(known.parent());
                    listener.iter().for_each(|listener| listener(analysis));
                }
            }
            // The best move is known only if the outcomes of all moves are known.
            let best = known.iter().copied().collect::<Option<Vec<Outcome>>>();
            let best = best.and_then(|known| known.into_iter().map(Outcome::parent).min());
            let gives_away =
                |known: Option<Outcome>| best.zip(known).is_some_and(|(best, of)| of.parent().value != best.value);
            // Good moves first, so that the search of others does not use up their nodes.
            let mut order = Vec::from_iter(0..children.len());
            order.sort_by_key(|number| gives_away(known[*number]));
            for number in order {
                let is_wanted = with_all || !gives_away(known[number]);
                if is_wanted
                    && analysis.moves[number].outcome.is_none()
                    && (known[number].is_some() || self.may_search())
                {
                    let complete = |part: &mut Budget| self.complete(&children[number], known[number], part);
                    let outcome = within::<L, _>(budget.part(most, complete))?.map(Outcome::parent);
                    analysis.moves[number].outcome = outcome;
                    if outcome.is_some() {
                        listener.iter().for_each(|listener| listener(analysis));
                    }
                }
            }
        }
        for (child, known) in analysis.moves.iter_mut().zip(known) {
            child.outcome = child.outcome.or(known.map(Outcome::parent));
        }
        analysis.moves.sort_by_key(|child| (child.outcome.is_none(), child.outcome, child.column));
        Ok(())
    }

    /// Returns best play to the end of the game; `None` if the remoteness is unknown, since a best move then can't be
    /// told from others of the same value.
    ///
    /// The outcome of the best child follows from its parent's outcome: the value flips, and the remoteness is one ply
    /// less. So the children are compared with that outcome in turn, and the children after the first match are
    /// skipped.
    fn best_line(&self, analysis: &Analysis, budget: &mut Budget) -> Result<Option<Vec<usize>>, L::Error> {
        let Some(Outcome { mut value, remoteness: Some(remoteness) }) = analysis.outcome else { return Ok(None) };
        let (mut position, mut line) = (analysis.position, Vec::new());
        // The first move is already known.
        let mut best = analysis.best().next();
        for plies in (0..remoteness).rev() {
            value = value.flip();
            let wanted = Outcome { value, remoteness: Some(plies) };
            for column in position.moves() {
                if best.is_none() {
                    let Some(is_best) = self.is_worth(&position.drop_piece(column), wanted, budget)? else {
                        return Ok(None);
                    };
                    best = is_best.then_some(column);
                }
            }
            let column = best.take().ok_or(AnalysisError::NoBestMove(position))?;
            line.push(column);
            position = position.drop_piece(column);
        }
        Ok(Some(line))
    }

    /// Returns whether a position is worth exactly `outcome`; `None` if the position's remoteness is not stored and
    /// there is no pool to search it. Compares the value first, which costs no search if the database has the value.
    fn is_worth(&self, position: &Position, outcome: Outcome, budget: &mut Budget) -> Result<Option<bool>, L::Error> {
        let known = self.look_up(position, budget)?;
        if known.is_some_and(|known| known.value != outcome.value) {
            return Ok(Some(false));
        }
        let found = self.complete(position, known, budget)?;
        Ok((found.value != outcome.value || found.remoteness.is_some()).then_some(found == outcome))
    }
}

/// If a move that keeps the value lacks its remoteness, best moves can't be told by remoteness. Then removes the
/// remoteness of all moves, except those that end the game, and returns true.
pub fn compare_alike(moves: &mut [(usize, Outcome)]) -> bool {
    let value = moves.iter().map(|(_, outcome)| outcome.value).min();
    let is_open = moves.iter().any(|(_, of)| Some(of.value) == value && of.remoteness.is_none());
    if is_open {
        for (_, outcome) in moves {
            outcome.remoteness = outcome.remoteness.filter(|plies| *plies <= 1);
        }
    }
    is_open
}

/// Returns how many nodes the search for the value may use.
fn share_of_value(budget: &Budget) -> Option<u64> {
    budget.nodes_left().map(|left| left - left / SHARE_OF_MOVES)
}

/// Adds to what is `known` about a position what `databases` store, until the remoteness is known. Ignores the fault of a
/// database if a better one knows the value.
fn stored<L: Lookup>(
    databases: &[L],
    position: &Position,
    mut known: Option<Outcome>,
) -> Result<Option<Outcome>, L::Error> {
    for database in databases {
        if known.is_some_and(|known| known.remoteness.is_some()) {
            break;
        }
        let stored = match database.stored(position) {
            Err(_) if known.is_some() => continue,
            stored => stored?,
        };
        known = stored.filter(|stored| known.is_none_or(|known| known.value == stored.value)).or(known);
    }
    Ok(known)
}

/// Adds to the answer of the first database what the `others` store.
fn or_stored<L: Lookup>(
    others: &[L],
    position: &Position,
    answer: Result<Outcome, L::Error>,
) -> Result<Outcome, L::Error> {
    match &answer {
        Err(error) if L::gap(error).is_none() => answer,
        _ => match stored(others, position, answer.as_ref().ok().copied())? {
            Some(outcome) => Ok(outcome),
            None => answer,
        },
    }
}

/// Converts a reached limit into `None`.
fn within<L: Lookup, T>(answer: Result<T, L::Error>) -> Result<Option<T>, L::Error> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if L::gap(&error) == Some(Gap::Budget) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a search the values that databases store, so that the search has to find only the remoteness. The first error
/// of a database ends the search.
struct StoredValues<'a, L: Lookup> {
    databases: &'a [L],
    /// The error that ended the search.
    error: OnceLock<L::Error>,
}

impl<L: Lookup> Oracle for StoredValues<'_, L> {
    fn value(&self, position: &Position) -> Option<Value> {
        let mut stored = self.databases.iter().map(|database| database.stored(position));
        let first = stored.find_map(Result::transpose).transpose();
        let first = first.unwrap_or_else(|error| {
            // If another thread has stored an error already, keep that error.
            let _ = self.error.set(error);
            None
        });
        first.map(|outcome| outcome.value)
    }

    fn has_failed(&self) -> bool {
        self.error.get().is_some()
    }
}
