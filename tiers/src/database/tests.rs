//! Tests analysts with a database, with searches, and with both, on every position of the first plies of small boards.

use std::path::Path;
use std::sync::Arc;

use fourbase::analysis::{AnalysisError, Analyst, Budget, Cost, SearchPool};
use fourbase::search::SearchOptions;
use fourbase::{Board, Outcome, Player, Position, Value};

use super::*;
use crate::kernel::Values;
use crate::long;
use crate::solve::Solve;
use crate::testing::{Stop, plies};

const _: () = {
    const fn is_for_threads<T: Send + Sync>() {}
    is_for_threads::<Analyst<Database>>();
};

fn board() -> Board {
    "4x4".parse().unwrap()
}

fn solved(root: &Path, board: Board, values: Values) -> Database {
    Database::open(&Solve::new(board, values).root(root).run().unwrap().folder).unwrap()
}

/// Solves only the last tiers, and returns the unfinished database.
fn unfinished(root: &Path) -> Database {
    Solve::new(board(), Values::Remoteness)
        .root(root)
        .run_on(&crate::context::Context { progress: &Stop(12.into()), ..crate::context::Context::default() })
        .unwrap_err();
    let database = Database::find(root, board()).unwrap();
    assert!(!database.is_complete());
    database
}

fn pool() -> Arc<SearchPool> {
    Arc::new(SearchPool::new(SearchOptions::default()))
}

fn both(database: Database) -> Analyst<Database> {
    Analyst::new(database.board(), Some(database), Some(pool()))
}

/// Returns every position of plies 0 to 6, always in the same order.
fn positions(board: Board) -> Vec<Position> {
    in_order(plies(board).take(7).flatten())
}

/// Sorts positions, because [`plies`] gives those of a ply in any order.
fn in_order(positions: impl Iterator<Item = Position>) -> Vec<Position> {
    let mut positions = Vec::from_iter(positions);
    positions.sort_by_key(|position| (position.ply(), position.pieces(Player::First), position.occupied()));
    positions
}

/// Checks that `analyst` returns what the database `whole` returns. Without an analysis, the remoteness of moves that are
/// not best in value may be missing.
fn compare(analyst: &Analyst<Database>, whole: &Database) {
    for position in &long::every(5, positions(whole.board()), "positions") {
        let found = analyst.analyse(position, true, &mut Budget::default(), None).unwrap();
        let outcome = whole.probe(position).unwrap();
        assert_eq!((found.outcome, found.limit), (Some(outcome), None), "{position}");
        assert_eq!(found.line, whole.best_line(position).unwrap(), "{position}");
        let mut expected = whole.moves(position).unwrap();
        let analysed = found.moves.iter().map(|of| (of.column, of.outcome.unwrap()));
        assert_eq!(Vec::from_iter(analysed), expected, "{position}");
        let mut moves = analyst.moves(position, &mut Budget::default()).unwrap();
        let kept = |moves: &[(usize, Outcome)]| moves.iter().filter(|of| of.1.value == outcome.value).count();
        assert_eq!(moves[..kept(&moves)], expected[..kept(&expected)], "{position}");
        moves.sort_by_key(|of| of.0);
        expected.sort_by_key(|of| of.0);
        let values = |moves: &[(usize, Outcome)]| moves.iter().map(|of| (of.0, of.1.value)).collect::<Vec<_>>();
        assert_eq!(values(&moves), values(&expected), "{position}");
    }
    let positions = positions(whole.board());
    let found = analyst.outcomes(&positions, &Budget::default());
    assert!(found.into_iter().map(Result::unwrap).eq(whole.probe_many(&positions).into_iter().map(Result::unwrap)));
}

#[test]
fn all_analysts_give_the_same_answers() {
    let [one, two, three] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let whole = solved(one.path(), board(), Values::Remoteness);
    compare(&Analyst::new(board(), Some(Database::find(one.path(), board()).unwrap()), None), &whole);
    compare(&Analyst::new(board(), None, Some(pool())), &whole);
    compare(&both(solved(two.path(), board(), Values::Wdl)), &whole);
    compare(&both(unfinished(three.path())), &whole);
    for name in ["4x4m", "4x4c3"] {
        let board = name.parse().unwrap();
        let whole = solved(one.path(), board, Values::Remoteness);
        compare(&both(solved(two.path(), board, Values::Wdl)), &whole);
    }
    // Values alone don't determine a best move.
    let values = Database::find(two.path(), board()).unwrap();
    assert_eq!(values.best_line(&Position::start(board())).unwrap(), None);
    let other = Position::start("5x4".parse().unwrap());
    assert!(matches!(values.moves(&other), Err(DatabaseError::Analysis(AnalysisError::OtherBoard(_)))));
}

#[test]
fn one_budget_is_for_all_parts_of_a_question_and_the_next_question_is_answered() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let whole = solved(one.path(), board(), Values::Remoteness);
    solved(two.path(), board(), Values::Wdl);
    // Choose the position whose win or loss takes the most plies.
    let outcomes = positions(board()).into_iter().map(|position| (whole.probe(&position).unwrap(), position));
    let decided = outcomes.filter(|(outcome, _)| outcome.value != Value::Tie);
    let (_, position) = decided.max_by_key(|(outcome, _)| outcome.remoteness).unwrap();
    for has_database in [false, true] {
        let database = || has_database.then(|| Database::find(two.path(), board()).unwrap());
        let new = || Analyst::new(board(), database(), Some(pool()));
        let ask = |analyst: &Analyst<Database>, budget: &mut Budget| {
            let found = analyst.analyse(&position, true, budget, None).unwrap();
            (found.moves, found.line, found.limit)
        };
        let mut budget = Budget::default();
        let expected = ask(&new(), &mut budget);
        let needed = budget.spent.nodes;
        assert!(needed > 1 && expected.2.is_none());
        for nodes in [0, 1, needed / 2] {
            let (analyst, mut budget) = (new(), Budget { nodes: Some(nodes), ..Budget::default() });
            let limit = ask(&analyst, &mut budget).2;
            assert_eq!(limit, Some(AnalysisError::NodeLimit { board: board(), nodes }));
            assert!(budget.spent.nodes <= nodes);
            assert_eq!(ask(&analyst, &mut Budget::default()), expected);
        }
    }
}

#[test]
fn moves_are_compared_by_value_if_the_budget_leaves_their_remoteness_open() {
    let root = tempfile::tempdir().unwrap();
    let analyst = both(solved(root.path(), board(), Values::Wdl));
    let whole = solved(root.path(), board(), Values::Remoteness);
    let (mut by_value, mut count) = (0, 0);
    for position in positions(board()).into_iter().filter(|position| position.moves().next().is_some()) {
        let moves = analyst.moves(&position, &mut Budget { nodes: Some(2), ..Budget::default() }).unwrap();
        let mut expected = whole.moves(&position).unwrap();
        let value = expected[0].1.value;
        count += 1;
        if moves.iter().any(|(_, of)| of.value == value && of.remoteness.is_none()) {
            by_value += 1;
            expected.iter_mut().for_each(|(_, of)| of.remoteness = of.remoteness.filter(|plies| *plies <= 1));
            expected.sort_by_key(|(column, of)| (*of, *column));
            assert_eq!(moves, expected, "{position:?}");
        } else {
            assert_eq!(moves[0], expected[0], "{position:?}");
        }
    }
    assert!(by_value > 0 && by_value < count, "{by_value} of {count}");
}

#[test]
fn the_cost_counts_what_was_searched() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let start = Position::start(board());
    let cost = |analyst: &Analyst<Database>, position: &Position| {
        let mut budget = Budget::default();
        analyst.outcome(position, &mut budget).unwrap();
        let Cost { positions, remotenesses, .. } = budget.spent;
        (positions, remotenesses)
    };
    assert_eq!(cost(&Analyst::new(board(), None, Some(pool())), &start), (1, 0));
    assert_eq!(cost(&both(solved(one.path(), board(), Values::Wdl)), &start), (0, 1));
    let unfinished = both(unfinished(two.path()));
    assert_eq!(cost(&unfinished, &start), (1, 0));
    assert!(plies(board()).nth(9).unwrap().iter().all(|late| cost(&unfinished, late) == (0, 0)));
}

/// Returns how much is known about a position, its moves and its best line: 0 for nothing, 1 for a value, 2 for a
/// value with its remoteness. Whatever is known must be what `whole` stores.
fn known(analyst: &Analyst<&Database>, position: &Position, nodes: Option<u64>, whole: &Database) -> Vec<u8> {
    let mut budget = Budget { nodes, ..Budget::default() };
    let check = |found: Option<Outcome>, expected: Outcome| {
        let Some(found) = found else { return 0 };
        let expected = Outcome { remoteness: expected.remoteness.filter(|_| found.remoteness.is_some()), ..expected };
        assert_eq!(found, expected, "{position}");
        1 + u8::from(found.remoteness.is_some())
    };
    let expected = whole.moves(position).unwrap();
    let analysis = match analyst.analyse(position, true, &mut budget, None) {
        Err(DatabaseError::NotSolved { .. }) => return vec![0; expected.len() + 2],
        analysis => analysis.unwrap(),
    };
    if let Some(line) = &analysis.line {
        // At a limit, best play may begin with another best move than that of the lowest column.
        let ends = line.iter().fold(*position, |before, column| {
            let after = before.drop_piece(*column);
            assert_eq!(whole.probe(&after).unwrap().parent(), whole.probe(&before).unwrap(), "{position}");
            after
        });
        assert!(ends.primitive().is_some() && (nodes.is_some() || analysis.line == whole.best_line(position).unwrap()));
    }
    let mut known = vec![u8::from(analysis.line.is_some()), check(analysis.outcome, whole.probe(position).unwrap())];
    known.extend(expected.into_iter().map(|(column, outcome)| {
        check(analysis.moves.iter().find(|of| of.column == column).unwrap().outcome, outcome)
    }));
    known
}

#[test]
fn no_further_source_makes_an_answer_less_complete() {
    let [one, two, three, four] = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let whole = solved(one.path(), board(), Values::Remoteness);
    let early = Database::find(one.path(), board()).unwrap().with_plies_up_to(5).unwrap();
    let values = solved(two.path(), board(), Values::Wdl);
    let early_values = solved(three.path(), board(), Values::Wdl).with_plies_up_to(3).unwrap();
    // The best one first, as `Database::find_all` lists them.
    let sources = [&early, &values, &early_values, &unfinished(four.path())];
    let positions = in_order(plies(board()).skip(1).step_by(2).flatten());
    let positions = long::every(10, positions.into_iter().step_by(31).collect(), "positions of all plies of 4x4");
    assert!(positions.len() > 100);
    for nodes in [Some(0), None] {
        for has_search in [false, true] {
            // What each set of sources knows about each position; the bits of the number of a set are its sources.
            let sets: Vec<Vec<Vec<u8>>> = (0..1 << sources.len())
                .map(|set: usize| {
                    let chosen =
                        (0..sources.len()).filter(|source| set >> source & 1 > 0).map(|source| sources[source]);
                    let analyst = Analyst::new(board(), chosen, has_search.then(pool));
                    let budget = Budget { nodes, ..Budget::default() };
                    for (position, found) in positions.iter().zip(analyst.outcomes(&positions, &budget)) {
                        let alone = analyst.outcome(position, &mut budget.clone());
                        assert_eq!(found.ok(), alone.ok(), "{position}: {set:04b}, {nodes:?}");
                    }
                    positions.iter().map(|position| known(&analyst, position, nodes, &whole)).collect()
                })
                .collect();
            for (set, with) in sets.iter().enumerate() {
                for source in (0..sources.len()).filter(|source| set >> source & 1 > 0) {
                    for part in [1 << source, set & !(1 << source)] {
                        for ((with, without), position) in with.iter().zip(&sets[part]).zip(&positions) {
                            let is_as_complete = with.iter().zip(without).all(|(with, without)| with >= without);
                            assert!(
                                is_as_complete,
                                "{position}: {set:04b} {with:?}, {part:04b} {without:?}, {nodes:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
