//! Looks up many positions together.

use std::borrow::Borrow;

use fourbase::analysis::{Analyst, Budget, Lookup};
use fourbase::search::Monitor;
use fourbase::{Outcome, Position};
use rayon::prelude::*;

use super::error::DatabaseError;
use super::open::Database;

/// Fewer positions than this are looked up one after the other, because waking another thread would take longer.
const FEW: usize = 16;

/// An answer about a position or a move. Its error is boxed, so that it takes 16 bytes instead of 88.
type Answer = Result<Outcome, Box<DatabaseError>>;

/// Copies an answer; `None` for an error that can't be copied.
fn copied(answer: &Answer) -> Option<Answer> {
    match answer {
        Ok(outcome) => Some(Ok(*outcome)),
        Err(error) => match &**error {
            DatabaseError::Analysis(error) => Some(Err(Box::new(DatabaseError::Analysis(*error)))),
            _ => None,
        },
    }
}

/// One of many positions, and its answer.
struct Query<'p, A> {
    /// The sort key that [`Database::file_order`] returns.
    order: u128,
    /// The position's index in the caller's list.
    place: usize,
    position: &'p Position,
    answer: Option<A>,
}

impl Database {
    /// Looks many positions up, on all threads of rayon's current pool, in an order in which neighbours share blocks of
    /// the files. Looks a position up only once if it occurs several times. The results are in the order of the
    /// positions.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Outcome, DatabaseError>> {
        self.look_up_all(positions, &Budget::default())
    }

    /// Looks many positions up as [`Database::probe_many`] does. Each position gets its own copy of `budget`. The
    /// budget's monitor counts the answers and can cancel the rest.
    pub(crate) fn probe_many_within(&self, positions: &[Position], budget: &Budget) -> Vec<Answer> {
        self.read_ahead(positions);
        let is_searched = self.manifest.keep_plies.is_some();
        self.ask_many(positions, budget, is_searched, |position, budget| self.probe_within(position, budget))
    }

    /// Calls `ask` for many positions, as [`Database::probe_many_within`] describes. `is_searched` says whether an
    /// answer may take a search.
    fn ask_many(
        &self,
        positions: &[Position],
        budget: &Budget,
        is_searched: bool,
        ask: impl Fn(&Position, &mut Budget) -> Result<Outcome, DatabaseError> + Sync,
    ) -> Vec<Answer> {
        let monitor = budget.monitor.as_deref();
        let probe = |position: &Position, times: usize| {
            if monitor.is_some_and(Monitor::is_cancelled) {
                return Err(Box::new(budget.limit(self.board()).into()));
            }
            let outcome = ask(position, &mut budget.clone()).map_err(Box::new);
            monitor.inspect(|monitor| monitor.add_answers(times as u64));
            outcome
        };
        // One position may need a search that takes as long as all other positions together. So even two positions go
        // to two threads.
        if positions.len() <= if is_searched { 1 } else { FEW } {
            return positions.iter().map(|position| probe(position, 1)).collect();
        }
        self.in_file_order(positions, probe, copied)
    }

    /// Calls `ask` for many positions on all threads, with how often each occurs, and once for equal ones: `copy` copies
    /// its answer to them. Where it can't, `ask` is called again, with 0. The results are in the order of the positions.
    fn in_file_order<A: Send>(
        &self,
        positions: &[Position],
        ask: impl Fn(&Position, usize) -> A + Sync,
        copy: impl Fn(&A) -> Option<A> + Sync,
    ) -> Vec<A> {
        let query = |(place, position)| Query { order: self.file_order(position), place, position, answer: None };
        let mut queries: Vec<Query<A>> = positions.par_iter().enumerate().map(query).collect();
        queries.par_sort_unstable_by_key(|query| (query.order, query.position.bitboards(), query.place));
        queries.par_chunk_by_mut(|one, other| one.position == other.position).for_each(|same| {
            let times = same.len();
            let Some((first, others)) = same.split_first_mut() else { return };
            let answer = ask(first.position, times);
            others.iter_mut().for_each(|other| other.answer = copy(&answer));
            first.answer = Some(answer);
        });
        queries.par_sort_unstable_by_key(|query| query.place);
        queries.into_par_iter().map(|query| query.answer.unwrap_or_else(|| ask(query.position, 0))).collect()
    }

    /// Returns a sort key that puts positions of a tier nearly into the order of the tier's file.
    fn file_order(&self, position: &Position) -> u128 {
        if position.board() != self.board() {
            return 0;
        }
        let parts = self.index().split.parts(position);
        let parts = if parts.left < parts.right { parts.mirror() } else { parts };
        // The exact order would need the ranks of both wings' colourings (see [`crate::index::split`]). The number of
        // first-player pieces in the left wing and the high bits of its colouring sort nearly as well as its rank, and
        // the colouring of the right wing is left out.
        let fields = [
            (position.ply() as u128, 8),
            (u128::from(parts.left.0), 26),
            (u128::from(parts.right.0), 26),
            (u128::from(parts.spine.bits), 32),
            (u128::from(parts.left_bits.count_ones()), 6),
            (u128::from(parts.left_bits) >> 8, 24),
        ];
        fields.into_iter().fold(0, |order, (field, bits)| order << bits | field)
    }
}

/// Answers many questions as [`Analyst::outcome`] does, but on all threads of rayon's current pool, in an order in which
/// neighbours share blocks of the files. Each position gets its own copy of `budget`, whose monitor counts the answers
/// and can cancel the rest. Without a database, searches one position after the other.
pub fn outcomes_of_many<L: Lookup<Error = DatabaseError> + Borrow<Database>>(
    analyst: &Analyst<L>,
    positions: &[Position],
    budget: &Budget,
) -> Vec<Answer> {
    match &analyst.databases[..] {
        [database] if !analyst.may_search() => database.borrow().probe_many_within(positions, budget),
        [first, ..] => {
            first.borrow().read_ahead(positions);
            first.borrow().ask_many(positions, budget, true, |position, part| analyst.outcome(position, part))
        }
        [] => analyst.outcomes(positions, budget).into_iter().map(|outcome| outcome.map_err(Box::new)).collect(),
    }
}

/// The answers about a position's moves by column, for the player who makes them; `None` for an illegal move.
type MoveAnswers = Box<[Option<Answer>]>;

/// Answers questions about the moves of many positions. For each position, returns one item per column of the board: the
/// outcome for the player who makes the move, or `None` for an illegal move. Each move gets its own copy of `budget`.
///
/// Without `is_exact`, the best moves have their outcomes, the others that keep the value of the position have that value
/// and a worse remoteness, and the rest have a worse value: not always their own. That takes fewer look-ups.
///
/// If a move has no answer, calls `unknown` with the index of the move's position and the reason: an error of
/// [`Analyst::outcome`], or a limit of the budget. If `unknown` returns no error, the move's item is `None`.
///
/// # Errors
/// The first error that `unknown` returns.
pub fn moves_of_many<L: Lookup<Error = DatabaseError> + Borrow<Database>, E>(
    analyst: &Analyst<L>,
    positions: &[Position],
    budget: &Budget,
    is_exact: bool,
    mut unknown: impl FnMut(usize, DatabaseError) -> Result<(), E>,
) -> Result<Vec<Option<Outcome>>, E> {
    let database = match &analyst.databases[..] {
        [database] if positions.len() > FEW && !analyst.may_search() => Some(database.borrow()),
        _ => None,
    };
    let is_stored = |position: &Position| {
        database.is_some_and(|of| position.board() == of.board() && of.reaches(position.ply() as u32 + 1))
    };
    let (stored, others): (Vec<Position>, Vec<Position>) = positions.iter().partition(|position| is_stored(position));
    let mut rows = database.map_or_else(Vec::new, |of| of.stored_moves_of_many(&stored, budget, is_exact)).into_iter();
    let moves = |position: &Position| position.moves().map(|column| position.drop_piece(column)).collect::<Vec<_>>();
    let children: Vec<Position> = others.par_iter().flat_map_iter(moves).collect();
    let mut outcomes = outcomes_of_many(analyst, &children, budget).into_iter();
    let width = analyst.board.width();
    let mut found = vec![None; positions.len() * width];
    for (number, (position, found)) in positions.iter().zip(found.chunks_exact_mut(width)).enumerate() {
        let mut row = is_stored(position).then(|| rows.next()).flatten();
        for column in position.moves() {
            let answer = match &mut row {
                Some(row) => row.get_mut(column).and_then(Option::take),
                None => outcomes.next().map(|outcome| outcome.map(Outcome::parent)),
            };
            match (found.get_mut(column), answer) {
                (Some(slot), Some(Ok(outcome))) => *slot = Some(outcome),
                (_, Some(Err(error))) => unknown(number, *error)?,
                _ => {}
            }
        }
    }
    Ok(found)
}

impl Database {
    /// Looks up the moves of positions whose children are stored, for [`moves_of_many`]: in the order of the positions'
    /// own tiers, so that the children share blocks too.
    fn stored_moves_of_many(&self, positions: &[Position], budget: &Budget, is_exact: bool) -> Vec<MoveAnswers> {
        let monitor = budget.monitor.as_deref();
        let ask = |position: &Position, times: usize| {
            let mut row: MoveAnswers = std::iter::repeat_with(|| None).take(self.board().width()).collect();
            let mut take = |column: usize, outcome: Result<Outcome, DatabaseError>| {
                monitor.inspect(|monitor| monitor.add_answers(times as u64));
                if let Some(slot) = row.get_mut(column) {
                    *slot = Some(outcome.map_err(Box::new));
                }
            };
            if monitor.is_some_and(Monitor::is_cancelled) {
                position.moves().for_each(|column| take(column, Err(budget.limit(self.board()).into())));
            } else {
                self.probe_moves(position, is_exact, budget, take);
            }
            row
        };
        let copy = |row: &MoveAnswers| {
            row.iter().map(|answer| answer.as_ref().map_or(Some(None), |answer| copied(answer).map(Some))).collect()
        };
        self.in_file_order(positions, ask, copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Values;
    use crate::solve::Solve;
    use crate::testing::{plies, solved};

    #[test]
    fn moves_looked_up_together_are_those_looked_up_alone_and_bounds_keep_the_best_ones() {
        let solve = |name: &str, values| Solve::new(name.parse().unwrap(), values);
        let whole = ["4x4", "4x4m"].map(|name| solve(name, Values::Remoteness));
        let others = [solve("5x3", Values::Wdl), solve("4x4", Values::Remoteness).keep_plies(Some(5))];
        let [cut] = solved(&whole[0]).map(|database: Database| database.with_plies_up_to(6).unwrap());
        let databases = whole.iter().chain(&others).map(|solve| solved::<1>(solve).into_iter().next().unwrap());
        for database in databases.chain([cut]) {
            let name = database.board();
            let analyst = Analyst::new(database.board(), Some(&database), None);
            let positions: Vec<Position> = plies(database.board()).flatten().step_by(3).collect();
            let ask = |is_exact| {
                moves_of_many(&analyst, &positions, &Budget::default(), is_exact, |_, error| Err(error)).unwrap()
            };
            let (exact, bounded, width) = (ask(true), ask(false), database.board().width());
            let is_whole = database.manifest.keep_plies.is_none();
            assert!(!is_whole || exact != bounded, "{name}: bounds save look-ups");
            for (position, (exact, bounded)) in positions.iter().zip(exact.chunks(width).zip(bounded.chunks(width))) {
                let best = exact.iter().flatten().min();
                for column in 0..width {
                    let child = position.moves().any(|of| of == column).then(|| position.drop_piece(column));
                    assert_eq!(
                        exact[column],
                        child.map(|child| database.probe(&child).unwrap().parent()),
                        "{position}"
                    );
                    let is_alike = |one: Option<Outcome>, other: Option<Outcome>| {
                        (one.map(|of| of.value) == other.map(|of| of.value), one == other)
                    };
                    let best = best.copied().filter(|_| child.is_some());
                    // Outcomes are in order, the best first.
                    assert!(
                        bounded[column].is_some() == child.is_some() && bounded[column] >= best,
                        "{position}, {column}"
                    );
                    assert_eq!(is_alike(best, bounded[column]), is_alike(best, exact[column]), "{position}, {column}");
                }
            }
        }
    }

    #[test]
    fn each_of_many_equal_questions_gets_its_own_answer_or_error() {
        let database = Database::embedded("6x6".parse().unwrap()).unwrap().unwrap();
        let [right, wrong] = ["6x6", "5x4"].map(|board| Position::start(board.parse().unwrap()));
        let positions: Vec<Position> = (0..100).map(|number| if number % 3 == 0 { wrong } else { right }).collect();
        let expected = [&right, &wrong].map(|position| format!("{:?}", database.probe(position)));
        for (position, found) in positions.iter().zip(database.probe_many(&positions)) {
            assert_eq!(format!("{found:?}"), expected[usize::from(*position == wrong)], "{position}");
        }
        assert!(expected[0].starts_with("Ok") && expected[1].starts_with("Err"));
    }
}
