//! `fourbase list`: the databases, their progress and their size.

use std::path::Path;

use clap::Args;
use fourbase_tiers::database::{self, Listing, Summary};
use fourbase_tiers::files::bytes;
use fourbase_tiers::format::folder_of;
use serde::Serialize;

use crate::arguments::DatabaseArgument;
use crate::json::{self, Envelope};
use crate::number::grouped;
use crate::table::{self, Side};
use crate::{failure, output, remedy, wording};

/// Arguments of `fourbase list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  fourbase list
  fourbase list --db /data/fourbase --json

The list leaves out a database whose manifest cannot be read. A message on standard error says
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
/// The folder cannot be read. After the list: databases that cannot be read.
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let root = &arguments.database.root;
    let Listing { databases, faults } = database::list(root)?;
    if arguments.json {
        let databases = databases.iter().map(|summary| ListedDatabase::of(summary, root)).collect();
        output::print_json(&Envelope::new("list", Listed { databases }))?;
    } else if !databases.is_empty() {
        output::print(table(&databases))?;
    } else if faults.is_empty() {
        let command = remedy::to_solve("5x4", root);
        output::print(format_args!("nothing is solved in {} yet; start with: {command}", wording::path(root)))?;
    }
    failure::all_of(faults)
}

/// The databases as JSON.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    databases: Vec<ListedDatabase>,
}

/// A database as JSON.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ListedDatabase {
    board: String,
    stores: String,
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "solving"])))]
    state: &'static str,
    tiers_done: u32,
    tiers: u32,
    value: Option<&'static str>,
    remoteness: Option<u32>,
    entries: u64,
    bytes: u64,
    /// The deepest ply in the database; null if it has all.
    keep_plies: Option<u32>,
    hash: Option<String>,
    folder: String,
}

impl ListedDatabase {
    fn of(summary: &Summary, root: &Path) -> ListedDatabase {
        let Summary { board, manifest } = summary;
        ListedDatabase {
            board: board.to_string(),
            stores: manifest.values().to_string(),
            state: if manifest.is_complete() { "complete" } else { "solving" },
            tiers_done: manifest.tiers.len() as u32,
            tiers: board.cells() as u32 + 1,
            value: manifest.root().map(|outcome| json::value(outcome.value)),
            remoteness: manifest.root().and_then(|outcome| outcome.remoteness),
            entries: manifest.entries(),
            bytes: manifest.bytes(),
            keep_plies: manifest.keep_plies(),
            hash: manifest.hash().map(|hash| hash.to_string()),
            folder: json::folder(&folder_of(root, *board, manifest.values())),
        }
    }
}

/// The names and sides of the table's columns.
const COLUMNS: [(&str, Side); 6] = [
    ("board", Side::Left),
    ("values", Side::Left),
    ("tiers", Side::Right),
    ("entries", Side::Right),
    ("size", Side::Right),
    ("empty board", Side::Left),
];

fn table(summaries: &[Summary]) -> String {
    let head = COLUMNS.map(|(name, _)| name.to_owned()).to_vec();
    let rows = summaries.iter().map(|summary| {
        vec![
            summary.board.to_string(),
            summary.manifest.values().to_string(),
            tiers(summary),
            grouped(summary.manifest.entries().into()),
            bytes(summary.manifest.bytes().into()),
            summary.manifest.root().map_or("not solved yet".to_owned(), wording::outcome),
        ]
    });
    table::to_text(&COLUMNS.map(|(_, side)| side), &std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// Writes the number of tiers; how many are done, if not all; and the deepest ply in the database, if not the last.
fn tiers(summary: &Summary) -> String {
    let Summary { board, manifest } = summary;
    let kept = manifest.keep_plies().map_or_else(String::new, |most| format!(", kept to ply {most}"));
    let (done, tiers) = (manifest.tiers.len(), board.cells() + 1);
    if manifest.is_complete() { format!("{tiers}{kept}") } else { format!("{done} of {tiers}{kept}") }
}
