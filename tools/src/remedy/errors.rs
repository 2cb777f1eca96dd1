//! What to type after each error of the libraries.

use std::error::Error;

use fourbase_tiers::answer::AnswerError;
use fourbase_tiers::communicator::CommunicatorError;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::database::DatabaseError;
use fourbase_tiers::dataset::DatasetError;
use fourbase_tiers::files::{Disk, FileError};
use fourbase_tiers::format::lock_path;
use fourbase_tiers::index::IndexError;
use fourbase_tiers::positions::PositionError;
use fourbase_tiers::solve::SolveError;
use fourbase_tiers::verify::VerifyError;

use super::commands::{again, like, make, resume};
use super::given::Given;
use crate::temporary::{self, NoFolder};
use crate::unsound::{UnreadFile, Unsound};
use crate::{memory, wording};

/// Finds the remedy of one layer of an error; `None` where it has none.
pub fn of_one(error: &(dyn Error + 'static), given: &Given) -> Option<String> {
    if let Some(error) = error.downcast_ref::<SolveError>() {
        of_solve(error, given)
    } else if let Some(error) = error.downcast_ref::<CountError>() {
        of_count(error, given)
    } else if let Some(error) = error.downcast_ref::<DatabaseError>() {
        of_database(error, given)
    } else if let Some(error) = error.downcast_ref::<VerifyError>() {
        match error {
            VerifyError::Database(error) => of_database(error, given),
            VerifyError::Communicator(error) => Some(of_communicator(error)),
            VerifyError::Count(error) => of_count(error, given),
        }
    } else if let Some(error) = error.downcast_ref::<AnswerError>() {
        if let AnswerError::Database(error) = error { of_database(error, given) } else { None }
    } else if let Some(error) = error.downcast_ref::<DatasetError>() {
        of_dataset(error, given)
    } else if let Some(error) = error.downcast_ref::<FileError>() {
        Some(of_file(error, given))
    } else if let Some(error) = error.downcast_ref::<IndexError>() {
        Some(of_index(error))
    } else if let Some(Unsound { board, values, keep_plies, .. }) = error.downcast_ref() {
        let options = given.of_database(*values, *keep_plies).options();
        Some(format!("make it again with: fourbase solve {board}{options} --replace"))
    } else if error.is::<UnreadFile>() {
        Some(CHECK_FOLDER.to_owned())
    } else if error.is::<NoFolder>() {
        Some(more_room())
    } else {
        None
    }
}

fn of_solve(error: &SolveError, given: &Given) -> Option<String> {
    Some(match error {
        SolveError::Index(error) => of_index(error),
        SolveError::Memory { needed, .. } => more_memory(*needed, given),
        SolveError::Busy { .. } => "wait for it to end, or end it".to_owned(),
        SolveError::Stopped { board, values, keep_plies, .. } => resume(*board, *values, *keep_plies, given),
        SolveError::Disk { .. } if given.takes("scratch") => {
            "make room, or choose another disk with --db or --scratch".to_owned()
        }
        SolveError::Disk { .. } if given.is_temporary() => more_room(),
        SolveError::Disk { .. } => "make room, or choose a smaller board".to_owned(),
        SolveError::Scratch { .. } => {
            "give the --scratch of the earlier solve, or start over with --replace".to_owned()
        }
        SolveError::Kept { board, values, found, .. } => {
            format!("keep its plies with: {}, or start over with --replace", like(*board, *values, *found, given))
        }
        SolveError::Communicator(error) => of_communicator(error),
        SolveError::Code { .. } => "count again; if it happens again, please report it".to_owned(),
        SolveError::File(error) => of_file(error, given),
    })
}

fn of_communicator(error: &CommunicatorError) -> String {
    match error {
        CommunicatorError::OtherJob { .. } => {
            "start all processes with the same program and the same options".to_owned()
        }
        CommunicatorError::NotShared { .. } => {
            "give folders that all machines share with --db and --scratch".to_owned()
        }
        CommunicatorError::Unreadable { .. } => "start the job again; if it happens again, please report it".to_owned(),
    }
}
fn of_count(error: &CountError, given: &Given) -> Option<String> {
    Some(match error {
        CountError::Memory { .. } if given.takes("sample") => {
            "give --sample N, which counts nothing, or a higher --memory".to_owned()
        }
        CountError::Memory { needed_bytes, .. } => more_memory(*needed_bytes, given),
        CountError::Index(error) => of_index(error),
        CountError::Busy { .. } if given.takes("scratch") => "wait for it to end, or give another --scratch".to_owned(),
        CountError::Busy { .. } => "wait for it to end".to_owned(),
        CountError::Disk { .. } if given.takes("scratch") => {
            "make room, or give another folder with --scratch".to_owned()
        }
        CountError::Disk { .. } if given.is_temporary() => more_room(),
        CountError::Disk { .. } => "make room, or choose a smaller board".to_owned(),
        CountError::Stopped { folder: Some(_), .. } => "run the same command to resume".to_owned(),
        CountError::Stopped { folder: None, .. } => {
            "nothing was kept; give --scratch DIR to count in files, which can resume".to_owned()
        }
        CountError::Damaged { folder, .. } => format!("remove {} and count again", wording::path(folder)),
        CountError::Communicator(error) => of_communicator(error),
        CountError::Uncounted { board, .. } => {
            format!("solve it without --stats, then: fourbase stats {board}; or start over with --replace")
        }
        CountError::Solve(error) => return of_solve(error, given),
        CountError::File(error) => of_file(error, given),
    })
}

fn of_database(error: &DatabaseError, given: &Given) -> Option<String> {
    Some(match error {
        DatabaseError::Missing { board, root } => {
            let count = if given.takes("legal") { COUNT } else { "" };
            match make(*board, root, given) {
                Some(make) => format!("make it with: {make}{count}"),
                None if given.takes("search") => {
                    format!("a solve of {board} does not fit this machine; search: --search auto")
                }
                None => format!("a solve of {board} does not fit this machine; choose a smaller board"),
            }
        }
        DatabaseError::NotSolved { folder, board, values, keep_plies, .. } => {
            let instead = if given.takes("legal") {
                COUNT
            } else if given.takes("search") {
                "; or search: --search auto"
            } else {
                ""
            };
            match Disk.holder(&lock_path(folder)) {
                Some(solver) => format!("{solver} is solving it now; wait for it to end{instead}"),
                None => format!("{}{instead}", resume(*board, *values, *keep_plies, given)),
            }
        }
        DatabaseError::OtherBoard { found, .. } => format!("open the database of {found}"),
        DatabaseError::File(error) => of_file(error, given),
        DatabaseError::Index(error) => of_index(error),
        DatabaseError::Search(_) => return None,
    })
}

fn of_dataset(error: &DatasetError, given: &Given) -> Option<String> {
    Some(match error {
        DatasetError::Position(error) => return of_position(error, given),
        DatasetError::NoColumns => "give --columns such as moves,value".to_owned(),
        DatasetError::NoRemoteness { board, .. } => {
            format!("leave it out, or solve with remoteness: fourbase solve {board} --values remoteness")
        }
        DatasetError::NoParquet => "write CSV with --format csv".to_owned(),
        DatasetError::Fewer { found, .. } => {
            format!("give --sample {found} or less, or more --plies; without --sample, all positions are written")
        }
        DatasetError::Write(_) => "check the folder, its permissions and the free space".to_owned(),
        DatasetError::Answer(error) => return of_answer(error, given),
        DatasetError::Notation(_) => return None,
    })
}

/// What to do about a file that the system refuses.
const CHECK_FOLDER: &str = "check the folder, its permissions and the free space";
fn of_position(error: &PositionError, given: &Given) -> Option<String> {
    Some(match error {
        PositionError::NoPlies | PositionError::Late { .. } => "give other --plies".to_owned(),
        PositionError::Ply { board, .. } => format!("give --plies from 0 to {}", board.cells()),
        PositionError::NotDrawn { .. } => "give other --plies or another --kind".to_owned(),
        PositionError::Answer(error) => return of_answer(error, given),
        PositionError::Count(error) => return of_count(error, given),
        PositionError::Stopped => return None,
    })
}

/// What to do where a position of a data set has no answer.
fn of_answer(error: &AnswerError, given: &Given) -> Option<String> {
    match error {
        error if error.is_limit() => {
            Some("allow more with --nodes, or give --plies that the database keeps".to_owned())
        }
        AnswerError::Database(error) => of_database(error, given),
        _ => None,
    }
}

/// What `stats` can do without a complete database.
pub const COUNT: &str = "; or count without one: --legal or --values KIND";

fn more_memory(needed_bytes: u128, given: &Given) -> String {
    if memory::total_bytes().is_some_and(|total| needed_bytes > total.into()) {
        return "choose a smaller board".to_owned();
    }
    let more = if given.takes("memory") { "give a higher --memory" } else { "free some memory" };
    format!("{more}, or choose a smaller board")
}

/// What to do where the system's folder for temporary files is full or cannot be written.
pub fn more_room() -> String {
    let variable = if cfg!(windows) { "TMP" } else { "TMPDIR" };
    let parent = temporary::parent();
    let make = if parent.exists() { "make room in" } else { "make the folder" };
    format!("{make} {}, or set {variable} to a folder on another disk", wording::path(&parent))
}

fn of_index(_: &IndexError) -> String {
    "choose a board with fewer rows or columns".to_owned()
}

fn of_file(error: &FileError, given: &Given) -> String {
    match error {
        FileError::Io { .. } if given.is_temporary() && error.path().starts_with(temporary::parent()) => more_room(),
        FileError::Io { .. } => CHECK_FOLDER.to_owned(),
        FileError::NoBlock { folder, .. } => again(folder, given),
        FileError::Newer { file, .. } => {
            let again = again(file, given);
            format!("update fourbase; if there is no newer version, the file is damaged: {again}")
        }
        FileError::Wrong { file, .. } | FileError::Damaged { file, .. } | FileError::Checksum { file, .. } => {
            again(file, given)
        }
    }
}
