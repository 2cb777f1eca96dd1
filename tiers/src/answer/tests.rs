//! The three answerers against each other, on every position of the first plies of 4x4.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use fourbase::Player;
use fourbase::search::{Monitor, Options, Oracle, Search, SearchError};

use super::searcher::StoredValues;
use super::*;
use crate::database::DatabaseError;
use crate::kernel::Values;
use crate::long;
use crate::progress::Progress;
use crate::solve::Solve;

/// Plies of the positions that the answerers are compared on.
const PLIES: usize = 6;

const _: () = {
    const fn is_for_threads<T: Send + Sync + ?Sized>() {}
    is_for_threads::<dyn Answerer>();
    is_for_threads::<Searcher>();
    is_for_threads::<LookupThenSearch>();
};

fn board() -> Board {
    "4x4".parse().unwrap()
}

/// Stops a solve after some tiers.
struct Stop {
    tiers: AtomicU32,
    after: u32,
}

impl Progress for Stop {
    fn tier(&self, _: u32, _: u64) {
        self.tiers.fetch_add(1, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.tiers.load(Relaxed) >= self.after
    }
}

fn solved(root: &Path, values: Values) -> Database {
    solved_board(root, board(), values)
}

fn solved_board(root: &Path, board: Board, values: Values) -> Database {
    Database::open(&Solve::new(board, values).root(root).run().unwrap().folder).unwrap()
}

/// Solves the last tiers only.
fn unfinished(root: &Path) -> Database {
    let progress = Stop { tiers: AtomicU32::new(0), after: 12 };
    Solve::new(board(), Values::Remoteness)
        .root(root)
        .run_on(&crate::communicator::Alone, &crate::files::Disk, &progress)
        .unwrap_err();
    let database = Database::find(root, board()).unwrap();
    assert!(!database.is_complete());
    database
}

fn searcher() -> Searcher {
    Searcher::new(board(), Options::default())
}

/// Every position that play reaches in each of the first plies, finished ones included.
fn plies(board: Board, plies: usize) -> Vec<Vec<Position>> {
    let mut all = vec![vec![Position::start(board)]];
    for ply in 0..plies {
        let mut next = Vec::new();
        for position in &all[ply] {
            next.extend(position.moves().map(|column| position.drop_piece(column)));
        }
        next.sort_by_key(|position| (position.pieces(Player::First), position.occupied()));
        next.dedup();
        all.push(next);
    }
    all
}

/// Every position that play reaches in at most [`PLIES`] plies.
fn positions() -> Vec<Position> {
    plies(board(), PLIES).concat()
}

/// Checks that `answerer` returns what the database returns; of moves that give the value away it may leave the remoteness
/// open.
fn compare(answerer: &dyn Answerer, whole: &Database) {
    let positions = positions();
    assert!(positions.len() > 1000, "{}", positions.len());
    for position in &long::every(5, positions.clone(), "positions of 4x4") {
        let (mut asked, mut known) = (Question::default(), Question::default());
        let outcome = whole.outcome(position, &mut known).unwrap();
        assert_eq!(answerer.outcome(position, &mut asked).unwrap(), outcome, "{position}");
        assert!(answerer.is_worth(position, outcome, &mut asked).unwrap(), "{position}");
        let farther = Outcome { remoteness: outcome.remoteness.map(|plies| plies + 2), ..outcome };
        assert!(!answerer.is_worth(position, farther, &mut asked).unwrap(), "{position}");
        let (found, expected) = (answerer.moves(position, &mut asked).unwrap(), whole.moves(position).unwrap());
        let columns = |moves: &[Move], keep: bool| {
            let kept = moves.iter().filter(|of| (of.outcome.value == outcome.value) == keep);
            kept.map(|of| (of.column, of.outcome)).collect::<Vec<_>>()
        };
        assert_eq!(columns(&found, true), columns(&expected, true), "{position}");
        let values = |moves: &[Move]| {
            let mut values = moves.iter().map(|of| (of.column, of.outcome.value)).collect::<Vec<_>>();
            values.sort_by_key(|(column, _)| *column);
            values
        };
        assert_eq!(values(&found), values(&expected), "{position}");
        let line = answerer.best_line(position, &mut asked).unwrap();
        assert_eq!(line, whole.best_line(position).unwrap(), "{position}");
        assert_eq!(known.work(), Work::default());
    }
    let outcomes = answerer.outcomes(&positions, &Limits::default());
    let expected = whole.outcomes(&positions, &Limits::default());
    assert!(outcomes.into_iter().map(Result::unwrap).eq(expected.into_iter().map(Result::unwrap)));
}

#[test]
fn all_answerers_give_the_same_answers() {
    let [one, two, three] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let whole = solved(one.path(), Values::Remoteness);
    compare(&whole, &whole);
    compare(&searcher(), &whole);
    compare(&LookupThenSearch::new(solved(two.path(), Values::Wdl), searcher()), &whole);
    compare(&LookupThenSearch::new(unfinished(three.path()), searcher()), &whole);
}

#[test]
fn the_best_line_is_that_of_the_first_moves() {
    let root = tempfile::tempdir().unwrap();
    let whole = solved(root.path(), Values::Remoteness);
    for position in positions() {
        let (mut at, mut line) = (position, Vec::new());
        while let Some(best) = whole.moves(&at).unwrap().first() {
            line.push(best.column);
            at = at.drop_piece(best.column);
        }
        assert_eq!(whole.best_line(&position).unwrap(), Some(line), "{position}");
    }
}

#[test]
fn a_database_of_values_alone_has_no_best_line() {
    let root = tempfile::tempdir().unwrap();
    let values = solved(root.path(), Values::Wdl);
    let start = Position::start(board());
    assert_eq!(values.best_line(&start).unwrap(), None);
    assert_eq!(Answerer::best_line(&values, &start, &mut Question::default()).unwrap(), None);
}

#[test]
fn one_limit_is_for_all_parts_of_a_question_and_the_next_question_is_answered() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let whole = solved(one.path(), Values::Remoteness);
    solved(two.path(), Values::Wdl);
    // The longest way to a win or loss.
    let position = positions().into_iter().max_by_key(|position| {
        let outcome = whole.probe(position).unwrap();
        outcome.remoteness.filter(|_| outcome.value != fourbase::Value::Tie)
    });
    let position = position.unwrap();
    let both = || LookupThenSearch::new(Database::find(two.path(), board()).unwrap(), searcher());
    let new: [&dyn Fn() -> Box<dyn Answerer>; 2] = [&|| Box::new(searcher()), &|| Box::new(both())];
    for new in new {
        let ask = |answerer: &dyn Answerer, question: &mut Question| {
            let moves = answerer.moves(&position, question)?;
            Ok::<_, AnswerError>((moves, answerer.best_line(&position, question)?))
        };
        let mut question = Question::default();
        let expected = ask(&*new(), &mut question).unwrap();
        let needed = question.work().nodes;
        assert!(needed > 1 && question.nodes_left().is_none());
        for nodes in [0, 1, needed - 1] {
            let answerer = new();
            let mut question = Question::new(Limits { nodes: Some(nodes), ..Limits::default() });
            let error = ask(&*answerer, &mut question).unwrap_err();
            assert!(matches!(error, AnswerError::NodeLimit { nodes: limit, .. } if limit == nodes), "{error}");
            assert!(question.work().nodes <= nodes);
            assert_eq!(ask(&*answerer, &mut Question::default()).unwrap(), expected);
        }
    }
}

#[test]
fn a_cancelled_question_does_not_stop_the_next() {
    let (searcher, start) = (searcher(), Position::start(board()));
    let monitor = Arc::new(Monitor::default());
    monitor.cancel();
    let mut question = Question::new(Limits { nodes: None, monitor: Some(monitor) });
    let error = searcher.outcome(&start, &mut question).unwrap_err();
    assert!(matches!(error, AnswerError::Cancelled { .. }), "{error}");
    let outcome = searcher.outcome(&start, &mut Question::default()).unwrap();
    assert_eq!(outcome.remoteness, Some(16));
}

#[test]
fn threads_share_an_answerer() {
    let root = tempfile::tempdir().unwrap();
    let whole = solved(root.path(), Values::Remoteness);
    let searcher: Arc<dyn Answerer> = Arc::new(searcher());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for position in positions().iter().step_by(7) {
                    let outcome = searcher.outcome(position, &mut Question::default()).unwrap();
                    assert_eq!(outcome, whole.probe(position).unwrap(), "{position}");
                }
            });
        }
    });
}

#[test]
fn work_counts_what_was_searched() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let start = Position::start(board());
    let work = |answerer: &dyn Answerer, position| {
        let mut question = Question::default();
        answerer.outcome(position, &mut question).unwrap();
        let Work { positions, remotenesses, .. } = question.work();
        (positions, remotenesses)
    };
    assert_eq!(work(&searcher(), &start), (1, 0));
    assert_eq!(work(&LookupThenSearch::new(solved(one.path(), Values::Wdl), searcher()), &start), (0, 1));
    let unfinished = LookupThenSearch::new(unfinished(two.path()), searcher());
    assert_eq!(work(&unfinished, &start), (1, 0));
    let mut late = start;
    while late.ply() < 9 {
        let mut children = late.moves().map(|column| late.drop_piece(column));
        late = children.find(|child| child.primitive().is_none()).unwrap();
    }
    assert_eq!(work(&unfinished, &late), (0, 0));
}

#[test]
fn the_answerer_depends_on_the_database_and_on_when_to_search() {
    let [none, wdl, whole, part] = [(); 4].map(|()| tempfile::tempdir().unwrap());
    solved(wdl.path(), Values::Wdl);
    solved(whole.path(), Values::Remoteness);
    unfinished(part.path());
    // Whether there is an answerer, whether it has a database, whether it may search.
    let chosen = |when| {
        [&none, &part, &wdl, &whole].map(|root| {
            let answerer = choose(when, || Database::find(root.path(), board()), searcher);
            match answerer {
                Ok(answerer) => Some((answerer.database().is_some(), answerer.may_search())),
                Err(DatabaseError::Missing { .. }) => None,
                Err(error) => panic!("{error}"),
            }
        })
    };
    let (database, both, search) = (Some((true, false)), Some((true, true)), Some((false, true)));
    assert_eq!(chosen(When::Never), [None, database, database, database]);
    assert_eq!(chosen(When::NoDatabase), [search, database, database, database]);
    assert_eq!(chosen(When::Auto), [search, both, both, database]);
    assert_eq!(chosen(When::Only), [search; 4]);
}

#[test]
fn positions_of_other_boards_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let other = Position::start("5x4".parse().unwrap());
    let database = solved(root.path(), Values::Wdl);
    let both = LookupThenSearch::new(solved(root.path(), Values::Wdl), searcher());
    for answerer in [&database as &dyn Answerer, &searcher(), &both] {
        let mut question = Question::default();
        let is_refused = |error| matches!(error, AnswerError::OtherBoard { .. });
        assert!(is_refused(answerer.outcome(&other, &mut question).unwrap_err()));
        assert!(is_refused(answerer.moves(&other, &mut question).unwrap_err()));
        assert!(is_refused(answerer.best_line(&other, &mut question).unwrap_err()));
    }
}

#[test]
fn an_answer_has_the_value_that_was_reported_before_the_limit() {
    let board: Board = "5x5".parse().unwrap();
    let position = fourbase::notation::parse(board, "13").unwrap();
    let mut alone = 0;
    for step in 0..60 {
        let nodes = (100.0 * 1.2_f64.powi(step)) as u64;
        let reported = Arc::new(std::sync::Mutex::new(None));
        let listener = Arc::clone(&reported);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut question = Question::new(limits).with_listener(move |news| {
            if let News::Outcome(outcome) = news {
                *listener.lock().unwrap() = Some(outcome);
            }
        });
        let found = Analysis::of(&Searcher::new(board, Options::default()), &position, &mut question).unwrap();
        let reported: Option<Outcome> = *reported.lock().unwrap();
        assert_eq!(found.outcome.map(|of| of.value), reported.map(|of| of.value), "{nodes} nodes");
        alone += u32::from(reported.is_some_and(|of| of.remoteness.is_none()));
    }
    assert!(alone > 0);
}

/// Has the value of every position.
struct Always<'a>(StoredValues<'a>);

impl Oracle for Always<'_> {
    fn value(&self, position: &Position) -> Option<Value> {
        self.0.value(position)
    }

    fn has_failed(&self) -> bool {
        self.0.has_failed()
    }

    fn least_empty_cells(&self) -> u32 {
        0
    }
}

fn oracle(database: &Database) -> StoredValues<'_> {
    StoredValues { database, error: OnceLock::new() }
}

#[test]
fn the_remoteness_over_values_alone_is_that_of_a_database_that_has_it() {
    for (name, ply) in [("4x4", 7), ("6x4", 2), ("5x5", 3), ("4x4m", 5), ("5x5m", 2), ("4x4c3", 3), ("1x8", 3)] {
        if name.starts_with("5x5") && long::skips(format_args!("the remoteness of {name}")) {
            continue;
        }
        let board: Board = name.parse().unwrap();
        let root = tempfile::tempdir().unwrap();
        let whole = solved_board(root.path(), board, Values::Remoteness);
        let both = LookupThenSearch::new(
            solved_board(root.path(), board, Values::Wdl),
            Searcher::new(board, Options::default()),
        );
        let always = Always(oracle(both.database().unwrap()));
        let mut search = Search::new(board, Options::default());
        let (mut decided, mut nodes) = (0, 0);
        for position in plies(board, ply + 1)[ply..].concat() {
            let expected = whole.probe(&position).unwrap();
            decided += u32::from(expected.value != Value::Tie);
            let mut question = Question::default();
            assert_eq!(both.outcome(&position, &mut question).unwrap(), expected, "{name} {position}");
            nodes += question.work().nodes;
            let remoteness = search.remoteness_with(&position, expected.value, &always).unwrap();
            assert_eq!(Some(remoteness), expected.remoteness, "{name} {position}");
        }
        println!("{name}: {decided} won or lost, {nodes} nodes");
        assert!(decided > 0 || name == "1x8");
    }
}

#[test]
fn a_damaged_file_ends_the_search_and_not_the_next_one() {
    let root = tempfile::tempdir().unwrap();
    let board: Board = "6x4".parse().unwrap();
    let database = solved_board(root.path(), board, Values::Wdl);
    let folder = database.folder().to_path_buf();
    let (first, second) = (folder.join("tier-01"), folder.join("elsewhere"));
    std::fs::rename(&first, &second).unwrap();
    let mut search = Search::new(board, Options::default());
    let start = Position::start(board);
    let always = Always(oracle(&database));
    let error = search.remoteness_with(&start, Value::Lose, &always).unwrap_err();
    assert!(matches!(error, SearchError::Cancelled { .. }), "{error}");
    let error = always.0.error.into_inner().unwrap();
    assert!(matches!(error, DatabaseError::File(_)), "{error}");
    std::fs::rename(&second, &first).unwrap();
    let always = Always(oracle(&database));
    assert_eq!(search.remoteness_with(&start, Value::Lose, &always).unwrap(), 24);
    assert!(always.0.error.into_inner().is_none());
}

fn search(name: &str) -> Search {
    Search::new(name.parse().unwrap(), Options::default())
}

#[test]
fn the_search_that_was_used_the_longest_ago_makes_room_for_another() {
    let pool = SearchPool::new(2);
    for name in ["4x4", "5x4", "4x4c3"] {
        pool.put(search(name));
    }
    assert!(pool.take("4x4".parse().unwrap()).is_none());
    assert!(pool.take("5x4".parse().unwrap()).is_some());
    assert!(pool.take("5x4".parse().unwrap()).is_none());
    assert!(pool.take("4x4c3".parse().unwrap()).is_some());
    let none = SearchPool::new(0);
    none.put(search("4x4"));
    assert!(none.take("4x4".parse().unwrap()).is_none());
}
