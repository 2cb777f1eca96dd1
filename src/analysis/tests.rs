//! Tests analyses by search; `tiers` tests those with databases.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::search::{Monitor, Search, SearchOptions};
use crate::{Game, Player, notation};

fn board() -> Board {
    "4x4".parse().unwrap()
}

fn analyst() -> Analyst<std::convert::Infallible> {
    Analyst::searching(board(), SearchOptions::default())
}

const _: () = {
    const fn is_for_threads<T: Send + Sync>() {}
    is_for_threads::<Analyst<std::convert::Infallible>>();
};

#[test]
fn an_analysis_has_the_value_that_was_reported_before_the_limit() {
    let board: Board = "5x5".parse().unwrap();
    let position = notation::parse(board, "13").unwrap();
    let mut values_alone = 0;
    for step in 0..60 {
        let nodes = (100.0 * 1.2_f64.powi(step)) as u64;
        let reported = RefCell::new(None);
        let listen = |analysis: &Analysis| *reported.borrow_mut() = Some(analysis.clone());
        let mut budget = Budget { nodes: Some(nodes), ..Budget::default() };
        let analyst = Analyst::searching(board, SearchOptions::default());
        let found = analyst.analyse(&position, false, &mut budget, Some(&listen)).unwrap();
        assert!(budget.spent.nodes <= nodes && found.cost == budget.spent);
        let reported = reported.into_inner().and_then(|analysis| analysis.outcome);
        let value = |outcome: Option<Outcome>| outcome.map(|outcome| outcome.value);
        assert!(reported.is_none() || value(found.outcome) == value(reported), "{nodes} nodes");
        let is_whole = found.outcome.is_some() && found.moves.iter().all(|child| child.outcome.is_some());
        assert_eq!(found.limit.is_none(), is_whole);
        values_alone += u32::from(found.outcome.is_some_and(|found| found.remoteness.is_none()));
    }
    assert!(values_alone > 0);
}

#[test]
fn a_limit_ends_one_question_and_not_the_next() {
    let (analyst, start) = (analyst(), Position::start(board()));
    let monitor = Arc::new(Monitor::default());
    monitor.cancel();
    let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    let limited = [
        Budget { nodes: Some(10), ..Budget::default() },
        Budget { deadline: Some(past), ..Budget::default() },
        Budget { monitor: Some(monitor), ..Budget::default() },
    ];
    for (mut budget, expected) in limited.into_iter().zip(["within 10 nodes", "in time", "cancelled"]) {
        let error = analyst.outcome(&start, &mut budget).unwrap_err();
        assert!(error.is_limit() && error.to_string().contains(expected), "{error}");
        assert!(analyst.moves(&start, &mut budget).unwrap_err().is_limit());
    }
    assert_eq!(analyst.outcome(&start, &mut Budget::default()).unwrap().remoteness, Some(16));
    let other = Position::start("5x4".parse().unwrap());
    let error = analyst.outcome(&other, &mut Budget::default()).unwrap_err();
    assert!(matches!(error, AnalysisError::OtherBoard(_)), "{error}");
}

/// A `wdl` database in which every position is a win, and whose files can no longer be read.
struct Damaged;

const DAMAGE: AnalysisError = AnalysisError::Search(SearchError::OtherValue { claimed: Value::Win });

impl Lookup for Damaged {
    type Error = AnalysisError;

    fn look_up(&self, _: &Position, _: &mut Budget) -> Result<Outcome, AnalysisError> {
        Ok(Outcome { value: Value::Win, remoteness: None })
    }

    fn look_up_all(&self, positions: &[Position], budget: &Budget) -> Vec<Result<Outcome, AnalysisError>> {
        positions.iter().map(|position| self.look_up(position, &mut budget.clone())).collect()
    }

    fn stored(&self, _: &Position) -> Result<Option<Outcome>, AnalysisError> {
        Err(DAMAGE)
    }

    fn gap(error: &AnalysisError) -> Option<Gap> {
        error.is_limit().then_some(Gap::Budget)
    }

    fn describe(&self) -> json::DatabaseJson {
        json::DatabaseJson::default()
    }
}

#[test]
fn a_damaged_file_ends_the_search_and_not_the_next_one() {
    let (board, pool) = ("7x6".parse().unwrap(), Arc::new(SearchPool::new(SearchOptions::default())));
    let analyst = Analyst::new(board, Some(Damaged), Some(Arc::clone(&pool)));
    let mut budget = Budget { nodes: Some(1 << 24), ..Budget::default() };
    assert_eq!(analyst.analyse(&Position::start(board), false, &mut budget, None).unwrap_err(), DAMAGE);
    let late = notation::parse(board, "4444435555").unwrap();
    assert_eq!(pool.outcome(&late, &mut Budget::default()).unwrap().remoteness, Some(31));
}

#[test]
fn the_search_that_was_used_the_longest_ago_makes_room_for_another() {
    let pool = SearchPool::new(SearchOptions::default()).keep_idle(2);
    let new = |name: &str| {
        let position = Position::start(name.parse().unwrap());
        let ask = |search: &mut Search| Ok(search.nodes() == 0);
        pool.ask(position.board(), &mut Budget::default(), Cost::default(), |search| {
            let is_new = ask(search);
            search.solve(&position)?;
            is_new
        })
    };
    let found = ["4x4", "5x4", "4x4c3", "5x4", "4x4c3", "4x4"].map(|name| new(name).unwrap());
    assert_eq!(found, [true, true, true, false, false, true]);
}

#[test]
fn a_game_names_the_moves_that_gave_the_value_away() {
    let game = Game::parse(board(), "1213").unwrap();
    let analyst = analyst();
    let analysis = GameAnalysis::of(&game, |position, nodes| {
        assert_eq!(nodes, None);
        analyst.analyse(position, false, &mut Budget::default(), None)
    });
    let analysis = analysis.unwrap();
    assert_eq!((analysis.undecided(), analysis.limit), (0, None));
    let mistakes = Player::BOTH.map(|player| analysis.mistakes(player));
    let numbers = mistakes.each_ref().map(|mistakes| mistakes.iter().map(|mistake| mistake.number).collect::<Vec<_>>());
    for (number, ply, column) in analysis.moves() {
        let moves = analyst.moves(&ply.analysis.position, &mut Budget::default()).unwrap();
        let played = moves.iter().find(|(found, _)| *found == column).unwrap().1;
        assert_eq!(numbers.concat().contains(&number), played.value != moves[0].1.value, "{number}");
    }
    // After a limit, earlier positions get only a quick search.
    let looks = RefCell::new(Vec::new());
    let limit = AnalysisError::NodeLimit { board: board(), nodes: 1 };
    let limited = GameAnalysis::of(&game, |position, nodes| {
        looks.borrow_mut().push(nodes);
        Ok::<_, AnalysisError>(Analysis { limit: Some(limit), ..Analysis::unknown(position) })
    });
    assert_eq!((limited.unwrap().undecided(), looks.into_inner()[..2].to_vec()), (4, vec![None, Some(QUICK_NODES)]));
}

#[test]
fn a_grade_is_the_same_in_any_order() {
    let (analyst, mut judged) = (analyst(), Vec::new());
    let mut tier = vec![Position::start(board())];
    for _ in 0..5 {
        tier = tier.iter().flat_map(|parent| parent.moves().map(|column| parent.drop_piece(column))).collect();
        for position in &tier {
            let moves = analyst.moves(position, &mut Budget::default()).unwrap();
            if Judgement::matters(&moves) {
                judged.push(Judgement::of(position, &moves, moves[moves.len() / 2].0, None).unwrap());
                assert_eq!(Judgement::of(position, &moves, 4, None), None);
            }
        }
    }
    let grade = |judged: &[Judgement]| {
        let mut grade = Grade::default();
        judged.iter().cloned().for_each(|judgement| grade.add(judgement));
        grade
    };
    let (whole, half) = (grade(&judged), judged.len() / 2);
    assert_eq!(grade(&judged[half..]).merge(grade(&judged[..half])), whole);
    let total = whole.total();
    assert_eq!(total.graded, judged.len() as u64);
    assert!(total.keeps < total.graded && total.best().unwrap() <= total.keeps && whole.shares().chance.unwrap() < 1.0);
    let worst = whole.worst.unwrap();
    assert!(!worst.keeps() && judged.contains(&worst));
}

#[test]
fn a_move_whose_remoteness_is_open_leaves_that_of_its_position_open() {
    let outcome_of = |moves: &[Option<(Value, Option<u32>)>]| {
        let mut analysis = Analysis::unknown(&Position::start(board()));
        analysis.moves.truncate(moves.len());
        for (child, known) in analysis.moves.iter_mut().zip(moves) {
            child.outcome = known.map(|(value, remoteness)| Outcome { value, remoteness });
        }
        analysis.outcome = analysis.outcome_of_moves();
        (analysis.outcome.map(|of| (of.value, of.remoteness)), analysis.best().count())
    };
    use Value::{Lose, Tie, Win};
    assert_eq!(outcome_of(&[Some((Lose, Some(2))), Some((Lose, None))]), (Some((Lose, None)), 2));
    assert_eq!(outcome_of(&[Some((Lose, Some(2))), Some((Lose, Some(4)))]), (Some((Lose, Some(4))), 1));
    assert_eq!(outcome_of(&[Some((Lose, None)), Some((Tie, Some(9)))]), (Some((Tie, Some(9))), 1));
    assert_eq!(outcome_of(&[Some((Win, Some(5))), None]), (Some((Win, None)), 1));
    assert_eq!(outcome_of(&[Some((Tie, Some(9))), None]), (None, 0));
}

/// Analyses a game. `change` gets each outcome, and returns what is known of it.
fn analyse_game(board: &str, start: &str, moves: &str, change: fn(Outcome) -> Option<Outcome>) -> GameAnalysis {
    let board: Board = board.parse().unwrap();
    let game = Game::parse_from(notation::parse(board, start).unwrap(), moves).unwrap();
    let analyst = Analyst::searching(board, SearchOptions::default());
    let analyse = |position: &Position, _| {
        let mut analysis = analyst.analyse(position, false, &mut Budget::default(), None)?;
        analysis.outcome = analysis.outcome.and_then(change);
        analysis.moves.iter_mut().for_each(|child| child.outcome = child.outcome.and_then(change));
        Ok::<_, AnalysisError>(analysis)
    };
    GameAnalysis::of(&game, analyse).unwrap()
}

/// Worked out by hand from the rows of the next test.
#[test]
fn a_summary_counts_mistakes_and_says_where_the_game_was_decided() {
    let missed =
        ["mistake: win to tie", "mistake: tie to loss, left a line open", "mistake: win to loss, missed a line", ""];
    type Change = fn(Outcome) -> Option<Outcome>;
    let rows: [(_, Change, _, &[&str]); 4] = [
        ("213", Some, "no mistakes", &[""; 3]),
        ("1342", Some, "X 2 mistakes, O 1; decided at move 3; best was 2", &missed),
        ("1234", Some, "X 1 mistake, O none; decided at move 1; best was 2 or 3", &["mistake: win to tie", "", "", ""]),
        ("1234", |_| None, "4 of 4 moves not judged", &[]),
    ];
    for (moves, change, summary, verdicts) in rows {
        let analysis = analyse_game("4x1c2", "-", moves, change);
        assert_eq!(analysis.summary(), summary, "{moves}");
        assert_eq!(Vec::from_iter(analysis.moves().filter_map(|(_, ply, _)| ply.verdict())), verdicts, "{moves}");
    }
}

/// Every row was worked out by hand.
#[test]
fn moves_have_their_classes_and_players_their_accuracy() {
    use MoveClass::{Best, KeepsValue, Later, LeftOpen, MissedWin, Mistake, Sooner};
    // Kept and mattered, of the first player and of the second.
    let rows = [
        // A row of four cells, where two make a line. The first player wins only from the middle.
        ("4x1c2", "-", "213", vec![Best, Best, Best], [2, 2, 0, 0]),
        // The first player could have completed 2 and 3.
        ("4x1c2", "-", "2143", vec![Best, Best, MissedWin, Best], [1, 2, 0, 0]),
        // A tie: from 1 on, each move but the last must meet the only threat.
        ("4x1c2", "-", "1234", vec![Mistake, Best, Best, Best], [1, 2, 1, 1]),
        // The second player leaves 1 and 2 open, the first misses it and leaves 2 and 3 to the second.
        ("4x1c2", "-", "1342", vec![Mistake, LeftOpen, MissedWin, Best], [0, 2, 0, 1]),
        // Column 1 or 2 would make two threats at once. After column 3, only the meeting of the threats is left.
        ("3x3c3", "1332", "32211", vec![Later, Best, Best, Best, Best], [1, 1, 0, 0]),
        // Column 1 would lose with the last piece. After column 2, each of the two columns left lets the first player win.
        ("3x3c3", "122", "2311", vec![Sooner, Best, Best, Best], [0, 0, 0, 0]),
        // Two neighbours lose. Only column 3 forces the first player to make them, and completes nothing for anyone.
        ("3x1c2m", "-", "132", vec![Best, Best, Best], [0, 0, 1, 1]),
        ("3x1c2m", "-", "123", vec![Best, Mistake, Best], [0, 0, 0, 1]),
    ];
    for (board, start, moves, expected, counts) in rows {
        let analysis = analyse_game(board, start, moves, Some);
        let classes: Vec<_> = analysis.moves().filter_map(|(_, ply, _)| ply.class()).collect();
        assert_eq!(classes, expected, "{board} {moves}");
        let [first, second] = Player::BOTH.map(|player| analysis.accuracy(player));
        assert_eq!([first.kept, first.mattered, second.kept, second.mattered], counts, "{board} {moves}");
    }
    let classes = |of: GameAnalysis| Vec::from_iter(of.moves().map(|(_, ply, _)| ply.class()));
    let values = analyse_game("3x3c3", "1332", "32211", |of| Some(Outcome { remoteness: None, ..of }));
    assert_eq!(classes(values), [Some(KeepsValue); 5]);
    // What the board shows needs no values; a move that is not decided does not matter.
    let unknown = analyse_game("4x1c2", "-", "1342", |_| None);
    assert_eq!(unknown.accuracy(Player::First), Accuracy::default());
    assert_eq!(classes(unknown), [None, Some(LeftOpen), Some(MissedWin), None]);
}
