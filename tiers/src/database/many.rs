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

/// One of many positions, and its answer.
struct Query<'p> {
    /// The sort key that [`Database::file_order`] returns.
    order: u128,
    /// The position's index in the caller's list.
    place: usize,
    position: &'p Position,
    answer: Option<Result<Outcome, Box<DatabaseError>>>,
}

impl Database {
    /// Looks many positions up, on all threads of rayon's current pool, in an order in which neighbours share blocks of
    /// the files. Looks a position up only once if it occurs several times. The results are in the order of the
    /// positions.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Outcome, DatabaseError>> {
        self.look_up_all(positions, &Budget::default())
    }

    /// Looks many positions up as [`Database::probe_many`] does. Each position gets its own copy of `budget`. The
    /// budget's monitor counts the answers and can cancel the rest. Errors are boxed, so that a result takes 16 bytes
    /// instead of 88.
    pub(crate) fn probe_many_within(
        &self,
        positions: &[Position],
        budget: &Budget,
    ) -> Vec<Result<Outcome, Box<DatabaseError>>> {
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
    ) -> Vec<Result<Outcome, Box<DatabaseError>>> {
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
        let query = |(place, position)| Query { order: self.file_order(position), place, position, answer: None };
        let mut queries: Vec<Query> = positions.par_iter().enumerate().map(query).collect();
        queries.par_sort_unstable_by_key(|query| (query.order, query.position.bitboards(), query.place));
        queries.par_chunk_by_mut(|one, other| one.position == other.position).for_each(|same| {
            let times = same.len();
            let Some((first, others)) = same.split_first_mut() else { return };
            let answer = probe(first.position, times);
            for other in others {
                other.answer = match &answer {
                    Ok(outcome) => Some(Ok(*outcome)),
                    Err(error) => match &**error {
                        DatabaseError::Analysis(error) => Some(Err(Box::new(DatabaseError::Analysis(*error)))),
                        _ => None,
                    },
                };
            }
            first.answer = Some(answer);
        });
        queries.par_sort_unstable_by_key(|query| query.place);
        // Some errors can't be copied to equal positions, so look those positions up again.
        queries.into_par_iter().map(|query| query.answer.unwrap_or_else(|| probe(query.position, 0))).collect()
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
/// and can cancel the rest. Without a database, searches one position after the other. Errors are boxed, so that a result
/// takes 16 bytes instead of 88.
pub fn outcomes_of_many<L: Lookup<Error = DatabaseError> + Borrow<Database>>(
    analyst: &Analyst<L>,
    positions: &[Position],
    budget: &Budget,
) -> Vec<Result<Outcome, Box<DatabaseError>>> {
    match &analyst.databases[..] {
        [database] if !analyst.may_search() => database.borrow().probe_many_within(positions, budget),
        [first, ..] => {
            first.borrow().read_ahead(positions);
            first.borrow().ask_many(positions, budget, true, |position, part| analyst.outcome(position, part))
        }
        [] => analyst.outcomes(positions, budget).into_iter().map(|outcome| outcome.map_err(Box::new)).collect(),
    }
}

/// The outcomes of a position's moves by column, for the player who makes them; `None` for an illegal move.
type MoveAnswers = [Option<Result<Outcome, Box<DatabaseError>>>];

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
    let width = analyst.board.width();
    let mut answers = Vec::new();
    answers.resize_with(positions.len() * width, || None);
    let rows = positions.iter().zip(answers.chunks_exact_mut(width));
    let database = match &analyst.databases[..] {
        [database] if positions.len() > FEW && !analyst.may_search() => Some(database.borrow()),
        _ => None,
    };
    let is_stored = |position: &Position| {
        database.is_some_and(|of| position.board() == of.board() && of.reaches(position.ply() as u32 + 1))
    };
    let (stored, mut others): (Vec<_>, Vec<_>) = rows.partition(|(position, _)| is_stored(position));
    if let Some(database) = database {
        database.stored_moves_of_many(stored, budget, is_exact);
    }
    let moves = |position: &Position| position.moves().map(|column| position.drop_piece(column)).collect::<Vec<_>>();
    let children: Vec<Position> = others.par_iter().flat_map_iter(|(position, _)| moves(position)).collect();
    let mut outcomes = outcomes_of_many(analyst, &children, budget).into_iter();
    for (position, row) in &mut others {
        for column in position.moves() {
            if let Some(slot) = row.get_mut(column) {
                *slot = outcomes.next().map(|outcome| outcome.map(Outcome::parent));
            }
        }
    }
    let outcomes = answers.into_iter().enumerate().map(|(number, answer)| match answer {
        Some(Err(error)) => unknown(number / width, *error).map(|()| None),
        Some(Ok(outcome)) => Ok(Some(outcome)),
        None => Ok(None),
    });
    outcomes.collect()
}

impl Database {
    /// Looks up the moves of positions whose children are stored, for [`moves_of_many`]: in the order of the positions'
    /// own tiers, so that the children share blocks too.
    fn stored_moves_of_many(&self, rows: Vec<(&Position, &mut MoveAnswers)>, budget: &Budget, is_exact: bool) {
        let monitor = budget.monitor.as_deref();
        let ask = |position: &Position, row: &mut MoveAnswers, times: usize| {
            let mut count = 0;
            let mut take = |column: usize, outcome: Result<Outcome, DatabaseError>| {
                count += times;
                if let Some(slot) = row.get_mut(column) {
                    *slot = Some(outcome.map_err(Box::new));
                }
            };
            if monitor.is_some_and(Monitor::is_cancelled) {
                return position.moves().for_each(|column| take(column, Err(budget.limit(self.board()).into())));
            }
            self.probe_moves(position, is_exact, budget, take);
            monitor.inspect(|monitor| monitor.add_answers(count as u64));
        };
        let mut rows: Vec<_> = rows.into_par_iter().map(|(of, row)| (self.file_order(of), of, row)).collect();
        rows.par_sort_unstable_by_key(|(order, position, _)| (*order, position.bitboards()));
        rows.par_chunk_by_mut(|(_, one, _), (_, other, _)| one == other).for_each(|same| {
            let times = same.len();
            let Some(((_, position, first), others)) = same.split_first_mut() else { return };
            ask(position, first, times);
            for (_, position, row) in others {
                for (slot, answer) in row.iter_mut().zip(first.iter()) {
                    *slot = answer.as_ref().and_then(|answer| answer.as_ref().ok()).map(|outcome| Ok(*outcome));
                }
                // Errors can't be copied.
                if first.iter().flatten().any(Result::is_err) {
                    ask(position, row, 0);
                }
            }
        });
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
