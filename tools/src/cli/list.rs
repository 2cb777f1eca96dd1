//! `fourbase list`: the databases, their progress and their size.

use std::fmt;
use std::path::Path;

use clap::Args;
use fourbase::analysis::json::OutcomeJson;
use fourbase::{Board, Outcome};
use fourbase_tiers::database::{self, Listing};
use fourbase_tiers::files::{bytes, grouped, plain};
use fourbase_tiers::format::{Manifest, folder_of};
use serde::Serialize;

use crate::arguments::{DatabaseArgument, FOLDER_HELP};
use crate::output::{self, wording};
use crate::{failure, remedy};

/// Arguments of `fourbase list`.
#[derive(Args, Debug)]
#[command(mut_arg("db", |arg| arg.help(FOLDER_HELP)))]
#[command(after_help = "\
Examples:
  fourbase list
  fourbase list --db /data/fourbase --json

The list leaves out a database whose manifest cannot be read. A message on standard error says \
why, and the exit code is 1.")]
pub struct Arguments {
    #[command(flatten)]
    database: DatabaseArgument,

    /// Print one line of JSON: an object with a list of the databases
    #[arg(long)]
    json: bool,
}

/// Runs `fourbase list`.
///
/// # Errors
///
/// The folder cannot be read; databases in it cannot be read, which is reported after the list of the others.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let root = arguments.database.folder()?;
    let Listing { databases, replacements, faults } = database::list(root)?;
    let databases =
        databases.iter().map(|(board, manifest)| ListedDatabase::of(*board, manifest, root)).collect::<Vec<_>>();
    let replacements =
        replacements.iter().map(|(board, manifest)| replacement(*board, manifest, root)).collect::<Vec<_>>();
    if arguments.json || !databases.is_empty() || !replacements.is_empty() {
        output::print_result("list", &Listed { databases, replacements }, arguments.json)?;
    } else if faults.is_empty() {
        database::check_root(root, None)?;
        let command = remedy::to_solve("5x4", root);
        output::print(format_args!("nothing is solved in {} yet; start with: {command}", wording::path(root)))?;
    }
    failure::all_of(faults)
}

/// Writes how far a solve with `--replace` has come, and the command that finishes it.
fn replacement(board: Board, manifest: &Manifest, root: &Path) -> String {
    let (values, done, all) = (manifest.values, manifest.tiers.len(), board.cells() + 1);
    let solve = remedy::to_solve_again(board, values, manifest.keep_plies, root);
    format!("{board} {values}: its replacement has {done} of {all} tiers; resume with: {solve} --replace")
}

/// The databases of a folder.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    databases: Vec<ListedDatabase>,
    /// For people alone.
    #[serde(skip)]
    replacements: Vec<String>,
}

/// A database.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedDatabase {
    board: String,
    stores: String,
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "solving"])))]
    state: &'static str,
    tiers_done: usize,
    tiers: usize,
    /// What the empty board is worth.
    #[serde(flatten)]
    outcome: OutcomeJson,
    entries: u64,
    bytes: u64,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    hash: Option<String>,
    folder: String,
    #[serde(skip)]
    root: Option<Outcome>,
}

impl ListedDatabase {
    fn of(board: Board, manifest: &Manifest, root: &Path) -> ListedDatabase {
        ListedDatabase {
            board: board.to_string(),
            stores: manifest.values.to_string(),
            state: if manifest.is_complete() { "complete" } else { "solving" },
            tiers_done: manifest.tiers.len(),
            tiers: board.cells() + 1,
            outcome: OutcomeJson::of(manifest.root()),
            entries: manifest.entries(),
            bytes: manifest.bytes(),
            keep_plies: manifest.keep_plies,
            hash: manifest.hash.map(|hash| hash.to_string()),
            folder: plain(&folder_of(root, board, manifest.values)),
            root: manifest.root(),
        }
    }

    /// Writes the row of the table. The cell of the tiers contains the number of tiers done if not all are, and the deepest ply if
    /// the database does not keep all plies.
    fn cells(&self) -> Vec<String> {
        let done = if self.state == "complete" { String::new() } else { format!("{} of ", self.tiers_done) };
        let kept = self.keep_plies.map_or_else(String::new, |most| format!(", kept to ply {most}"));
        vec![
            self.board.clone(),
            self.stores.clone(),
            format!("{done}{}{kept}", self.tiers),
            grouped(self.entries.into()),
            bytes(self.bytes.into()),
            self.root.map_or("not solved yet".to_owned(), wording::outcome),
        ]
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["board", "values", ">tiers", ">entries", ">size", "empty board"];
        f.write_str(&output::table(&columns, self.databases.iter().map(ListedDatabase::cells)))?;
        self.replacements.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}
