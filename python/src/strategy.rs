//! The function `strategy`: a rule of play written in Python, against every reply.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use fourbase::strategy::{Rule, check};
use fourbase::{Player, excerpt, notation};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::arguments::{BoardArgument, Memory, Progress, memory_bytes, named};
use crate::call_python;
use crate::database::Database;
use crate::failure::{exception, of_database};
use crate::position::Position;
use crate::work::{ProgressDisplay, SIGNAL_INTERVAL, pool, without_gil};

/// A rule in Python. After its first error it is undefined everywhere, so that the check ends soon.
struct PythonRule<'a, 'py> {
    py: Python<'py>,
    reply: &'a Bound<'py, PyAny>,
    error: RefCell<Option<PyErr>>,
    display: ProgressDisplay,
    /// How often the rule was asked, and when this number was last shown.
    asked: Cell<(u64, Instant)>,
}

impl Rule for PythonRule<'_, '_> {
    fn name(&self) -> &'static str {
        "python"
    }

    fn reply(&self, position: &fourbase::Position, last: Option<usize>) -> Option<usize> {
        if self.error.borrow().is_some() {
            return None;
        }
        let asked = || -> PyResult<Option<usize>> {
            self.py.check_signals()?;
            let (asked, shown_at) = self.asked.get();
            self.asked.set((asked + 1, shown_at));
            if shown_at.elapsed() > SIGNAL_INTERVAL {
                self.asked.set((asked + 1, Instant::now()));
                self.display.show(self.py, ("positions", asked + 1, None::<u64>, 0))?;
            }
            let last = last.map(|column| column + 1);
            let column = self.reply.call1((Position(*position), last))?;
            if column.is_none() {
                return Ok(None);
            }
            let number = if column.is_instance_of::<PyBool>() { None } else { column.extract::<usize>().ok() };
            // The library counts columns from 0. A 0 from Python is an error and must not pass for an undefined answer.
            match number.and_then(|column| column.checked_sub(1)) {
                Some(place) if place < position.board().width() => Ok(Some(place)),
                _ => {
                    let (found, columns) = (column.repr()?.to_string(), position.board().width());
                    let message =
                        format!("the rule plays column {}; columns count from 1 to {columns}", excerpt(&found, 40));
                    Err(exception("MoveError", message))
                }
            }
        };
        asked().unwrap_or_else(|error| {
            self.error.replace(Some(error));
            None
        })
    }
}

/// Proves or refutes a rule of play: plays every reply against it.
///
/// ``rule(position, last)`` returns the column to play, from 1. The rule is undefined where it returns None or a full column.
/// ``last`` is the opponent's last move, None on the empty board. The answer may depend on these two alone, and must be the same
/// each time. ``player`` follows the rule. ``memory`` is the most bytes (default: 80 % of the free memory). ``progress`` is that of
/// `Database.probe_many`, and counts how often the rule was asked.
///
/// If the folder ``db`` has a complete database of the board, the rule is compared with it too. An error of the rule, and Ctrl-C,
/// stop the check.
///
/// >>> def follow_up(position, last):
/// ...     return last if last in position.legal_moves else None
/// >>> result = fourbase.strategy(follow_up, "4x4")
/// >>> result.verdict, result.refutation
/// ('loses', '1122334')
#[pyfunction]
#[pyo3(signature = (rule, board, *, player="second", db=None, memory=None, progress=None))]
pub fn strategy<'py>(
    rule: &Bound<'py, PyAny>,
    board: BoardArgument,
    player: &str,
    db: Option<PathBuf>,
    memory: Option<Memory>,
    progress: Progress<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = rule.py();
    let database = match Database::find(py, board, db, None) {
        Ok(found) => Some(found),
        Err(error) if error.is_instance_of::<PyFileNotFoundError>(py) => None,
        Err(error) => return Err(error),
    };
    let mut databases = database.iter().flat_map(|database| &database.analyst.databases);
    let database = databases.find(|of| of.manifest.keep_plies.is_none() && of.manifest.root().is_some());
    let player = named("player", player, &[("first", Player::First), ("second", Player::Second)])?;
    let memory = memory.map_or_else(memory_bytes, |bytes| bytes.0);
    let (display, asked) = (ProgressDisplay::new(py, board.0, "Progress", progress)?, Cell::new((0, Instant::now())));
    let rule = PythonRule { py, reply: rule, error: RefCell::new(None), display, asked };
    let checked = check(&rule, board.0, player, memory);
    rule.error.take().map_or(Ok(()), Err)?;
    let checked = checked.map_err(|error| exception("FourbaseError", error.to_string()))?;
    let mut compared = (None, None, None);
    if let Some(database) = database {
        let threads = pool()?;
        let values = |positions: &[fourbase::Position]| -> Result<Vec<fourbase::Value>, Box<dyn Error + Send + Sync>> {
            py.check_signals()?;
            let outcomes = without_gil(py, || threads.install(|| database.probe_many(positions)))?.into_iter();
            outcomes.map(|outcome| Ok(outcome.map_err(of_database)?.value)).collect()
        };
        let kept = checked.keep(&rule, memory, values);
        let kept = kept.map_err(|error| match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(error) => exception("FourbaseError", error.to_string()),
        })?;
        rule.error.take().map_or(Ok(()), Err)?;
        compared = (Some(kept.strategy_to_move), Some(kept.kept), Some(kept.secured));
    }
    let line = |line: &Option<Vec<usize>>| line.as_ref().map(|line| notation::columns_to_text(line.iter().copied()));
    let lines = checked.lines;
    let result = (
        checked.verdict().to_string(),
        line(&checked.refutation),
        line(&checked.undefined),
        checked.positions.all,
        lines.all,
        lines.won_by.first,
        lines.won_by.second,
        lines.ties,
        compared.0,
        compared.1,
        compared.2,
    );
    call_python(py, "Strategy", result)
}
