//! How many legal positions a board has: the method `Database.stats`.

use fourbase::analysis::json::Envelope;
use fourbase_tiers::context::Context;
use fourbase_tiers::counts::{Stats, count_by_value, read_kept, write_kept};
use fourbase_tiers::files::Disk;
use fourbase_tiers::solve::Solve;
use pyo3::prelude::*;

use crate::arguments::{Progress, root};
use crate::call_python;
use crate::database::Database;
use crate::failure::{exception, of_database, of_solve};
use crate::work::{ProgressDisplay, without_gil};

/// Makes the `Stats` of a database: from the counts that are kept beside it, or else by another solve in at most `memory` bytes.
pub fn stats<'py>(
    py: Python<'py>,
    database: &Database,
    memory: u64,
    progress: Progress<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (best, board) = (database.best(), database.analyst.board);
    if let Some(ply) = best.manifest.next_ply() {
        return Err(of_database(best.not_solved(ply)));
    }
    let display = ProgressDisplay::new(py, board, "Progress", progress)?;
    let kept = match without_gil(py, || read_kept(best.storage(), best.folder(), board, &best.manifest))? {
        // Damaged counts are made again.
        Err(error) if error.is_damage() => None,
        kept => kept.map_err(|error| of_database(error.into()))?,
    };
    let counts = match kept {
        Some(counts) => counts,
        None if best.manifest.keep_plies.is_some() => {
            let message = format!("counting needs every position of {board}, and this database stores early plies");
            return Err(exception("DatabaseError", format!("{message}; make one with fourbase.solve(\"{board}\")")));
        }
        None => {
            let folder = database.folder();
            let scratch = root(folder.as_ref().and_then(|folder| Some(folder.ancestors().nth(2)?.to_path_buf())));
            let solve = Solve::new(board, best.values()).root(&scratch).memory(memory);
            let counted = display.run_counted(py, "entries", |progress| {
                count_by_value(&solve, &Context { progress, ..Context::default() })
            })?;
            let counts = counted.map_err(of_solve)?;
            if let Some(folder) = folder {
                // Without the file, as in a folder that is read-only, the next call counts again.
                _ = write_kept(&Disk, &folder, &best.manifest, &counts);
            }
            counts
        }
    };
    let mut json = Vec::new();
    Envelope::new("stats", Stats::of(&counts, None)).push_to(&mut json);
    call_python(py, "Stats", (json,))
}
