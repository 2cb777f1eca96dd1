//! Turns errors of the libraries into Python exceptions, whose messages say what to type next.
//!
//! The classes are Python's: `fourbase/errors.py` has their hierarchy and says what each means.

use fourbase::analysis::AnalysisError;
use fourbase::players::ChooseError;
use fourbase_tiers::database::{DEFAULT_ROOT, DatabaseError, Misplaced};
use fourbase_tiers::files::{FileError, plain};
use fourbase_tiers::positions::PositionError;
use fourbase_tiers::solve::SolveError;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// What to do about a file that the system refuses.
pub const CHECK_FOLDER: &str = "check the folder, its permissions and the free space";

/// What to do about a damaged database.
const SOLVE_AGAIN: &str = "solve the board again with replace=True";

/// Makes an exception of a class of `fourbase.errors`.
pub fn exception(class: &str, message: String) -> PyErr {
    exception_with(class, (message,))
}

/// Makes a `PositionError` or a `SearchLimit` about a row of a batch, counted from 0.
pub fn of_row(class: &str, row: usize, reason: &str) -> PyErr {
    exception_with(class, (format!("row {row}: {reason}"), row))
}

fn exception_with(class: &str, arguments: impl for<'py> PyCallArgs<'py>) -> PyErr {
    Python::attach(|py| {
        let class = py.import("fourbase.errors").and_then(|errors| errors.getattr(class));
        class.and_then(|class| class.call1(arguments)).map_or_else(|error| error, PyErr::from_value)
    })
}

/// Explains why a row of a batch has no answer.
pub fn of_question(row: usize, error: DatabaseError) -> PyErr {
    match error {
        DatabaseError::Analysis(error) if error.is_limit() => {
            let remedy = "allow more with nodes=..., or leave out what is not decided with errors=\"mask\"";
            of_row("SearchLimit", row, &format!("{error}; {remedy}"))
        }
        error => of_database(error),
    }
}

/// Explains why a player has no move.
pub fn of_choice(error: ChooseError) -> PyErr {
    match error {
        ChooseError::Unknown(error) => match error.downcast::<PyErr>().map_err(|error| error.downcast()) {
            Ok(error) => *error,
            Err(Ok(error)) => of_database(*error),
            Err(Err(error)) => exception("DatabaseError", error.to_string()),
        },
        ChooseError::Over => exception("MoveError", "the game is over; ask about an unfinished position".to_owned()),
        ChooseError::Human | ChooseError::TooFar { .. } => exception("OptionError", error.to_string()),
        error => exception("DatabaseError", error.to_string()),
    }
}

/// Makes the exception for a panic, which is a bug of fourbase.
pub fn bug(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let what = words.unwrap_or("no message");
    exception("FourbaseError", format!("fourbase has a bug, please report it: {what}"))
}

/// Explains an error of a database. The message says what to do about it.
pub fn of_database(error: DatabaseError) -> PyErr {
    let message = error.to_string();
    let (class, remedy) = match &error {
        DatabaseError::Analysis(error) => return of_analysis(error, "nodes=..."),
        DatabaseError::File(error) => return of_file(error),
        DatabaseError::NotSolved { board, .. } => {
            ("DatabaseUnfinished", format!("go on with fourbase.solve(\"{board}\")"))
        }
        DatabaseError::Index(_) => ("BoardError", "take fewer rows or columns".to_owned()),
        DatabaseError::Missing { board, root }
        | DatabaseError::Misplaced { board: Some(board), root, found: Misplaced::Nothing } => {
            let place = if root.as_os_str() == DEFAULT_ROOT { String::new() } else { format!(", db={root:?}") };
            let remedy = format!(
                "make it with fourbase.solve(\"{board}\"{place}), \
                 or search without one: fourbase.search(\"{board}\", position)"
            );
            ("DatabaseMissing", remedy)
        }
        DatabaseError::Misplaced { found: Misplaced::Inside(root), .. } => {
            ("DatabaseMissing", format!("write db={:?}", plain(root)))
        }
        DatabaseError::Misplaced { .. } => {
            ("DatabaseMissing", "give the folder that solve has made, or leave db out".to_owned())
        }
        DatabaseError::MissingValues { board, values, .. } => {
            ("DatabaseMissing", format!("make it with fourbase.solve(\"{board}\", values=\"{values}\")"))
        }
    };
    exception(class, format!("{message}; {}", error.remedy_of_host().unwrap_or(remedy)))
}

/// Explains why there is no answer. `limits` names the arguments that raise the limits of the search.
pub fn of_analysis(error: &AnalysisError, limits: &str) -> PyErr {
    let more = format!("allow more with {limits}, or ask about a later position");
    let (class, remedy) = match error {
        error if error.is_limit() => ("SearchLimit", more.as_str()),
        AnalysisError::OtherBoard(_) => ("PositionError", "ask about that board"),
        _ => ("DatabaseDamaged", SOLVE_AGAIN),
    };
    exception(class, format!("{error}; {remedy}"))
}

/// Explains why positions were not listed or drawn.
pub fn of_position(error: PositionError) -> PyErr {
    let (class, remedy) = match &error {
        PositionError::Solve(SolveError::Memory { .. }) => {
            ("SolveMemory", "allow more with memory=BYTES, or draw positions: sample(), or export() with sample=...")
        }
        PositionError::Memory { is_sample: true, .. } => {
            ("SolveMemory", "allow more with memory=BYTES, write a smaller count, or leave out distinct=True")
        }
        PositionError::Memory { .. } => ("SolveMemory", "allow more with memory=BYTES, or earlier plies"),
        PositionError::Fewer { .. } => ("OptionError", "write a smaller count, or more plies=..."),
        PositionError::NotDrawn { .. } => ("OptionError", "write other plies=... or another kind=..."),
        PositionError::NoPlies | PositionError::Ply { .. } | PositionError::Late { .. } => {
            ("OptionError", "write other plies=...")
        }
        PositionError::Write(_) => ("FileError", CHECK_FOLDER),
        PositionError::NoScore => ("OptionError", "leave it out"),
        PositionError::NoRemoteness { .. } => ("OptionError", "leave it out, or solve with values=\"remoteness\""),
        PositionError::Long { .. } => (
            "OptionError",
            "draw fewer with sample=..., choose other plies=... or columns=..., or allow it with hours=None",
        ),
        PositionError::NoColumns => ("OptionError", "write columns=[\"bitboards\", \"value\"]"),
        PositionError::NoParquet => ("OptionError", "write CSV"),
        PositionError::Database(_) | PositionError::Solve(_) | PositionError::Notation(_) | PositionError::Stopped => {
            return match error {
                PositionError::Database(error) => of_database(error),
                error => exception("FourbaseError", error.to_string()),
            };
        }
    };
    exception(class, format!("{error}; {remedy}"))
}

/// Explains why there is no data set.
pub fn of_dataset(error: PositionError) -> PyErr {
    if !matches!(error, PositionError::Fewer { .. }) {
        return of_position(error);
    }
    exception("OptionError", format!("{error}; ask for fewer with sample=..., or leave it out to write all"))
}

fn of_file(error: &FileError) -> PyErr {
    let (class, remedy) = match error {
        FileError::Io { .. } | FileError::Message { .. } => ("FileError", CHECK_FOLDER),
        FileError::Newer { .. } => (
            "FileError",
            "update fourbase; if there is no newer version, the file is damaged: remove it and solve again",
        ),
        FileError::Wrong { .. } | FileError::Damaged { .. } => ("DatabaseDamaged", SOLVE_AGAIN),
    };
    exception(class, format!("{error}; {}", error.remedy_of_host().unwrap_or(remedy)))
}

/// Explains why a solve cannot start or go on.
pub fn of_solve(error: SolveError) -> PyErr {
    let (class, remedy) = match &error {
        SolveError::Index(_) => ("BoardError", "take fewer rows or columns"),
        SolveError::Memory { .. } => ("SolveMemory", "allow more with memory=BYTES, or take a smaller board"),
        SolveError::Busy { .. } => ("SolveError", "wait for it to end"),
        SolveError::Stopped { .. } => ("SolveError", "the same call goes on from there"),
        SolveError::Disk { .. } => ("SolveError", "make room, or give another folder with db=..."),
        SolveError::Scratch { .. } => ("SolveError", "start over with replace=True"),
        SolveError::Threads(_) => ("SolveError", "ask for fewer threads"),
        SolveError::Kept { .. } => ("SolveError", "ask for the same keep_plies, or start over with replace=True"),
        SolveError::Damaged { .. } | SolveError::Uncounted { .. } => ("SolveError", "count with the program"),
        SolveError::Communicator(_) => ("SolveError", "solve over MPI with the program"),
        SolveError::File(error) => return of_file(error),
    };
    exception(class, format!("{error}; {remedy}"))
}
