//! The commands that remedies name.

use std::path::Path;

use fourbase::Board;
use fourbase_tiers::files::Disk;
use fourbase_tiers::format::{Manifest, board_and_values_of};
use fourbase_tiers::kernel::Values;

use super::given::{Given, given, written};
use crate::feasible::{feasible_values, is_feasible};
use crate::quote::{option, word};

/// Returns the command that solves a board into the user's folder of databases.
pub fn to_solve(board: &str) -> String {
    format!("fourbase solve {board}{}", given().options())
}

/// Returns the command that continues a saved game, with the players that the user gave.
pub fn to_play(board: Board, file: &Path) -> String {
    let given = given();
    let options = written([("first", &given.first), ("second", &given.second), ("db", &given.db)]);
    format!("fourbase play {board}{options}{}", option("load", file))
}

/// Returns the command that solves a board of which `root` has no database; `None` if this machine cannot. Plans the solve,
/// which takes about a second for a large board.
pub fn solve_first(board: Board, root: &Path) -> Option<String> {
    make(board, root, given())
}

/// Returns the command that makes a database, of values alone if only that fits this machine; `None` if nothing does.
pub fn make(board: Board, root: &Path, given: &Given) -> Option<String> {
    let wanted: Option<Values> = given.values.as_ref().and_then(|values| values.to_str()?.parse().ok());
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

/// Names the command that goes on with a solve.
pub fn resume(board: Board, values: Values, keep_plies: Option<u32>, given: &Given) -> String {
    format!("resume with: {}", like(board, values, keep_plies, given))
}

/// Returns the command that solves a board as its database says.
pub fn like(board: Board, values: Values, keep_plies: Option<u32>, given: &Given) -> String {
    format!("fourbase solve {board}{}", given.of_database(values, keep_plies).options())
}

/// Names the command that makes the database of a file again. The path of the file tells which database; if it does
/// not, the user's command tells it.
pub fn again(file: &Path, given: &Given) -> String {
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
