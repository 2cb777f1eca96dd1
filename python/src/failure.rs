//! Turns errors of the libraries into Python exceptions, whose messages say what to type next.
//!
//! The classes are Python's: `fourbase/errors.py` has their hierarchy and says what each means.

use fourbase::analysis::AnalysisError;
use fourbase_tiers::database::{DEFAULT_ROOT, DatabaseError, Misplaced};
use fourbase_tiers::files::FileError;
use fourbase_tiers::positions::PositionError;
use fourbase_tiers::solve::SolveError;
use pyo3::prelude::*;

/// Makes an exception of a class of `fourbase.errors`.
pub fn exception(class: &str, message: String) -> PyErr {
    made(class, |class| class.call1((message,)))
}

/// Makes a `PositionError` or a `SearchLimit` about a row of a batch, counted from 0.
pub fn of_row(class: &str, row: usize, reason: &str) -> PyErr {
    made(class, |class| class.call1((format!("row {row}: {reason}"), row)))
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

fn made(class: &str, make: impl for<'py> FnOnce(Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>) -> PyErr {
    Python::attach(|py| {
        let class = py.import("fourbase.errors").and_then(|errors| errors.getattr(class));
        match class.and_then(make) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
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
    if let (Some(remedy), false) = (error.remedy_of_host(), matches!(error, DatabaseError::File(_))) {
        let is_unfinished = matches!(error, DatabaseError::NotSolved { .. });
        let class = if is_unfinished { "DatabaseUnfinished" } else { "DatabaseMissing" };
        return exception(class, format!("{message}; {remedy}"));
    }
    match error {
        DatabaseError::Missing { board, root }
        | DatabaseError::Misplaced { board: Some(board), root, found: Misplaced::Nothing } => {
            let place = if root.as_os_str() == DEFAULT_ROOT { String::new() } else { format!(", db={root:?}") };
            let message = format!(
                "{message}; make it with fourbase.solve(\"{board}\"{place}), \
                 or search without one: fourbase.search(\"{board}\", position)"
            );
            exception("DatabaseMissing", message)
        }
        DatabaseError::Misplaced { found: Misplaced::Inside(root), .. } => {
            exception("DatabaseMissing", format!("{message}; write db={root:?}"))
        }
        DatabaseError::Misplaced { .. } => {
            exception("DatabaseMissing", format!("{message}; give the folder that solve has made, or leave db out"))
        }
        DatabaseError::MissingValues { board, values, .. } => exception(
            "DatabaseMissing",
            format!("{message}; make it with fourbase.solve(\"{board}\", values=\"{values}\")"),
        ),
        DatabaseError::NotSolved { board, .. } => {
            exception("DatabaseUnfinished", format!("{message}; go on with fourbase.solve(\"{board}\")"))
        }
        DatabaseError::Index(_) => exception("BoardError", format!("{message}; take fewer rows or columns")),
        DatabaseError::Analysis(error) => of_analysis(&error, "nodes=..."),
        DatabaseError::File(error) => of_file(&error),
    }
}

/// Explains why there is no answer. `limits` names the arguments that raise the limits of the search.
pub fn of_analysis(error: &AnalysisError, limits: &str) -> PyErr {
    let more = format!("allow more with {limits}, or ask about a later position");
    let (class, remedy) = match error {
        error if error.is_limit() => ("SearchLimit", more.as_str()),
        AnalysisError::OtherBoard(_) => ("PositionError", "ask about that board"),
        _ => ("DatabaseDamaged", "solve the board again with replace=True"),
    };
    exception(class, format!("{error}; {remedy}"))
}

/// Explains why positions were not listed or drawn.
pub fn of_position(error: PositionError) -> PyErr {
    let message = error.to_string();
    let option = |remedy: &str| exception("OptionError", format!("{message}; {remedy}"));
    match error {
        PositionError::Database(error) => of_database(error),
        PositionError::Solve(SolveError::Memory { .. }) => exception(
            "SolveMemory",
            format!(
                "{message}; allow more with memory=BYTES, or draw positions: sample(), or export() with sample=..."
            ),
        ),
        PositionError::Memory { is_sample, .. } => {
            let other =
                if is_sample { "write a smaller count, or leave out distinct=True" } else { "or earlier plies" };
            exception("SolveMemory", format!("{message}; allow more with memory=BYTES, {other}"))
        }
        PositionError::Solve(_) | PositionError::Notation(_) | PositionError::Stopped => {
            exception("FourbaseError", message)
        }
        PositionError::Fewer { .. } => option("write a smaller count, or more plies=..."),
        PositionError::NotDrawn { .. } => option("write other plies=... or another kind=..."),
        PositionError::NoPlies | PositionError::Ply { .. } | PositionError::Late { .. } => {
            option("write other plies=...")
        }
        PositionError::Write(_) => {
            exception("FileError", format!("{message}; check the folder, its permissions and the free space"))
        }
        PositionError::NoScore => option("leave it out"),
        PositionError::NoRemoteness { .. } => option("leave it out, or solve with values=\"remoteness\""),
        PositionError::Long { .. } => {
            option("draw fewer with sample=..., choose other plies=... or columns=..., or allow it with hours=None")
        }
        PositionError::NoColumns => option("write columns=[\"bitboards\", \"value\"]"),
        PositionError::NoParquet => option("write CSV"),
    }
}

/// Explains why there is no data set.
pub fn of_dataset(error: PositionError) -> PyErr {
    match error {
        PositionError::Fewer { .. } => {
            exception("OptionError", format!("{error}; ask for fewer with sample=..., or leave it out to write all"))
        }
        error => of_position(error),
    }
}

fn of_file(error: &FileError) -> PyErr {
    let (class, remedy) = match error {
        FileError::Io { .. } | FileError::Message { .. } => {
            ("FileError", "check the folder, its permissions and the free space")
        }
        FileError::Newer { .. } => (
            "FileError",
            "update fourbase; if there is no newer version, the file is damaged: remove it and solve again",
        ),
        FileError::Wrong { .. } | FileError::Damaged { .. } => {
            ("DatabaseDamaged", "solve the board again with replace=True")
        }
    };
    exception(class, format!("{error}; {}", error.remedy_of_host().unwrap_or(remedy)))
}

/// Explains why a solve cannot start or go on.
pub fn of_solve(error: SolveError) -> PyErr {
    let message = error.to_string();
    let (class, remedy) = match &error {
        SolveError::Index(_) => ("BoardError", "take fewer rows or columns"),
        SolveError::Memory { .. } => ("SolveMemory", "allow more with memory=BYTES, or take a smaller board"),
        SolveError::Busy { .. } => ("SolveError", "wait for it to end"),
        SolveError::Stopped { .. } => ("SolveError", "the same call goes on from there"),
        SolveError::Disk { .. } => ("SolveError", "make room, or give another folder with db=..."),
        SolveError::Scratch { .. } => ("SolveError", "start over with replace=True"),
        SolveError::Threads(_) => ("SolveError", "ask for fewer threads"),
        SolveError::Kept { .. } => ("SolveError", "ask for the same keep_plies, or start over with replace=True"),
        SolveError::Damaged { .. } | SolveError::Uncounted { .. } | SolveError::Code { .. } => {
            ("SolveError", "count with the program")
        }
        SolveError::Communicator(_) => ("SolveError", "solve over MPI with the program"),
        SolveError::File(error) => return of_file(error),
    };
    exception(class, format!("{message}; {remedy}"))
}
