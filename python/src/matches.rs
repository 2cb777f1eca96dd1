//! The function `match`: two players, named or written in Python, play many games.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use fourbase::analysis::DEFAULT_NODES;
use fourbase::players::{Choice, ChooseError, Chooser, Match, Outcomes, PlayedGame, Reason, Score, nothing_known};
use fourbase::search::Monitor;
use fourbase::{Position, Value, excerpt};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use rand::Rng;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, Games, OpeningPlies, Progress, Seed};
use crate::call_python;
use crate::database::{Database, read_kind};
use crate::failure::{exception, of_choice};
use crate::rows::usual_board;
use crate::work::{ProgressDisplay, budget, pool, threads, without_gil};

/// The default number of games if there are no openings, as that of the program.
const USUAL_GAMES: u32 = 100;

/// A player in Python. A whole number that is no legal column is an illegal move.
struct PythonPlayer<'a> {
    player: &'a Py<PyAny>,
    monitor: &'a Monitor,
}

impl Chooser for PythonPlayer<'_> {
    fn choose(&mut self, position: &Position, _: Option<usize>, _: &mut dyn Rng) -> Result<Choice, ChooseError> {
        let ask = |py: Python<'_>| -> PyResult<usize> {
            let found = self.player.bind(py).call1((crate::position::Position(*position),))?;
            let number = if found.is_instance_of::<PyBool>() { None } else { found.extract::<i64>().ok() };
            let column = number.map(|column| usize::try_from(column.wrapping_sub(1)).unwrap_or(usize::MAX));
            column.ok_or_else(|| {
                let found = found.repr().map_or_else(|_| String::new(), |found| found.to_string());
                let found = excerpt(&found, 40);
                exception("MoveError", format!("the player returned {found}; return a column, a whole number from 1"))
            })
        };
        // The exception of the interruption takes the place of this error.
        let column = if self.monitor.is_cancelled() { return Err(ChooseError::Over) } else { Python::attach(ask) };
        let column = column.map_err(|error| ChooseError::Unknown(Box::new(error)))?;
        Ok(Choice { column, reason: Reason::Rule { name: "python" } })
    }
}

/// Plays two players against each other, as ``fourbase match`` does, and returns a `Match`.
///
/// Each of ``a`` and ``b`` is the name of a player, as ``fourbase match --help`` lists them, or a function that takes a `Position` and
/// returns a column from 1. An illegal move loses the game. Games between two named players are played on all threads, and are those
/// of the program with the same ``seed``. Functions are called one after the other, on another thread: Ctrl-C
/// waits until the call ends.
///
/// With ``openings=PLIES``, each pair of games begins from a position after that many plies, and the players swap sides in the second
/// game. The pairs cover all such positions, or random ones if ``games`` is too small for all; by default there are two games for each,
/// or 100. Without openings, two players that draw nothing repeat the same two games, and the interval then says nothing.
///
/// ``board`` is a name (default: 7x6) or a `Database`. Players that need values get them from it, or from those in the folder ``db``,
/// or are an error where there are none; positions that are not stored are searched. ``progress`` is that of `Database.probe_many`.
///
/// >>> def center(position):
/// ...     return min(position.legal_moves, key=lambda column: abs(column - 4))
/// >>> result = fourbase.match(center, "pomakis:2", openings=2)
/// >>> result.wins, result.ties, result.losses, result.illegal
/// (5, 0, 93, (0, 0))
#[pyfunction]
#[pyo3(name = "match", signature = (a, b, *, board=None, games=None, openings=0, db=None, seed=1, progress=None))]
pub fn play_match<'py>(
    a: Bound<'py, PyAny>,
    b: Bound<'py, PyAny>,
    board: Option<&Bound<'py, PyAny>>,
    games: Option<Games>,
    #[pyo3(from_py_with = OpeningPlies::read)] openings: u32,
    db: Option<PathBuf>,
    #[pyo3(from_py_with = Seed::read)] seed: u64,
    progress: Progress<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, games) = (a.py(), games.map(|games| games.0));
    let (board, database) = match board.map(|board| board.cast::<Database>().map_err(|_| board)) {
        Some(Ok(database)) => (database.get().analyst.board, Some(database.get().clone())),
        Some(Err(name)) => (name.extract::<BoardArgument>()?.0, None),
        None => (usual_board(), None),
    };
    let kind = |player: &Bound<'_, PyAny>| (!player.is_callable()).then(|| read_kind(player.extract()?)).transpose();
    let (kinds, functions) = ([kind(&a)?, kind(&b)?], [a.unbind(), b.unbind()]);
    let drawn = without_gil(py, || Match::new(board, openings, games, USUAL_GAMES, seed))?;
    let drawn = drawn.ok_or_else(|| {
        let message = format!("hardly a game of {board} lasts longer than openings={openings}; write fewer plies");
        exception("OptionError", message)
    })?;
    let needs_outcomes = kinds.iter().flatten().any(|kind| kind.needs_outcomes());
    let found = needs_outcomes.then(|| database.map_or_else(|| Database::find(py, BoardArgument(board), db, None), Ok));
    let analyst = found.transpose()?.map(|found| found.analyst);
    let (games, done) = (drawn.games, AtomicU32::new(0));
    let fields = |monitor: &Monitor| Some(("games", done.load(Relaxed), Some(games), monitor.nodes()));
    // Other threads than those that all calls share wait for a function, which may make such a call.
    let is_named = kinds.iter().all(Option::is_some);
    let threads = if is_named { pool()? } else { Arc::new(threads(1)?) };
    let display = ProgressDisplay::new(py, board, "Progress", progress)?;
    let played = display.run_interruptible(py, &threads, fields, |monitor| {
        let player = |place: usize| -> Option<Box<dyn Chooser + '_>> {
            let outcomes: Outcomes<'_> = match &analyst {
                Some(of) => {
                    Box::new(move |position| Ok(of.moves(position, &mut budget(Some(DEFAULT_NODES), monitor))?))
                }
                None => nothing_known(),
            };
            match kinds[place] {
                Some(kind) => kind.chooser(board, outcomes),
                None => Some(Box::new(PythonPlayer { player: &functions[place], monitor })),
            }
        };
        // A function that waits for other threads must not meet the next game meanwhile.
        let at_once = if is_named { 1 } else { games as usize };
        let play = |players: &mut Option<_>, number| {
            let players = players.as_mut().filter(|_| !monitor.is_cancelled()).ok_or(ChooseError::Human)?;
            let played = drawn.play(number, [&"a", &"b"], players).map_err(|error| error.reason)?;
            done.fetch_add(1, Relaxed);
            Ok(played)
        };
        let games = (0..games).into_par_iter().with_min_len(at_once).map_init(|| Some([player(0)?, player(1)?]), play);
        games.map(|played| played.map(|(played, game)| (played, game.moves()))).collect::<Result<Vec<_>, _>>()
    })?;
    let (played, games): (Vec<PlayedGame>, Vec<String>) = played.map_err(of_choice)?.into_iter().unzip();
    let sides = Score::of(played.iter(), 0);
    let (all, counts) = (sides.first.plus(sides.second), |of: Score| (of.wins, of.ties, of.losses));
    let points: Option<(f64, (f64, f64))> = all.points().map(|of| (of.share, of.interval.into()));
    let illegal = |value| played.iter().filter(|game| game.is_illegal && game.value == value).count();
    let illegal = (illegal(Value::Lose), illegal(Value::Win));
    let ((points, interval), sides) = (points.unzip(), (counts(sides.first), counts(sides.second)));
    let fields = (all.wins, all.ties, all.losses, sides.0, sides.1, points, interval, illegal, games);
    call_python(py, "Match", fields)
}
