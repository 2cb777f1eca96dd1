//! What the user can type next after an error: the one place that knows.
//!
//! An error of the libraries carries facts. This file turns them into advice or a command, and repeats the options that
//! the user gave, so that the command works on the same database.

use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use fourbase::{Board, excerpt};
use fourbase_tiers::answer::AnswerError;
use fourbase_tiers::counts::CountError;
use fourbase_tiers::database::{DatabaseError, RemotenessError};
use fourbase_tiers::files::{Disk, FileError, escaped};
use fourbase_tiers::format::{Manifest, board_and_values_of, lock_path};
use fourbase_tiers::index::IndexError;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::solve::SolveError;
use fourbase_tiers::verify::VerifyError;

use crate::feasible::{feasible_values, is_feasible};
use crate::quote::{option, word};
use crate::temporary::NoFolder;
use crate::unsound::Unsound;
use crate::{temporary, wording};

/// What a remedy repeats of the user's command, as it was typed; `None` for what was left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Given {
    pub board: Option<OsString>,
    pub values: Option<OsString>,
    pub keep_plies: Option<OsString>,
    pub db: Option<OsString>,
    pub scratch: Option<OsString>,
    /// Of `solve` alone: the `--memory` of another command limits something else, and could be too little for a solve.
    pub memory: Option<OsString>,
    /// The players of `play`.
    pub first: Option<OsString>,
    pub second: Option<OsString>,
    /// The name of the subcommand.
    pub subcommand: String,
    /// The names of all options that the subcommand takes, given or not.
    pub takes: Vec<String>,
}

impl Given {
    /// Takes the options from the arguments of a subcommand. A default counts as left out, and so does `$FOURBASE_DB`:
    /// the next command finds both by itself.
    pub fn of(subcommand: &Command, matches: &ArgMatches) -> Given {
        let typed = |id: &str| {
            // A subcommand without this option is an error of the look-up, and gives nothing.
            let mut texts = matches.try_get_raw(id).ok()??;
            let text = texts.next()?.to_os_string();
            (matches.value_source(id) == Some(ValueSource::CommandLine)).then_some(text)
        };
        Given {
            board: typed("board"),
            values: typed("values"),
            keep_plies: typed("keep_plies"),
            db: typed("db"),
            scratch: typed("scratch"),
            memory: typed("memory").filter(|_| subcommand.get_name() == "solve"),
            first: typed("first"),
            second: typed("second"),
            subcommand: subcommand.get_name().to_owned(),
            takes: subcommand.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect(),
        }
    }

    /// Tells whether the user's subcommand takes an option.
    fn takes(&self, name: &str) -> bool {
        self.takes.iter().any(|taken| taken == name)
    }

    /// Tells whether what the subcommand solves and counts goes into a temporary folder.
    fn is_temporary(&self) -> bool {
        ["bench", "match", "grade"].contains(&self.subcommand.as_str())
    }

    /// Writes the options for the end of a `solve`, each after a space.
    pub fn options(&self) -> String {
        let Given { values, keep_plies, db, scratch, memory, .. } = self;
        let folders = [("db", db), ("scratch", scratch)];
        let options = [("values", values), ("keep-plies", keep_plies)].into_iter().chain(folders);
        written(options.chain([("memory", memory)]))
    }

    /// Returns the same options for a database whose values and kept plies are known.
    fn of_database(&self, values: Values, keep_plies: Option<u32>) -> Given {
        let values = Some(values.to_string().into());
        Given { values, keep_plies: keep_plies.map(|most| most.to_string().into()), ..self.clone() }
    }
}

/// Writes those of some options that were given, each after a space.
fn written<'g>(options: impl IntoIterator<Item = (&'g str, &'g Option<OsString>)>) -> String {
    options.into_iter().filter_map(|(name, value)| Some(option(name, value.as_ref()?))).collect()
}

static GIVEN: OnceLock<Given> = OnceLock::new();

/// Remembers the options of the user's command, for all remedies of this run.
pub fn remember(given: Given) {
    let _ = GIVEN.set(given);
}

/// Returns the command that solves a board into the user's folder of databases.
pub fn to_solve(board: &str) -> String {
    format!("fourbase solve {board}{}", GIVEN.get().unwrap_or(&Given::default()).options())
}

/// Returns the command that continues a saved game, with the players that the user gave.
pub fn to_play(board: Board, file: &Path) -> String {
    let given = GIVEN.get().cloned().unwrap_or_default();
    let options = written([("first", &given.first), ("second", &given.second), ("db", &given.db)]);
    format!("fourbase play {board}{options}{}", option("load", file))
}

/// Returns what to type after an error; `None` where the error itself says it, or where nothing helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    of_chain(error.chain(), GIVEN.get().unwrap_or(&Given::default()))
}

/// Writes all layers of an error on one line, with its remedy.
pub fn told_whole(error: &anyhow::Error) -> String {
    with_remedy(&format!("{error:#}"), of(error))
}

/// Writes an error on one line, with its remedy.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let remedy = of_chain(chain, GIVEN.get().unwrap_or(&Given::default()));
    with_remedy(&error.to_string(), remedy)
}

/// Adds a remedy to the text of an error, whose paths may have any characters.
fn with_remedy(error: &str, remedy: Option<String>) -> String {
    let error = escaped(error);
    remedy.map_or_else(|| error.clone(), |remedy| format!("{error}; {remedy}"))
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
    } else if let Some(error) = error.downcast_ref::<VerifyError>() {
        match error {
            VerifyError::Database(error) => of_database(error, given),
            VerifyError::Count(error) => of_count(error, given),
        }
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
    } else if error.is::<NoFolder>() {
        Some(more_room())
    } else {
        None
    }
}

fn of_solve(error: &SolveError, given: &Given) -> Option<String> {
    Some(match error {
        SolveError::Index(error) => of_index(error),
        SolveError::Memory { .. } => more_memory(given),
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
            format!("{}, or start over with --replace", resume(*board, *values, *found, given))
        }
        SolveError::File(error) => of_file(error, given),
    })
}

fn of_count(error: &CountError, given: &Given) -> Option<String> {
    Some(match error {
        CountError::Memory { .. } => more_memory(given),
        CountError::Index(error) => of_index(error),
        CountError::Busy { .. } if given.takes("scratch") => "wait for it to end, or give another --scratch".to_owned(),
        CountError::Busy { .. } => "wait for it to end".to_owned(),
        CountError::Disk { .. } if given.takes("scratch") => {
            "make room, or give another folder with --scratch".to_owned()
        }
        CountError::Disk { .. } if given.is_temporary() => more_room(),
        CountError::Disk { .. } => "make room, or choose a smaller board".to_owned(),
        CountError::Stopped { in_files: true, .. } => "run the same command to resume".to_owned(),
        CountError::Stopped { in_files: false, .. } => {
            "nothing was kept; give --scratch DIR to count in files, which can resume".to_owned()
        }
        CountError::Damaged { folder, .. } => format!("remove {} and count again", wording::path(folder)),
        CountError::Code { .. } => "count again; if it happens again, please report it".to_owned(),
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
            match solver_of(folder) {
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

/// What `stats` can do without a complete database.
const COUNT: &str = "; or count without one: --legal or --values KIND";

/// Returns the command that makes a database, of values alone if only that fits this machine; `None` if nothing does.
fn make(board: Board, root: &Path, given: &Given) -> Option<String> {
    let wanted = given.values.as_ref().and_then(|values| match values.to_str() {
        Some("wdl") => Some(Values::Wdl),
        Some("remoteness") => Some(Values::Remoteness),
        _ => None,
    });
    let values = match wanted {
        Some(values) => Some(values).filter(|values| is_feasible(board, *values, root)),
        None => feasible_values(board, root),
    };
    let given = match (values?, wanted) {
        (Values::Wdl, None) => &given.of_database(Values::Wdl, None),
        _ => given,
    };
    Some(format!("fourbase solve {board}{}", given.options()))
}

/// Returns the command that solves a board of which `root` has no database; `None` if this machine cannot. Plans the solve,
/// which takes about a second for a large board.
pub fn solve_first(board: Board, root: &Path) -> Option<String> {
    make(board, root, GIVEN.get().unwrap_or(&Given::default()))
}

/// Tells whether the user's subcommand takes an option.
pub fn takes(option: &str) -> bool {
    GIVEN.get().is_some_and(|given| given.takes(option))
}

/// Says what to do after a search that reached the limit of an option; `solve` would make the search unnecessary.
pub fn after_limit(option: &str, solve: Option<&str>) -> String {
    match solve {
        Some(solve) => format!("allow more with {option}, or solve the board first with: {solve}"),
        None => format!("allow more with {option}, or ask about a later position"),
    }
}

fn more_memory(given: &Given) -> String {
    let more = if given.takes("memory") { "give a higher --memory" } else { "free some memory" };
    format!("{more}, or choose a smaller board")
}

/// What to do where the system's folder for temporary files is full or cannot be written.
fn more_room() -> String {
    let variable = if cfg!(windows) { "TMP" } else { "TMPDIR" };
    format!("make room in {}, or set {variable} to a folder on another disk", wording::path(&temporary::parent()))
}

/// Names the process that holds the lock of a database, as it has written its name there.
fn solver_of(folder: &Path) -> Option<String> {
    let lock = lock_path(folder);
    if !fs::symlink_metadata(&lock).ok()?.is_file() {
        return None;
    }
    let file = File::open(&lock).ok()?;
    let Err(TryLockError::WouldBlock) = file.try_lock_shared() else { return None };
    let mut name = String::new();
    file.take(HOLDER_BYTES).read_to_string(&mut name).ok()?;
    Some(if name.is_empty() { "another process".to_owned() } else { excerpt(&name, HOLDER_BYTES as usize) })
}

/// More bytes than the name of a process in a lock has.
const HOLDER_BYTES: u64 = 64;

fn of_index(_: &IndexError) -> String {
    "choose a board with fewer rows or columns".to_owned()
}

fn of_file(error: &FileError, given: &Given) -> String {
    match error {
        FileError::Io { .. } if given.is_temporary() && error.path().starts_with(temporary::parent()) => more_room(),
        FileError::Io { .. } => "check the folder, its permissions and the free space".to_owned(),
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

fn resume(board: Board, values: Values, keep_plies: Option<u32>, given: &Given) -> String {
    format!("resume with: fourbase solve {board}{}", given.of_database(values, keep_plies).options())
}

/// Names the command that makes the database of a file again. The path of the file tells which database; if it does
/// not, the user's command tells it.
fn again(file: &Path, given: &Given) -> String {
    let named = file.ancestors().take(1 + FOLDERS).find_map(|folder| Some((folder, board_and_values_of(folder)?)));
    let (board, given) = match named {
        Some((folder, (board, values))) => {
            let manifest = Manifest::read(&Disk, folder, board, values).ok().flatten();
            let keep_plies = match manifest {
                Some(manifest) => manifest.keep_plies().map(|most| most.to_string().into()),
                None => given.keep_plies.clone(),
            };
            (board.to_string(), Given { keep_plies, values: Some(values.to_string().into()), ..given.clone() })
        }
        None => {
            let board = given.board.as_ref().map_or_else(|| "BOARD".to_owned(), word);
            (board, given.clone())
        }
    };
    format!("make the database again with: fourbase solve {board}{} --replace", given.options())
}

/// How many folders to search for the one that is named like a database: a file of `--scratch` is in a folder below it.
const FOLDERS: usize = 2;

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

    #[test]
    fn a_solve_is_resumed_with_the_memory_that_it_had() {
        let stopped = SolveError::Stopped {
            folder: "d9/6x6/remoteness".into(),
            board: "6x6".parse().unwrap(),
            values: Values::Remoteness,
            keep_plies: None,
            done: 1,
            tiers: 37,
        };
        let given = Given { db: Some("d9".into()), memory: Some("1G".into()), ..Given::default() };
        let expected = "resume with: fourbase solve 6x6 --values remoteness --db d9 --memory 1G";
        assert_eq!(remedy(&stopped, &given).unwrap(), expected);
    }

    #[test]
    fn a_database_is_made_again_whatever_file_of_it_is_damaged() {
        let damaged = |file: &str| FileError::Damaged { file: file.into(), offset: 0, what: "cut" };
        let given = Given { board: Some("6x5".into()), scratch: Some("s".into()), ..Given::default() };
        let again = "make the database again with: fourbase solve 6x5";
        let of_log = remedy(&damaged("s/6x5/wdl/0123456789abcdef/frontier-07.0"), &given).unwrap();
        assert_eq!(of_log, format!("{again} --values wdl --scratch s --replace"));
        assert_eq!(remedy(&damaged("elsewhere"), &given).unwrap(), format!("{again} --scratch s --replace"));
    }

    #[test]
    fn a_damaged_database_keeps_its_plies() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("5x4/wdl");
        let board = "5x4".parse().unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        Manifest::new(board, Values::Wdl, Some(7)).write(&Disk, &folder).unwrap();
        let damaged = FileError::Damaged { file: folder.join("tier-03"), offset: 0, what: "cut" };
        assert_eq!(
            remedy(&damaged, &Given::default()).unwrap(),
            "make the database again with: fourbase solve 5x4 --values wdl --keep-plies 7 --replace"
        );
    }

    #[test]
    fn a_folder_in_a_remedy_is_quoted() {
        let folder = "my db; rm x/4x4/count-legal";
        let log = PathBuf::from(folder).join("reached-07.0");
        let source = FileError::Damaged { file: log, offset: 0, what: "cut" };
        let damaged = CountError::Damaged { folder: folder.into(), source };
        let expected = "remove 'my db; rm x/4x4/count-legal' and count again";
        assert_eq!(remedy(&damaged, &Given::default()).unwrap(), expected);
        let missing = DatabaseError::Missing { board: "5x4".parse().unwrap(), root: "-x".into() };
        for (db, written) in [("/x/my db; rm x", " --db '/x/my db; rm x'"), ("-x", " --db=-x")] {
            let given = Given { db: Some(db.into()), ..Given::default() };
            assert_eq!(remedy(&missing, &given).unwrap(), format!("make it with: fourbase solve 5x4{written}"));
        }
    }

    #[test]
    fn a_block_that_is_missing_has_a_remedy_in_every_subcommand() {
        let missing = FileError::NoBlock { folder: "s/6x5/wdl/0123456789abcdef".into(), ply: 7, block: 1 };
        let expected = "make the database again with: fourbase solve 6x5 --values wdl --replace";
        assert_eq!(remedy(&missing, &Given::default()).unwrap(), expected);
    }

    #[test]
    fn a_full_disk_of_temporary_files_has_a_remedy_that_exists() {
        let takes = |subcommand: &str, takes: &[&str]| Given {
            subcommand: subcommand.to_owned(),
            takes: takes.iter().map(|name| name.to_string()).collect(),
            ..Given::default()
        };
        let (board, folder) = ("5x4".parse().unwrap(), temporary::parent().join("fourbase-1"));
        let solve = SolveError::Disk { folder: folder.clone(), board, needed: 2, free: 1 };
        let count = CountError::Disk { folder: folder.clone(), board, needed: 2, free: 1 };
        let written = FileError::Io { file: folder, action: "write", source: std::io::ErrorKind::StorageFull.into() };
        for error in [&solve as &(dyn Error + 'static), &count, &written] {
            let remedy = |given| remedy(error, &given).unwrap();
            assert_eq!(remedy(takes("bench", &["db"])), more_room(), "{error}");
            assert!(!remedy(takes("solve", &["db", "scratch"])).contains("TMP"), "{error}");
        }
        assert!(more_room().contains("make room in ") && !more_room().contains("--"));
    }

    #[test]
    fn a_remedy_names_only_options_that_the_subcommand_takes() {
        let takes =
            |names: &[&str]| Given { takes: names.iter().map(|name| name.to_string()).collect(), ..Given::default() };
        let board = "5x4".parse().unwrap();
        let memory = CountError::Memory { board, needed_bytes: 2, limit_bytes: 1 };
        assert_eq!(remedy(&memory, &takes(&[])).unwrap(), "free some memory, or choose a smaller board");
        assert_eq!(remedy(&memory, &takes(&["memory"])).unwrap(), "give a higher --memory, or choose a smaller board");
        let disk = SolveError::Disk { folder: "db".into(), board, needed: 2, free: 1 };
        assert_eq!(remedy(&disk, &takes(&[])).unwrap(), "make room, or choose a smaller board");
        let other_disk = "make room, or choose another disk with --db or --scratch";
        assert_eq!(remedy(&disk, &takes(&["scratch"])).unwrap(), other_disk);
        let missing = DatabaseError::Missing { board, root: "db".into() };
        assert!(remedy(&missing, &takes(&["legal"])).unwrap().ends_with(COUNT));
        let folder = "db/5x4/wdl".into();
        let not_solved = DatabaseError::NotSolved { folder, board, values: Values::Wdl, keep_plies: None, ply: 3 };
        assert!(remedy(&not_solved, &takes(&["search"])).unwrap().ends_with("; or search: --search auto"));
        assert!(remedy(&not_solved, &takes(&[])).unwrap().ends_with("solve 5x4 --values wdl"));
    }
}
