//! Remedies: what the user can type next after an error. Only this file decides that.
//!
//! The errors of the libraries contain facts. A remedy names an option, or a complete command made from these facts.

use std::error::Error;
use std::fmt::Display;
use std::path::Path;

use anyhow::anyhow;
use fourbase::Board;
use fourbase_tiers::communicator::CommunicatorError;
use fourbase_tiers::database::{DEFAULT_ROOT, DatabaseError, Misplaced};
use fourbase_tiers::files::{Disk, FileError, escaped, has_room, is_address, shown};
use fourbase_tiers::format::{Manifest, board_and_values_of, lock_path};
use fourbase_tiers::index::IndexError;
use fourbase_tiers::kernel::Values;
use fourbase_tiers::memory;
use fourbase_tiers::positions::PositionError;
use fourbase_tiers::solve::{Plan, SolveError};

use crate::output::wording::{self, option};

/// What to do about a file that the system refuses.
pub const CHECK_FOLDER: &str = "check the folder, its permissions and the free space";

/// What to do about a file of a newer fourbase.
pub const UPDATE: &str = "update fourbase; if there is no newer version, the file is damaged: remove it and try again";

/// What to do if a board is too large for this program or this machine.
const SMALLER: &str = "choose a smaller board";

/// What to do if the positions have to be counted first and the count does not fit in memory.
const SAMPLE: &str = "give --sample N, which counts nothing, or a higher --memory";

/// Solves that need less memory than this fit any machine, so they are not planned exactly.
const LITTLE_BYTES: u128 = 64 << 20;

/// How many folders above a file [`make_again`] looks at, to find one that is named like a database. A file of `--scratch` is in a
/// folder below the named one, so it needs two.
const FOLDERS: usize = 2;

/// Returns what to type after an error; `None` if the error's own message says it, or if nothing helps.
pub fn of(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(of_one)
}

/// Writes all layers of an error on one line, with its remedy.
pub fn describe_chain(error: &anyhow::Error) -> String {
    with_remedy(&format!("{error:#}"), of(error))
}

/// Writes an error on one line, with its remedy.
pub fn describe(error: &(dyn Error + 'static)) -> String {
    with_remedy(&error.to_string(), of_sources(error))
}

/// Adds to the error of a database that a search can answer without the database. The remedy stands at the end of the line, because
/// it may be a command to copy.
pub fn or_search(error: DatabaseError) -> anyhow::Error {
    if matches!(error, DatabaseError::Misplaced { .. }) {
        return error.into();
    }
    let search = "--search auto searches instead";
    let remedy = of_sources(&error).map_or_else(|| search.to_owned(), |remedy| format!("{search}; {remedy}"));
    anyhow!(with_remedy(&error.to_string(), Some(remedy)))
}

fn of_sources(error: &(dyn Error + 'static)) -> Option<String> {
    std::iter::successors(Some(error), |error| (*error).source()).find_map(of_one)
}

/// Adds a remedy to the text of an error. Escapes the text, because paths in it may contain any characters.
fn with_remedy(error: &str, remedy: Option<String>) -> String {
    let error = escaped(error);
    remedy.map_or_else(|| error.clone(), |remedy| format!("{error}; {remedy}"))
}

/// Returns the command that solves a board into the folder of databases `root`. The command names `root` unless it is the default.
pub fn to_solve(board: impl Display, root: &Path) -> String {
    format!("fourbase solve {board}{}", in_root(root))
}

/// Returns the option that names the folder of databases `root`, or nothing if `root` is the default.
pub fn in_root(root: &Path) -> String {
    if root == Path::new(DEFAULT_ROOT) { String::new() } else { option("db", root) }
}

/// Returns the command that solves a board again, with the values and plies of an existing database.
pub fn to_solve_again(board: Board, values: Values, keep_plies: Option<u32>, root: &Path) -> String {
    let keep_plies = keep_plies.map_or_else(String::new, |most| format!(" --keep-plies {most}"));
    to_solve(format!("{board} --values {values}{keep_plies}"), root)
}

/// Returns the command that solves a board without a database in `root`. It leaves out remoteness if only a solve without it fits
/// this machine. Returns `None` if no solve fits. Plans the solve, which takes about a second for a large board.
pub fn solve_first(board: Board, root: &Path) -> Option<String> {
    let values = [Values::Remoteness, Values::Wdl].into_iter().find(|values| is_feasible(board, *values, root))?;
    let of_values = if values == Values::Wdl { " --values wdl" } else { "" };
    Some(to_solve(format!("{board}{of_values}"), root))
}

/// Tells whether a solve fits in the memory of this machine and on the disk of `root`, the folder with the databases.
fn is_feasible(board: Board, values: Values, root: &Path) -> bool {
    let estimate = Plan::estimate(board, values);
    if estimate.memory_bytes().max(estimate.database_bytes()) <= LITTLE_BYTES {
        return true;
    }
    let limit_bytes = memory::default_limit().unwrap_or(u64::MAX);
    let plan = Plan::new(board, values, limit_bytes).within(limit_bytes);
    let files_bytes = plan.database_bytes().saturating_add(plan.scratch_bytes());
    plan.check(limit_bytes).is_ok() && has_room(&Disk, root, files_bytes).is_ok()
}

/// Returns the command that makes a database again. The path of `file`, one of its files, says which database.
pub fn make_again(file: &Path) -> String {
    let named = file.ancestors().take(1 + FOLDERS).find_map(|folder| Some((folder, board_and_values_of(folder)?)));
    let Some((folder, (board, values))) = named else {
        return "make the database again with: fourbase solve BOARD --replace".to_owned();
    };
    let manifest = Manifest::read(&Disk, folder).ok().flatten();
    // The path of a file in a scratch folder does not say where the database is.
    let is_database = manifest.is_some() || file.file_name().is_some_and(|name| name == "manifest");
    let root = folder.parent().and_then(Path::parent).filter(|_| is_database).unwrap_or(Path::new(DEFAULT_ROOT));
    let solve = to_solve_again(board, values, manifest.and_then(|manifest| manifest.keep_plies), root);
    format!("make the database again with: {solve} --replace")
}

/// Returns the remedy of one error in a chain; `None` if it has none.
fn of_one(error: &(dyn Error + 'static)) -> Option<String> {
    let remedy = error.downcast_ref().map(of_solve);
    let remedy = remedy.or_else(|| error.downcast_ref().and_then(of_database));
    let remedy = remedy.or_else(|| error.downcast_ref().and_then(of_position));
    remedy.or_else(|| error.downcast_ref().map(of_file)).or_else(|| error.downcast_ref().map(of_index))
}

fn of_solve(error: &SolveError) -> String {
    match error {
        SolveError::Index(error) => of_index(error),
        SolveError::Memory { needed, .. } => more_memory(*needed),
        SolveError::Threads(_) => "give fewer --threads".to_owned(),
        SolveError::Busy { .. } => {
            "wait for it to end, end it, or give other folders with --db and --scratch".to_owned()
        }
        SolveError::Stopped { folder: Some(_), .. } => "run the same command to resume".to_owned(),
        SolveError::Stopped { folder: None, .. } => {
            "nothing was kept; give --scratch DIR to count in files, which can resume".to_owned()
        }
        SolveError::Disk { .. } => "make room, or choose another disk with --db or --scratch".to_owned(),
        SolveError::Scratch { .. } => {
            "give the --scratch of the earlier solve, or start over with --replace".to_owned()
        }
        SolveError::Kept { found: Some(found), .. } => {
            format!("keep its plies with --keep-plies {found}, or start over with --replace")
        }
        SolveError::Kept { .. } => "keep all plies without --keep-plies, or start over with --replace".to_owned(),
        SolveError::Damaged { folder, .. } => format!("remove {} and count again", wording::path(folder)),
        SolveError::Uncounted { board, .. } => {
            format!("start over with --replace, or solve it without --stats, and then: fourbase stats {board}")
        }
        SolveError::Communicator(CommunicatorError::OtherJob { .. }) => {
            "start all processes with the same program and the same options".to_owned()
        }
        SolveError::Communicator(CommunicatorError::NotShared { .. }) => {
            "give folders that all machines share with --db and --scratch".to_owned()
        }
        SolveError::File(error) => of_file(error),
    }
}

fn of_database(error: &DatabaseError) -> Option<String> {
    if let Some(remedy) = error.remedy_of_host() {
        return Some(remedy);
    }
    Some(match error {
        DatabaseError::Misplaced { found: Misplaced::Inside(root), .. } if is_address(root) => {
            format!("write{}", option("db", shown(root)))
        }
        DatabaseError::Misplaced { found: Misplaced::Inside(root), .. } => format!("write{}", option("db", root)),
        DatabaseError::Misplaced { found: Misplaced::Incomplete(..), .. } => "copy the manifest too".to_owned(),
        DatabaseError::Misplaced { found: Misplaced::NoFolder, .. } => "name a folder, or such an address".to_owned(),
        DatabaseError::Misplaced { board: None, root, .. } => format!("start with: {}", to_solve("5x4", root)),
        DatabaseError::Misplaced { board: Some(board), root, .. } | DatabaseError::Missing { board, root } => {
            match solve_first(*board, root) {
                Some(solve) => format!("make it with: {solve}"),
                None => format!("a solve of {board} does not fit this machine; {SMALLER}"),
            }
        }
        DatabaseError::MissingValues { board, values, root } if is_feasible(*board, *values, root) => {
            let solve = to_solve(format!("{board} --values {values}"), root);
            format!("leave --values out, or make it with: {solve}")
        }
        DatabaseError::MissingValues { .. } => "leave --values out".to_owned(),
        DatabaseError::NotSolved { folder, board, values, keep_plies, .. } => match Disk.holder(&lock_path(folder)) {
            Some(solver) => format!("{solver} is solving it now; wait for it to end"),
            None => {
                let root = folder.parent().and_then(Path::parent).unwrap_or(folder);
                format!("resume with: {}", to_solve_again(*board, *values, *keep_plies, root))
            }
        },
        DatabaseError::File(error) => of_file(error),
        DatabaseError::Index(error) => of_index(error),
        DatabaseError::Analysis(error) if error.is_limit() => {
            "allow more with --nodes, or give --plies that the database keeps".to_owned()
        }
        DatabaseError::Analysis(_) => return None,
    })
}

fn of_position(error: &PositionError) -> Option<String> {
    Some(match error {
        PositionError::NoPlies | PositionError::Late { .. } => "give other --plies".to_owned(),
        PositionError::Ply { board, .. } => format!("give --plies from 0 to {}", board.cells()),
        PositionError::Fewer { found, .. } => {
            format!("give --sample {found} or less, or more --plies; without --sample, all positions are written")
        }
        PositionError::NotDrawn { .. } => "give other --plies or another --kind".to_owned(),
        PositionError::Memory { is_sample: true, .. } => {
            "give a higher --memory or a smaller --sample, or leave out --distinct".to_owned()
        }
        PositionError::Memory { .. } => "give a higher --memory, or earlier --plies".to_owned(),
        PositionError::Database(error) => return of_database(error),
        PositionError::Solve(SolveError::Memory { .. }) => SAMPLE.to_owned(),
        PositionError::Solve(error) => of_solve(error),
        PositionError::NoColumns => "give --columns such as moves,value".to_owned(),
        PositionError::NoScore => "leave it out".to_owned(),
        PositionError::NoRemoteness { board, .. } => {
            format!("leave it out, or solve with remoteness: fourbase solve {board} --values remoteness")
        }
        PositionError::NoParquet => "write CSV with --format csv".to_owned(),
        // The program sets no limit of time.
        PositionError::Long { .. } => "choose fewer positions".to_owned(),
        PositionError::Write(_) => CHECK_FOLDER.to_owned(),
        PositionError::Notation(_) | PositionError::Stopped => return None,
    })
}

fn of_index(_: &IndexError) -> String {
    "choose a board with fewer rows or columns".to_owned()
}

fn of_file(error: &FileError) -> String {
    if let Some(remedy) = error.remedy_of_host() {
        return remedy.to_owned();
    }
    match error {
        FileError::Io { .. } => CHECK_FOLDER.to_owned(),
        FileError::Message { .. } => "start the job again; if it happens again, please report it".to_owned(),
        FileError::Newer { .. } => UPDATE.to_owned(),
        // Do not suggest to replace this database of another board: it may be the only copy.
        FileError::Wrong { what: "the board", file, .. } if file.file_name().is_some_and(|name| name == "manifest") => {
            "move that database to a folder of its own name, or give another --db".to_owned()
        }
        FileError::Wrong { file, .. } | FileError::Damaged { file, .. } => make_again(file),
    }
}

fn more_memory(needed_bytes: u128) -> String {
    if memory::total_bytes().is_some_and(|total| needed_bytes > total.into()) {
        return SMALLER.to_owned();
    }
    // If the machine has enough free memory now, only a limit that the user set can be too low.
    let is_set = memory::default_limit().is_some_and(|limit| needed_bytes <= limit.into());
    format!("{}, or {SMALLER}", if is_set { "give a higher --memory" } else { "free some memory" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn small_boards_can_be_solved_and_boards_beyond_all_memory_cannot() {
        let solve = |name: &str| solve_first(name.parse().unwrap(), Path::new("a b"));
        assert_eq!(solve("5x4").as_deref(), Some("fourbase solve 5x4 --db 'a b'"));
        assert_eq!(["9x7", "8x8", "32x2"].map(solve), [None, None, None]);
    }

    #[test]
    fn a_damaged_database_is_made_again_where_it_is_with_the_plies_that_it_keeps() {
        let damaged = |file: PathBuf| describe(&FileError::Damaged { file, offset: 0, what: "cut" });
        let again = |of: &str| format!("; make the database again with: fourbase solve {of} --replace");
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("5x4/wdl");
        std::fs::create_dir_all(&folder).unwrap();
        Manifest::new("5x4".parse().unwrap(), Values::Wdl, Some(7)).write(&Disk, &folder).unwrap();
        let here = option("db", root.path());
        assert!(damaged(folder.join("tier-03")).ends_with(&again(&format!("5x4 --values wdl --keep-plies 7{here}"))));
        let scratch = damaged("s/6x5/wdl/0123456789abcdef/frontier-07.0".into());
        assert!(scratch.ends_with(&again("6x5 --values wdl")), "{scratch}");
        assert!(damaged("elsewhere".into()).ends_with(&again("BOARD")));
    }

    #[test]
    fn a_folder_in_a_remedy_is_quoted() {
        let source = FileError::Damaged { file: "reached-07.0".into(), offset: 0, what: "cut" };
        let damaged = SolveError::Damaged { folder: "my db; rm x/count-legal".into(), source };
        assert!(describe(&damaged).ends_with("; remove 'my db; rm x/count-legal' and count again"));
    }
}
