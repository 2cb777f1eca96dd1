//! What the user can type next after an error: the one place that knows.
//!
//! An error of the libraries carries facts. This file turns them into advice or a command, and repeats the options that
//! the user gave, so that the command works on the same database.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use clap::ArgMatches;
use clap::parser::ValueSource;
use fourbase::Board;
use fourbase_tiers::answer::AnswerError;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::database::{DatabaseError, RemotenessError};
use fourbase_tiers::files::FileError;
use fourbase_tiers::format::board_and_values_of;
use fourbase_tiers::index::IndexError;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::SolveError;

use crate::unsound::Unsound;

/// The options of the user's command that a remedy repeats, as they were typed; `None` for an option that was left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Given {
    pub values: Option<OsString>,
    pub keep_plies: Option<OsString>,
    pub db: Option<OsString>,
    pub scratch: Option<OsString>,
}

impl Given {
    /// Takes the options from the arguments of a subcommand. Defaults are not given, and `$FOURBASE_DB` needs no repeating.
    pub fn of(matches: &ArgMatches) -> Given {
        let typed = |id: &str| {
            // A subcommand without this option is an error of the look-up, and gives nothing.
            let mut texts = matches.try_get_raw(id).ok()??;
            let text = texts.next()?.to_os_string();
            (matches.value_source(id) == Some(ValueSource::CommandLine)).then_some(text)
        };
        Given { values: typed("values"), keep_plies: typed("keep_plies"), db: typed("db"), scratch: typed("scratch") }
    }

    /// Writes the options for the end of a command, each after a space.
    pub fn options(&self) -> String {
        let Given { values, keep_plies, db, scratch } = self;
        let options = [("values", values), ("keep-plies", keep_plies), ("db", db), ("scratch", scratch)];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.map(|(name, value)| format!(" --{name} {}", value.display())).collect()
    }

    /// Returns the same options for a database whose values and kept plies are known.
    fn of_database(&self, values: Values, keep_plies: Option<u32>) -> Given {
        let values = Some(values.to_string().into());
        Given { values, keep_plies: keep_plies.map(|most| most.to_string().into()), ..self.clone() }
    }
}

static GIVEN: OnceLock<Given> = OnceLock::new();

/// Remembers the options of the user's command, for all remedies of this run.
pub fn remember(given: Given) {
    let _ = GIVEN.set(given);
}

/// Returns what to type after an error; `None` where the error itself says it, or where nothing helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    of_chain(error.chain(), GIVEN.get().unwrap_or(&Given::default()))
}

/// Writes all layers of an error on one line, with its remedy.
pub fn told_whole(error: &anyhow::Error) -> String {
    of(error).map_or_else(|| format!("{error:#}"), |remedy| format!("{error:#}; {remedy}"))
}

/// Writes an error on one line, with its remedy.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let remedy = of_chain(chain, GIVEN.get().unwrap_or(&Given::default()));
    remedy.map_or_else(|| error.to_string(), |remedy| format!("{error}; {remedy}"))
}

/// Finds the first error of a chain that has a remedy.
fn of_chain<'e>(mut chain: impl Iterator<Item = &'e (dyn Error + 'static)>, given: &Given) -> Option<String> {
    chain.find_map(|error| of_one(error, given))
}

fn of_one(error: &(dyn Error + 'static), given: &Given) -> Option<String> {
    if let Some(error) = error.downcast_ref::<SolveError>() {
        of_solve(error, given)
    } else if let Some(error) = error.downcast_ref::<CountError>() {
        of_count(error, given)
    } else if let Some(error) = error.downcast_ref::<DatabaseError>() {
        of_database(error, given)
    } else if let Some(error) = error.downcast_ref::<AnswerError>() {
        if let AnswerError::Database(error) = error { of_database(error, given) } else { None }
    } else if let Some(error) = error.downcast_ref::<RemotenessError>() {
        if let RemotenessError::Database(error) = error { of_database(error, given) } else { None }
    } else if let Some(error) = error.downcast_ref::<FileError>() {
        Some(of_file(error, given))
    } else if let Some(error) = error.downcast_ref::<IndexError>() {
        Some(of_index(error))
    } else if let Some(Unsound { board, values, keep_plies, .. }) = error.downcast_ref() {
        let options = given.of_database(*values, *keep_plies).options();
        Some(format!("make it again with: fourbase solve {board}{options} --replace"))
    } else {
        None
    }
}

fn of_solve(error: &SolveError, given: &Given) -> Option<String> {
    Some(match error {
        SolveError::Index(error) => of_index(error),
        SolveError::Memory { .. } => "give a higher --memory, or choose a smaller board".to_owned(),
        SolveError::Busy { .. } => "wait for it to end, or end it".to_owned(),
        SolveError::Stopped { board, values, keep_plies, .. } => resume(*board, *values, *keep_plies, given),
        SolveError::Disk { .. } => "make room, or give another folder with --scratch".to_owned(),
        SolveError::Scratch { .. } => {
            "give the --scratch of the earlier solve, or start over with --replace".to_owned()
        }
        SolveError::Kept { board, values, found, .. } => {
            format!("{}, or start over with --replace", resume(*board, *values, *found, given))
        }
        SolveError::File(error) => of_file(error, given),
    })
}

fn of_count(error: &CountError, given: &Given) -> Option<String> {
    Some(match error {
        CountError::Memory { .. } => "give a higher --memory, or choose a smaller board".to_owned(),
        CountError::Index(error) => of_index(error),
        CountError::Busy { .. } => "wait for it to end, or give another --scratch".to_owned(),
        CountError::Disk { .. } => "make room, or give another folder with --scratch".to_owned(),
        CountError::Stopped { .. } => "the same command resumes where it used files".to_owned(),
        CountError::Damaged { folder, .. } => format!("remove {} and count again", folder.display()),
        CountError::Code { .. } => "count again; if it happens again, please report it".to_owned(),
        CountError::File(error) => of_file(error, given),
    })
}

fn of_database(error: &DatabaseError, given: &Given) -> Option<String> {
    Some(match error {
        DatabaseError::Missing { board, .. } => {
            format!("make it with: fourbase solve {board}{}", given.options())
        }
        DatabaseError::NotSolved { board, values, keep_plies, .. } => resume(*board, *values, *keep_plies, given),
        DatabaseError::OtherBoard { found, .. } => format!("open the database of {found}"),
        DatabaseError::File(error) => of_file(error, given),
        DatabaseError::Index(error) => of_index(error),
        DatabaseError::Search(_) => return None,
    })
}

fn of_index(_: &IndexError) -> String {
    "choose a board with fewer rows or columns".to_owned()
}

fn of_file(error: &FileError, given: &Given) -> String {
    match error {
        FileError::Io { .. } => "check the folder, its permissions and the free space".to_owned(),
        FileError::NoBlock { .. } => "start over with --replace".to_owned(),
        FileError::Newer { file, .. } => {
            let again = again(file, given);
            format!("update fourbase; if there is no newer version, the file is damaged: {again}")
        }
        FileError::Wrong { file, .. } | FileError::Damaged { file, .. } | FileError::Checksum { file, .. } => {
            again(file, given)
        }
    }
}

fn resume(board: Board, values: Values, keep_plies: Option<u32>, given: &Given) -> String {
    format!("resume with: fourbase solve {board}{}", given.of_database(values, keep_plies).options())
}

/// Names the command that makes the database of a file again, as far as the file's path tells it.
fn again(file: &Path, given: &Given) -> String {
    let names = file.ancestors().take(2).find_map(board_and_values_of);
    let Some((board, values)) = names else {
        return "make the database again with: fourbase solve BOARD --replace".into();
    };
    let given = Given { values: Some(values.to_string().into()), ..given.clone() };
    format!("make the database again with: fourbase solve {board}{} --replace", given.options())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn remedy(error: &(dyn Error + 'static), given: &Given) -> Option<String> {
        of_chain(std::iter::successors(Some(error), |error| (*error).source()), given)
    }

    #[test]
    fn a_database_with_faults_is_made_again_where_it_is() {
        let unsound = Unsound {
            board: "5x4".parse().unwrap(),
            values: Values::Wdl,
            keep_plies: Some(7),
            folder: PathBuf::from("a/5x4/wdl"),
            faults: 1200,
        };
        assert_eq!(unsound.to_string(), "a/5x4/wdl has 1,200 faults");
        let given = Given { db: Some("a".into()), scratch: Some("s".into()), ..Given::default() };
        let expected =
            "make it again with: fourbase solve 5x4 --values wdl --keep-plies 7 --db a --scratch s --replace";
        assert_eq!(remedy(&unsound, &given).unwrap(), expected);
        assert_eq!(remedy(&std::fmt::Error, &given), None);
    }

    #[test]
    fn every_command_repeats_the_options_that_the_user_gave() {
        let board = "5x4".parse().unwrap();
        let given =
            Given { values: Some("wdl".into()), db: Some("a".into()), scratch: Some("s".into()), ..Given::default() };
        let missing = DatabaseError::Missing { board, root: "a".into() };
        assert_eq!(
            remedy(&missing, &given).unwrap(),
            "make it with: fourbase solve 5x4 --values wdl --db a --scratch s"
        );
        let kept =
            SolveError::Kept { folder: "a/5x4/wdl".into(), board, values: Values::Wdl, found: Some(7), wanted: None };
        let resumes = "resume with: fourbase solve 5x4 --values wdl --keep-plies 7 --db a --scratch s";
        assert_eq!(remedy(&kept, &given).unwrap(), format!("{resumes}, or start over with --replace"));
        let damaged = FileError::Damaged { file: "a/5x4/remoteness/tier-03".into(), offset: 0, what: "cut" };
        assert_eq!(
            remedy(&DatabaseError::from(damaged), &Given::default()).unwrap(),
            "make the database again with: fourbase solve 5x4 --values remoteness --replace"
        );
    }
}
